/**
 * Custom headers as an attacker would write them, through everything on their way: the check at save, `buildRequest`,
 * the real sender, and a receiver that reads the raw bytes. A header that passes the check must arrive as written and
 * change nothing else. A header that does not pass must not arrive either, even without the check.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { makeTarget } from "../../../test/kit/make.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeSender } from "../../../test/kit/world/sender.ts";
import { checkCustomHeaders } from "../../domain/custom-headers.ts";
import type { CustomHeader } from "../../domain/destination.ts";
import { reasonReserved } from "../../domain/reserved-headers.ts";
import { buildRequest } from "./request.ts";
import type { Sender } from "./send.ts";

const RUNS = 2_000;
const SIGNATURE = "x-service-signature";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const NAMES = { signatureHeader: SIGNATURE, userAgent: "Bellwire/test" };

const OWN = [
  "content-type",
  "content-length",
  "user-agent",
  SIGNATURE,
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
];
const RESERVED = [
  ...OWN,
  "bellwire-test",
  "host",
  "connection",
  "transfer-encoding",
  "proxy-authorization",
  "expect",
  "te",
  "cookie",
];
const FROM_PROTOTYPES = ["__proto__", "constructor", "toString", "hasOwnProperty", "1", "0"];

const casing = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) =>
      Array.from(name, (letter, place) => (upper[place] === true ? letter.toUpperCase() : letter)).join(""),
    );
const tokenLetter = fc.constantFrom(...Array.from("abcXYZ019-_!#$%&'*+.^`|~"));
const token = fc.string({ unit: tokenLetter, minLength: 1, maxLength: 20 });
const evil = fc.constantFrom(
  "\r\n",
  "\n",
  "\r",
  "\0",
  "\r\nx-evil: 1\r\n\r\n",
  ":",
  " ",
  "\t",
  "\u010d\u010a",
  "\u560d",
  "é",
);
const name = fc.oneof(
  { weight: 6, arbitrary: token },
  { weight: 2, arbitrary: fc.constantFrom(...RESERVED).chain(casing) },
  { weight: 1, arbitrary: fc.constantFrom(...FROM_PROTOTYPES) },
  { weight: 1, arbitrary: fc.tuple(token, evil, token).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...RESERVED), evil).map((parts) => parts.join("")) },
);
const latin1 = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const value = fc.oneof(
  { weight: 8, arbitrary: latin1 },
  { weight: 1, arbitrary: fc.tuple(latin1, evil, latin1).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
);
const header = fc.record({ name, value, secret: fc.boolean() });
const headers = fc.array(header, { maxLength: 5 });
const body = fc.string({ unit: "grapheme", maxLength: 30 });

interface Sent {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly headers: readonly CustomHeader[];
  readonly body: string;
}

/** The request as it arrived, or `null` when it was refused on the way. */
async function send({ sender, receiver, headers: custom, body: text }: Sent): Promise<ReceivedRequest | null> {
  const target = makeTarget({ url: new URL(`${receiver.url}/hook`), headers: custom, secrets: [SECRET] });
  const before = receiver.requests.length;
  const { outcome } = await sender.send(
    buildRequest({ webhookId: "dlv_1", body: text, target, nowMs: 1_700_000_000_123, names: NAMES, owner: "acct-1" }),
  );
  assert.ok(receiver.requests.length - before <= 1, "one request became several");
  if (outcome.kind !== "response") return null;
  assert.equal(outcome.response.status, 200);
  return receiver.requests[before] ?? null;
}

/** Each header line as it was on the wire. Fails for a line that does not belong in a well-formed head. */
function headerLines(raw: Buffer): [name: string, value: string][] {
  const head = raw.subarray(0, raw.indexOf("\r\n\r\n")).toString("latin1");
  const [requestLine = "", ...lines] = head.split("\r\n");
  assert.equal(requestLine, "POST /hook HTTP/1.1");
  return lines.map((line) => {
    assert.doesNotMatch(line, /[\r\n\0]/);
    const parts = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?(.*)$/.exec(line);
    assert.ok(parts !== null, `not a header: ${JSON.stringify(line)}`);
    return [parts[1]?.toLowerCase() ?? "", parts[2] ?? ""];
  });
}

function assertOurs(request: ReceivedRequest, text: string): void {
  const lines = headerLines(request.raw);
  const names = lines.map(([lower]) => lower);
  assert.equal(new Set(names).size, names.length, `a name came twice: ${names.join(" ")}`);
  const sent = new Map(lines);
  assert.deepEqual(request.body, Buffer.from(text));
  assert.equal(sent.get("content-length"), `${Buffer.byteLength(text)}`);
  assert.equal(sent.get("content-type"), "application/json");
  assert.equal(sent.get("user-agent"), NAMES.userAgent);
  assert.equal(sent.get(SIGNATURE), createHmac("sha256", SECRET).update(request.body).digest("base64"));
  const signed = Buffer.concat([Buffer.from("dlv_1.1700000000."), request.body]);
  const standard = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
  assert.equal(sent.get("webhook-signature"), `v1,${standard}`);
}

test("custom headers that pass the check arrive as they are, beside ours, and change nothing else", async (t) => {
  await using receiver = await startReceiver();
  await using sender = makeSender({ deadlineMs: 5_000 });
  let passed = 0;
  const property = fc.asyncProperty(headers, body, async (custom, text) => {
    if (!checkCustomHeaders(custom, SIGNATURE).ok) return;
    passed += 1;
    const request = await send({ sender, receiver, headers: custom, body: text });
    assert.ok(request !== null, "what the check took was not sent");
    assertOurs(request, text);
    const expected = custom.map((row) => [row.name.toLowerCase(), trim(row.value)]);
    const isAccepting = custom.some((row) => row.name.toLowerCase() === "accept");
    const own = new Set([...OWN, "host", "connection", ...(isAccepting ? [] : ["accept"])]);
    const arrived = headerLines(request.raw).filter(([lower]) => !own.has(lower));
    const trimmed = arrived.map(([lower, came]) => [lower, trim(came)]);
    assert.deepEqual(trimmed.toSorted(byName), expected.toSorted(byName));
  });
  await fc.assert(property, { numRuns: RUNS });
  t.diagnostic(`${passed} of ${RUNS} lists passed the check`);
  assert.ok(passed > RUNS / 10);
  assert.equal(receiver.connectionCount(), 1);
});

/** RFC 9110 §5.5: white space around a value is not part of it. */
const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, "");

const byName = ([a = ""]: string[], [b = ""]: string[]) => (a < b ? -1 : 1);

test("the check refuses every reserved name and every value that could end its line", () => {
  const property = fc.property(header, (custom) => {
    const isHarmless = reasonReserved(custom.name, SIGNATURE) === null && !/[\r\n\0]/.test(custom.name + custom.value);
    if (checkCustomHeaders([custom], SIGNATURE).ok) assert.ok(isHarmless, JSON.stringify(custom));
  });
  fc.assert(property, { numRuns: RUNS });
  for (const reserved of RESERVED) {
    assert.equal(checkCustomHeaders([{ name: reserved.toUpperCase(), value: "", secret: false }], SIGNATURE).ok, false);
  }
});

test("without the check, no line is injected and no header of ours is replaced either", async () => {
  await using receiver = await startReceiver();
  await using sender = makeSender({ deadlineMs: 5_000 });
  const property = fc.asyncProperty(headers, body, async (custom, text) => {
    const request = await send({ sender, receiver, headers: custom, body: text });
    if (request !== null) assertOurs(request, text);
  });
  await fc.assert(property, { numRuns: RUNS });
});
