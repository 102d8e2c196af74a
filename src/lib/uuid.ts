/** UUIDs from a given random source: for ids that the product would make, in samples and in the demo. */
import type { Random } from "./random.ts";

/** A version 4 UUID (RFC 9562 §5.4), in lower case. */
export function newUuid(random: Random): string {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
