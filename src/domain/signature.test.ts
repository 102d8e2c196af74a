import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { newVerificationSecret, signService, signStandard } from "./signature.ts";

const SECRET = newVerificationSecret(Uint8Array.from({ length: 32 }, (_, index) => index * 7));
const BODY = '{"id":"5f7a","name":"Zoë 🚀"}';

test("a verification secret is whsec_ and base64 of 32 bytes", () => {
  assert.match(SECRET, /^whsec_[A-Za-z0-9+/]{43}=$/);
});

const withoutOpenssl = spawnSync("openssl", ["version"]).error === undefined ? false : "openssl is not installed here";

test("the service signature is what openssl computes from the same bytes", { skip: withoutOpenssl }, () => {
  const digest = execFileSync("openssl", ["dgst", "-sha256", "-hmac", SECRET, "-binary"], { input: BODY });
  assert.equal(signService(BODY, SECRET), digest.toString("base64"));
});

test("a Standard Webhooks verifier accepts the request", () => {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const signature = signStandard({ id: "dlv_1", timestampSeconds, body: BODY }, [SECRET]);
  const headers = {
    "webhook-id": "dlv_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signature,
  };
  assert.deepEqual(new Webhook(SECRET).verify(BODY, headers), JSON.parse(BODY));
  assert.throws(() => new Webhook(SECRET).verify(`${BODY} `, headers));
});

test("with two secrets a verifier that knows either of them accepts the request", () => {
  const other = newVerificationSecret(new Uint8Array(32).fill(9));
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const signature = signStandard({ id: "dlv_1", timestampSeconds, body: BODY }, [SECRET, other]);
  const headers = {
    "webhook-id": "dlv_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signature,
  };
  for (const secret of [SECRET, other]) assert.doesNotThrow(() => new Webhook(secret).verify(BODY, headers));
});

test("a list of secrets that signs again signs the same, and another list does not get its keys", () => {
  const input = { id: "dlv_1", timestampSeconds: 1_800_000_000, body: BODY };
  const kept = [SECRET];
  const first = signStandard(input, kept);
  assert.equal(signStandard(input, kept), first);
  assert.equal(signStandard(input, [SECRET]), first);
  assert.notEqual(signStandard(input, [newVerificationSecret(new Uint8Array(32).fill(9))]), first);
});
