import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { newSigningKey, signService, signStandard, toPublicKey } from "../../domain/signature.ts";
import { takesNoTime } from "../../../test/kit/world/takes-no-time.ts";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import { type SignatureToCheck, checkSignature } from "./check-signature.ts";
import type { SignatureVerdict } from "../contract/verification.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const PREVIOUS = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const STRANGE = `whsec_${Buffer.alloc(32, 4).toString("base64")}`;

/** As it is sent: compact, with a number that a float would change and letters beyond ASCII. */
const BODY = '{"id":"5b0f","link":"https://app.example.com/a","name":"Zoë 東京","n":9007199254740993,"list":[1,2]}';
/** The same value without the digits that only the exact text has. */
const PLAIN = BODY.replace("9007199254740993", "42");
const SECONDS = Math.floor(START_MS / 1000);

interface Signed {
  readonly body?: string;
  readonly secret?: string;
  /** What `webhook-signature` is made with; the secret when left out. */
  readonly signers?: readonly string[];
  readonly timestampSeconds?: number;
}

/** The headers of a webhook as a receiver's log has them. */
function makeHeaders(signed: Signed = {}): string {
  const { body = BODY, secret = SECRET, signers = [secret], timestampSeconds = SECONDS } = signed;
  return [
    "Content-Type: application/json",
    `X-Service-Signature: ${signService(body, secret)}`,
    "Webhook-Id: dlv_1",
    `Webhook-Timestamp: ${timestampSeconds}`,
    `Webhook-Signature: ${signStandard({ id: "dlv_1", timestampSeconds, body }, signers)}`,
  ].join("\r\n");
}

const only = (headers: string, name: RegExp) =>
  headers
    .split("\r\n")
    .filter((line) => name.test(line))
    .join("\n");

function check(changes: Partial<SignatureToCheck> = {}) {
  return checkSignature({
    headers: makeHeaders(),
    body: BODY,
    secrets: alone,
    signatureHeader: "x-service-signature",
    nowMs: START_MS,
    sentBody: null,
    ...changes,
  });
}

const alone = { current: { secret: SECRET, sinceMs: START_MS }, previous: null, stopped: null, publicKeys: [] };
const rotating = { ...alone, previous: { secret: PREVIOUS, stopsAtMs: START_MS + 3_600_000 } };
const rotated = { ...alone, stopped: PREVIOUS };

const KEYS = [1, 2].map((byte) => newSigningKey(new Uint8Array(32).fill(byte)));
const PUBLIC_KEYS = KEYS.map((key) => toPublicKey(key).publicKey);
const withKeys = { ...alone, publicKeys: PUBLIC_KEYS };
const [, OTHER_KEY = ""] = KEYS;
const byKey = makeHeaders({ signers: [SECRET, OTHER_KEY] });
const keyOnly = only(makeHeaders({ signers: [OTHER_KEY] }), /^W/);

const withSignature = (value: string) => `x-service-signature: ${value}`;
const digest = signService(BODY, SECRET);
const hex = Buffer.from(digest, "base64").toString("hex");
const urlUnsafe = signatureWith(/[+/]/);

/** A body with such a character in its signature. */
function signatureWith(pattern: RegExp): { body: string; signature: string } {
  for (let count = 0; ; count += 1) {
    const body = `{"n":${count}}`;
    const signature = signService(body, SECRET);
    if (pattern.test(signature)) return { body, signature };
  }
}

type Row = readonly [what: string, changes: Partial<SignatureToCheck>, verdict: SignatureVerdict, sentence: RegExp];

const ROWS: readonly Row[] = [
  ["a webhook as it came", {}, "matches", /exactly as it was signed/],
  ["the service's own header alone", { headers: only(makeHeaders(), /^X-S/) }, "matches", /current secret/],
  ["the Standard Webhooks headers alone", { headers: only(makeHeaders(), /^W/) }, "matches", /current secret/],
  [
    "a curl command's headers",
    { headers: makeHeaders().replace(/^(.*)$/gm, "-H '$1' \\") },
    "matches",
    /exactly as it was signed/,
  ],
  [
    "headers as a JSON object",
    { headers: JSON.stringify({ "X-Service-Signature": [digest], other: 1 }) },
    "matches",
    /exactly as it was signed/,
  ],
  [
    "one made with the previous secret, which has stopped",
    { headers: makeHeaders({ secret: PREVIOUS }), secrets: rotated },
    "matches_previous",
    /previous secret, which has stopped/,
  ],
  [
    "one of a rotation, as it is sent",
    { headers: makeHeaders({ secret: PREVIOUS, signers: [PREVIOUS, SECRET] }), secrets: rotating },
    "matches",
    /previous secret, which works until 13:00 UTC on 20 Nov 2026\.$/,
  ],
  [
    "one made with the new secret while the previous one works",
    { secrets: rotating },
    "matches",
    /matches the current secret/,
  ],
  ["one that is signed with a key pair too", { headers: byKey, secrets: withKeys }, "matches", /current secret/],
  ["the signature of the key pair alone", { headers: keyOnly, secrets: withKeys }, "matches", /the public key, and/],
  [
    "one whose key was replaced",
    { headers: byKey, secrets: { ...withKeys, publicKeys: PUBLIC_KEYS.slice(0, 1) } },
    "no_match",
    /no public key of this account vouches/,
  ],
  ["one whose key was turned off", { headers: byKey }, "no_match", /no longer signs with a public key/],
  [
    "one whose secret was replaced, but not its key",
    { headers: makeHeaders({ secret: STRANGE, signers: [STRANGE, OTHER_KEY] }), secrets: withKeys },
    "matches_previous",
    /the secret that made the others has been replaced/,
  ],
  [
    "the key's signature of a body that was written anew",
    { headers: keyOnly, secrets: withKeys, body: `${BODY}\n` },
    "body_trimmed",
    /without the white space around it/,
  ],
  ["one of 14 minutes ago", { nowMs: START_MS + 14 * 60_000 }, "too_old", /14 minutes old \(limit 5 minutes\)/],
  ["one at the limit of its time", { nowMs: START_MS + 300_000 }, "matches", /exactly/],
  ["one just over the limit", { nowMs: START_MS + 301_000 }, "too_old", /301 s|5 minutes old/],
  ["one from a clock that is ahead", { nowMs: START_MS - 3_600_000 }, "from_the_future", /lies 60 minutes ahead/],
  ["no headers", { headers: "" }, "header_missing", /Neither of x-service-signature and webhook-signature/],
  [
    "half of the Standard Webhooks headers",
    { headers: only(makeHeaders(), /^Webhook-(?:I|S)/) },
    "header_missing",
    /webhook-timestamp is missing/,
  ],
  [
    "milliseconds for seconds",
    { headers: only(makeHeaders(), /^W/).replace(String(SECONDS), String(START_MS)) },
    "header_missing",
    /not a number of seconds/,
  ],
  ["a header of another name", { headers: `x-signature: ${digest}` }, "header_missing", /in the header x-signature/],
  ["hex for Base64", { headers: withSignature(hex) }, "header_malformed", /in hex.*Apart from that it matches/],
  ["a prefix", { headers: withSignature(`sha256=${digest}`) }, "header_malformed", /"sha256=".*Apart from that/],
  ["prefix and hex", { headers: withSignature(`sha256=${hex}`) }, "header_malformed", /"sha256=".*Apart from that/],
  ["quotes", { headers: withSignature(`"${digest}"`) }, "header_malformed", /quotes around it. Apart from that/],
  ["no padding", { headers: withSignature(digest.slice(0, -1)) }, "header_malformed", /lacks the =.*Apart from that/],
  [
    "Base64 for URLs",
    { body: urlUnsafe.body, headers: withSignature(urlUnsafe.signature.replaceAll("+", "-").replaceAll("/", "_")) },
    "header_malformed",
    /URL's variant of Base64.*Apart from that/,
  ],
  ["something else altogether", { headers: withSignature("abc") }, "header_malformed", /has 3 characters; .* 44\.$/],
  ["a line break at the end of the body", { body: `${BODY}\n` }, "body_trimmed", /without the white space around it/],
  ["spaces before the body", { body: `  ${BODY}` }, "body_trimmed", /without the white space around it/],
  [
    "a body without its line break",
    { body: BODY, headers: makeHeaders({ body: `${BODY}\n` }) },
    "body_trimmed",
    /with a line break at its end/,
  ],
  [
    "a body with another one of its headers",
    { headers: makeHeaders().replace(String(SECONDS), String(SECONDS - 1)) },
    "no_match",
    /x-service-signature matches, webhook-signature does not/,
  ],
  [
    "another request's signature beside the right ones",
    { headers: makeHeaders().replace(digest, signService("{}", SECRET)) },
    "no_match",
    /webhook-signature matches, x-service-signature does not/,
  ],
  [
    "a signature keyed with the decoded secret",
    { headers: withSignature(createHmac("sha256", Buffer.alloc(32, 1)).update(BODY).digest("base64")) },
    "no_match",
    /made with the bytes behind whsec_/,
  ],
  ["a secret that nobody knows", { headers: makeHeaders({ secret: STRANGE }) }, "no_match", /no secret that we know/],
];

for (const [what, changes, verdict, sentence] of ROWS) {
  test(`${what}: ${verdict}`, () => {
    const answer = check(changes);
    assert.equal(answer.verdict, verdict, answer.sentence);
    assert.match(answer.sentence, sentence);
    const isWithKey = (changes.headers ?? "").includes("v1a,");
    assert.equal(answer.checks.length, isWithKey || changes.secrets === withKeys ? 3 : 2);
    assert.doesNotMatch(JSON.stringify(answer), /whsec_[A-Za-z0-9+/]/, "the answer never has a secret");
  });
}

/** How programs write a body that they have parsed; each must be recognised from what they leave. */
const REWRITTEN: readonly (readonly [what: string, rewrite: (body: string) => string])[] = [
  ["indented by 2", (body) => JSON.stringify(JSON.parse(body), null, 2)],
  ["indented by 4, with a line break", (body) => `${JSON.stringify(JSON.parse(body), null, 4)}\n`],
  ["indented by tabs", (body) => JSON.stringify(JSON.parse(body), null, "\t")],
  ["indented with CR LF", (body) => JSON.stringify(JSON.parse(body), null, 2).replace(/\n/g, "\r\n")],
  [
    "as Python's json.dumps",
    (body) => asAscii(body.replace(/,"/g, ', "').replace(/":/g, '": ').replace("1,2", "1, 2")),
  ],
  ["as PHP's json_encode", (body) => asAscii(body).replaceAll("/", "\\/")],
];

const asAscii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

for (const [what, rewrite] of REWRITTEN) {
  test(`a body written anew ${what} is recognised`, () => {
    const answer = check({ body: rewrite(PLAIN), headers: makeHeaders({ body: PLAIN }) });
    assert.equal(answer.verdict, "body_reformatted", answer.sentence);
    assert.match(answer.advice, /raw bytes/);
  });

  test(`a body that was edited to be written ${what} is recognised when it is pasted compact`, () => {
    const answer = check({ body: PLAIN, headers: makeHeaders({ body: rewrite(PLAIN) }) });
    assert.match(answer.verdict, what.includes("CR LF") ? /no_match/ : /body_reformatted/);
  });
}

test("digits that a float would change survive taking the spaces out", () => {
  const pasted = BODY.replace(/,/g, ",\n  ");
  assert.equal(check({ body: pasted }).verdict, "body_reformatted");
});

test("sorted keys are recognised when the sent ones were sorted", () => {
  const sent = JSON.stringify({ a: { c: 1, d: 2 }, b: [3] });
  const answer = check({ body: JSON.stringify({ b: [3], a: { d: 2, c: 1 } }), headers: makeHeaders({ body: sent }) });
  assert.equal(answer.verdict, "body_reformatted");
  assert.match(answer.sentence, /keys sorted/);
});

test("what was sent under the webhook-id explains every change of the body", () => {
  const sent = '{"b":[2,3],"a":1}';
  const headers = makeHeaders({ body: sent });
  const reordered = check({ body: '{"a":1,"b":[2,3]}', headers, sentBody: sent });
  assert.equal(reordered.verdict, "body_reformatted");
  assert.match(reordered.sentence, /at character 3 we sent .*b.*, and pasted is .*a/);
  const other = check({ body: '{"b":[2,4],"a":1}', headers, sentBody: sent });
  assert.equal(other.verdict, "no_match");
  assert.match(other.sentence, /at character 9 /);
  assert.equal(check({ body: `${sent}\n`, headers, sentBody: sent }).verdict, "body_trimmed");
});

test("an empty body is named, whether or not it is known what was sent", () => {
  for (const body of ["", " \n"])
    for (const sentBody of [BODY, null]) {
      const { verdict, sentence } = check({ body, sentBody });
      assert.deepEqual([verdict, sentence], ["no_match", "The pasted body is empty."]);
    }
});

test("a hostile paste costs little and throws nothing", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const wide = `"${"\\u".repeat(100_000)}`;
  for (const body of [deep, wide, "x".repeat(1024 * 1024), "\u0000".repeat(1_000), "{".repeat(1_000)]) {
    const startedMs = performance.now();
    assert.equal(check({ body }).verdict, "no_match");
    assert.ok(performance.now() - startedMs < 20_000, `${body.slice(0, 5)} took too long`);
  }
});

/** So long that work which grows with its square would take a minute. */
const LONG = 400_000;

for (const [what, headers] of [
  ["spaces behind -H", `-H${" ".repeat(LONG)}x`],
  ["spaces in a value", `a:${" ".repeat(LONG)}x\u2028y`],
  ["prefixes", `x-service-signature: ${"v1=".repeat(LONG)}`],
  ["quotes", `x-service-signature: ${'"'.repeat(LONG)}`],
] as const) {
  test(`however many ${what} there are, it answers at once`, () => {
    assert.ok(takesNoTime(() => check({ headers })));
  });
}

test("characters that came along with a pasted header are named, and looked behind", () => {
  const headers = makeHeaders().replace(/(X-Service-Signature: .{10})/, "$1\u200b");
  const { verdict, sentence } = check({ headers });
  assert.equal(verdict, "header_malformed");
  assert.match(sentence, /has a zero-width space \(U\+200B\) after/);
});

test("characters that came along with a pasted body are found", () => {
  const body = PLAIN.replace("Zoë 東京", "Zoë\u00a0\u200b東京");
  const { verdict, sentence } = check({ headers: makeHeaders({ body: PLAIN }), body });
  assert.notEqual(verdict, "no_match");
  assert.match(sentence, /without invisible characters/);
});
