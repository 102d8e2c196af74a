/** Secret header values in the writings in which receivers send them back, and those that `docs/secure.md` excepts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SendResult } from "../../domain/attempt.ts";
import { LIMITS } from "../../domain/limits.ts";
import { findReadings } from "./readings.ts";
import { maskEcho } from "./mask-echo.ts";
import { MASK } from "../send/request.ts";

const TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
const header = (value: string, name = "authorization") => ({ name, value, secret: true });

interface Answer {
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bodyCut?: boolean;
}

function masked({ body = "", headers = {}, bodyCut = false }: Answer, secrets: readonly ReturnType<typeof header>[]) {
  const response = { status: 200, headers, body: typeof body === "string" ? Buffer.from(body) : body, bodyCut };
  const result: SendResult = { outcome: { kind: "response", response }, timings: TIMINGS, address: null };
  const { outcome } = maskEcho(result, secrets);
  assert.ok(outcome.kind === "response");
  const kept = outcome.response;
  return { body: Buffer.from(kept.body).toString("utf8"), headers: kept.headers, bodyCut: kept.bodyCut };
}

/** Every character that needs an escape somewhere, beside a part in the form of a token. */
const AWKWARD = `q7Zd<"R4'>k&9+M/x=2 é\\Tw`;
const TOKEN = "c4nary-T0ken.9fQx";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const each = (text: string, write: (code: number) => string): string =>
  Array.from(text, (letter) => write(letter.charCodeAt(0))).join("");
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const NAMED: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
const html = (text: string, write: (letter: string) => string): string => text.replace(/[<>&"'é]/g, write);

/** Text around the value, when a writing encodes that too. */
const AROUND = '{"header":"';
const LINES = "some words before ";

const WRITINGS: readonly (readonly [how: string, write: (value: string) => string | Buffer])[] = [
  ["as it is", latin1],
  ["in JSON", json],
  ["in JSON as PHP writes it", (value) => json(value).replaceAll("/", "\\/").replaceAll("é", "\\u00e9")],
  [
    "in JSON as Go and .NET write it",
    (value) => json(value).replace(/[<>&+'"é]/g, (one) => `\\u${hex(one.charCodeAt(0), 4)}`),
  ],
  [
    "the same in capitals",
    (value) => json(value).replace(/[<>&+'é]/g, (one) => `\\u${hex(one.charCodeAt(0), 4).toUpperCase()}`),
  ],
  ["in JSON in JSON", (value) => json(json(value))],
  ["in JSON in JSON in JSON", (value) => json(json(json(value)))],
  [
    "in JSON in JSON as Go writes it",
    (value) => json(json(value).replace(/[<>&+']/g, (one) => `\\u${hex(one.charCodeAt(0), 4)}`)),
  ],
  ["in HTML by names", (value) => html(value, (one) => NAMED[one] ?? "&eacute;")],
  ["in HTML by decimal numbers", (value) => html(value, (one) => `&#${one.charCodeAt(0)};`)],
  ["in HTML by hexadecimal numbers", (value) => html(value, (one) => `&#x${hex(one.charCodeAt(0), 2)};`)],
  ["in HTML, every letter by its number", (value) => each(value, (code) => `&#${code};`)],
  ["in HTML that was escaped twice", (value) => html(value, (one) => NAMED[one] ?? one).replaceAll("&", "&amp;")],
  ["in an address", (value) => encodeURIComponent(value)],
  ["in an address in small letters", (value) => encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase())],
  ["in an address, Latin-1", (value) => each(value, (code) => `%${hex(code, 2).toUpperCase()}`)],
  ["in an address twice over", (value) => encodeURIComponent(encodeURIComponent(value))],
  ["in a form", (value) => new URLSearchParams({ value }).toString().slice("value=".length)],
  ["as UTF-8", (value) => Buffer.from(value, "utf8")],
  ["with \\u00e9", (value) => value.replaceAll("é", "\\u00e9")],
  ["in JavaScript", (value) => value.replace(/[^0-9a-zA-Z ]/g, (one) => `\\x${hex(one.charCodeAt(0), 2)}`)],
  ["in capitals", (value) => latin1(value.toUpperCase())],
  ["in small letters", (value) => latin1(value.toLowerCase())],
  ["in base64", (value) => latin1(value).toString("base64")],
  ["in base64 of its UTF-8", (value) => Buffer.from(value).toString("base64")],
  ["in base64url", (value) => latin1(value).toString("base64url")],
  ["in base64 of an object around it", (value) => Buffer.from(`${AROUND}${value}"}`).toString("base64")],
  ["in base64 in lines", (value) => latin1(`${LINES}${value}`).toString("base64").replace(/.{16}/g, "$&\r\n")],
  ["in hex", (value) => latin1(value).toString("hex")],
  ["in hex in capitals", (value) => latin1(value).toString("hex").toUpperCase()],
  [
    "in hex with blanks",
    (value) =>
      latin1(value)
        .toString("hex")
        .replace(/..(?!$)/g, "$& "),
  ],
  ["letter by letter", (value) => JSON.stringify(Array.from(value)).slice(1, -1)],
  ["over several lines", (value) => value.replace(/.{5}/g, "$&\r\n  ")],
];

/** The scheme, a letter's name in HTML, and base64 of the text around the value: none is part of the value. */
const HARMLESS = new RegExp(
  [
    "bearer",
    "eacute",
    "(?:B\\W+e\\W+a\\W+r\\W+e\\W+r)",
    "Beare",
    "u00e9",
    ...[AROUND, LINES].map(toBase64Pattern),
  ].join("|"),
  "gi",
);

function toBase64Pattern(text: string): string {
  const whole = Buffer.from(text).toString("base64").replace(/=+$/, "");
  return Array.from(whole.slice(0, -1)).join("[\\r\\n]*") + "\\w?";
}

describe("a secret that a receiver sends back is masked", () => {
  for (const [how, write] of WRITINGS) {
    for (const value of [TOKEN, `Bearer ${TOKEN}`, AWKWARD]) {
      test(`${how}: ${value}`, () => {
        const written = Buffer.concat([
          Buffer.from("<p>before "),
          Buffer.from(write(value)),
          Buffer.from(" after</p>"),
        ]);
        const { body } = masked({ body: written }, [header(value)]);
        assert.match(body, /^<p>before .*•••••••• ?.* after<\/p>$/su);
        const rest = body.slice("<p>before ".length, -" after</p>".length).replaceAll(MASK, "").replace(HARMLESS, "");
        assert.deepEqual(rest.match(/[0-9A-Za-z]{4,}/g) ?? [], [], body);
        const { headers } = masked({ headers: { "x-echo": written.toString("latin1") } }, [header(value)]);
        assert.equal(headers["x-echo"], body, "in a header as in a body");
      });
    }
  }
});

/** Each stands in an answer of its own. */
const PARTS: readonly (readonly [what: string, answer: Answer, secret: string, kept: Answer])[] = [
  [
    "decoded Basic credentials",
    { body: "user-name:pa55-w0rd!" },
    `Basic ${btoa("user-name:pa55-w0rd!")}`,
    { body: MASK },
  ],
  [
    "their password alone",
    { body: '{"password":"pa55-w0rd!"}' },
    `Basic ${btoa("user-name:pa55-w0rd!")}`,
    { body: `{"password":"${MASK}"}` },
  ],
  [
    "a key in the place of their name",
    { body: "key sk_l1ve_9fQx72 is old" },
    `basic ${btoa("sk_l1ve_9fQx72:")}`,
    { body: `key ${MASK} is old` },
  ],
  ["half of a value", { body: "it ends in T0ken.9fQx" }, `Bearer ${TOKEN}`, { body: `it ends in ${MASK}` }],
  [
    "a value that is split over two headers",
    { headers: { "x-1": "Bearer c4na", "x-2": "ry-T0ken.9fQx" } },
    `Bearer ${TOKEN}`,
    { headers: { "x-1": MASK, "x-2": MASK } },
  ],
  ["a header's name", { headers: { "c4nary-t0ken.9fqx": "1" } }, TOKEN, { headers: { [MASK]: "1" } }],
  ["a short value with its scheme", { body: "Bearer c4n!ry" }, "Bearer c4n!ry", { body: MASK }],
  ["a value without letters and digits", { body: "<!?-$%~>" }, "!?-$%~", { body: `<${MASK}>` }],
  ["such a value with escapes", { body: '{"a":"\\"!?\\u0026%~"}' }, '"!?&%~', { body: `{"a":"${MASK}"}` }],
  [
    "a value of which the first part was read",
    { body: "got c4nary-T0k", bodyCut: true },
    TOKEN,
    { body: `got ${MASK}` },
  ],
  ["a value of which hardly anything was read", { body: "got c4n", bodyCut: true }, TOKEN, { body: `got ${MASK}` }],
  [
    "a value that was cut within an escape",
    { body: "got c4nary\\u00", bodyCut: true },
    "c4nary<T0ken",
    { body: `got ${MASK}` },
  ],
  ["base64 that was cut", { body: `got ${btoa(TOKEN).slice(0, 8)}`, bodyCut: true }, TOKEN, { body: `got ${MASK}` }],
];

describe("a part of a secret is masked:", () => {
  for (const [what, answer, secret, kept] of PARTS) {
    test(what, () => {
      const { body, headers } = masked(answer, [header(secret)]);
      assert.deepEqual({ body, headers }, { body: "", headers: {}, ...kept });
    });
  }
});

/** Answers that contain words of a secret. */
const ORDINARY: readonly (readonly [secret: string, answer: string])[] = [
  [`Bearer ${TOKEN}`, 'Bearer realm="hooks", error="invalid_token", the Bearer is missing'],
  ["Bearer my-production-key-9fQx72Lm", "production is fine, and so is my production key"],
  [`Basic ${btoa("webhooks:pa55-w0rd!")}`, "webhooks are taken by the webhooks service; Basic authentication"],
  ["Token correct horse battery staple", "the horse is correct, and the battery is full"],
  [TOKEN, '{"id":"3f8b1c52-7a4e-4f0b-9c7d-1e2a3b4c5d6e","at":"2026-11-22T02:00:00.000Z","ok":true}'],
  [TOKEN, `${btoa("some other words, in base64")} ${Buffer.from("and in hex").toString("hex")}`],
  [TOKEN, "it c4n be cut anywhere, and c4nar"],
];

describe("an ordinary answer keeps its words:", () => {
  for (const [secret, answer] of ORDINARY) {
    test(`${answer.slice(0, 50)}, with ${secret}`, () =>
      assert.equal(masked({ body: answer }, [header(secret)]).body, answer));
  }
});

/** Writings that are not found, as `docs/secure.md` says. The table keeps code and document together. */
const EXCEPTED: readonly (readonly [how: string, written: string])[] = [
  ["backwards", Array.from(TOKEN).toReversed().join("")],
  ["by a cipher", "p4anel-G0xra.9sDk"],
  ["as a hash", "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"],
  ["in pieces of fewer than eight letters and digits, with other text between", "c4nary and T0ken and 9fQx"],
];

describe("the document says that a secret is not found", () => {
  for (const [how, written] of EXCEPTED) {
    test(how, () => assert.equal(masked({ body: written }, [header(TOKEN)]).body, written));
  }
});

test("an answer is read ten times over at most, whatever is in it", () => {
  const parts = ["\\", "\\u00", "%25", "&amp;", "&#", "41", "a", "\xc3\xa9", "\\u0025%26&#38;aB3+/"];
  for (const part of parts) {
    const text = part.repeat(LIMITS.responseBytesMax / 2);
    for (const isCut of [false, true]) {
      const chars = findReadings(text, isCut).reduce((sum, reading) => sum + reading.text.length, 0);
      assert.ok(chars <= 10 * text.length, `${part}: ${chars} of ${text.length}`);
    }
  }
});

test("an answer does not outgrow its limit by the masks in it, and says that it is cut", () => {
  const { body, bodyCut } = masked({ body: "!?-$%~,".repeat(2_000) }, [header("!?-$%~")]);
  assert.equal(Buffer.byteLength(body), LIMITS.responseBytesMax);
  assert.equal(bodyCut, true);
});
