import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { savedWords } from "./form-state.ts";

const outcome = (changes: Partial<ExplainedOutcome>): ExplainedOutcome => ({
  class: "timeout",
  status: "Timed out",
  sentence: "",
  advice: "",
  remedy: null,
  response: null,
  phase: null,
  technical: "",
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 },
  address: null,
  ...changes,
});
const response = { status: 401, headers: {}, body: { kind: "text", text: "" }, isCut: false, isPurged: false } as const;

test("saving says how the last test failed, and nothing when it did not", () => {
  const table: readonly (readonly [ExplainedOutcome | null, string])[] = [
    [null, "Saved."],
    [outcome({ class: "success", response: { ...response, status: 204 } }), "Saved."],
    [outcome({ class: "rejected", response }), "Saved. The last test failed with 401, so deliveries may fail."],
    [outcome({}), "Saved. The last test failed (timed out), so deliveries may fail."],
    [outcome({ status: "TLS failed" }), "Saved. The last test failed (TLS failed), so deliveries may fail."],
  ];
  for (const [lastTest, words] of table)
    assert.equal(savedWords({ lastTest, together: null, isReadBack: true, hasTypedOn: false }), words);
});

test("saving says when what is stored was not read back, and when somebody typed on", () => {
  const say = (isReadBack: boolean, hasTypedOn: boolean) =>
    savedWords({ lastTest: null, together: null, isReadBack, hasTypedOn });
  assert.equal(say(false, false), "Saved. The saved version couldn’t be loaded again.");
  assert.equal(say(true, true), "Saved. Your changes since then are not saved yet.");
});

test("saving says what somebody else changed meanwhile", () => {
  const together = "what ana@example.com changed: Webhook URL";
  const words = savedWords({ lastTest: null, together, isReadBack: true, hasTypedOn: false });
  assert.equal(words, "Saved, together with what ana@example.com changed: Webhook URL.");
});
