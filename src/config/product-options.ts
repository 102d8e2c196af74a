/**
 * Settings that owners see in the dashboard, and those of a product that shows it as its own: who may frame it, and
 * what it is called and looks like.
 * They are rows of the table in `options.ts`.
 */
import { type BrandColors, type BrandLogo, makeBrandColors, OUR_NAME } from "../domain/brand.ts";
import { LIMITS } from "../domain/limits.ts";
import { ok, refuse } from "../lib/result.ts";
import { parseSourceAddresses, showAddress } from "../egress/parse-networks.ts";
import { explainFileFault } from "../lib/file-fault.ts";
import { type BoundedFile, readBounded } from "../lib/read-bounded.ts";
import { pasteFault } from "../lib/pasted.ts";
import { defineOptions } from "./option.ts";
import { parseAddress, type Parsed, quote } from "../lib/settings/option-text.ts";

/** Guesses: a name has to fit into the rail, and a mark of one colour has a few KiB. */
const NAME_CHARS_MAX = 24;
const LOGO_KIB_MAX = 128;

export const PRODUCT_OPTIONS = defineOptions({
  sourceAddresses: {
    variable: "BELLWIRE_SOURCE_ADDRESSES",
    kind: "addresses and networks, separated by commas, without ports",
    default: "",
    defaultShown: "none: owners are told nothing",
    sentence:
      "Addresses that webhooks come from, as receivers see them, such as `203.0.113.7,2001:db8:12::/64`. Owners find " +
      "them under Settings → Verification, for their firewalls; nothing is sent differently.",
    parse: parseSourceAddresses,
    show: (entries) => (entries.length === 0 ? "none" : entries.map(showAddress).join(",")),
  },
  upgradeUrl: {
    variable: "BELLWIRE_UPGRADE_URL",
    kind: "`https:`, `http:` or `mailto:` address",
    default: "",
    defaultShown: "none: owners are told to ask the people who run the service",
    sentence: "Where an owner changes the plan. The dashboard links to it where the plan does not include something.",
    parse: parseUpgradeUrl,
    show: (url) => url ?? "none",
  },
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
  brandName: {
    variable: "BELLWIRE_BRAND_NAME",
    kind: `text of at most ${NAME_CHARS_MAX} characters`,
    default: OUR_NAME,
    sentence: "What the dashboard is called: in the page, in its title, and as the sender of e-mail by default.",
    parse: parseName,
    show: String,
  },
  brandLogo: {
    variable: "BELLWIRE_BRAND_LOGO",
    kind: "path of an SVG or PNG file",
    default: "",
    defaultShown: "none: Bellwire's mark",
    sentence: `A square mark beside the name and in the browser's tab; at most ${LOGO_KIB_MAX} KiB, read at start.`,
    parse: parseLogo,
    show: (logo) => logo?.path ?? "none",
  },
  brandColors: {
    variable: "BELLWIRE_BRAND_COLOR",
    kind: "`#rrggbb`",
    default: "",
    defaultShown: "none: Bellwire's blue",
    sentence:
      "The colour of buttons, links and what is chosen. White text must have a contrast of 4.5 on it; for the dark " +
      "theme, and for links, it is made lighter or darker until it has enough there.",
    parse: parseColor,
    show: (colors) => colors?.given ?? "none",
  },
});

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
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && HOST.test(url.hostname);
  if (!isWeb) return [`${quote(given)} must be an origin such as https://app.example.com, with its scheme and no star`];
  if (url.origin !== given) return [`${quote(given)} must be an origin and nothing else; write ${url.origin}`];
  if (url.protocol === "https:" || isThisMachine(url.hostname)) return [];
  return [`${quote(given)} must begin with https://; http:// is for localhost alone`];
}

/** As a policy may name one. Browsers pass over any other, such as one with a dot at its end, without a word. */
const HOST = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/;

export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3})$/.test(hostname);

/** It stands in a page's title and before an e-mail address. */
function parseName(text: string): Parsed<string> {
  const isName = /^[^\p{C}\p{Zl}\p{Zp}<>"@,;:\\]+$/u.test(text) && Array.from(text).length <= NAME_CHARS_MAX;
  if (isName) return ok(text);
  return refuse([`${quote(text)} must be a name of at most ${NAME_CHARS_MAX} characters, without < > " @ , ; : or \\`]);
}

function parseLogo(path: string): Parsed<BrandLogo | null> {
  if (path === "") return ok(null);
  const read = readLogo(path);
  if (typeof read === "string") return refuse([`${quote(path)} cannot be read: ${read}`]);
  const { bytes: content, size } = read;
  if (content.length > LOGO_KIB_MAX * 1024) {
    return refuse([`${quote(path)} has ${Math.ceil(size / 1024)} KiB; at most ${LOGO_KIB_MAX} are taken`]);
  }
  if (content.subarray(0, 8).equals(PNG)) return ok({ path, type: "image/png", content });
  const isSvg = /^\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i.test(
    content.toString("utf8"),
  );
  return isSvg ? ok({ path, type: "image/svg+xml", content }) : refuse([`${quote(path)} is neither SVG nor PNG`]);
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Or why there is none. */
function readLogo(path: string): BoundedFile | string {
  try {
    return readBounded(path, LOGO_KIB_MAX * 1024);
  } catch (error) {
    return explainFileFault(path, error);
  }
}

function parseColor(text: string): Parsed<BrandColors | null> {
  if (text === "") return ok(null);
  const color = text.toLowerCase();
  if (!/^#[\da-f]{6}$/.test(color)) return refuse([`${quote(text)} must be a colour such as #3346c4`]);
  const made = makeBrandColors(color);
  return made.ok ? made : refuse([made.error]);
}

/** The link stands on a page that people trust, so it can neither run a script nor carry a password. */
function parseUpgradeUrl(text: string): Parsed<string | null> {
  const address = parseAddress(text, {
    demand: "must be an address such as https://app.example.com/plans or mailto:sales@example.com",
    schemes: /^(?:https?|mailto):$/,
    isSecret: false,
    charsMax: LIMITS.urlCharsMax,
  });
  return address.ok ? ok(address.value?.href ?? null) : address;
}
