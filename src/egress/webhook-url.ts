/**
 * Reads a Webhook URL as a person typed it. Pure, and only about its form: the guard says whether it may be called. The
 * resulting `URL` is the one that is checked, resolved and connected to. The text is never parsed again, since two
 * parsers that disagree about a host are how guards are bypassed.
 */
import { PULL_URL } from "../domain/pull.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { pasteFault } from "../lib/pasted.ts";

declare const isChecked: unique symbol;

/** A URL that the check below has made. Save and test accept nothing else, so neither can parse a text again. */
export type WebhookUrl = URL & { readonly [isChecked]: true };

/** Of a destination that is asked: nothing connects to it, so nothing of it is to be checked. */
export const PULLED_URL = new URL(PULL_URL) as WebhookUrl;

/**
 * The URL without white space around it; or one sentence with the mistake and what would be right. The `saved` URL may
 * have anything in it that was taken when it was saved.
 */
export function parseWebhookUrl(text: string, saved?: string): Result<WebhookUrl, string> {
  // Unicode's white space: `trim` misses only U+0085, and removes U+FEFF too.
  const trimmed = text.replaceAll("\u0085", " ").trim();
  const mistake = findTextMistake(trimmed, saved);
  if (mistake !== null) return refuse(mistake);
  const url = URL.parse(trimmed);
  if (url === null) return refuse(hostMistake(trimmed));
  const urlMistake = findUrlMistake(url);
  if (urlMistake !== null) return refuse(urlMistake);
  // Removes a lone "#" at the end.
  url.hash = "";
  // The same host with and without the root's dot would be two: for limits, kept secrets and most servers.
  url.hostname = url.hostname.replace(/\.$/, "");
  return ok(url as WebhookUrl);
}

/** Why the text is no URL, for the mistakes that people make most. */
function hostMistake(text: string): string {
  const [, host = ""] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(text) ?? [];
  const [, port = ""] = /^[^:]*:(\d+)$/.exec(host) ?? [];
  if (Number(port) > 65_535) return `The Webhook URL has the port ${port}; ports go from 1 to 65535`;
  if (/^[\da-f]*:[\da-f:]*:[\da-f:.]*$/i.test(host)) {
    return `The Webhook URL has an IPv6 address; write it in brackets, as https://[${host}]/`;
  }
  return `"${text}" is not a valid URL; write one such as https://example.com/webhooks`;
}

/** The URL of a token endpoint: by the same rules, in words of its own field. */
export const parseTokenUrl = (text: string, saved?: string): Result<WebhookUrl, string> =>
  parseNamed(text, {
    saved,
    name: "token URL",
    example: "login.example.com/oauth/token",
    credentials: "client id and secret have fields of their own",
  });

/** The address of a channel that is told about failures. */
export const parseChannelUrl = (text: string): Result<WebhookUrl, string> =>
  parseNamed(text, { name: "address", example: "ops.example.com/bellwire", credentials: "remove it" });

/** How the messages speak of another field than the Webhook URL. */
interface OtherField {
  readonly saved?: string | undefined;
  readonly name: string;
  readonly example: string;
  /** The advice for a URL with a user name or password in it. */
  readonly credentials: string;
}

function parseNamed(text: string, { saved, name, example, credentials }: OtherField): Result<WebhookUrl, string> {
  const parsed = parseWebhookUrl(text, saved);
  if (parsed.ok) return parsed;
  const words = parsed.error
    .replaceAll("Webhook URL", name)
    .replace("example.com/webhooks", example)
    .replace("remove it and send it in a custom header instead", credentials);
  return refuse(words);
}

/** Text that the URL parser would quietly repair: the result is then not what the person typed. */
function findTextMistake(text: string, saved: string | undefined): string | null {
  if (text === "") return "The Webhook URL is empty; write one such as https://example.com/webhooks";
  if (text.length > LIMITS.urlCharsMax) {
    return `The Webhook URL has ${text.length} characters; at most ${LIMITS.urlCharsMax} are taken`;
  }
  const pasted = text === saved ? null : pasteFault(text, { kind: "url" });
  if (pasted !== null) return `The Webhook URL ${pasted}`;
  if (/\s\w*:\/\//.test(text)) return "The Webhook URL has two addresses in it; enter one of them";
  if (/\s/.test(text)) return "The Webhook URL has white space in it; write %20 for a space in a path";
  return findSchemeMistake(text);
}

function findSchemeMistake(text: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "http" || scheme === "https") return findSlashMistake(text, scheme);
  if (scheme !== undefined && !looksLikeHostAndPort(text)) {
    return `The Webhook URL starts with "${scheme}:"; only https: and http: can be called`;
  }
  // Also where the colon was lost: "https//example.com".
  const rest = text.replace(/^(?:https?;?\/\/|\/+)/i, "");
  return `The Webhook URL does not say how to call it; write ${isOwnMachine(rest) ? "http" : "https"}://${rest}`;
}

/** A receiver that somebody is writing has no certificate. */
const isOwnMachine = (text: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/i.test(text);

/** `localhost:3000/hook` has the form of a URL with the scheme "localhost". */
const looksLikeHostAndPort = (text: string): boolean => /^[^/:]+:\d/.test(text);

function findSlashMistake(text: string, scheme: string): string | null {
  const [beforeQuery = ""] = text.split(/[?#]/, 1);
  if (beforeQuery.includes("\\")) return 'The Webhook URL has a "\\" in it; write "/"';
  const afterScheme = text.slice(scheme.length + 1);
  if (/^\/\/[^/]/.test(afterScheme)) return null;
  const rest = afterScheme.replace(/^\/+/, "");
  const suggestion = rest === "" ? "example.com/webhooks" : rest;
  return `The Webhook URL needs two slashes and a host after "${scheme}:"; write ${scheme}://${suggestion}`;
}

function findUrlMistake(url: URL): string | null {
  if (url.hostname === "") return "The Webhook URL has no host; write one such as https://example.com/webhooks";
  if (url.port === "0") return "The Webhook URL has the port 0, which takes no calls; ports go from 1 to 65535";
  if (url.username !== "" || url.password !== "") {
    return "The Webhook URL has a user name or password in it; remove it and send it in a custom header instead";
  }
  if (url.hash !== "") return `The part "${url.hash}" of the Webhook URL is never sent to a receiver; remove it`;
  // Characters that are not allowed in a URL become three each.
  if (url.href.length > LIMITS.urlCharsMax) {
    return `The Webhook URL has ${url.href.length} characters when encoded; at most ${LIMITS.urlCharsMax} are taken`;
  }
  return null;
}

/** Host, port and TLS of a call. */
export interface CallTarget {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** `port` is empty for the protocol's own. The protocol must be `http:` or `https:`. */
export function callTarget({ hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">): CallTarget {
  const isTls = protocol === "https:";
  const ownPort = isTls ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? ownPort : Number(port), isTls };
}
