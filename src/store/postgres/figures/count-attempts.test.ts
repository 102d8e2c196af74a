import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { hoursMs, minutesMs } from "../../../lib/duration.ts";
import { systemClock } from "../../../lib/clock.ts";
import {
  ACCOUNT,
  accept,
  held,
  makeAttempt,
  makeEvent,
  makeSettlement,
  purgeStep,
  setUp,
  T0,
} from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { toRuns } from "./count-attempts.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

test("a node that keeps bars in memory sees what another node has counted in their hour", async () => {
  const url = await cluster.createStoreDatabase();
  await using one = (await openPostgresStore({ url, clock: systemClock })).store;
  await using other = (await openPostgresStore({ url, clock: systemClock })).store;
  const bars = { accountId: ACCOUNT.id, fromMs: T0, toMs: T0 + hoursMs(24), bucketMs: hoursMs(1) };
  const configVersion = await setUp(one, ["dst_a"]);
  for (const [n, node] of [other, one, other].entries()) {
    const id = `dlv_${n}`;
    await accept(node, [makeEvent(n, { configVersion, deliveries: [held(id, "dst_a")] })]);
    const settlements = [makeSettlement(id, { attempt: makeAttempt(1, { startedAtMs: T0 + 7 }) })];
    await node.settleAttemptsIfClaimed({ nowMs: T0 + 9, settlements });
    const counted = await one.countAttempts({ ...bars, joined: "answers" });
    assert.deepEqual(
      counted.map(({ atMs, result, count }) => [atMs, result, count]),
      [[T0, "delivered", n + 1]],
    );
  }
});

/** `attempts` of one event's deliveries, which began a minute after another; from `first` on. */
async function deliver(store: Store, { configVersion, first, attempts }: Delivering): Promise<void> {
  const ids = Array.from({ length: attempts }, (_, n) => `dlv_${first + n}`);
  const places = ["dst_a", "dst_b"];
  const deliveries = ids.map((id, n) => held(id, places[n % 3 === 0 ? 1 : 0] ?? ""));
  await accept(store, [makeEvent(first, { configVersion, deliveries })]);
  const settlements = ids.map((id, n) =>
    makeSettlement(id, {
      attempt: makeAttempt(1, { startedAtMs: T0 + minutesMs(1 + (n % 50)) }),
      next: { state: n % 7 === 0 ? "failed" : "delivered" },
    }),
  );
  await store.settleAttemptsIfClaimed({ nowMs: T0 + hoursMs(1), settlements });
}

interface Delivering {
  readonly configVersion: number;
  readonly first: number;
  readonly attempts: number;
}

const age = async (store: Store, nowMs: number): Promise<void> => {
  while ((await purgeStep(store, { nowMs, rowsMax: 500 })).purged > 0);
};

/** As a node reads them that has just started. */
async function readBars(url: string): Promise<string[]> {
  await using node = (await openPostgresStore({ url, clock: systemClock })).store;
  const span = { fromMs: T0 - hoursMs(20), toMs: T0 + hoursMs(4), bucketMs: hoursMs(1) };
  const counted = await node.countAttempts({ accountId: ACCOUNT.id, ...span, joined: "answers" });
  return counted.map((count) => JSON.stringify(count)).toSorted();
}

describe("a node that has just started", () => {
  test("reads an hour that is over as one row, and counters where something was counted later", async () => {
    const url = await cluster.createStoreDatabase();
    await using store = (await openPostgresStore({ url, clock: systemClock })).store;
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await deliver(store, { configVersion, first: 100, attempts: 80 });
    const counted = await readBars(url);
    assert.equal(counted.length, 4);
    await age(store, T0 + hoursMs(4));
    assert.deepEqual(await readBars(url), counted);
    // Behind the store's back, so that only the row has them still.
    await cluster.query(url, "alter table bellwire.attempt_counts rename to moved_away");
    await cluster.query(url, "create table bellwire.attempt_counts (like bellwire.moved_away including all)");
    assert.deepEqual(await readBars(url), counted);
    await cluster.query(url, "drop table bellwire.attempt_counts");
    await cluster.query(url, "alter table bellwire.moved_away rename to attempt_counts");
    await deliver(store, { configVersion, first: 300, attempts: 1 });
    const later = await readBars(url);
    assert.notDeepEqual(later, counted);
    await cluster.query(url, "truncate bellwire.account_hours");
    assert.deepEqual(await readBars(url), later);
  });

  test("finds no hour of the day before: they go when a day has passed", async () => {
    const url = await cluster.createStoreDatabase();
    await using store = (await openPostgresStore({ url, clock: systemClock })).store;
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const findHours = async () => await cluster.query(url, "select at::float8 from bellwire.account_hours order by at");
    await deliver(store, { configVersion, first: 100, attempts: 80 });
    await age(store, T0 + hoursMs(4));
    assert.deepEqual(await findHours(), [{ at: T0 }]);
    await cluster.query(url, `update bellwire.account_hours set at = at - ${hoursMs(30)}`);
    await deliver(store, { configVersion, first: 300, attempts: 80 });
    await age(store, T0 + hoursMs(4));
    assert.deepEqual(await findHours(), [{ at: T0 }]);
  });
});

test("hours that follow one another are read as one", () => {
  const hours = [0, 1, 2, 5, 7, 8].map(hoursMs);
  const expected = [
    [0, 3],
    [5, 6],
    [7, 9],
  ].map((run) => run.map(hoursMs));
  assert.deepEqual(toRuns(hours), expected);
  assert.deepEqual(toRuns([]), []);
});
