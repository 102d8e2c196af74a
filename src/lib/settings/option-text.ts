/**
 * Parses a setting's text into its value, for the kinds that several processes have. A refusal says what was given and
 * what would be right. A text that may be a secret, or may carry one, is never repeated.
 */
import { isIP } from "node:net";
import { pasteFault } from "../pasted.ts";
import { type Result, ok, refuse } from "../result.ts";

/** A value, or every mistake in its text. */
export type Parsed<Value> = Result<Value, readonly string[]>;

/** Shorter keys could be guessed: 16 random characters of base64 hold 96 bits. */
export const API_KEY_CHARS_MIN = 16;
/** Enough for rotation, and few enough to compare each in constant time on every request. */
const API_KEYS_MAX = 16;

/** An address or a host name, as `listen` accepts it. */
export function parseHost(text: string): Parsed<string> {
  const isName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text);
  // A name of digits only is a mistyped address; the resolver would take it for another address.
  if (isIP(text) !== 0 || (isName && !/^[\d.]+$/.test(text))) return ok(text);
  return no(
    `${quote(text)} is not an address to listen on; write one such as 127.0.0.1, 0.0.0.0 or ::, without a port`,
  );
}

/** Segments that need no escaping in an address, in a cookie's path, or in the page's `<base href>`. */
const PUBLIC_PATH = /^(\/[A-Za-z0-9._~-]+)*\/?$/;

interface AddressRule {
  /** What is right, for a text that is no such address. */
  readonly demand: string;
  readonly schemes?: RegExp;
  /** Where a name and a password belong instead. */
  readonly signIn?: string;
  readonly isSecret?: boolean;
  readonly charsMax?: number;
}

/** An address without name and password; `null` when not set. */
export function parseAddress(text: string, rule: AddressRule): Parsed<URL | null> {
  const { demand, schemes = /^https?:$/, signIn = "", isSecret = true, charsMax = Infinity } = rule;
  if (text === "") return ok(null);
  const pasted = pasteFault(text, { kind: "url", isSecret });
  if (pasted !== null) return no(pasted);
  const url = text.length <= charsMax ? URL.parse(text) : null;
  if (url === null || !schemes.test(url.protocol)) return no(demand);
  const isPlain = url.username === "" && url.password === "";
  return isPlain ? ok(url) : no(`must not contain a user name or password${signIn}`);
}

/** The address of this service for people, without a slash at the end; `null` when not set. */
export function parsePublicUrl(text: string): Parsed<string | null> {
  const address = parseAddress(text, {
    demand: "must be the address people use, such as https://webhooks.example.com",
  });
  if (!address.ok || address.value === null) return address as Parsed<null>;
  const { origin, pathname, search, hash } = address.value;
  if (search !== "" || hash !== "") return no(`must not have a query or fragment; write ${origin}`);
  if (!PUBLIC_PATH.test(pathname)) return no("may have a path of letters, digits and . _ ~ - only");
  return ok(origin + pathname.replace(/\/$/, ""));
}

/** Messages name a key by its place in the list, and never show its text. */
export function parseApiKeys(text: string): Parsed<readonly string[]> {
  if (text === "") return ok([]);
  const keys = text.split(",").map((key) => key.trim());
  const errors = keys.flatMap((key, index) => faultsOfKey(key, index + 1, keys));
  if (keys.length > API_KEYS_MAX) errors.push(`has ${keys.length} keys; at most ${API_KEYS_MAX} can be active`);
  return errors.length === 0 ? ok(keys) : refuse(errors);
}

function faultsOfKey(key: string, place: number, keys: readonly string[]): string[] {
  const pasted = pasteFault(key, { kind: "token", isSecret: true });
  if (pasted !== null) return [`key ${place} ${pasted}`];
  if (key.length < API_KEY_CHARS_MIN) {
    return [`key ${place} has ${key.length} characters; a key needs at least ${API_KEY_CHARS_MIN}`];
  }
  if (!/^[\x21-\x7e]+$/.test(key)) return [`key ${place} must have visible ASCII characters only, and no spaces`];
  const first = keys.indexOf(key) + 1;
  return first < place ? [`key ${place} is the same as key ${first}; write each key once`] : [];
}

export function parseOneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Parsed<Choice> {
  return (text) => {
    const chosen = choices.find((choice) => choice === text);
    return chosen === undefined ? no(`${quote(text)} must be one of ${choices.join(", ")}`) : ok(chosen);
  };
}

export function parseSwitch(text: string): Parsed<boolean> {
  return text === "0" || text === "1" ? ok(text === "1") : no(`${quote(text)} must be 1 for on or 0 for off`);
}

/** Decimal digits only: `Number` would also take "0x10", "1e3" and " 5 ". */
export function parseWholeNumber(min: number, max: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? ok(value) : no(`${quote(text)} must be a whole number from ${min} to ${max}`);
  };
}

export const no = (message: string): { readonly ok: false; readonly error: readonly string[] } => refuse([message]);

/** Long values are cut: a message is one line. */
export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
