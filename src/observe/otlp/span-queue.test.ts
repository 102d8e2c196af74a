import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { createVirtualClock, settled } from "../../../test/kit/world/virtual-clock.ts";
import type { PostResult } from "./post.ts";
import { type SpanQueueOptions, createSpanQueue } from "./span-queue.ts";
import type { Span } from "./span.ts";

const TAKEN: PostResult = { kind: "taken", rejected: 0, message: "" };
const AWAY: PostResult = { kind: "again", reason: "ECONNREFUSED", waitMs: 0 };

const span = (number: number): Span => ({
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: String(number).padStart(16, "0"),
  parent: null,
  traceState: "",
  name: `span ${number}`,
  kind: "server",
  startMs: 1,
  endMs: 2,
  attributes: {},
  isError: false,
});

function stage(post: () => PostResult | Promise<PostResult>, changes: Partial<SpanQueueOptions> = {}) {
  const clock = createVirtualClock();
  const batches: string[] = [];
  const told = { sent: 0, dropped: 0, failed: 0, reasons: [] as string[] };
  const queue = createSpanQueue({
    clock,
    random: createSeededRandom(1),
    collector: {
      async post(json) {
        batches.push(json);
        return await post();
      },
    },
    encode: (spans) => spans.map(({ name }) => name).join(","),
    delayMs: 5_000,
    queuedMax: 6,
    batchMax: 3,
    retryMs: 10_000,
    report: {
      sent: (spans) => void (told.sent += spans),
      dropped: (spans) => void (told.dropped += spans),
      failed(spans, reason) {
        told.failed += spans;
        told.reasons.push(reason);
      },
    },
    ...changes,
  });
  queue.start();
  const record = (count: number) => Array.from({ length: count }, (_, place) => queue.record(span(place + 1)));
  return { clock, batches, told, queue, record };
}

test("spans wait for the delay, or for a batch of them", async () => {
  const { clock, batches, record } = stage(() => TAKEN);
  record(2);
  await clock.advance(4_999);
  assert.deepEqual(batches, []);
  await clock.advance(1);
  assert.deepEqual(batches, ["span 1,span 2"]);
  record(3);
  await settled();
  assert.deepEqual(batches.slice(1), ["span 1,span 2,span 3"]);
});

test("what does not fit into the queue is dropped and counted, and never waited for", () => {
  const { told, record } = stage(() => TAKEN);
  record(10);
  assert.deepEqual([told.dropped, told.sent], [4, 0]);
});

test("a batch is tried again while the collector is away, then given up", async () => {
  let isAway = true;
  const { clock, batches, told, record } = stage(() => (isAway ? AWAY : TAKEN));
  record(1);
  await clock.advance(5_000 + 9_000);
  assert.ok(batches.length >= 3, `${batches.length} tries`);
  assert.deepEqual([told.sent, told.failed], [0, 0]);
  await clock.advance(10_000);
  assert.deepEqual([told.failed, told.reasons], [1, ["ECONNREFUSED"]]);
  isAway = false;
  record(1);
  await clock.advance(5_000);
  assert.equal(told.sent, 1);
});

test("waits as long as the collector asks for", async () => {
  const answers: PostResult[] = [{ kind: "again", reason: "it answered 429", waitMs: 4_000 }, TAKEN];
  const { clock, batches, told, record } = stage(() => answers.shift() ?? TAKEN);
  record(1);
  await clock.advance(5_000 + 3_999);
  assert.equal(batches.length, 1);
  await clock.advance(1);
  assert.deepEqual([batches.length, told.sent], [2, 1]);
});

test("what the collector refuses is not tried again, and what it rejects of a batch is counted", async () => {
  const answers: PostResult[] = [
    { kind: "refused", reason: "it answered 400" },
    { kind: "taken", rejected: 1, message: "too old" },
  ];
  const { batches, told, record } = stage(() => answers.shift() ?? TAKEN);
  record(3);
  await settled();
  record(3);
  await settled();
  assert.deepEqual(told, { sent: 2, dropped: 0, failed: 4, reasons: told.reasons });
  assert.deepEqual(told.reasons, ["it answered 400", "it rejected some: too old"]);
  assert.equal(batches.length, 2);
});

test("a stop sends what waits, tries nothing twice, and leaves no timer", async () => {
  const { clock, batches, told, queue, record } = stage(() => TAKEN);
  record(5);
  await queue.stop();
  assert.deepEqual([told.sent, batches.length], [5, 2]);
  const away = stage(() => AWAY);
  away.record(2);
  await away.queue.stop();
  assert.deepEqual([away.told.failed, away.batches.length], [2, 1]);
  assert.deepEqual([clock.pending(), away.clock.pending()], [0, 0]);
});
