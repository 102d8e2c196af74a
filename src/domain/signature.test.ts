import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import {
  isSignedBy,
  newSigningKey,
  newVerificationSecret,
  signService,
  signStandard,
  toPublicKey,
} from "./signature.ts";

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

/** RFC 8032 §7.1, test 2. */
const KEY = newSigningKey(Buffer.from("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "hex"));
const PUBLIC_HEX = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";

test("a signing key's public half is that of RFC 8032, as whpk_ and as PEM", () => {
  const { publicKey, pem } = toPublicKey(KEY);
  assert.equal(publicKey, `whpk_${Buffer.from(PUBLIC_HEX, "hex").toString("base64")}`);
  const der = createPublicKey(pem).export({ format: "der", type: "spki" });
  assert.equal(der.subarray(-32).toString("hex"), PUBLIC_HEX);
});

test("a signing key signs id, time and body behind the secrets, and its public half verifies it", () => {
  const input = { id: "dlv_1", timestampSeconds: 1_800_000_000, body: BODY };
  const [secretPart, keyPart = ""] = signStandard(input, [SECRET, KEY]).split(" ");
  assert.equal(secretPart, signStandard(input, [SECRET]));
  assert.match(keyPart, /^v1a,[A-Za-z0-9+/]{86}==$/);
  const pem = createPublicKey(toPublicKey(KEY).pem);
  const signature = Buffer.from(keyPart.slice("v1a,".length), "base64");
  assert.ok(verify(null, Buffer.from(`dlv_1.1800000000.${BODY}`), pem, signature));
  const { publicKey } = toPublicKey(KEY);
  assert.ok(isSignedBy(input, { signature: keyPart, publicKey }));
  assert.ok(isSignedBy({ ...input, body: Buffer.from(BODY) }, { signature: keyPart, publicKey }));
  assert.ok(!isSignedBy({ ...input, id: "dlv_2" }, { signature: keyPart, publicKey }));
});
