import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptView } from "../../../src/dashboard/contract/deliveries.ts";
import type { ResponseView } from "../../../src/dashboard/contract/outcomes.ts";
import { choosePair, compareAttempts } from "./compare-attempts.ts";

interface Met {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: Readonly<Record<string, string>>;
  readonly body?: ResponseView["body"] | string;
  readonly totalMs?: number;
  readonly firstByteMs?: number | null;
}

function attempt(number: number, met: Met | null): AttemptView {
  const { status = 200, headers = {}, sent = {}, body = "", totalMs = 10, firstByteMs = 5 } = met ?? {};
  const view = typeof body === "string" ? ({ kind: "text", text: body } as const) : body;
  return {
    number,
    startedAtMs: number,
    url: "https://hooks.example.com/in",
    requestHeaders: sent,
    sent: null,
    outcome: {
      class: met === null ? "timeout" : status < 300 ? "success" : "server_error",
      status: met === null ? "Timed out" : String(status),
      sentence: "It was so.",
      advice: "",
      remedy: null,
      response: met === null ? null : { status, headers, body: view, isCut: false, isPurged: false },
      phase: null,
      technical: "",
      timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs, totalMs },
      address: "203.0.113.7",
    },
  };
}

/** "Group: name" of every row that is marked. */
function differing(left: AttemptView, right: AttemptView): readonly string[] {
  const { groups, body } = compareAttempts(left, right);
  const rows = groups.flatMap(({ title, rows: all }) =>
    all.filter((row) => row.isDifferent).map(({ name }) => `${title}: ${name}`),
  );
  return body.isDifferent ? [...rows, "body"] : rows;
}

test("two attempts that met the same differ in nothing", () => {
  const met = { status: 503, headers: { server: "x" }, sent: { "webhook-id": "dlv_1" }, body: "later" };
  assert.deepEqual(differing(attempt(1, met), attempt(2, { ...met, totalMs: 14, firstByteMs: 9 })), []);
});

test("headers of both sides are one list, and one that a side lacks differs", () => {
  const left = attempt(1, { sent: { a: "1", b: "2" }, headers: { "x-a": "1" } });
  const right = attempt(2, { sent: { a: "1", b: "3", c: "4" }, headers: {} });
  assert.deepEqual(differing(left, right), ["Request: b", "Request: c", "Response: x-a"]);
  const request = compareAttempts(left, right).groups.find(({ title }) => title === "Request");
  assert.deepEqual(request?.rows.at(-1), { name: "c", left: null, right: "4", isDifferent: true });
});

test("an answer beside none differs in status, headers and body", () => {
  const found = differing(attempt(1, null), attempt(2, { headers: { date: "now" }, body: "ok" }));
  assert.deepEqual(found, ["Result: Outcome", "Response: Status", "Response: date", "body"]);
});

test("times differ only where that tells something", () => {
  const slow = differing(attempt(1, { totalMs: 900, firstByteMs: 880 }), attempt(2, { totalMs: 30, firstByteMs: 20 }));
  assert.deepEqual(slow, ["Times: First byte after", "Times: Total"]);
  const alike = differing(
    attempt(1, { totalMs: 900, firstByteMs: 880 }),
    attempt(2, { totalMs: 850, firstByteMs: 820 }),
  );
  assert.deepEqual(alike, []);
  assert.deepEqual(differing(attempt(1, { firstByteMs: null }), attempt(2, {})), ["Times: First byte after"]);
});

test("of two bodies of JSON on one line the fields that differ are marked, and those around them are not", () => {
  const { body } = compareAttempts(
    attempt(1, { body: '{"error":"busy","retry":true,"node":"a"}' }),
    attempt(2, { body: '{"error":"down","retry":true,"extra":1,"node":"a"}' }),
  );
  assert.deepEqual(body.left.lines.slice(body.left.from, body.left.to), ['  "error": "busy",', '  "retry": true,']);
  assert.deepEqual(body.right.lines.slice(body.right.from, body.right.to), [
    '  "error": "down",',
    '  "retry": true,',
    '  "extra": 1,',
  ]);
});

test("a body that is a beginning of the other differs by what follows", () => {
  const { body } = compareAttempts(attempt(1, { body: "a\na" }), attempt(2, { body: "a\na\na" }));
  assert.deepEqual([body.left.to - body.left.from, body.right.to - body.right.from, body.isDifferent], [0, 1, true]);
});

test("bytes that are not text are compared too", () => {
  const bytes = (base64: string) => ({ kind: "binary", base64, bytes: 3 }) as const;
  assert.deepEqual(differing(attempt(1, { body: bytes("AAEC") }), attempt(2, { body: bytes("AAED") })), ["body"]);
});

test("the first pair is the success and the failure before it, else the last two", () => {
  const failed = { status: 503 };
  assert.deepEqual(choosePair([attempt(1, failed), attempt(2, failed), attempt(3, {}), attempt(4, failed)]), [2, 3]);
  assert.deepEqual(choosePair([attempt(1, failed), attempt(2, failed), attempt(3, null)]), [2, 3]);
  assert.deepEqual(choosePair([attempt(1, {}), attempt(2, failed)]), [1, 2]);
});
