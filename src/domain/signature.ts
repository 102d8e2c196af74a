/**
 * The two signatures on every webhook. Both are keyed with the account's Webhook Verification Secret, a string such as
 * `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`.
 *
 * - the service's own (specification §5): base64(HMAC-SHA256(raw body)), keyed with the secret exactly as it is shown;
 * - Standard Webhooks: `v1,` + base64(HMAC-SHA256(`id.timestamp.body`)), keyed with the bytes behind `whsec_`.
 *   It covers id and time too, which gives the replay protection that the first one lacks.
 */
import { type KeyObject, createHmac, createSecretKey } from "node:crypto";

export const SECRET_PREFIX = "whsec_";
export const SECRET_BYTES = 32;

/** A new verification secret from `SECRET_BYTES` random bytes. */
export function newVerificationSecret(randomBytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes).toString("base64");
}

/** The value of `x-service-signature` for a body, exactly as sent. Text is signed as UTF-8. */
export function signService(body: string | Uint8Array, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("base64");
}

export interface StandardSignatureInput {
  /** `webhook-id`; contains no dot. */
  readonly id: string;
  /** `webhook-timestamp`: seconds since the Unix epoch. */
  readonly timestampSeconds: number;
  readonly body: string | Uint8Array;
}

/** The value of `webhook-signature`: one signature for each secret, in their order, with a space between. */
export function signStandard(input: StandardSignatureInput, secrets: readonly string[]): string {
  // In two parts, so that the body is not copied behind the head.
  const head = `${input.id}.${input.timestampSeconds}.`;
  return parseKeys(secrets)
    .map((key) => `v1,${createHmac("sha256", key).update(head).update(input.body).digest("base64")}`)
    .join(" ");
}

/** Node takes 8 µs to make bytes a key and 2 µs to sign with it, so an account's list of secrets keeps its keys. */
const keysBySecrets = new WeakMap<readonly string[], readonly KeyObject[]>();

function parseKeys(secrets: readonly string[]): readonly KeyObject[] {
  const known = keysBySecrets.get(secrets);
  if (known !== undefined) return known;
  const keys = secrets.map((secret) => createSecretKey(secret.slice(SECRET_PREFIX.length), "base64"));
  keysBySecrets.set(secrets, keys);
  return keys;
}
