/**
 * Settings of a product that shows the dashboard as its own: who may frame it, and what it is called and looks like.
 * They are rows of the table in `options.ts`.
 */
import { ok, refuse } from "../domain/problem.ts";
import { pasteFault } from "../lib/pasted.ts";
import type { Option } from "./option.ts";
import type { Parsed } from "./option-text.ts";

export interface ProductConfig {
  /** Each as a browser writes it: scheme, host, and port where it is not the scheme's own. */
  readonly embedOrigins: readonly string[];
}

export const PRODUCT_OPTIONS: { readonly [Field in keyof ProductConfig]: Option<ProductConfig[Field]> } = {
  embedOrigins: {
    variable: "BELLWIRE_EMBED_ORIGINS",
    kind: "origins such as `https://app.example.com`, separated by commas; `http://` for `localhost` only",
    default: "",
    defaultShown: "none: no page may frame the dashboard",
    sentence:
      "Whose pages may show the dashboard in a frame: [Inside your product](embed.md). Needs a `BELLWIRE_PUBLIC_URL` " +
      "with `https://`, unless all of them are on this machine.",
    parse: parseOrigins,
    show: (origins) => (origins.length === 0 ? "none" : origins.join(", ")),
  },
};

/** They stand in one header of every page; a guess at what that may weigh. */
const ORIGINS_MAX = 50;

function parseOrigins(text: string): Parsed<readonly string[]> {
  if (text === "") return ok([]);
  const given = text.split(",").map((each) => each.trim());
  const errors = given.flatMap((each) => originFaults(each));
  if (given.length > ORIGINS_MAX) errors.push(`has ${given.length} origins; at most ${ORIGINS_MAX} are taken`);
  return errors.length === 0 ? ok([...new Set(given)]) : refuse(errors);
}

/**
 * The text goes into a policy as it is, where a space, a semicolon or a star says something else: only what a browser
 * would write itself is taken.
 */
function originFaults(given: string): string[] {
  const pasted = pasteFault(given, { kind: "url" });
  if (pasted !== null) return [`${quote(given)} ${pasted}`];
  const url = URL.parse(given);
  // The standard takes semicolons, quotation marks and stars as letters of a host.
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && /^[a-z\d.-]+$/.test(url.hostname);
  if (!isWeb) return [`${quote(given)} must be an origin such as https://app.example.com, with its scheme and no star`];
  if (url.origin !== given) return [`${quote(given)} must be an origin and nothing else; write ${url.origin}`];
  if (url.protocol === "https:" || isThisMachine(url.hostname)) return [];
  return [`${quote(given)} must begin with https://; http:// is for localhost alone`];
}

export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3})$/.test(hostname);

const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
