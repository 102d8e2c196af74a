/** `bellwire/receiver`: its results for genuine webhooks, and what the strict default refuses. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { newSigningKey, signService, toPublicKey } from "../domain/signature.ts";
import { buildRequest } from "../delivery/send/request.ts";
import type { RawBody } from "./raw-body.ts";
import { reasonInWords, verify, type VerifyReason } from "./verify-event.ts";
import { BUILT_IN_TYPES } from "../events/event-types.ts";
import { makeTarget } from "../../test/kit/make.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER_SECRET = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
const NOW_MS = Date.UTC(2026, 10, 20, 12, 0, 0);
const BODY = '{"id":"a","event":"demo_viewed","name":"Präsentation"}';

interface Signed {
  readonly nowMs?: number;
  readonly webhookId?: string;
  readonly signers?: readonly string[];
}

function signed(body: string, { nowMs = NOW_MS, webhookId = "dlv_1", signers = [SECRET] }: Signed = {}) {
  const target = makeTarget({ secrets: signers });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  return buildRequest({ webhookId, body, target, nowMs, names, owner: "acct-1" }).headers;
}

const AT = { secrets: SECRET, nowMs: NOW_MS };

describe("verify", () => {
  for (const [how, secret, fault] of [
    [
      "the line break of its file",
      `${SECRET}\n`,
      /has a line break \(U\+000A\) as character 51 of 51; enter it without/,
    ],
    ["a byte order mark", `\ufeff${SECRET}`, /has a byte order mark \(U\+FEFF\) at its start/],
    ["a zero-width space", `${SECRET.slice(0, 9)}\u200b${SECRET.slice(9)}`, /has a zero-width space \(U\+200B\) as/],
    [
      "a line break in it",
      `${SECRET.slice(0, 9)}\r\n  ${SECRET.slice(9)}`,
      /has a line break \(U\+000D\) as character 10/,
    ],
    ["quotes", `"${SECRET}"`, /has quotes around it/],
    ["the other variant of Base64", "whsec_-_8", /is in the URL's variant of Base64/],
  ] as const) {
    test(`throws for a secret with ${how}, and shows no part of it`, () => {
      for (const secrets of [secret, [OTHER_SECRET, secret]]) {
        assert.throws(
          () => verify(BODY, signed(BODY), { ...AT, secrets }),
          ({ message }: Error) =>
            fault.test(message) && !message.includes("MDEy") && message.startsWith("the Webhook Ver"),
        );
      }
    });
  }

  test("gives the event and the id that tells repeats", () => {
    for (const body of [BODY, Buffer.from(BODY)]) {
      const webhook = verify(body, signed(BODY), AT);
      assert.deepEqual(webhook, { valid: true, event: JSON.parse(BODY), webhookId: "dlv_1", isTest: false });
    }
  });

  for (const event of BUILT_IN_TYPES.all.map(({ type: name }) => name)) {
    test(`knows ${event}`, () => {
      const body = JSON.stringify({ event });
      assert.equal(verify(body, signed(body), AT).valid, true);
    });
  }

  test("takes the secret alone, and the present as the time", () => {
    assert.equal(verify(BODY, signed(BODY, { nowMs: Date.now() }), SECRET).valid, true);
    assert.equal(verify(BODY, signed(BODY, { nowMs: Date.now() }), [OTHER_SECRET, SECRET]).valid, true);
    assert.deepEqual(verify(BODY, signed(BODY, { nowMs: Date.now() - 400_000 }), SECRET), refused("timestamp_too_old"));
  });

  test("refuses a recorded webhook whose Standard Webhooks headers were taken off", () => {
    const stripped = { "x-service-signature": signed(BODY)["x-service-signature"] };
    assert.deepEqual(verify(BODY, stripped, AT), refused("standard_headers_missing"));
    const years = { ...AT, nowMs: NOW_MS + 1e11, requireStandard: false } as const;
    assert.deepEqual(verify(BODY, stripped, years), {
      valid: true,
      event: JSON.parse(BODY),
      webhookId: null,
      isTest: false,
    });
  });

  test("tells a test by the id that is signed, whatever the header says", () => {
    const marked = signed(BODY, { webhookId: "test_dlv_1" });
    assert.equal(marked["bellwire-test"], "1");
    const { "bellwire-test": _, ...unmarked } = marked;
    for (const headers of [marked, unmarked]) {
      const webhook = verify(BODY, headers, AT);
      assert.deepEqual(webhook, { valid: true, event: JSON.parse(BODY), webhookId: "test_dlv_1", isTest: true });
    }
    const posed = verify(BODY, { ...signed(BODY), "bellwire-test": "1" }, AT);
    assert.equal(posed.valid && posed.isTest, false);
  });

  test("refuses a test whose mark was taken off the id, and an event that was given one", () => {
    const cases = [
      { ...signed(BODY, { webhookId: "test_dlv_1" }), "webhook-id": "dlv_1" },
      { ...signed(BODY), "webhook-id": "test_dlv_1" },
    ];
    for (const headers of cases) {
      assert.deepEqual(verify(BODY, headers, AT), refused("standard_signature_mismatch"));
    }
  });

  test("refuses bodies that are signed and name no event", () => {
    const bodies = ["not json", "", "null", "7", '"demo_viewed"', "[]", '["event"]', '{"event":{}}', "{}"];
    for (const body of bodies) assert.deepEqual(verify(body, signed(body), AT), refused("body_malformed"), body);
  });

  test("gives an event of a type that it was not told of", () => {
    interface LeadBody {
      readonly event: "lead.identified";
      readonly lead: { readonly email: string };
    }
    const body = '{"lead":{"email":"ada@example.com"},"event":"lead.identified"}';
    const webhook = verify<LeadBody>(body, signed(body), AT);
    assert.equal(webhook.valid && webhook.event.lead.email, "ada@example.com");
    assert.equal(verify(body, signed(body), AT).valid, true);
  });

  test("does not parse what it has not verified", () => {
    assert.deepEqual(verify("not json", signed(BODY), AT), refused("signature_mismatch"));
  });

  test("throws without a secret, however it is missing", () => {
    const unset = undefined as unknown as string;
    for (const secrets of ["", [], [""], [SECRET, ""], unset]) {
      assert.throws(() => verify(BODY, signed(BODY), { secrets }), /Secret is missing or empty/);
    }
    assert.throws(() => verify(BODY, signed(BODY), unset), /Secret is missing or empty/);
  });

  describe("with a public key", () => {
    const KEY = newSigningKey(new Uint8Array(32).fill(1));
    const { publicKey, pem } = toPublicKey(KEY);
    const other = toPublicKey(newSigningKey(new Uint8Array(32).fill(2))).publicKey;
    const byKey = () => signed(BODY, { signers: [SECRET, KEY] });
    const at = (keys: string | readonly string[]) => ({ publicKey: keys, nowMs: NOW_MS });

    test("accepts what its private half signed, as whpk_ and as PEM, beside another one, and without a secret", () => {
      for (const keys of [publicKey, pem, [other, publicKey]]) {
        const webhook = verify(BODY, byKey(), at(keys));
        assert.deepEqual(webhook, { valid: true, event: JSON.parse(BODY), webhookId: "dlv_1", isTest: false });
      }
      const { "x-service-signature": _, ...standard } = byKey();
      assert.ok(verify(BODY, standard, at(publicKey)).valid);
    });

    test("refuses another key's, another body's, another id's, an old one, and one without a v1a part", () => {
      const rows: readonly (readonly [body: string, headers: Record<string, string>, reason: VerifyReason])[] = [
        [BODY, signed(BODY, { signers: [SECRET, newSigningKey(new Uint8Array(32))] }), "key_signature_mismatch"],
        [`${BODY} `, byKey(), "key_signature_mismatch"],
        [BODY, { ...byKey(), "webhook-id": "dlv_2" }, "key_signature_mismatch"],
        [BODY, { ...byKey(), "webhook-signature": "v1a,AAAA v1a," }, "key_signature_mismatch"],
        [BODY, signed(BODY), "key_signature_missing"],
        [BODY, signed(BODY, { signers: [SECRET, KEY], nowMs: NOW_MS - 301_000 }), "timestamp_too_old"],
        [BODY, { "x-service-signature": signService(BODY, SECRET) }, "standard_headers_missing"],
      ];
      for (const [body, headers, reason] of rows) {
        assert.deepEqual(verify(body, headers, at(publicKey)), refused(reason));
        assert.ok(reasonInWords(reason).length > 20);
      }
    });

    test("throws where it is taken for the secret: everybody has it, and could sign with it", () => {
      const der = pem.split("\n")[1] ?? "";
      for (const key of [publicKey, `"${publicKey}"`, ` ${publicKey}\n`, pem, `'${pem}'`, der, `"${der}"`, KEY]) {
        for (const secrets of [key, [SECRET, key]]) {
          const forged = signService(BODY, key);
          const headers = { "x-service-signature": forged };
          assert.throws(
            () => verify(BODY, headers, { ...AT, secrets, requireStandard: false }),
            ({ message }: Error) =>
              /key and not the Webhook Verification Secret/.test(message) && !message.includes(der),
            key,
          );
        }
      }
    });

    test("throws for what is no public key, and says what it is", () => {
      const { privateKey } = generateKeyPairSync("ed25519");
      const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey;
      const rows: readonly (readonly [key: string, words: RegExp])[] = [
        [SECRET, /is given the Webhook Verification Secret/],
        [`"${SECRET}"`, /is given the Webhook Verification Secret/],
        [KEY, /is given a private key/],
        [privateKey.export({ format: "pem", type: "pkcs8" }), /is given a private key/],
        [rsa.export({ format: "pem", type: "spki" }), /whpk_ and base64/],
        [publicKey.slice(0, -4), /whpk_ and base64/],
        [`"${publicKey}"`, /whpk_ and base64/],
        [pem.replace("MCow", "AAAA"), /whpk_ and base64/],
        ["", /public key is missing/],
      ];
      for (const [key, words] of rows) assert.throws(() => verify(BODY, byKey(), at(key)), words, key);
      assert.throws(() => verify(BODY, byKey(), at([])), /public key is missing/);
      const both = { secrets: SECRET, publicKey } as unknown as { publicKey: string };
      assert.throws(() => verify(BODY, byKey(), both), /not both/);
    });
  });

  test("has a sentence for each reason, without the signature that would have been right", () => {
    const reasons: VerifyReason[] = ["body_malformed", "signature_mismatch", "timestamp_too_new"];
    for (const reason of reasons) assert.ok(reasonInWords(reason).length > 20);
    assert.ok(!reasonInWords("signature_mismatch").includes(signService(BODY, SECRET)));
  });
});

/** The same bytes in memory that has others before and behind them. */
function within(bytes: Uint8Array, Memory: ArrayBufferConstructor | SharedArrayBufferConstructor = ArrayBuffer) {
  const memory = new Memory(bytes.length + 16);
  new Uint8Array(memory).fill(0x20).set(bytes, 8);
  return [memory, 8, bytes.length] as const;
}

const foreign = (name: string, bytes: Uint8Array): RawBody =>
  runInNewContext(`const bytes = Uint8Array.from(list); ${name}`, { list: [...bytes] }) as RawBody;

const FORMS: Readonly<Record<string, (bytes: Uint8Array) => RawBody>> = {
  text: (bytes) => Buffer.from(bytes).toString(),
  Buffer: (bytes) => Buffer.from(bytes),
  "part of a Buffer": (bytes) => Buffer.from(...within(bytes)),
  "part of a Uint8Array": (bytes) => new Uint8Array(...within(bytes)),
  Int8Array: (bytes) => new Int8Array(...within(bytes)),
  Uint8ClampedArray: (bytes) => new Uint8ClampedArray(...within(bytes)),
  DataView: (bytes) => new DataView(...within(bytes)),
  Uint16Array: (bytes) => new Uint16Array(within(bytes)[0], 8, bytes.length / 2),
  Float32Array: (bytes) => new Float32Array(within(bytes)[0], 8, bytes.length / 4),
  Float64Array: (bytes) => new Float64Array(within(bytes)[0], 8, bytes.length / 8),
  BigInt64Array: (bytes) => new BigInt64Array(within(bytes)[0], 8, bytes.length / 8),
  ArrayBuffer: (bytes) => new Uint8Array(bytes).buffer,
  SharedArrayBuffer: (bytes) => within(bytes, SharedArrayBuffer)[0].slice(8, 8 + bytes.length),
  "a view of shared memory": (bytes) => new DataView(...within(bytes, SharedArrayBuffer)),
  "another realm's Uint8Array": (bytes) => foreign("bytes", bytes),
  "another realm's ArrayBuffer": (bytes) => foreign("bytes.buffer", bytes),
};

describe("the raw body", () => {
  test("is taken in every form of bytes, and a changed byte is noticed in each", () => {
    const signer = newSigningKey(new Uint8Array(32).fill(7));
    const trusts = [AT, { publicKey: toPublicKey(signer).publicKey, nowMs: NOW_MS }];
    const property = fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (name, place) => {
      const text = JSON.stringify({ event: "demo_viewed", name });
      const body = text + " ".repeat((8 - (Buffer.byteLength(text) % 8)) % 8);
      const headers = signed(body, { signers: [SECRET, signer] });
      const changed = Buffer.from(body);
      const at = place % changed.length;
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      for (const [form, make] of Object.entries(FORMS)) {
        for (const trust of trusts) {
          const { valid, ...rest } = verify(make(Buffer.from(body)), headers, trust);
          assert.ok(valid, form);
          assert.deepEqual("event" in rest && rest.event, JSON.parse(body), form);
          assert.equal(verify(make(changed), headers, trust).valid, false, form);
        }
      }
    });
    fc.assert(property, { numRuns: 50 });
  });

  test("that is none is refused with what it is and what to give", () => {
    const transferred = new Uint8Array(8);
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] });
    for (const [body, words] of [
      [undefined, /\(express\.raw\(\), await request\.arrayBuffer\(\)\); this is of the kind Undefined$/],
      [null, /of the kind Null$/],
      [7, /of the kind Number$/],
      [JSON.parse(BODY), /of the kind Object$/],
      [[Buffer.from(BODY)], /of the kind Array$/],
      [Promise.resolve(BODY), /of the kind Promise$/],
      [new Blob([BODY]), /of the kind Blob$/],
      [new Blob([BODY]).stream(), /of the kind ReadableStream$/],
      [transferred, /the memory of these bytes was handed on/],
    ] as const) {
      assert.throws(() => verify(body as RawBody, signed(BODY), AT), words);
    }
  });
});

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly body: string;
  readonly signature: string | null;
  readonly status: number;
}

describe("the vectors that every language's receiver keeps", () => {
  const path = new URL("../../examples/verify/vectors.json", import.meta.url);
  for (const { name, secrets, body, signature, status } of JSON.parse(readFileSync(path, "utf8")) as Vector[]) {
    test(name, () => {
      const headers = signature === null ? {} : { "x-service-signature": signature };
      assert.equal(verify(body, headers, { secrets, requireStandard: false }).valid, status === 200);
    });
  }
});

function refused(reason: VerifyReason) {
  return { valid: false, reason };
}
