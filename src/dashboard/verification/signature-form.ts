/**
 * The form of an `x-service-signature` value: 32 bytes in standard Base64 with padding, 44 characters, nothing around
 * them. Another form is read as it was probably meant, so that the sentence can name the one real mistake.
 */
import { findPasted } from "../../lib/pasted.ts";

export interface SignatureForm {
  /** The value in the right form, as far as its meaning is clear. */
  readonly signature: string;
  /** The mistake in the form, as the end of "The value of the header …"; `null` when it is right. */
  readonly fault: string | null;
}

const RIGHT = /^[A-Za-z0-9+/]{43}=$/;

/** Whatever is written around 44 characters; each prefix and pair of quotes is looked behind. */
const CHARS_MAX = 256;

export function readSignatureForm(value: string): SignatureForm {
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
