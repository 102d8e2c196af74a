/** Parses the settings of the operator's own webhook. No message repeats them: both may be secrets. */
import { LIMITS } from "../domain/limits.ts";
import { ok, refuse } from "../domain/problem.ts";
import { pasteFault } from "../lib/pasted.ts";
import type { Parsed } from "./option-text.ts";

/** Standard Webhooks: fewer bytes could be guessed, and SHA-256 hashes down more than one block anyway. */
const KEY_BYTES = { min: 24, max: 64 } as const;

/** Trusted configuration: unlike an owner's Webhook URL it may lead to a private address. `null` when not set. */
export function parseOperatorUrl(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const pasted = pasteFault(text, { kind: "url", isSecret: true });
  if (pasted !== null) return refuse([pasted]);
  const url = text.length <= LIMITS.urlCharsMax ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse([
      `must be an address such as https://alerts.example.com/bellwire, of at most ${LIMITS.urlCharsMax} characters`,
    ]);
  }
  if (url.username !== "" || url.password !== "") return refuse(["must not contain a user name or password"]);
  return url.hash === "" ? ok(url.href) : refuse(["must not have a fragment (#…)"]);
}

export function parseOperatorSecret(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const pasted = pasteFault(text, { kind: "token", isSecret: true });
  if (pasted !== null) return refuse([pasted]);
  const encoded = text.startsWith("whsec_") ? text.slice("whsec_".length) : "";
  const key = Buffer.from(encoded, "base64");
  // Decoding is lenient, so only a text that encodes back to itself is accepted.
  const isKey = key.toString("base64") === encoded && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max;
  if (isKey) return ok(text);
  const bytes = `${KEY_BYTES.min} to ${KEY_BYTES.max} bytes`;
  return refuse([`must be whsec_ and the base64 of ${bytes}; make one with: echo whsec_$(openssl rand -base64 32)`]);
}
