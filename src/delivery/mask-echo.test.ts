import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SendResult } from "../domain/attempt.ts";
import { LIMITS } from "../domain/limits.ts";
import { maskEcho } from "./mask-echo.ts";
import { MASK } from "./send/request.ts";

const TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
const AUTHORIZATION = { name: "Authorization", value: "Bearer c4nary-token", secret: true };

function answered(body: string, headers: Readonly<Record<string, string>> = {}): SendResult {
  const response = { status: 200, headers, body: Buffer.from(body), bodyCut: false };
  return { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
}

function masked(result: SendResult, headers = [AUTHORIZATION]) {
  const { outcome } = maskEcho(result, headers);
  assert.ok(outcome.kind === "response");
  return { body: Buffer.from(outcome.response.body).toString("utf8"), headers: outcome.response.headers };
}

test("a secret that is sent back is taken out of body and headers, everything else stays", () => {
  const echo = answered('{"authorization":"Bearer c4nary-token","name":"Zoë 東京"}', {
    "x-echo": "a Bearer c4nary-token b",
  });
  assert.deepEqual(masked(echo), {
    body: `{"authorization":"${MASK}","name":"Zoë 東京"}`,
    headers: { "x-echo": `a ${MASK} b` },
  });
});

test("also without its scheme, and however often", () => {
  assert.equal(masked(answered("c4nary-token c4nary-token")).body, `${MASK} ${MASK}`);
});

const AWKWARD = { name: "X-Token", value: "c4nary/+<quoted>&é", secret: true };
for (const [how, written] of [
  ["as it is", AWKWARD.value],
  ["as UTF-8", Buffer.from(AWKWARD.value, "utf8").toString("latin1")],
] as const) {
  test(`also when it comes back ${how}, with no long run in it`, () => {
    const response = {
      status: 200,
      headers: { location: `/?t=${written}` },
      body: latin1(`<${written}>`),
      bodyCut: false,
    };
    const echo: SendResult = { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
    assert.deepEqual(masked(echo, [AWKWARD]), { body: `<${MASK}>`, headers: { location: `/?t=${MASK}` } });
  });
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

/* Writings of frameworks: each keeps letters and digits, and writes the rest in its own way. */

type Writing = (text: string) => string;

const escapeBy =
  (escape: (code: number) => string): Writing =>
  (text) =>
    text.replace(/[^A-Za-z0-9]/g, (char) => escape(char.charCodeAt(0)));
const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, "0");
const inJson: Writing = (text) => JSON.stringify(text).slice(1, -1);
const WRITINGS: Readonly<Record<string, Writing>> = {
  "in JSON": inJson,
  "in JSON within JSON": (text) => inJson(inJson(text)),
  "in JSON within JSON within JSON": (text) => inJson(inJson(inJson(text))),
  "in JSON as PHP writes it": (text) => inJson(text).replaceAll("/", "\\/"),
  "in JSON as Go, Rails and .NET write it": escapeBy((code) => `\\u${hex(code, 4)}`),
  "in JSON as .NET writes it, in capitals": escapeBy((code) => `\\u${hex(code, 4).toUpperCase()}`),
  "in an address": escapeBy((code) => `%${hex(code).toUpperCase()}`),
  "in an address in small letters": escapeBy((code) => `%${hex(code)}`),
  "in an address within an address": (text) => encodeURIComponent(encodeURIComponent(text)),
  "in a form": (text) => new URLSearchParams({ "": text }).toString().slice(1),
  "in HTML by names": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&apos;"),
  "in HTML by numbers": escapeBy((code) => `&#${code};`),
  "in HTML by hex numbers": escapeBy((code) => `&#x${hex(code).toUpperCase()};`),
};

const RUN = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/);
const REST = fc.string({ unit: fc.constantFrom(...Array.from("+/=-_.~:;&<>'\"\\ $%#!?@é")), maxLength: 4 });
const SHORT = fc.stringMatching(/^[A-Za-z0-9]{0,6}$/);
const SCHEME = fc.constantFrom("", "Bearer ", "Token ", "ApiKey ");
const SECRET = fc.record({ scheme: SCHEME, first: SHORT, before: REST, run: RUN, after: REST, last: SHORT });

for (const [how, write] of Object.entries(WRITINGS)) {
  test(`the longest run of a secret never stands in the log when it comes back ${how}`, () => {
    fc.assert(
      fc.property(SECRET, ({ scheme, first, before, run, after, last }) => {
        const value = `${scheme}x${first}-${before}${run}${after}.${last}`;
        const written = write(value);
        const { body, headers } = masked(answered(`{"said":"${written}"} and ${written}`, { "x-echo": written }), [
          { name: "x-token", value, secret: true },
        ]);
        assert.ok(!body.includes(run), body);
        assert.ok(!JSON.stringify(headers).includes(run), JSON.stringify(headers));
        assert.match(body, /^\{"said":".* and /s);
      }),
    );
  });
}

test("a mask by a run goes out to the next blank, quote or angle bracket, and no further than three lengths", () => {
  const secret = [{ name: "x-token", value: "ab+c4naryToken/xyz==", secret: true }];
  const written = "ab\\u002Bc4naryToken\\/xyz\\u003d\\u003D";
  assert.equal(masked(answered(`<b>key=${written}</b> "${written}"`), secret).body, `<b>key${MASK}</b> "${MASK}"`);
  const far = "-".repeat(60);
  assert.equal(masked(answered(`${far}c4naryToken${far}`), secret).body, `${far.slice(9)}${MASK}${far.slice(18)}`);
  assert.equal(masked(answered(`é${"ü".repeat(40)}c4naryToken`), secret).body, `é${"ü".repeat(35)}${MASK}`);
});

test("an answer without the secret is not changed", () => {
  fc.assert(
    fc.property(RUN, fc.string({ unit: "binary", maxLength: 200 }), (run, text) => {
      fc.pre(!text.includes(run));
      const result = answered(text, { "x-a": "é".repeat(9) });
      assert.equal(maskEcho(result, [{ name: "x-token", value: `Bearer a+${run}`, secret: true }]), result);
    }),
  );
});

/** Each stands in an answer of its own. */
const PARTS: readonly (readonly [what: string, secret: string, answer: string, kept: string])[] = [
  ["decoded Basic credentials", `Basic ${btoa("user:pa55-w0rd!")}`, "user:pa55-w0rd!", MASK],
  ["their password alone", `basic ${btoa("user:pa55-w0rd!")}`, "user has pa55-w0rd!", `user has ${MASK}`],
  ["a word that looks like a scheme", "my-canarytoken .", "got my-canarytoken%20%2E", `got ${MASK}`],
  ["two in a row", "c4nary-token", "c4nary-tokenc4nary-token", MASK],
  ["one that begins within itself", "abcabcabc", "<abcabcabcabc>", `<${MASK}>`],
];
for (const [what, value, answer, kept] of PARTS) {
  test(`a secret is masked: ${what}`, () => {
    assert.equal(masked(answered(answer), [{ name: "authorization", value, secret: true }]).body, kept);
  });
}

test("a secret of which only the beginning was read, or came, is masked", () => {
  const response = { status: 200, headers: {}, body: Buffer.from("got c4nary-t"), bodyCut: true };
  for (const outcome of [
    { kind: "response", response } as const,
    { kind: "response", response: { ...response, bodyCut: false }, message: "It broke off." } as const,
  ]) {
    const { body } = masked({ outcome, timings: TIMINGS, address: null }, [
      { ...AUTHORIZATION, value: "c4nary-token" },
    ]);
    assert.equal(body, `got ${MASK}`);
  }
});

/** `docs/secure.md` excepts them. The table keeps code and document together. */
const EXCEPTED: readonly (readonly [how: string, written: string])[] = [
  ["in capitals", "C4NARY-TOKEN"],
  ["in base64", btoa("c4nary-token")],
  ["in hex", Buffer.from("c4nary-token").toString("hex")],
  ["escaped, with no run of 8 letters and digits", encodeURIComponent("c4nary/token")],
  ["in HTML by numbers", "&#99;4nary-token"],
  ["backwards", "nekot-yran4c"],
  ["in pieces", "c4nary and token"],
];
for (const [how, written] of EXCEPTED) {
  test(`the document says that a secret is not found ${how}`, () => {
    const value = how.startsWith("escaped") ? "c4nary/token" : "c4nary-token";
    assert.equal(masked(answered(written), [{ name: "authorization", value, secret: true }]).body, written);
  });
}

test("the first line of an answer that is refused is masked too", () => {
  const outcome = { kind: "network_error", code: "ANSWER_NOT_HTTP", message: "It began with: c4nary-token" } as const;
  const result = maskEcho({ outcome, timings: TIMINGS, address: null }, [AUTHORIZATION]);
  assert.deepEqual(result.outcome, { ...outcome, message: `It began with: ${MASK}` });
});

test("an answer costs as much for each of its characters, whatever owner and receiver choose", () => {
  const cpuUs = (chars: number) => {
    const value = `${"a".repeat(chars / 8)}b`;
    const secrets = Array.from({ length: 20 }, (_, nth) => ({ name: `x-${nth}`, value: value + nth, secret: true }));
    const echo = answered("a".repeat(chars));
    const each = Array.from({ length: 9 }, () => {
      const before = process.cpuUsage();
      maskEcho(echo, secrets);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...each);
  };
  cpuUs(LIMITS.responseBytesMax);
  const times = cpuUs(4 * LIMITS.responseBytesMax) / cpuUs(LIMITS.responseBytesMax);
  assert.ok(times < 8, `four times the input costs ${times} times as much`);
});

test("an answer does not outgrow its limit by the masks in it, and says that it is cut", () => {
  const pin = { name: "x-pin", value: "!?-$%~", secret: true };
  const { outcome } = maskEcho(answered("!?-$%~,".repeat(2_000)), [pin]);
  assert.ok(outcome.kind === "response");
  assert.deepEqual([outcome.response.body.length, outcome.response.bodyCut], [LIMITS.responseBytesMax, true]);
});

test("a value that is not secret, or too short to be, is left alone", () => {
  const team = { name: "X-Team", value: "revenue-operations", secret: false };
  const pin = { name: "X-Pin", value: "12345", secret: true };
  const result = answered("revenue-operations 12345");
  assert.equal(maskEcho(result, [team, pin]), result, "not even copied");
});

test("an outcome without an answer is passed on", () => {
  const result: SendResult = { outcome: { kind: "timeout", phase: "body" }, timings: TIMINGS, address: null };
  assert.equal(maskEcho(result, [AUTHORIZATION]), result);
});

test("bytes that are no text keep their values", () => {
  const response = { status: 200, headers: {}, body: Uint8Array.of(0xff, 0, 0xfe), bodyCut: false };
  const result: SendResult = { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
  assert.equal(maskEcho(result, [AUTHORIZATION]), result);
});

test("a whole answer that ends like the beginning of a secret keeps its words", () => {
  const services = { name: "x-key", value: "services-of-ours", secret: true };
  const result = answered("no_service");
  assert.equal(maskEcho(result, [services]), result);
});
