/**
 * Finds what came along when a person pasted a value or a file held it: invisible characters, quotes and
 * brackets around it, its own name before it. Pure, and without imports: the page and the published packages use it.
 *
 * For values that programs read (URLs, headers, keys, settings), never for text that people write: a name may have a
 * joined emoji, Persian or French spaces in it. A joiner behind a letter beyond ASCII is part of the text everywhere.
 */
export interface PasteRules {
  /** `words`: with spaces between them. `header`: a header's value. `token`: without any blank, such as a key. */
  readonly kind: "url" | "words" | "header" | "token";
  /** The value's own name, which is copied along with it: of a header, of a variable. */
  readonly name?: string;
  /** No part of the value is shown. */
  readonly isSecret?: boolean;
}

export interface Pasted {
  /** Such as `has a zero-width space (U+200B) after "https://exa"`: the end of a sentence about the value. */
  readonly fault: string;
  /** The value without it, and without anything else that came along. */
  readonly value: string;
  /** `false` where a value of this kind may have it on purpose, so that it is offered and not refused. */
  readonly isSure: boolean;
}

/**
 * Without the spaces and tabs around it, which no header keeps (RFC 9110 §5.5). All other white space stays, so that it
 * is found and refused: `trim` would take it away, and something else would be sent than was entered.
 */
export const withoutBlanks = (text: string): string => /[^ \t](?:.*[^ \t])?/s.exec(text)?.[0] ?? "";

/** Each finding makes the text shorter or plainer; this many come along at most. */
const STEPS_MAX = 8;

/** The first thing that came along; `null` when there is none. */
export function findPasted(text: string, rules: PasteRules): Pasted | null {
  const first = findStep(text, rules);
  if (first === null) return null;
  let { value, isSure } = first;
  for (let steps = 1; steps < STEPS_MAX; steps += 1) {
    const next = findStep(value, rules);
    if (next === null) break;
    ({ value } = next);
    isSure ||= next.isSure;
  }
  return { fault: first.fault, value, isSure };
}

/** The end of a refusal: what came along and what to write, where that may be shown. `null` when nothing did. */
export function pasteFault(text: string, rules: PasteRules): string | null {
  const pasted = findPasted(text, rules);
  if (pasted === null || !pasted.isSure) return null;
  const { fault, value } = pasted;
  if (rules.isSecret === true) return `${fault}; enter it without that`;
  return value === "" ? `${fault}, and nothing else; enter the value` : `${fault}; write ${value}`;
}

function findStep(text: string, rules: PasteRules): Pasted | null {
  return (
    findHidden(text, rules) ?? findName(text, rules) ?? findQuotes(text, rules) ?? FINDERS[rules.kind](text, rules)
  );
}

const FINDERS = { url: findAroundUrl, words: findInAddress, header: findTwice, token: findInToken };

/* ---- invisible characters ---- */

const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Z}\u2800\ufffc\ufffd`;
/** Some scripts and emoji are written with these, behind a letter of theirs. */
const JOINERS = String.raw`\u200c\u200d\ufe00-\ufe0f\u3000\u{e0100}-\u{e01ef}`;
const RUN = (taken: string): RegExp =>
  new RegExp(
    `(?:(?![${taken}${JOINERS}])[${HIDDEN}]|(?<![^\\x00-\\x7f])[${JOINERS}])(?:(?![${taken}])[${HIDDEN}])*`,
    "gu",
  );
/** Whether a space belongs to the value is for each field to say; a header's value may have tabs. */
const RUNS = { url: RUN(" "), words: RUN(" "), header: RUN(" \\t"), token: RUN(" ") };

const NAMES: readonly (readonly [character: RegExp, name: string])[] = [
  [/^\t/, "a tab"],
  [/^[\r\n\u0085\u2028\u2029]/, "a line break"],
  [/^\u00a0/, "a no-break space"],
  [/^\u00ad/, "a soft hyphen"],
  [/^\u200b/, "a zero-width space"],
  [/^(?:\u200c|\u200d|\u2060)/, "an invisible joiner"],
  [/^\ufeff/, "a byte order mark"],
  [/^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, "an invisible direction mark"],
  [/^\p{Z}/u, "a blank that is no ordinary space"],
  [/^\p{Cs}/u, "half a character"],
  [/^\ufffd/, "a character that could not be read"],
  [/^\p{Cc}/u, "a control character"],
];

function findHidden(text: string, rules: PasteRules): Pasted | null {
  const run = RUNS[rules.kind];
  const index = text.search(run);
  if (index === -1) return rules.kind === "url" ? findEncoded(text) : null;
  const takesSpaces = rules.kind === "words" || rules.kind === "header";
  const value = text.replace(run, (found) => (takesSpaces && /[\p{Z}\s]/u.test(found) ? " " : "")).trim();
  const fault = `has ${nameHidden(text.slice(index))} ${placeOf(text, index, rules)}`;
  return { fault, value, isSure: true };
}

function nameHidden(text: string): string {
  const [, name = "an invisible character"] = NAMES.find(([character]) => character.test(text)) ?? [];
  return `${name} (${codePoint(text)})`;
}

const codePoint = (text: string): string =>
  `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

const CHARS_SHOWN = 16;

function placeOf(text: string, index: number, { isSecret = false }: PasteRules): string {
  if (index === 0) return "at its start";
  if (isSecret) return `as character ${index + 1} of ${text.length}`;
  const from = Math.max(0, index - CHARS_SHOWN);
  return `after "${from > 0 ? "…" : ""}${text.slice(from, index)}"`;
}

/** The same characters as a browser's address bar writes them. */
function findEncoded(text: string): Pasted | null {
  for (const { 0: encoded, index } of text.matchAll(/(?:%[89a-f][\da-f])+|(?:%0[ad])+$/gi)) {
    const decoded = decode(encoded);
    const kept = decoded.replace(RUNS.url, "");
    if (kept === decoded) continue;
    const start = decoded.search(RUNS.url);
    const fault = `has ${nameHidden(decoded.slice(start))} ${placeOf(text, index, { kind: "url" })}, as ${encoded}`;
    const value = text.slice(0, index) + encodeURI(kept) + text.slice(index + encoded.length);
    return { fault, value, isSure: true };
  }
  return null;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Bytes that are no UTF-8 stay as they are.
    return encoded;
  }
}

/* ---- what stands around the value ---- */

const QUOTED = /^\s*(?:(["'`])(?<same>.*)\1|[“”„«‹‘’‚「『＂](?<pair>.*)[“”»›‘’」』＂])\s*$/su;

/** A header's value may have straight quotes on purpose, as an entity tag has. */
function findQuotes(text: string, { kind }: PasteRules): Pasted | null {
  const { same, pair } = QUOTED.exec(text)?.groups ?? {};
  const value = same ?? pair;
  if (value === undefined) return null;
  const isMeant = kind === "header" && same !== undefined && !text.trim().startsWith("`");
  return { fault: "has quotes around it", value: value.trim(), isSure: !isMeant };
}

/** `Name: value` of a header, and `export NAME=value` of a shell. */
function findName(text: string, { name }: PasteRules): Pasted | null {
  const found = name === undefined || name === "" ? null : /^\s*(?:(?:export|-H)\s+)?([\w-]+)\s*[:=]\s*/.exec(text);
  if (found === null || found[1]?.toLowerCase() !== name?.toLowerCase()) return null;
  return { fault: `begins with its own name, ${name}`, value: text.slice(found[0].length), isSure: true };
}

/** A scheme of `Authorization` that is there twice. */
function findTwice(text: string): Pasted | null {
  const [, scheme] = /^(bearer|basic|token|digest|apikey)\s+(?=\1\s)/i.exec(text) ?? [];
  if (scheme === undefined) return null;
  return { fault: `has "${scheme}" twice`, value: text.slice(scheme.length).trim(), isSure: true };
}

/** An address that a text, a mail program or Markdown has wrapped. */
const WRAPPED = /(?:^|[\s<>"'`“”„‘’«»()[\]])(https?:\/\/[^\s<>"'`“”„‘’«»)\]]+)/giu;

function findAroundUrl(text: string, rules: PasteRules): Pasted | null {
  const found = Array.from(text.matchAll(WRAPPED), ([, url = ""]) => url);
  const [first = "", second] = found;
  const bare = /^(https?:\/\/.*?)[>"`“”’»,;]+$|^(https?:\/\/[^/?#]+[/?].*?[^./=])\.$/iu.exec(text);
  if (second !== undefined && second !== first) return null;
  if (first !== "" && !/^https?:/i.test(text))
    return { fault: "has text around the address", value: first, isSure: true };
  const value = bare?.[1] ?? bare?.[2];
  if (value === undefined) return findLookAlikes(text, rules) ?? findEntity(text);
  return { fault: `ends in "${text.slice(value.length)}", which no address does`, value, isSure: true };
}

/** From the source of a page, which writes `&` so. */
function findEntity(text: string): Pasted | null {
  if (!/\?[^#]*&amp;/i.test(text)) return null;
  return { fault: 'has "&amp;" in place of "&"', value: text.replaceAll(/&amp;/gi, "&"), isSure: false };
}

function findInToken(text: string, rules: PasteRules): Pasted | null {
  const [, bearer = "", rest = text] = /^(bearer +)?(.*)$/is.exec(text) ?? [];
  if (bearer !== "") return { fault: `begins with "${bearer.trim()}"`, value: rest, isSure: true };
  const index = text.indexOf(" ");
  if (index === -1)
    return findUrlVariant(text) ?? findLookAlikes(text, rules) ?? findAroundSecret(text) ?? findForeign(text, rules);
  return { fault: `has a space ${placeOf(text, index, rules)}`, value: text.replaceAll(" ", ""), isSure: true };
}

/** Secrets and keys as Bellwire makes them, whose form says where they end. */
const MADE = /whsec_[A-Za-z0-9+/]{32,}={0,2}|bwk_[\w-]{43}(?![\w-])/;

function findAroundSecret(text: string): Pasted | null {
  const [made = text] = MADE.exec(text) ?? [];
  return made === text ? null : { fault: "has text around the secret", value: made, isSure: true };
}

/** A letter of another alphabet in a key, or an accent on its last character. */
function findForeign(text: string, rules: PasteRules): Pasted | null {
  const index = rules.isSecret === true ? text.search(/[^\x21-\x7e]/) : -1;
  if (index === -1) return null;
  const fault = `has a character that no key has (${codePoint(text.slice(index))}) ${placeOf(text, index, rules)}`;
  return { fault, value: text.replaceAll(/[^\x21-\x7e]/g, ""), isSure: true };
}

/** A verification secret whose Base64 a program wrote for a URL: as a text it is another secret. */
function findUrlVariant(text: string): Pasted | null {
  if (!/^whsec_[\w+/=-]*[-_]/.test(text)) return null;
  const value = `whsec_${text.slice("whsec_".length).replaceAll("-", "+").replaceAll("_", "/")}`;
  return { fault: "is in the URL's variant of Base64, with - and _ in place of + and /", value, isSure: true };
}

/** Word and input methods for Chinese and Japanese write these in place of ASCII. */
const LOOK_ALIKES = /[\u2010-\u2015\u2212\ufe58\ufe63\u3002\uff01-\uff5e\uff61]/;
const ALL_LOOK_ALIKES = new RegExp(LOOK_ALIKES, "g");

/** The address of a server in a setting. A password before its host may contain any character. */
function findInAddress(text: string, rules: PasteRules): Pasted | null {
  const from = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?/i.exec(text)?.[0].length;
  return from === undefined ? null : findLookAlikes(text, { ...rules, kind: "url" }, from);
}

/** Finds characters that only look like ASCII; in a URL only before its path, which may contain any character. */
function findLookAlikes(text: string, rules: PasteRules, from = 0): Pasted | null {
  const end = rules.kind === "url" ? (/^[^/?#]*(?:\/\/[^/?#]*)?/.exec(text)?.[0].length ?? 0) : text.length;
  const found = text.slice(from, end).search(LOOK_ALIKES);
  if (found === -1) return null;
  const index = from + found;
  const letter = text.charAt(index);
  const shown = rules.isSecret === true ? "a character" : `"${letter}"`;
  const place = placeOf(text, index, rules);
  const fault = `has ${shown} (${codePoint(letter)}) ${place}, which only looks like "${toAscii(letter)}"`;
  // The parser of web addresses reads full-width letters of a host as what they look like.
  const isRead = rules.kind === "url" && /^https?:/i.test(text) && URL.canParse(text) && toAscii(letter) !== "-";
  const mended = text.slice(from, end).replace(ALL_LOOK_ALIKES, toAscii);
  return { fault, value: text.slice(0, from) + mended + text.slice(end), isSure: !isRead };
}

function toAscii(character: string): string {
  if (/[\u3002\uff61]/.test(character)) return ".";
  return /[\uff01-\uff5e]/.test(character) ? character.normalize("NFKC") : "-";
}
