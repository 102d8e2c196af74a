import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import {
  foundInWords,
  guessStates,
  isNone,
  parseDraft,
  isTypedCount,
  computeProgress,
  remainingMs,
  replaySentence,
  scopeLines,
  statesInWords,
  sumTotals,
  totalInWords,
  toTotalQuery,
} from "./replay-draft.ts";
import { knowEventTypes } from "../event-words.ts";
import { BUILT_IN_TYPES } from "../../../src/events/event-types.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 11, 40, 31);
const draft = (search: string) => parseDraft(new URLSearchParams(search), NOW_MS);

test("the log's filters become the replay's", () => {
  assert.deepEqual(draft("status=failed,cancelled&event=demo_viewed&destination=dst_1&range=1h"), {
    states: ["failed", "cancelled"],
    isGuess: false,
    filter: { destinationId: "dst_1", type: "demo_viewed", createdFromMs: Date.UTC(2026, 10, 21, 10, 40) },
    leftOut: [],
  });
});

test("a response narrows it: a class, one status, or none at all", () => {
  const responses = ["5xx", "503", "none"].map((text) => draft(`response=${text}`).filter.response);
  assert.deepEqual(responses, [{ hundreds: 5 }, { status: 503 }, "none"]);
  const lines = responses.map((response) => scopeLines({ states: ["failed"], ...(response && { response }) }, null)[3]);
  assert.deepEqual(lines, [
    ["Response", "5xx"],
    ["Response", "503"],
    ["Response", "No answer"],
  ]);
});

test("what was searched for narrows it, and its scope says so", () => {
  const { filter, leftOut } = draft("status=failed&q=jane%40acme");
  assert.deepEqual([filter, leftOut], [{ q: "jane@acme" }, []]);
  assert.deepEqual(scopeLines({ states: ["failed"], ...filter }, null)[3], ["Search", "“jane@acme”"]);
});

test("a person’s scope names them, which is no search", () => {
  assert.deepEqual(scopeLines({ states: ["failed"], email: "jane@acme.example" }, null)[3], [
    "Person",
    "jane@acme.example",
  ]);
});

test("what the filters mean is counted by the log's own question", () => {
  const search = "status=waiting,retrying,failed&destination=dst_1&event=demo_viewed&response=5xx&q=jane&from=7&to=9";
  const { filter, states } = draft(search);
  const { status, ...rest } = toTotalQuery({ ...filter, states });
  assert.equal(status, "waiting,retrying,failed");
  assert.deepEqual(rest, {
    destination: "dst_1",
    event: "demo_viewed",
    response: "5xx",
    q: "jane",
    from: "7",
    to: "9",
  });
  assert.deepEqual(toTotalQuery({ states: ["cancelled"] }), { status: "cancelled" });
  assert.equal(totalInWords({ count: 10_000, isWhole: false }), "10,000 or more");
});

test("without a status it is what failed", () => {
  assert.deepEqual(draft("").states, ["failed"]);
});

test("what waits and retries can be sent too, as one", () => {
  assert.deepEqual(draft("status=waiting,retrying").states, ["pending"]);
  const unticked = parseDraft(new URLSearchParams("status=waiting"), NOW_MS, ["failed"]);
  assert.deepEqual([unticked.states, unticked.leftOut], [["failed"], []]);
  assert.deepEqual(draft("status=waiting,retrying").leftOut, []);
  assert.equal(statesInWords(["pending", "failed"]), "Waiting and retrying and failed deliveries");
});

test("what a replay cannot be narrowed by is named", () => {
  assert.deepEqual(draft("status=retrying,failed&response=teapot&q=jane").leftOut, [
    "the response",
    "what is retrying alone: both are sent",
  ]);
});

test("an instant that cannot be read widens nothing: the question has it, and is refused", () => {
  const { filter, states } = draft("from=soon&to=5");
  assert.deepEqual(toTotalQuery({ ...filter, states }), { status: "failed", from: "NaN", to: "5" });
});

test("states are a list in words", () => {
  assert.equal(statesInWords(["failed"]), "Failed deliveries");
  assert.equal(statesInWords(["delivered", "failed", "cancelled"]), "Failed, cancelled, and delivered deliveries");
});

test("the scope is said line by line", () => {
  knowEventTypes(BUILT_IN_TYPES.all);
  const fromMs = new Date(2026, 10, 20, 9, 0).getTime();
  assert.deepEqual(scopeLines({ states: ["failed"], createdFromMs: fromMs }, null), [
    ["What", "Failed deliveries"],
    ["Destination", "Every destination"],
    ["Event", "Every event"],
    ["Accepted", "Since 20 Nov 2026, 09:00"],
  ]);
  const [, destination, event, accepted] = scopeLines({ states: ["failed"], type: "demo_viewed" }, "New leads");
  assert.deepEqual([destination?.[1], event?.[1], accepted?.[1]], ["New leads", "Demo viewed", "At any time"]);
});

function replay(changes: Partial<ReplayView>): ReplayView {
  return {
    id: "rpl_1",
    filter: { states: ["failed"] },
    destination: null,
    ratePerSecond: 10,
    state: "running",
    isPrepared: false,
    deliveries: 1204,
    moved: 640,
    skipped: 4,
    by: "Ana",
    stateBy: "Ben",
    createdAtMs: 0,
    endedAtMs: null,
    ...changes,
  };
}

test("progress counts what was skipped, and time left follows from the rate", () => {
  assert.equal(computeProgress(replay({})).toFixed(3), "0.535");
  assert.equal(computeProgress(replay({ deliveries: 0, moved: 0, skipped: 0 })), 1);
  assert.equal(remainingMs(replay({})), 56_000);
});

for (const [changes, words] of [
  [{ state: "paused", isPrepared: true, moved: 0, skipped: 0 }, "Nothing has been sent yet."],
  [{}, "Running: 560 deliveries left."],
  [{ deliveries: 645 }, "Running: 1 delivery left."],
  [{ state: "paused" }, "Paused by Ben: 560 deliveries left."],
  [{ state: "cancelled" }, "Cancelled by Ben. 640 deliveries sent before stay sent."],
  [{ state: "cancelled", moved: 0 }, "Cancelled by Ben. Nothing was sent."],
  [{ state: "finished" }, "Finished. Each has been queued to be sent again."],
  [{ state: "finished", deliveries: 0 }, "Nothing matched, so nothing was sent."],
] as const) {
  test(`says how a replay stands: ${words}`, () => assert.equal(replaySentence(replay(changes)), words));
}

test("the number may be typed with or without its separators", () => {
  for (const text of ["1204", "1,204", " 1 204 ", "1.204", "1'204"]) assert.equal(isTypedCount(text, 1204), true, text);
  for (const text of ["", "1203", "12044", "one"]) assert.equal(isTypedCount(text, 1204), false, text);
});

test("it opens on what did not arrive and is there, once that is known", () => {
  const total = (count: number, isWhole = true) => ({ count, isWhole });
  const counts = { failed: total(0), pending: total(301), cancelled: total(4), delivered: total(10_000, false) };
  assert.equal(draft("").isGuess, true);
  assert.equal(parseDraft(new URLSearchParams(), NOW_MS, ["failed"]).isGuess, false);
  assert.deepEqual(guessStates(counts), ["pending"]);
  assert.deepEqual(guessStates({ ...counts, failed: total(1) }), ["failed"]);
  assert.deepEqual(guessStates({ ...counts, pending: total(0) }), ["cancelled"]);
  assert.deepEqual(guessStates({ ...counts, pending: undefined }), ["failed"]);
  assert.deepEqual(sumTotals(counts, ["pending", "cancelled"]), total(305));
  assert.deepEqual(sumTotals(counts, ["pending", "delivered"]), total(10_301, false));
  assert.equal(sumTotals({ ...counts, failed: undefined }, ["failed", "pending"]), undefined);
});

test("a search that stopped early and has found none so far says so, and can be sent", () => {
  const none = { count: 0, isWhole: true };
  const unknown = { count: 0, isWhole: false };
  const counts = { failed: none, pending: unknown, cancelled: none, delivered: unknown };
  assert.deepEqual([isNone(none), isNone(unknown)], [true, false]);
  assert.equal(foundInWords(none, 10), "Nothing matches.");
  const words = "None found so far: the search stopped early. Sending looks further, and says so if that is too much.";
  assert.equal(foundInWords(unknown, 10), words);
  assert.equal(foundInWords({ count: 1, isWhole: true }, 10), "1 delivery matches. Sending takes about 1.0 s.");
  assert.equal(foundInWords({ count: 3, isWhole: false }, 10), "3 or more deliveries match.");
  assert.equal(totalInWords(unknown), "not counted");
  assert.deepEqual(guessStates(counts), ["pending"]);
  assert.deepEqual(guessStates({ ...counts, cancelled: { count: 2, isWhole: true } }), ["cancelled"]);
  assert.deepEqual(guessStates({ ...counts, pending: none }), ["failed"]);
});
