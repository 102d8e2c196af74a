/**
 * The document of each page's address. All are the one that the build made (`web/index.html`), with what the address
 * alone says, so that a slow line loads it at once: the link that is open, the scripts that the page will import, and
 * the questions that it will ask first.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Brand, OUR_NAME } from "../../domain/brand.ts";
import { BRAND_STYLES } from "./look-styles.ts";

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
  { path: "/people", name: "people", place: "people" },
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
  { path: "/settings/alerts/new", name: "alert-form", place: "settings/alerts" },
  { path: "/settings/alerts/:id", name: "alert", place: "settings/alerts" },
  { path: "/settings/alerts/:id/edit", name: "alert-form", place: "settings/alerts" },
  { path: "/settings/webhooks", name: "webhooks", place: "settings/webhooks", asks: ["webhooks"] },
  { path: "/settings/webhooks/new", name: "webhook-form", place: "settings/webhooks" },
  { path: "/settings/webhooks/:id", name: "webhook", place: "settings/webhooks" },
  { path: "/settings/webhooks/:id/edit", name: "webhook-form", place: "settings/webhooks" },
  { path: "/settings/verification", name: "verification", place: "settings/verification" },
  { path: "/settings/activity", name: "activity", place: "settings/activity", asks: ["audit"] },
  { path: "/settings/account", name: "account", place: "settings/account" },
];

export const PLAYGROUND: Page = { path: "/playground", name: "playground", place: "playground" };

/** For addresses where nothing is. */
export const NOWHERE: Page = { path: "*", name: "not-found", place: "" };

/** Of everybody who is signed in: who that is, and destinations for the notes above each page. */
const ASKED_ALWAYS = ["session", "destinations"];

export interface RendererOptions {
  /** What Vite has built. */
  readonly folder: string;
  /** Its `index.html`. */
  readonly index: string;
  /** Where browsers see the service. */
  readonly basePath: string;
  readonly brand: Brand;
  /** Who may frame the page. */
  readonly embedOrigins: readonly string[];
}

export function createRenderer(options: RendererOptions): (page: Page) => string {
  const { folder, index, basePath, brand, embedOrigins } = options;
  const scripts = readScripts(folder);
  const based = withParents(withBrand(index, brand), embedOrigins).replace(
    /<base href="[^"]*"/,
    `<base href="${attribute(basePath)}/"`,
  );
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

/** To whom a page in a frame speaks (web/embed.ts). The settings take nothing in that would end the attribute. */
const withParents = (index: string, origins: readonly string[]): string =>
  origins.length === 0 ? index : index.replace("<html ", `<html data-parents="${origins.join(" ")}" `);

/** web/brand.ts reads the attributes; what is drawn before any script runs has our name and mark in it. */
function withBrand(index: string, { name, logo, colors }: Brand): string {
  const named = name === OUR_NAME ? index : withName(index, attribute(name));
  const marked =
    logo === null
      ? named
      : named
          .replace("<html ", "<html data-logo ")
          .replaceAll(OUR_MARK, `<img src="./${BRAND_LOGO}" alt="" class="size-7">`)
          .replace(/<link rel="icon"[^>]*>/, `<link rel="icon" type="${logo.type}" href="./${BRAND_LOGO}">`);
  return colors === null
    ? marked
    : marked.replace("</head>", `<link rel="stylesheet" href="./${BRAND_STYLES}"></head>`);
}

const withName = (index: string, name: string): string =>
  index
    .replaceAll(`>${OUR_NAME}<`, () => `>${name}<`)
    .replaceAll(`"${OUR_NAME}, overview"`, () => `"${name}, overview"`)
    .replace("<html ", () => `<html data-brand="${name}" `);

const OUR_MARK = /<svg aria-hidden="true" viewBox="0 0 32 32".*?<\/svg>/gs;

/** Served beside the page, where there is one. */
export const BRAND_LOGO = "brand-logo";

/** The settings take nothing into the path that could end the attribute; this is for the day when they do. */
const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** What the build draws before there is an application (web/still-plugin.ts). */
const STILL = /<div id="still">.*?<\/div>(?=\s*<link rel="stylesheet")/s;

/** By the page's name: what the build says (web/scripts-plugin.ts). */
function readScripts(folder: string): Readonly<Record<string, readonly string[]>> {
  const path = join(folder, ".vite", "scripts.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, readonly string[]>) : {};
}
