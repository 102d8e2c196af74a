/**
 * The signatures on every webhook. Two are keyed with the account's Webhook Verification Secret, a string such as
 * `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`:
 *
 * - the service's own (specification §5): base64(HMAC-SHA256(raw body)), keyed with the secret exactly as it is shown;
 * - Standard Webhooks: `v1,` + base64(HMAC-SHA256(`id.timestamp.body`)), keyed with the bytes behind `whsec_`.
 *   It covers id and time too, which gives the replay protection that the first one lacks.
 *
 * Where the owner wants it, Standard Webhooks has a third, for receivers that should hold no secret: `v1a,` + base64 of
 * an Ed25519 signature over the same text. Receivers know the public key, `whpk_` and base64; the private one, `whsk_`
 * and base64, never leaves the service.
 */
import {
  type KeyObject,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  verify,
} from "node:crypto";

export const SECRET_PREFIX = "whsec_";
export const SECRET_BYTES = 32;

/** A new verification secret from `SECRET_BYTES` random bytes. */
export function newVerificationSecret(randomBytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes).toString("base64");
}

export const SIGNING_KEY_PREFIX = "whsk_";
export const PUBLIC_KEY_PREFIX = "whpk_";

/** A new private key from `SECRET_BYTES` random bytes. */
export function newSigningKey(randomBytes: Uint8Array): string {
  return SIGNING_KEY_PREFIX + Buffer.from(randomBytes).toString("base64");
}

/** The public half of a signing key, as text for a setting and as a file for tools. */
export function toPublicKey(signingKey: string): { readonly publicKey: string; readonly pem: string } {
  const key = createPublicKey(parseSigningKey(signingKey));
  const { x = "" } = key.export({ format: "jwk" });
  return {
    publicKey: PUBLIC_KEY_PREFIX + Buffer.from(x, "base64url").toString("base64"),
    pem: key.export({ format: "pem", type: "spki" }),
  };
}

/** PKCS #8 around the 32 bytes of an Ed25519 private key (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

function parseSigningKey(signingKey: string): KeyObject {
  const bytes = Buffer.from(signingKey.slice(SIGNING_KEY_PREFIX.length), "base64");
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: "der", type: "pkcs8" });
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

/**
 * The value of `webhook-signature`: one signature for each secret and signing key, in their order, with a space
 * between.
 */
export function signStandard(input: StandardSignatureInput, secrets: readonly string[]): string {
  // In two parts, so that the body is not copied behind the head.
  const head = `${input.id}.${input.timestampSeconds}.`;
  return parseKeys(secrets)
    .map((key) =>
      key.type === "private"
        ? `v1a,${sign(null, join(head, input.body), key).toString("base64")}`
        : `v1,${createHmac("sha256", key).update(head).update(input.body).digest("base64")}`,
    )
    .join(" ");
}

/** Ed25519 reads its text twice, so Node wants it in one piece. */
const join = (head: string, body: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(head), typeof body === "string" ? Buffer.from(body) : body]);

/** Whether the private half of `publicKey` made this part of `webhook-signature`: `v1a,` and base64. */
export function isSignedBy(
  input: StandardSignatureInput,
  { signature, publicKey }: { readonly signature: string; readonly publicKey: string },
): boolean {
  const x = Buffer.from(publicKey.slice(PUBLIC_KEY_PREFIX.length), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const text = join(`${input.id}.${input.timestampSeconds}.`, input.body);
  return verify(null, text, key, Buffer.from(signature.slice("v1a,".length), "base64"));
}

/** Node takes 8 µs to make bytes a key and 2 µs to sign with it, so an account's list of secrets keeps its keys. */
const keysBySecrets = new WeakMap<readonly string[], readonly KeyObject[]>();

function parseKeys(secrets: readonly string[]): readonly KeyObject[] {
  const known = keysBySecrets.get(secrets);
  if (known !== undefined) return known;
  const keys = secrets.map((secret) =>
    secret.startsWith(SIGNING_KEY_PREFIX)
      ? parseSigningKey(secret)
      : createSecretKey(secret.slice(SECRET_PREFIX.length), "base64"),
  );
  keysBySecrets.set(secrets, keys);
  return keys;
}
