/** A partition in a bridge's hands: what is taken, what may be committed, what comes again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Fetched, type KafkaMessage, Progress } from "./progress.ts";

const fetched = (offset: number): Fetched => ({
  topic: "records",
  subject: "records",
  partition: "records/0",
  offset: BigInt(offset),
  key: null,
  headers: {},
  body: Buffer.from(String(offset)),
});

function fetchTo(progress: Progress, next: number): void {
  const from = Number(progress.fetchFrom);
  const messages = Array.from({ length: next - from }, (_, place) => fetched(from + place));
  progress.add(messages, { asked: progress.fetchFrom, next: BigInt(next) });
}

const offsets = (messages: readonly KafkaMessage[]): number[] => messages.map(({ offset }) => Number(offset));

function finishAt(progress: Progress, messages: readonly KafkaMessage[], places: readonly number[]): void {
  for (const place of places) {
    const message = messages[place];
    assert.ok(message);
    progress.finish(message);
  }
}

test("commits no offset behind a message that is still in hand", () => {
  const progress = new Progress("records", 0, 10n);
  fetchTo(progress, 15);
  const taken = progress.take(5);
  finishAt(progress, taken, [1, 2, 4]);
  assert.equal(progress.commitOffset, 10n);
  finishAt(progress, taken, [0]);
  assert.equal(progress.commitOffset, 13n);
  finishAt(progress, taken, [3]);
  assert.equal(progress.commitOffset, 15n);
});

test("commits no message that was fetched and not taken", () => {
  const progress = new Progress("records", 0, 0n);
  fetchTo(progress, 5);
  const taken = progress.take(2);
  finishAt(progress, taken, [0, 1]);
  assert.equal(progress.commitOffset, 2n);
});

test("leaves out messages that lie before the offset that was asked for", () => {
  const progress = new Progress("records", 0, 7n);
  progress.add([5, 6, 7, 8].map(fetched), { asked: 7n, next: 9n });
  assert.deepEqual(offsets(progress.take(10)), [7, 8]);
});

test("commits behind a transaction's marker, which no one takes", () => {
  const progress = new Progress("records", 0, 0n);
  progress.add([fetched(0)], { asked: 0n, next: 2n });
  const taken = progress.take(10);
  finishAt(progress, taken, [0]);
  assert.equal(progress.commitOffset, 2n);
});

test("brings a message that was given back again, with all behind it and in their order", () => {
  const progress = new Progress("records", 0, 0n);
  fetchTo(progress, 6);
  const taken = progress.take(4);
  finishAt(progress, taken, [0, 2]);
  const [, second] = taken;
  assert.ok(second);
  progress.rewind(second);
  assert.equal(progress.fetchFrom, 1n);
  assert.equal(progress.commitOffset, 1n);
  // Its result comes late: it is taken again by then.
  fetchTo(progress, 6);
  const again = progress.take(10);
  assert.deepEqual(offsets(again), [1, 2, 3, 4, 5]);
  finishAt(progress, taken, [1, 3]);
  assert.equal(progress.commitOffset, 1n);
  finishAt(progress, again, [0, 1, 2, 3, 4]);
  assert.equal(progress.commitOffset, 6n);
});

test("leaves out what a fetch from before a rewind brings", () => {
  const progress = new Progress("records", 0, 0n);
  fetchTo(progress, 2);
  const [first] = progress.take(2);
  assert.ok(first);
  progress.rewind(first);
  progress.add([fetched(2)], { asked: 2n, next: 3n });
  assert.equal(progress.fetchedCount, 0);
  assert.equal(progress.fetchFrom, 0n);
});

test("takes nothing more of a partition that another bridge has now", () => {
  const progress = new Progress("records", 0, 0n);
  fetchTo(progress, 3);
  progress.take(1);
  progress.lose();
  assert.equal(progress.take(10).length, 0);
  progress.add([fetched(3)], { asked: progress.fetchFrom, next: 4n });
  assert.equal(progress.take(10).length, 0);
});

test("gives each message once and in order, and commits what is finished, whatever the order of results", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("fetch" as const), count: fc.nat(5) }),
    fc.record({ kind: fc.constant("take" as const), count: fc.nat(5) }),
    fc.record({ kind: fc.constant("finish" as const), count: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const progress = new Progress("records", 0, 0n);
      const taken: KafkaMessage[] = [];
      const open = new Set<KafkaMessage>();
      for (const { kind, count } of steps) {
        if (kind === "fetch") fetchTo(progress, Number(progress.fetchFrom) + count);
        const more = kind === "take" ? progress.take(count) : [];
        taken.push(...more);
        for (const message of more) open.add(message);
        const finished = kind === "finish" ? [...open][count] : undefined;
        if (finished !== undefined) {
          progress.finish(finished);
          open.delete(finished);
        }
        const firstOpen = Math.min(...offsets([...open]), taken.length);
        assert.equal(Number(progress.commitOffset), firstOpen);
      }
      assert.deepEqual(offsets(taken), [...taken.keys()]);
    }),
  );
});
