/** A webhook as a person pastes it into "Check a signature": the form, its headers, and what can be read. Pure. */
import { parseJson } from "../../events/exact-json.ts";
import { findPasted } from "../../lib/pasted.ts";

export interface PasteOfWebhook {
  readonly all: PastedHeaders;
  readonly signatureHeader: string;
  /** `null`: the header is not there. */
  readonly service: SignatureForm | null;
  /** `null` unless all three headers can be read. */
  readonly standard: StandardHeaders | null;
  /** The reason for the missing `standard`, as a sentence behind a space; empty when none of the three was there. */
  readonly incomplete: string;
}

export interface StandardHeaders {
  readonly id: string;
  readonly timestampSeconds: number;
  /** Each with its `v1,`. */
  readonly signatures: readonly string[];
  /** Each with its `v1a,`: those made with a key pair. One of the two lists has something. */
  readonly keySignatures: readonly string[];
}

export function readPaste(text: string, signatureHeader: string): PasteOfWebhook {
  const all = parsePastedHeaders(text);
  const service = all.get(signatureHeader);
  return {
    all,
    signatureHeader,
    service: service === undefined ? null : readSignatureForm(service),
    ...readStandard(all),
  };
}

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

function readStandard(all: PastedHeaders): Pick<PasteOfWebhook, "standard" | "incomplete"> {
  const [id, timestamp, signature] = NAMES.map((name) => all.get(name));
  if (id === undefined && timestamp === undefined && signature === undefined) return { standard: null, incomplete: "" };
  if (id === undefined || timestamp === undefined || signature === undefined) {
    const missing = NAMES.filter((name) => !all.has(name)).join(" and ");
    return { standard: null, incomplete: ` ${missing} ${missing.includes(" ") ? "are" : "is"} missing.` };
  }
  // Digits only: `Number` would also take "", "1e9" and "0x10". More of them are milliseconds.
  if (!/^\d{1,12}$/.test(timestamp)) {
    return { standard: null, incomplete: " webhook-timestamp is not a number of seconds." };
  }
  const parts = signature.split(" ");
  const signatures = parts.filter((entry) => entry.startsWith("v1,"));
  const keySignatures = parts.filter((entry) => entry.startsWith("v1a,"));
  if (signatures.length + keySignatures.length === 0) {
    return { standard: null, incomplete: " webhook-signature has no part with v1, in it." };
  }
  return { standard: { id, timestampSeconds: Number(timestamp), signatures, keySignatures }, incomplete: "" };
}

/*
 * Headers as people copy them: `Name: value` lines from a log, the `-H '…'` of a curl command, or a JSON object. Names
 * come out in lower case; of one that is there twice the values are joined, as a receiver's framework would.
 */

type PastedHeaders = ReadonlyMap<string, string>;

export function parsePastedHeaders(text: string): PastedHeaders {
  const pairs = text.trimStart().startsWith("{") ? jsonPairs(text) : text.split(/\r?\n|\r/).flatMap(linePair);
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    const earlier = headers.get(lower);
    headers.set(lower, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

type Pair = readonly [name: string, value: string];

/** The name's characters are those of RFC 9110 §5.6.2. */
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*:\s*(.*)$/s;

function linePair(line: string): readonly Pair[] {
  const match = LINE.exec(unwrapped(line.trim()));
  const [, name = "", value = ""] = match ?? [];
  return match === null ? [] : [[name, value.trim()]];
}

/** The marks of curl around a header: `> ` and `< ` in its log, `-H '…' \` in its command. */
function unwrapped(line: string): string {
  const bare = line.replace(/^[<>]\s+/, "");
  const command = /^(?:-H|--header)(?:\s*=\s*|\s*)(['"])(.*)\1\s*\\?$/.exec(bare);
  return command?.[2] ?? bare;
}

function jsonPairs(text: string): readonly Pair[] {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return [];
  return Object.entries(parsed.value as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): Pair => [name, toText(one).trim()]),
  );
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/*
 * The form of an `x-service-signature` value: 32 bytes in standard Base64 with padding, 44 characters, nothing around
 * them. Another form is read as it was probably meant, so that the sentence can name the one real mistake.
 */

interface SignatureForm {
  /** The value in the right form, as far as its meaning is clear. */
  readonly signature: string;
  /** The mistake in the form, as the end of "The value of the header …"; `null` when it is right. */
  readonly fault: string | null;
}

const RIGHT = /^[A-Za-z0-9+/]{43}=$/;

/** Whatever is written around 44 characters; each prefix and pair of quotes is looked behind. */
const CHARS_MAX = 256;

function readSignatureForm(value: string): SignatureForm {
  if (value.length > CHARS_MAX) return { signature: value, fault: lengthFault(value) };
  if (RIGHT.test(value)) return { signature: value, fault: null };
  const pasted = findPasted(value, { kind: "words" });
  if (pasted !== null && pasted.value !== "" && !/^["']/.test(value)) {
    return { ...readSignatureForm(pasted.value), fault: pasted.fault };
  }
  const quoted = /^(["'])(.*)\1$/.exec(value);
  if (quoted !== null) return { ...readSignatureForm(quoted[2] ?? ""), fault: "has quotes around it" };
  const prefixed = /^(sha256=|hmac-sha256[= ]|v1[,=]|signature=|base64:|bearer )(.*)$/i.exec(value);
  if (prefixed !== null) {
    return { ...readSignatureForm(prefixed[2] ?? ""), fault: `starts with "${prefixed[1]}"; there is no such prefix` };
  }
  if (/^[0-9a-f]{64}$/i.test(value)) {
    return { signature: Buffer.from(value, "hex").toString("base64"), fault: "is in hex; it has to be in Base64" };
  }
  if (/^[A-Za-z0-9_-]{43}=?$/.test(value) && /[-_]/.test(value)) {
    const signature = Buffer.from(value, "base64url").toString("base64");
    return { signature, fault: "is in the URL's variant of Base64, with - and _ in place of + and /" };
  }
  if (/^[A-Za-z0-9+/]{43}$/.test(value)) return { signature: `${value}=`, fault: "lacks the = at its end" };
  if (/\s/.test(value)) {
    return { ...readSignatureForm(value.replace(/\s/g, "")), fault: "has spaces or line breaks in it" };
  }
  return { signature: value, fault: lengthFault(value) };
}

const lengthFault = (value: string): string => `has ${value.length} characters; a signature has 44`;
