/** Deltas and counters together have each attempt once, for every reader, whatever was rolled up meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../../lib/clock.ts";
import { hoursMs, minutesMs } from "../../../lib/duration.ts";
import { ACCOUNT, accept, due, held, makeAttempt, makeEvent, makeSettlement } from "../../conformance/world.ts";
import { loadVersion, purgeNow, setUp, T0 } from "../../conformance/world.ts";
import type { AttemptCount, CountAttempts } from "../../contract/log.ts";
import type { Store } from "../../contract/store.ts";
import { type InlineStore, openInlineStore } from "../open.ts";
import { restart } from "../writer/database-file.ts";

const DESTINATIONS = Array.from({ length: 300 }, (_, n) => `dst_01m842ntjqwaak0tjev${n.toString(32).padStart(3, "0")}`);

const HOUR_MS = hoursMs(1);
/** Rows of a page of the log. */
const PAGE = 50;

interface Written {
  readonly deltas: number;
  readonly counters: number;
}

class World {
  readonly #inline: InlineStore = openInlineStore({ clock: systemClock });
  /** Successes by destination. */
  readonly delivered = new Map<string, number>();
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
    await accept(this.#inline.store, [makeEvent(n, { configVersion: this.#version, deliveries })], T0);
    const settlements = deliveries.map(({ id }) => makeSettlement(id));
    await this.#inline.store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    for (const id of destinationIds) this.delivered.set(id, (this.delivered.get(id) ?? 0) + 1);
  }

  async purge(): Promise<void> {
    await purgeNow(this.#inline.store, T0);
  }

  async restart(): Promise<void> {
    await this.#inline.between((db) => restart(db, T0));
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
    const asked = { accountId: ACCOUNT.id, withDeleted: true, nowMs: T0, waitingMax: 1 };
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

  async countRows(): Promise<Written> {
    let rows: Written | undefined;
    await this.#inline.between((db) => {
      rows = db.get<Written>(`select (select count(*) from attempt_deltas) as deltas,
        (select count(*) from attempt_counts) as counters`);
    });
    return { ...(rows ?? assert.fail("counts are always there")) };
  }

  async close(): Promise<void> {
    await this.#inline.store[Symbol.asyncDispose]();
  }
}

test("a settling commit adds deltas only, until there are many: then each commit rolls some up", async () => {
  const world = await new World().open();
  for (const deltas of [600, 1_200, 1_800]) {
    await world.deliver(DESTINATIONS);
    assert.deepEqual(await world.countRows(), { deltas, counters: 0 }, "an attempt and an arrival of each");
  }
  await world.deliver(DESTINATIONS);
  assert.deepEqual(await world.countRows(), { deltas: 2_250, counters: 38 }, "a sixteenth");
  await world.deliver(DESTINATIONS.slice(0, 1));
  assert.deepEqual(await world.countRows(), { deltas: 1_951, counters: 113 }, "two more");
  await world.assertReads();
  for (let n = 0; n < 7; n += 1) await world.deliver(DESTINATIONS.slice(0, 1));
  assert.deepEqual(await world.countRows(), { deltas: 8, counters: 600 }, "the rest, and from then on none");
  await world.assertReads();
  await world.close();
});

test("readers find what is not rolled up yet, and write nothing", async () => {
  const world = await new World().open();
  await world.deliver(DESTINATIONS);
  await world.assertReads();
  assert.deepEqual(await world.countRows(), { deltas: 600, counters: 0 });
  await world.close();
});

test("a step of retention rolls up no more than it may change", async () => {
  const world = await new World().open();
  await world.deliver(DESTINATIONS);
  await world.purge();
  const { deltas } = await world.countRows();
  assert.equal(deltas, 500);
  await world.assertReads();
  await world.close();
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ from: fc.nat(299), count: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 2, arbitrary: fc.constant("restart" as const) },
  { weight: 2, arbitrary: fc.constant("purge" as const) },
  { weight: 1, arbitrary: fc.constant("read" as const) },
);

test("each is counted once, with restarts, roll-ups and readers at any moment", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = await new World().open();
      for (const what of steps) {
        if (what === "restart") await world.restart();
        else if (what === "purge") await world.purge();
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

const OTHER = { ...ACCOUNT, id: "acc_2" };

async function openStore(): Promise<Store> {
  const { store } = openInlineStore({ clock: systemClock });
  await setUp(store, ["dst_a", "dst_b", "dst_c"]);
  await setUp(store, ["dst_x"], OTHER);
  return store;
}

interface Arrival {
  readonly n: number;
  readonly at: string;
  readonly ms?: number;
  readonly accountId?: string;
}

/** An event's only webhook, `dlv_n`, arrives at the destination `at` as soon as it is accepted. */
async function arrive(store: Store, { n, at, ms = T0, accountId = ACCOUNT.id }: Arrival): Promise<void> {
  const configVersion = await loadVersion(store, accountId);
  await accept(store, [makeEvent(n, { accountId, configVersion, deliveries: [held(`dlv_${n}`, at)] })], ms);
  const settlement = makeSettlement(`dlv_${n}`, { accountId, attempt: makeAttempt(1, { startedAtMs: ms }) });
  await store.settleAttemptsIfClaimed({ nowMs: ms, settlements: [settlement] });
}

const SPAN: CountAttempts = {
  accountId: ACCOUNT.id,
  fromMs: T0 - minutesMs(1),
  toMs: T0 + minutesMs(10),
  bucketMs: minutesMs(1),
};

const countAttempts = (counts: readonly AttemptCount[]): number =>
  counts.reduce((sum, { kind, count }) => sum + (kind === "attempt" ? count : 0), 0);

test("a chart has deltas of its account, of its destination and of its span", async () => {
  await using store = await openStore();
  const minuteMs = T0 + minutesMs(1);
  await arrive(store, { n: 1, at: "dst_a", ms: minuteMs - 400 });
  await arrive(store, { n: 2, at: "dst_b", ms: minuteMs + 200 });
  await arrive(store, { n: 3, at: "dst_x", ms: minuteMs, accountId: OTHER.id });
  const count = async (parts: Partial<CountAttempts>) =>
    countAttempts(await store.countAttempts({ ...SPAN, ...parts }));
  for (const joined of ["destinations", "answers"] as const) {
    assert.equal(await count({ joined }), 2);
    assert.equal(await count({ joined, accountId: OTHER.id }), 1);
    assert.equal(await count({ joined, destinationIds: ["dst_b"] }), 1);
    assert.equal(await count({ joined, toMs: minuteMs }), 1);
    assert.equal(await count({ joined, fromMs: minuteMs }), 1);
  }
});

test("a destination whose oldest delivery waits had an attempt all the same", async () => {
  await using store = await openStore();
  const configVersion = await loadVersion(store);
  await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
  await arrive(store, { n: 2, at: "dst_a", ms: T0 + 1 });
  const asked = { accountId: ACCOUNT.id, withDeleted: true, nowMs: T0 + 1, waitingMax: 1 };
  const attempted = (await store.loadDestinations(asked)).filter(({ hasAttempts }) => hasAttempts);
  assert.deepEqual(
    attempted.map(({ id }) => id),
    ["dst_a"],
  );
});

test("the log finds an answer that only a delta counts, beside older ones that are rolled up", async () => {
  await using store = await openStore();
  await arrive(store, { n: 1, at: "dst_a" });
  await arrive(store, { n: 2, at: "dst_b" });
  await purgeNow(store, T0);
  await arrive(store, { n: 3, at: "dst_c", ms: T0 + minutesMs(30) });
  const page = { accountId: ACCOUNT.id, withTests: false, before: null, limit: 9, response: { status: 200 } } as const;
  const list = async (destinationId?: string): Promise<string[]> => {
    const asked = destinationId === undefined ? page : { ...page, destinationId };
    return (await store.listDeliveries(asked)).deliveries.map(({ id }) => id);
  };
  assert.deepEqual(await list(), ["dlv_3", "dlv_2", "dlv_1"]);
  assert.deepEqual(await list("dst_c"), ["dlv_3"]);
  assert.deepEqual(await list("dst_a"), ["dlv_1"]);
});
