/**
 * The reference receivers that hold no secret: 200 for what the account's key pair signed a moment ago, 401 for
 * everything else. Signed here and not kept in a file, because they look at the time; what is kept are vectors for
 * languages that have no receiver here.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isSignedBy, newSigningKey, signStandard, toPublicKey } from "../../src/domain/signature.ts";
import { KEY_LANGUAGES } from "./languages.ts";
import { isOnThisMachine, runReceiver } from "./run-receiver.ts";

const KEY = newSigningKey(new Uint8Array(32).fill(7));
const OTHER_KEY = newSigningKey(new Uint8Array(32).fill(8));
const SECRET = "whsec_YmVsbHdpcmUgdGVzdCB2ZWN0b3Igc2VjcmV0IG9uZSE=";
const BODY = '{"id":"7f0c2a52","event":"demo_viewed","name":"Zoë 🚀"}';

interface Sent {
  readonly signers?: readonly string[];
  /** The signed ones. */
  readonly id?: string;
  readonly ageSeconds?: number;
  /** What is changed on the way. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post(url: string, sent: Sent): Promise<number> {
  const { signers = [SECRET, KEY], id = "dlv_1", ageSeconds = 0, body = BODY, headers = {} } = sent;
  const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const signed = {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ id, timestampSeconds, body: BODY }, signers),
  };
  return (await fetch(url, { method: "POST", body, headers: { ...signed, ...headers } })).status;
}

const REFUSED: Readonly<Record<string, Sent>> = {
  "another key": { signers: [SECRET, OTHER_KEY] },
  "the secret alone": { signers: [SECRET] },
  "a changed byte": { body: BODY.replace("viewed", "viewee") },
  "another id": { headers: { "webhook-id": "dlv_2" } },
  "an old one": { ageSeconds: 400 },
  "one from the future": { ageSeconds: -400 },
  "no time": { headers: { "webhook-timestamp": "" } },
  "no signature": { headers: { "webhook-signature": "" } },
  "what is no signature": { headers: { "webhook-signature": "v1a, v1a,AAAA v1a,!" } },
};

for (const language of KEY_LANGUAGES) {
  const skip = isOnThisMachine(language) ? false : `${language.probe[0]} cannot run it on this machine`;
  describe(`the receiver in ${language.name}`, { skip }, () => {
    it("takes what the key pair signed, also while it is rotated, and refuses everything else", async () => {
      const publicKeys = [OTHER_KEY, KEY].map((key) => toPublicKey(key).publicKey);
      await using both = await runReceiver(language, publicKeys);
      for (const key of [KEY, OTHER_KEY]) assert.equal(await post(both.url, { signers: [SECRET, key] }), 200);
      await using one = await runReceiver(language, publicKeys.slice(1));
      assert.equal(await post(one.url, { signers: [SECRET, OTHER_KEY, KEY] }), 200);
      for (const [what, sent] of Object.entries(REFUSED)) assert.equal(await post(one.url, sent), 401, what);
      assert.equal(await post(one.url, { id: "test_dlv_1" }), 200);
      await one.printed.line(/^test test_dlv_1\b/);
      await one.printed.line(/^event dlv_1\b/);
    });

    it("does not start with the secret, or with nothing, in place of the public key", async () => {
      for (const keys of [[SECRET], [""], [`"${toPublicKey(KEY).publicKey}"`]]) {
        await assert.rejects(runReceiver(language, keys), /ended at its start/);
      }
    });
  });
}

interface Vector {
  readonly name: string;
  readonly public_key: string;
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
  readonly valid: boolean;
}

describe("the vectors for other languages", () => {
  const path = new URL("public-key-vectors.json", import.meta.url);
  for (const vector of JSON.parse(readFileSync(path, "utf8")) as readonly Vector[]) {
    it(`${vector.name}: ${vector.valid ? "valid" : "not valid"}`, () => {
      const { public_key: publicKey, id, timestamp: timestampSeconds, body, signature } = vector;
      const part = signature.split(" ").find((each) => each.startsWith("v1a,")) ?? "";
      assert.equal(isSignedBy({ id, timestampSeconds, body }, { signature: part, publicKey }), vector.valid);
    });
  }
});
