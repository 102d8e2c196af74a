/** Counts of many destinations are written a few in each commit, and each once, also over restarts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../../lib/clock.ts";
import { hoursMs } from "../../../lib/duration.ts";
import type { CountAttempts } from "../../contract/log.ts";
import { ACCOUNT, accept, held, makeEvent, makeSettlement, setUp, T0 } from "../../conformance/world.ts";
import { type InlineStore, openInlineStore } from "../open.ts";
import { restart } from "../writer/database-file.ts";
import { isWritten, sliceOf, SLICES } from "./count-slices.ts";

const DESTINATIONS = Array.from({ length: 300 }, (_, n) => `dst_01m842ntjqwaak0tjev${n.toString(32).padStart(3, "0")}`);

const HOUR_MS = hoursMs(1);
/** Rows of a page of the log. */
const PAGE = 50;

class World {
  readonly #inline: InlineStore = openInlineStore({ clock: systemClock });
  /** Successes by destination. */
  readonly delivered = new Map<string, number>();
  nowMs = T0;
  #version = 0;
  #events = 0;

  async open(): Promise<this> {
    this.#version = await setUp(this.#inline.store, DESTINATIONS);
    return this;
  }

  /** One event goes to each of them, in one commit, and arrives everywhere, in another. */
  async deliver(destinationIds: readonly string[]): Promise<void> {
    const n = (this.#events += 1);
    const deliveries = destinationIds.map((id) => held(`dlv_${n}_${id}`, id));
    await accept(this.#inline.store, [makeEvent(n, { configVersion: this.#version, deliveries })], this.nowMs);
    const settlements = deliveries.map(({ id }) => makeSettlement(id));
    await this.#inline.store.settleAttemptsIfClaimed({ nowMs: this.nowMs, settlements });
    for (const id of destinationIds) this.delivered.set(id, (this.delivered.get(id) ?? 0) + 1);
  }

  /** As if a process of before had written the marks, whose epochs ended with all counts. */
  async goBack(): Promise<void> {
    await this.#inline.between((db) => db.exec("update path_marks set slices = 1"));
  }

  async restart(): Promise<void> {
    await this.#inline.between((db) => restart(db, this.nowMs));
  }

  /** Every reader of counts finds each delivery once. */
  async assertReads(): Promise<void> {
    const total = [...this.delivered.values()].reduce((sum, count) => sum + count, 0);
    assert.deepEqual(await this.#count({}), this.delivered);
    assert.deepEqual(await this.#count({ joined: "answers" }), this.delivered);
    assert.equal((await this.#count({ joined: "destinations" })).get("") ?? 0, total);
    const { store } = this.#inline;
    const activity = await store.loadActivity({ accountId: ACCOUNT.id, sinceMs: T0 - 60_000 });
    assert.match(activity.deliveries, new RegExp(`^${total} `));
    const asked = { accountId: ACCOUNT.id, withDeleted: true, nowMs: this.nowMs, waitingMax: 1 };
    const attempted = (await store.loadDestinations(asked)).filter(({ hasAttempts }) => hasAttempts);
    assert.deepEqual(new Set(attempted.map(({ id }) => id)), new Set(this.delivered.keys()));
    assert.equal(await this.#countAnswered(200), Math.min(total, PAGE));
    assert.equal(await this.#countAnswered(204), 0);
  }

  async #count(parts: Pick<CountAttempts, "joined">): Promise<Map<string, number>> {
    const span = { fromMs: T0 - (T0 % HOUR_MS), toMs: T0 + HOUR_MS, bucketMs: HOUR_MS };
    const counts = await this.#inline.store.countAttempts({ accountId: ACCOUNT.id, ...span, ...parts });
    const attempts = counts.filter(({ kind }) => kind === "attempt");
    const sums = Map.groupBy(attempts, ({ destinationId }) => destinationId);
    return new Map([...sums].map(([id, ofId]) => [id, ofId.reduce((sum, { count }) => sum + count, 0)]));
  }

  async #countAnswered(status: number): Promise<number> {
    const page = { accountId: ACCOUNT.id, withTests: false, before: null, limit: PAGE } as const;
    return (await this.#inline.store.listDeliveries({ ...page, response: { status } })).deliveries.length;
  }

  async countWrittenRows(): Promise<number> {
    let rows = 0;
    await this.#inline.between((db) => {
      rows = db.get<{ rows: number }>("select count(*) as rows from attempt_counts")?.rows ?? 0;
    });
    return rows;
  }

  async close(): Promise<void> {
    await this.#inline.store[Symbol.asyncDispose]();
  }
}

test("no commit writes the counts of all, and some commits later all are written", async () => {
  const world = await new World().open();
  await world.deliver(DESTINATIONS);
  world.nowMs += 1_000;
  const grown: number[] = [];
  for (let commits = 0; commits < 64; commits += 1) {
    const before = await world.countWrittenRows();
    await world.deliver(["dst_01m842ntjqwaak0tjev000"]);
    grown.push((await world.countWrittenRows()) - before);
  }
  assert.ok(
    Math.max(...grown) <= 2 * 64,
    `the largest commits: ${grown
      .toSorted((a, b) => b - a)
      .slice(0, 3)
      .join(", ")}`,
  );
  assert.ok(grown.reduce((sum, rows) => sum + rows, 0) >= 2 * DESTINATIONS.length, "attempts and deliveries of each");
  await world.close();
});

test("readers find what no commit has written yet, and make none write it", async () => {
  const world = await new World().open();
  await world.deliver(DESTINATIONS);
  const before = await world.countWrittenRows();
  await world.assertReads();
  assert.equal(await world.countWrittenRows(), before);
  await world.close();
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ from: fc.nat(299), count: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 2, arbitrary: fc.constant("restart" as const) },
  { weight: 2, arbitrary: fc.constant("a second" as const) },
  { weight: 1, arbitrary: fc.constant("read" as const) },
);

test("each is counted once, with restarts and readers at any moment", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = await new World().open();
      for (const what of steps) {
        if (what === "restart") await world.restart();
        else if (what === "a second") world.nowMs += 1_000;
        else if (what === "read") await world.assertReads();
        else await world.deliver(DESTINATIONS.slice(what.from, what.from + what.count));
      }
      await world.restart();
      await world.assertReads();
      await world.close();
    }),
    { numRuns: 25 },
  );
});

test("what an epoch's end writes are the counts of its slice up to then", () => {
  const writtenAt = new Map<string, number>();
  for (let epoch = 1; epoch < 3 * SLICES; epoch += 1) {
    for (const [id, last] of writtenAt)
      assert.equal(isWritten({ destinationId: id, epoch: last }, { epoch, slices: SLICES }), true);
    for (const id of DESTINATIONS) if (sliceOf(id) === epoch % SLICES) writtenAt.set(id, epoch);
    for (const id of DESTINATIONS) {
      const isNow = isWritten({ destinationId: id, epoch }, { epoch: epoch + 1, slices: SLICES });
      assert.equal(isNow, writtenAt.get(id) === epoch);
    }
  }
});

test("a database of before is counted on, and nothing of it twice", async () => {
  const world = await new World().open();
  for (const count of [10, 20, 30]) {
    await world.deliver(DESTINATIONS.slice(0, count));
    await world.goBack();
    await world.restart();
    await world.restart();
    await world.assertReads();
  }
  await world.close();
});

test("a destination's slice is the same for good: databases go by it", () => {
  assert.deepEqual(
    ["dst_a", "dst_01m7wdafa00000000000000001", ""].map((id) => sliceOf(id)),
    [103, 71, 0],
  );
});

test("a database of before, whose epochs ended with all counts, has written those of epochs that are over", () => {
  assert.equal(isWritten({ destinationId: "dst_a", epoch: 6 }, { epoch: 7, slices: 1 }), true);
  assert.equal(isWritten({ destinationId: "dst_a", epoch: 7 }, { epoch: 7, slices: 1 }), false);
});
