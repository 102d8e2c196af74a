/** Parses the bridge's settings. No message repeats a text that may be, or carry, a secret. */
import { TYPE_NAME } from "../src/domain/event.ts";
import { ok } from "../src/lib/result.ts";
import { mendPem } from "../src/lib/mend-pem.ts";
import { no, type Parsed, quote } from "../src/lib/settings/option-text.ts";

/** Account and event, as far as a subject names them. */
export interface Named {
  readonly account: string | null;
  readonly event: string | null;
}

export interface SubjectRule {
  /** As the operator wrote it. */
  readonly text: string;
  readonly pattern: RegExp;
}

/** Far above any broker's; a subject is matched against one expression. */
const SUBJECT_CHARS_MAX = 512;

const PARTS: Readonly<Record<string, string>> = {
  "{account}": "(?<account>[A-Za-z0-9_:-]{1,128})",
  // A name with a dot in it would be two words.
  "{event}": "(?<event>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)",
  "*": "[^.]+",
  ">": ".+",
};

export function parseSubjectRule(text: string): Parsed<SubjectRule> {
  const parts = text.split(/(\{[^{}]*\}|\*|>)/);
  const unknown = parts.find((part) => part.startsWith("{") && PARTS[part] === undefined);
  if (unknown !== undefined) return no(`has ${quote(unknown)}; only {account} and {event} can be read`);
  if (["{account}", "{event}"].some((name) => parts.filter((part) => part === name).length > 1)) {
    return no("names {account} or {event} twice");
  }
  if (/[^\x21-\x7e]/.test(text) || text.length > SUBJECT_CHARS_MAX) {
    return no(`must have visible ASCII characters only, at most ${SUBJECT_CHARS_MAX}`);
  }
  if (/>./.test(text)) return no("must have > at its end only");
  const pattern = new RegExp(`^${parts.map((part) => PARTS[part] ?? RegExp.escape(part)).join("")}$`);
  return ok({ text, pattern });
}

export function readSubject({ pattern }: SubjectRule, subject: string): Named {
  const found = subject.length > SUBJECT_CHARS_MAX ? undefined : pattern.exec(subject)?.groups;
  return { account: found?.account ?? null, event: found?.event ?? null };
}

/** Addresses with their broker's own scheme, or none; the broker's file checks them. */
export function parseBrokerAddresses(text: string): Parsed<readonly string[]> {
  if (text === "") return ok([]);
  const addresses = text.split(",").map((address) => address.trim());
  const isWhole = addresses.every((address) => /^[\x21-\x7e]+$/.test(address));
  return isWhole ? ok(addresses) : no("must be addresses in visible ASCII, separated by commas, none of them empty");
}

export function parseAccountRule(text: string): Parsed<string> {
  if (text === "" || text === "{key}" || /^[A-Za-z0-9._:-]{1,128}$/.test(text)) return ok(text);
  return no("must be an account's id (1 to 128 characters of A-Z a-z 0-9 . _ : -), or {key}");
}

/** The text of a PEM file with at least one block of each kind; `RSA PRIVATE KEY` counts as a private key. */
export function parsePem(...kinds: readonly ("CERTIFICATE" | "PRIVATE KEY")[]): (text: string) => Parsed<string> {
  return (text) => {
    if (text === "") return ok("");
    const mended = mendPem(text);
    const missing = kinds.find((kind) => !blockOf(kind).test(mended));
    return missing === undefined ? ok(mended) : no(`must be PEM with -----BEGIN ${missing}-----; a file may hold it`);
  };
}

const blockOf = (kind: string): RegExp =>
  new RegExp(`-----BEGIN (?:[A-Z]+ )?${kind}-----\\r?\\n[^-]+-----END (?:[A-Z]+ )?${kind}-----`);

/** Whether there is such a type, intake says. */
export function parseEventType(text: string): Parsed<string | null> {
  if (text === "" || TYPE_NAME.test(text)) return ok(text === "" ? null : text);
  return no(`must be the name of an event type, such as ${quote("lead_identified")}`);
}
