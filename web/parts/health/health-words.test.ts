/** The words for each state of a destination. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationHealthView, DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { healthLabel, percent, resendHref, sendingWords, sendLabel, tellHealth, waitingWords } from "./health-words.ts";

process.env["TZ"] = "UTC";
const NOW = Date.UTC(2026, 10, 21, 12, 0);
const MINUTE = 60_000;

const HEALTH: DestinationHealthView = {
  word: "healthy",
  failingSinceMs: null,
  lastFailure: null,
  waiting: { count: 0, isCapped: false },
  oldestWaitingAtMs: null,
  nextAttemptAtMs: null,
  heldUntilMs: null,
  turnsOffAtMs: null,
  offReason: null,
  changed: null,
  successRate: null,
  lastDay: [],
};

const destination = (health: Partial<DestinationHealthView>): DestinationView => ({
  id: "dst_1",
  owner: { kind: "alert", id: "alr_1", name: "Leads", isDeleted: false },
  url: "https://crm.example.com/in",
  tags: [],
  state: "on",
  health: { ...HEALTH, ...health },
});

const LABELS: readonly [Partial<DestinationHealthView>, string][] = [
  [{ word: "no_deliveries" }, "No deliveries yet"],
  [{ word: "healthy" }, "Healthy"],
  [{ word: "unsteady" }, "Unsteady"],
  [{ word: "failing", failingSinceMs: NOW - 48 * MINUTE }, "Failing since 11:12"],
  [{ word: "failing", failingSinceMs: NOW - 3 * 24 * 60 * MINUTE }, "Failing since 18 Nov 2026"],
  [{ word: "paused", changed: { by: "Ana", atMs: NOW, reason: "" } }, "Paused by Ana"],
  [{ word: "off", changed: { by: "system", atMs: NOW - MINUTE, reason: "" } }, "Off since 11:59"],
];

for (const [health, label] of LABELS) {
  test(`says “${label}”`, () => assert.equal(healthLabel({ ...HEALTH, ...health }, NOW), label));
}

test("tells a failing one's last answer, what waits, the next attempt and the end", () => {
  const story = tellHealth(
    destination({
      word: "failing",
      failingSinceMs: NOW - 48 * MINUTE,
      lastFailure: { atMs: NOW - MINUTE, code: "503" },
      waiting: { count: 214, isCapped: false },
      nextAttemptAtMs: NOW + 4 * MINUTE,
      turnsOffAtMs: Date.UTC(2026, 10, 26, 11, 12),
    }),
    NOW,
  );
  assert.deepEqual(story, {
    title: "its deliveries to crm.example.com have failed since 11:12",
    sentences: [
      "Last answer: 503.",
      "214 deliveries wait, the next attempt is in 4 min.",
      "It will be turned off on 26 Nov 2026 if nothing changes.",
    ],
  });
});

test("tells why one is off, and that what waits is kept", () => {
  const story = tellHealth(
    destination({ word: "off", offReason: "gone", changed: { by: "system", atMs: NOW - MINUTE, reason: "" } }),
    NOW,
  );
  assert.match(story?.sentences[0] ?? "", /^The receiver answered 410 Gone at 11:59/);
  assert.match(story?.sentences[1] ?? "", /kept for 14 days/);
});

test("has no banner for what is well", () => {
  assert.equal(tellHealth(destination({}), NOW), null);
  assert.equal(tellHealth(destination({ word: "no_deliveries" }), NOW), null);
});

test("counts what waits, also when there is more than was counted", () => {
  assert.equal(waitingWords({ ...HEALTH, waiting: { count: 1, isCapped: false } }), "1 delivery waits");
  assert.equal(
    waitingWords({ ...HEALTH, waiting: { count: 10_000, isCapped: true } }),
    "More than 10,000 deliveries wait",
  );
});

test("never rounds up to a hundred", () => {
  assert.equal(percent(0.9999), "99.9 %");
  assert.equal(percent(1), "100 %");
  assert.equal(percent(0.5), "50 %");
});

/* The words of "Send now", from the press to its end. */

const health = (count: number, failedAtMs: number | null = 1, isCapped = false): DestinationHealthView => ({
  word: "failing",
  failingSinceMs: 1,
  lastFailure: failedAtMs === null ? null : { atMs: failedAtMs, code: "503" },
  waiting: { count, isCapped },
  oldestWaitingAtMs: null,
  nextAttemptAtMs: null,
  heldUntilMs: null,
  turnsOffAtMs: null,
  offReason: null,
  changed: null,
  successRate: null,
  lastDay: [],
});

const ROWS: readonly [now: DestinationHealthView, words: string][] = [
  [health(252), "252 on their way; one is tried first."],
  [health(12, null), "252 on their way; 12 left."],
  [health(0, null), "All 252 were sent."],
  [health(252, 2), "It failed again: 503. 252 still wait."],
];

for (const [now, words] of ROWS) {
  test(`says “${words}”`, () => assert.equal(sendingWords({ first: health(252), now }), words));
}

test("one alone is spoken of as one", () => {
  assert.equal(sendingWords({ first: health(1), now: health(1) }), "It is on its way.");
  assert.equal(sendingWords({ first: health(1), now: health(0) }), "What waited was sent.");
  assert.equal(sendingWords({ first: health(1), now: health(1, 2) }), "It failed again: 503. It still waits.");
});

test("a backlog that is larger than what is counted is spoken of as that", () => {
  const first = health(10_000, 1, true);
  assert.equal(sendingWords({ first, now: first }), "More than 10,000 on their way.");
  assert.equal(sendingWords({ first, now: health(9_000) }), "More than 10,000 on their way; 9,000 left.");
  assert.equal(sendingWords({ first, now: health(0) }), "Everything that waited was sent.");
  const failed = health(10_000, 2, true);
  assert.equal(sendingWords({ first, now: failed }), "It failed again: 503. More than 10,000 still wait.");
});

test("the button says how many it sends, also when there are more than were counted", () => {
  assert.equal(sendLabel(health(7)), "Send now (7)");
  assert.equal(sendLabel(health(10_000, 1, true)), "Send now (10,000+)");
});

test("beside failures what has failed is sent again, and what is still tried only where nothing has", () => {
  const href = (status: string) => `/deliveries?destination=dst_1&status=${status}&replay=1`;
  assert.equal(resendHref("dst_1", ["retrying", "failed"]), href("failed"));
  assert.equal(resendHref("dst_1", ["retrying"]), href("retrying"));
});
