/** Sessions' and conversations' ids as their keys have them: 16 bytes instead of 36 characters. */

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** `null` when the text is not a UUID. */
export function uuidBytes(text: string): Uint8Array | null {
  return UUID.test(text) ? Buffer.from(text.replaceAll("-", ""), "hex") : null;
}

/** In lower case. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
