/**
 * Verifies a webhook before a receiver trusts it: checks both signatures over the bytes exactly as they came, and the
 * time that the second one covers; or with a public key the signature that a key pair made. Needs nothing but Node's
 * own crypto, so that it can be copied.
 *
 * Invariants: a signature is compared in constant time, with every secret each time; a body is never parsed here.
 * Source: specification §5 and standardwebhooks.com.
 */
import { type KeyObject, createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from "node:crypto";

/** Headers as Node gives them, or an object like the `Headers` of fetch. Names in any case. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface WebhookToVerify {
  /** The raw body. A body that was parsed and written again has other bytes, and does not verify. */
  readonly body: Uint8Array | string;
  readonly headers: WebhookHeaders;
}

export interface VerifyOptions {
  /** The receiver's time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** `x-service-signature`, unless the service's operator renamed it. */
  readonly signatureHeader?: string;
  /**
   * The largest distance of `webhook-timestamp` from now, either way; 300 when left out, as Standard Webhooks advises.
   */
  readonly toleranceSeconds?: number;
  /**
   * Refuses a webhook without the Standard Webhooks headers. Otherwise an attacker who has recorded a webhook can take
   * those headers off and send it again: only they prove when it was sent.
   */
  readonly requireStandard?: boolean;
}

export type VerifyFailure =
  | "signature_missing"
  | "signature_mismatch"
  | "standard_headers_missing"
  | "timestamp_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "standard_signature_mismatch"
  | "key_signature_missing"
  | "key_signature_mismatch";

export type Verification =
  | {
      readonly valid: true;
      /** Recognises repeats; `null` when no signature covers it, because the Standard headers were not sent. */
      readonly webhookId: string | null;
    }
  | { readonly valid: false; readonly reason: VerifyFailure };

const SERVICE_SIGNATURE = "x-service-signature";
const SECRET_PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;

/**
 * Whether a webhook is a test, sent with a sample from the dashboard. Call it with a `webhook-id` that verified: that
 * is signed, and the header `bellwire-test` is not.
 */
export const isTestId = (webhookId: string | null): boolean => webhookId?.startsWith("test_") ?? false;

/**
 * Whether the webhook was signed with one of `secrets` (as shown, with `whsec_`): usually one, and two during a
 * rotation. Throws when there is no secret, because any sender can sign with an empty one.
 */
export function verify(webhook: WebhookToVerify, secrets: readonly string[], options: VerifyOptions): Verification {
  if (secrets.length === 0 || secrets.includes("")) throw new Error("verify needs the Webhook Verification Secret");
  for (const secret of secrets) assertSecret(secret);
  const serviceFailure = checkService(webhook, secrets, options.signatureHeader ?? SERVICE_SIGNATURE);
  if (serviceFailure !== null) return { valid: false, reason: serviceFailure };
  const standard = standardHeaders(webhook.headers);
  if (standard === "absent" && options.requireStandard !== true) return { valid: true, webhookId: null };
  if (typeof standard === "string") return { valid: false, reason: "standard_headers_missing" };
  const failure = checkTimestamp(standard.timestamp, options) ?? checkStandard(webhook.body, standard, secrets);
  return failure === null ? { valid: true, webhookId: standard.id } : { valid: false, reason: failure };
}

/**
 * The same for a receiver that holds no secret: whether one of `publicKeys` (`whpk_…` or PEM, as shown; two during a
 * rotation) vouches for the webhook. `x-service-signature` is not looked at, because only the secret could check it.
 * Throws for anything that is not an Ed25519 public key, such as the secret.
 */
export function verifyByKey(
  { body, headers }: WebhookToVerify,
  publicKeys: readonly string[],
  options: Pick<VerifyOptions, "nowMs" | "toleranceSeconds">,
): Verification {
  if (publicKeys.length === 0) throw new Error("verify needs the public key");
  const keys = publicKeys.map(parsePublicKey);
  const standard = standardHeaders(headers);
  if (typeof standard === "string") return { valid: false, reason: "standard_headers_missing" };
  const failure = checkTimestamp(standard.timestamp, options) ?? checkKeys(body, standard, keys);
  return failure === null ? { valid: true, webhookId: standard.id } : { valid: false, reason: failure };
}

/** A sentence for each failure, with where to look. */
export const FAILURE_SENTENCES: Readonly<Record<VerifyFailure, string>> = {
  signature_missing: "the signature header is missing",
  signature_mismatch: "the signature does not match: another secret, or not the bytes that were sent",
  standard_headers_missing: "webhook-id, webhook-timestamp and webhook-signature are not all there",
  timestamp_malformed: "webhook-timestamp is not a number of seconds",
  timestamp_too_old: "webhook-timestamp is too old: a recorded webhook was sent again, or one of the clocks is wrong",
  timestamp_too_new: "webhook-timestamp lies ahead: one of the clocks is wrong",
  standard_signature_mismatch: "webhook-signature does not match: another secret, id, time or body",
  key_signature_missing: "webhook-signature has no part with v1a: the account does not sign with a public key",
  key_signature_mismatch: "webhook-signature does not match: another public key, id, time or body",
};

/** The service's own: base64(HMAC-SHA256(body)), keyed with the secret's text exactly as it is shown. */
function checkService(
  { body, headers }: WebhookToVerify,
  secrets: readonly string[],
  name: string,
): VerifyFailure | null {
  const given = findHeader(headers, name);
  if (given === null) return "signature_missing";
  const expected = secrets.map((secret) => createHmac("sha256", secret).update(body).digest("base64"));
  return matchesAny([given], expected) ? null : "signature_mismatch";
}

interface StandardHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** All three or none: a request with some of them lost the others on its way. */
function standardHeaders(headers: WebhookHeaders): StandardHeaders | "absent" | "incomplete" {
  const id = findHeader(headers, "webhook-id");
  const timestamp = findHeader(headers, "webhook-timestamp");
  const signature = findHeader(headers, "webhook-signature");
  if (id === null && timestamp === null && signature === null) return "absent";
  return id === null || timestamp === null || signature === null ? "incomplete" : { id, timestamp, signature };
}

function checkTimestamp(
  timestamp: string,
  options: Pick<VerifyOptions, "nowMs" | "toleranceSeconds">,
): VerifyFailure | null {
  // Digits only: `Number` would also take "", "1e9" and "0x10".
  if (!/^\d{1,12}$/.test(timestamp)) return "timestamp_malformed";
  const ageSeconds = options.nowMs / 1000 - Number(timestamp);
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS;
  if (ageSeconds > tolerance) return "timestamp_too_old";
  return ageSeconds < -tolerance ? "timestamp_too_new" : null;
}

/** Standard Webhooks: HMAC-SHA256 over id, time and body, keyed with the bytes behind `whsec_`. One match is enough. */
function checkStandard(
  body: WebhookToVerify["body"],
  { id, timestamp, signature }: StandardHeaders,
  secrets: readonly string[],
): VerifyFailure | null {
  const given = partsOf(signature, "v1,");
  const expected = secrets.map((secret) =>
    createHmac("sha256", standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64"),
  );
  return matchesAny(given, expected) ? null : "standard_signature_mismatch";
}

/** Standard Webhooks: Ed25519 over the same text. */
function checkKeys(
  body: WebhookToVerify["body"],
  { id, timestamp, signature }: StandardHeaders,
  keys: readonly KeyObject[],
): VerifyFailure | null {
  const given = partsOf(signature, "v1a,").map((part) => Buffer.from(part, "base64"));
  if (given.length === 0) return "key_signature_missing";
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const isMatch = keys.some((key) => given.some((part) => verifySignature(null, signed, key, part)));
  return isMatch ? null : "key_signature_mismatch";
}

/** What stands behind a version in `webhook-signature`, which has a part for each secret and each key. */
const partsOf = (signature: string, version: string): readonly string[] =>
  signature.split(" ").flatMap((part) => (part.startsWith(version) ? [part.slice(version.length)] : []));

/** Everybody has a public key: whoever took it for a secret would let anybody sign. */
export function assertSecret(text: string): void {
  if (!/wh[ps]k_|-----BEGIN|^\W*MCowBQYDK2Vw/.test(text)) return;
  throw new Error("this is a key and not the Webhook Verification Secret (whsec_…): give a public key as publicKey");
}

/** Throws for anything that is not an Ed25519 public key, and says what it is. */
export function parsePublicKey(text: string): KeyObject {
  if (/whsec_/.test(text)) {
    throw new Error("publicKey is given the Webhook Verification Secret (whsec_…): give that as secrets");
  }
  if (/whsk_|PRIVATE/.test(text)) throw new Error("publicKey is given a private key: only the public one belongs here");
  const key = text.includes("-----BEGIN PUBLIC KEY-----") ? parsePem(text) : parseText(text);
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new Error("a public key is whpk_ and base64, or the same as PEM, exactly as the dashboard shows it");
}

function parsePem(text: string): KeyObject | null {
  try {
    return createPublicKey(text);
  } catch {
    return null;
  }
}

function parseText(text: string): KeyObject | null {
  const [, base64 = null] = /^whpk_([A-Za-z0-9+/]{43}=)$/.exec(text.trim()) ?? [];
  if (base64 === null) return null;
  const x = Buffer.from(base64, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

function standardKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, "base64");
}

/** Compares every pair even after a match, so that the duration does not reveal which one came close. */
function matchesAny(given: readonly string[], expected: readonly string[]): boolean {
  let isMatch = false;
  for (const text of given) {
    for (const signature of expected) isMatch = isSame(text, signature) || isMatch;
  }
  return isMatch;
}

/** The length of a signature is not secret; its content is compared in constant time. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A header that came several times is joined, as fetch does: then it is not a signature, and does not match. */
function findHeader(headers: WebhookHeaders, name: string): string | null {
  if (isHeadersObject(headers)) return headers.get(name);
  const lower = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === lower && value !== undefined) return typeof value === "string" ? value : value.join(", ");
  }
  return null;
}

function isHeadersObject(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return "get" in headers && typeof headers.get === "function";
}
