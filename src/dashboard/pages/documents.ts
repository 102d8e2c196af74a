/**
 * The document of each page's address. All are the one that the build made (`web/index.html`), with what the address
 * alone says, so that a slow line loads it at once: the link that is open, the scripts that the page will import, and
 * the questions that it will ask first.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Page {
  readonly path: string;
  /** Its file in `web/pages`, by name. */
  readonly name: string;
  /** The link of the rail that leads to it; `null` where nobody is signed in, and nothing stands around the page. */
  readonly place: string | null;
  /** What its list asks without parameters. */
  readonly asks?: readonly string[];
}

/** Those of `web/routes.tsx`. */
export const PAGES: readonly Page[] = [
  { path: "/", name: "overview", place: "./" },
  { path: "/destinations", name: "destinations", place: "./" },
  { path: "/sign-in/:token", name: "sign-in", place: null },
  { path: "/mail/:token", name: "mail-link", place: null },
  { path: "/audience/sessions", name: "sessions", place: "audience/sessions", asks: ["sessions"] },
  { path: "/audience/sessions/:id", name: "session-detail", place: "audience/sessions" },
  { path: "/audience/events", name: "all-events", place: "audience/events" },
  { path: "/audience/events/:type/:id", name: "event-detail", place: "audience/events" },
  { path: "/assistants", name: "assistants", place: "assistants", asks: ["assistants"] },
  { path: "/assistants/:id", name: "assistant-detail", place: "assistants" },
  { path: "/assistants/:id/:tab", name: "assistant-detail", place: "assistants" },
  { path: "/assistants/:id/conversations/:conversationId", name: "conversation-detail", place: "assistants" },
  { path: "/deliveries", name: "deliveries", place: "deliveries", asks: ["deliveries"] },
  { path: "/deliveries/:id", name: "deliveries", place: "deliveries" },
  { path: "/replays/:id", name: "replay-detail", place: "deliveries" },
  { path: "/incidents", name: "incidents", place: "incidents", asks: ["incidents"] },
  { path: "/events", name: "events", place: "events" },
  { path: "/events/:type", name: "events", place: "events" },
  { path: "/refused-records", name: "refused-records", place: "events" },
  { path: "/settings/alerts", name: "alerts", place: "settings/alerts", asks: ["alerts"] },
  { path: "/settings/alerts/:id", name: "alert-form", place: "settings/alerts" },
  { path: "/settings/webhooks", name: "webhooks", place: "settings/webhooks", asks: ["webhooks"] },
  { path: "/settings/webhooks/:id", name: "webhook-form", place: "settings/webhooks" },
  { path: "/settings/verification", name: "verification", place: "settings/verification" },
  { path: "/settings/account", name: "account", place: "settings/account" },
];

export const PLAYGROUND: Page = { path: "/playground", name: "playground", place: "playground" };

/** For addresses where nothing is. */
export const NOWHERE: Page = { path: "*", name: "not-found", place: "" };

/** Of everybody who is signed in: who that is, and destinations for the notes above each page. */
const ASKED_ALWAYS = ["session", "destinations"];

/** `basePath`: where browsers see the service. */
export function createRenderer(folder: string, index: string, basePath: string): (page: Page) => string {
  const scripts = readScripts(folder);
  const based = index.replace(/<base href="[^"]*"/, `<base href="${attribute(basePath)}/"`);
  return ({ name, place, asks = [] }) => {
    const hints = (scripts[name] ?? []).filter((file) => !index.includes(file));
    const links = hints.map((file) => `<link rel="modulepreload" crossorigin href="./${file}">`);
    const hinted = based.replace("</head>", `${links.join("")}</head>`);
    if (place === null) return hinted.replace(STILL, "");
    return hinted
      .replace("<html ", `<html data-asks="${[...ASKED_ALWAYS, ...asks].join(" ")}" `)
      .replace(`<li><a href="${place}"`, (link) => `${link} aria-current="page"`);
  };
}

/** The settings take nothing into the path that could end the attribute; this is for the day when they do. */
const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** What the build draws before there is an application (web/still-plugin.ts). */
const STILL = /<div id="still">.*?<\/div>(?=\s*<link rel="stylesheet")/s;

/** By the page's name: what the build says (web/scripts-plugin.ts). */
function readScripts(folder: string): Readonly<Record<string, readonly string[]>> {
  const path = join(folder, ".vite", "scripts.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, readonly string[]>) : {};
}
