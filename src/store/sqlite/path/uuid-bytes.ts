/** Sessions' and conversations' ids as their keys have them: 16 bytes instead of 36 characters. */

const UUID_CHARS = 36;
const UUID_BYTES = 16;

/** `null` when the text is no UUID. */
export function uuidBytes(text: string): Uint8Array | null {
  if (text.length !== UUID_CHARS) return null;
  // Reading stops at what is no hexadecimal digit, so that the length tells; a pattern would cost twice as much.
  const bytes = Buffer.from(text.replaceAll("-", ""), "hex");
  return bytes.length === UUID_BYTES ? bytes : null;
}

/** In lower case. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
