/** The signature headers of a webhook that somebody pasted, as far as they can be read. */
import { type PastedHeaders, parsePastedHeaders } from "./pasted-headers.ts";
import { type SignatureForm, readSignatureForm } from "./signature-form.ts";

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
  const signatures = signature.split(" ").filter((entry) => entry.startsWith("v1,"));
  if (signatures.length === 0) return { standard: null, incomplete: " webhook-signature has no part with v1, in it." };
  return { standard: { id, timestampSeconds: Number(timestamp), signatures }, incomplete: "" };
}
