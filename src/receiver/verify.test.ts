/** verify() against signatures that were computed by other means: openssl, and the `standardwebhooks` package. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { buildRequest } from "../delivery/send/request.ts";
import { type VerifyFailure, type VerifyOptions, type WebhookHeaders, verify } from "./verify.ts";
import { makeTarget } from "../../test/kit/make.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER_SECRET = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
const NOW_MS = Date.UTC(2026, 10, 20, 12, 0, 0);
const BODY = '{"id":"a","name":"Präsentation – 日本","completion":72.5}';
const ID = "dlv_06f1x9s3k0";

/** The request as the service builds it. */
function request(secrets: readonly string[] = [SECRET], body = BODY) {
  const target = makeTarget({ secrets });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  return buildRequest({ webhookId: ID, body, target, nowMs: NOW_MS, names, owner: "acct-1" });
}

const HEADERS = request().headers;
const without = (...names: string[]): WebhookHeaders =>
  Object.fromEntries(Object.entries(HEADERS).filter(([name]) => !names.includes(name)));
const STANDARD = ["webhook-id", "webhook-timestamp", "webhook-signature"];

interface Case {
  readonly name: string;
  readonly body?: string | Uint8Array;
  readonly headers?: WebhookHeaders;
  readonly secrets?: readonly string[];
  readonly options?: Partial<VerifyOptions>;
}

function run({ body = BODY, headers = HEADERS, secrets = [SECRET], options = {} }: Case) {
  return verify({ body, headers }, secrets, { nowMs: NOW_MS, ...options });
}

const VALID: readonly (Case & { readonly webhookId: string | null })[] = [
  { name: "the request as it was sent", webhookId: ID },
  { name: "a body of bytes", body: Buffer.from(BODY), webhookId: ID },
  {
    name: "header names in another case",
    headers: Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value])),
    webhookId: ID,
  },
  { name: "the Headers of fetch", headers: new Headers({ ...HEADERS }), webhookId: ID },
  { name: "the old secret of two", secrets: [OTHER_SECRET, SECRET], webhookId: ID },
  {
    name: "a webhook that carries two signatures while the secret is rotated",
    headers: request([SECRET, OTHER_SECRET]).headers,
    webhookId: ID,
  },
  { name: "no Standard Webhooks headers: then no id is vouched for", headers: without(...STANDARD), webhookId: null },
  { name: "a timestamp that is just young enough", options: { nowMs: NOW_MS + 300_000 }, webhookId: ID },
  { name: "a clock that is five minutes behind", options: { nowMs: NOW_MS - 300_000 }, webhookId: ID },
  {
    name: "a renamed signature header",
    headers: { ...HEADERS, "x-service-signature": "", "x-acme": HEADERS["x-service-signature"] },
    options: { signatureHeader: "X-Acme" },
    webhookId: ID,
  },
];

describe("verify accepts", () => {
  for (const valid of VALID) {
    test(valid.name, () => assert.deepEqual(run(valid), { valid: true, webhookId: valid.webhookId }));
  }
});

const INVALID: readonly (Case & { readonly reason: VerifyFailure })[] = [
  { name: "another secret", secrets: [OTHER_SECRET], reason: "signature_mismatch" },
  {
    name: "the secret without its prefix: the service's own signature uses the whole text",
    secrets: [SECRET.slice("whsec_".length)],
    reason: "signature_mismatch",
  },
  { name: "a changed byte", body: BODY.replace("72.5", "72.6"), reason: "signature_mismatch" },
  { name: "a line break at the end", body: `${BODY}\n`, reason: "signature_mismatch" },
  {
    name: "JSON that was parsed and written again",
    body: JSON.stringify(JSON.parse(BODY), null, 2),
    reason: "signature_mismatch",
  },
  { name: "an empty body", body: "", reason: "signature_mismatch" },
  { name: "no signature", headers: without("x-service-signature"), reason: "signature_missing" },
  { name: "an empty signature", headers: { ...HEADERS, "x-service-signature": "" }, reason: "signature_mismatch" },
  {
    name: "a signature in hexadecimal",
    headers: { ...HEADERS, "x-service-signature": toHex(HEADERS["x-service-signature"]) },
    reason: "signature_mismatch",
  },
  {
    name: "a signature that came twice",
    headers: { ...HEADERS, "x-service-signature": [signature(), signature()] },
    reason: "signature_mismatch",
  },
  ...STANDARD.map((name) => ({
    name: `${name} taken off`,
    headers: without(name),
    reason: "standard_headers_missing" as const,
  })),
  {
    name: "no Standard Webhooks headers where they are required",
    headers: without(...STANDARD),
    options: { requireStandard: true },
    reason: "standard_headers_missing",
  },
  { name: "a repeat after five minutes", options: { nowMs: NOW_MS + 300_001 }, reason: "timestamp_too_old" },
  { name: "a time that lies ahead", options: { nowMs: NOW_MS - 300_001 }, reason: "timestamp_too_new" },
  {
    name: "a time with a fraction",
    headers: { ...HEADERS, "webhook-timestamp": "1e9" },
    reason: "timestamp_malformed",
  },
  {
    name: "a repeat under a new time",
    headers: { ...HEADERS, "webhook-timestamp": String(NOW_MS / 1000 + 600) },
    options: { nowMs: NOW_MS + 600_000 },
    reason: "standard_signature_mismatch",
  },
  { name: "another id", headers: { ...HEADERS, "webhook-id": "dlv_other" }, reason: "standard_signature_mismatch" },
  {
    name: "a Standard signature of an unknown version",
    headers: { ...HEADERS, "webhook-signature": (HEADERS["webhook-signature"] ?? "").replace("v1,", "v2,") },
    reason: "standard_signature_mismatch",
  },
];

describe("verify refuses", () => {
  for (const invalid of INVALID) {
    test(invalid.name, () => assert.deepEqual(run(invalid), { valid: false, reason: invalid.reason }));
  }

  test("to work without a secret, which would let every sender in", () => {
    assert.throws(() => run({ name: "", secrets: [] }), /Verification Secret/);
    assert.throws(() => run({ name: "", secrets: [""] }), /Verification Secret/);
  });
});

describe("signatures of others", () => {
  test("openssl's signature of the body verifies", () => {
    const openssl = spawnSync("openssl", ["dgst", "-sha256", "-hmac", SECRET, "-binary"], { input: BODY });
    assert.equal(openssl.status, 0, String(openssl.stderr));
    const headers = { "x-service-signature": openssl.stdout.toString("base64") };
    assert.deepEqual(run({ name: "", headers }), { valid: true, webhookId: null });
  });

  test("the standardwebhooks package's signature verifies", () => {
    const standard = new Webhook(SECRET).sign(ID, new Date(NOW_MS), BODY);
    assert.equal(run({ name: "", headers: { ...HEADERS, "webhook-signature": standard } }).valid, true);
  });
});

function signature(): string {
  return HEADERS["x-service-signature"] ?? "";
}

function toHex(base64: string | undefined): string {
  return Buffer.from(base64 ?? "", "base64").toString("hex");
}
