/**
 * A Citus of which a part of the tables is distributed: while `distribute` runs, and for as long as its operator likes
 * who has stopped it. Only where a Citus is given (`BELLWIRE_TEST_CITUS`).
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CitusCluster, openCitus, withoutCitus } from "../../../../test/kit/servers/citus.ts";
import { systemClock } from "../../../lib/clock.ts";
import {
  ACCOUNT,
  accept,
  ALERT,
  alertToSave,
  claimIds,
  due,
  EVE,
  held,
  makeEvent,
  setUp,
  T0,
} from "../../conformance/world.ts";
import { minutesMs } from "../../../lib/duration.ts";
import type { Store } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";
import { type Distribution, openDistribution } from "./open.ts";

const LATER = T0 + 60_000;

describe("on a Citus that is distributed in part", { skip: withoutCitus }, () => {
  let citus: CitusCluster;
  before(() => void (citus = openCitus()));
  after(() => citus[Symbol.asyncDispose]());

  test("retention goes on, and takes deleted alerts and destinations behind each table", async () => {
    const url = await citus.createDatabase();
    const { store } = await openPostgresStore({ url, clock: systemClock });
    await using _ = store;
    await using distribution = await openDistribution(url, systemClock);
    await setUp(store, []);
    let left = 0;
    let number = 0;
    for (let last = await distributeOne(distribution); last !== null; last = await distributeOne(distribution)) {
      number += 1;
      await deleteFreshAlert(store, number);
      left += 3;
      const { purged } = await store.purge({ ...PURGE, nowMs: LATER });
      assert.equal(purged, last === BEFORE_EVENTS ? 0 : left, `behind ${last}`);
      left -= purged;
    }
    assert.ok(number > 20, `${number} tables`);
  });

  test("while events are distributed and deliveries are not, a dead node's lease waits and claims go on", async () => {
    const url = await citus.createDatabase();
    const { store: dead } = await openPostgresStore({ url, clock: systemClock });
    await using _ = dead;
    await using other = (await openPostgresStore({ url, clock: systemClock })).store;
    await using distribution = await openDistribution(url, systemClock);
    const configVersion = await setUp(dead, ["dst_dead", "dst_due"]);
    await accept(dead, [makeEvent(1, { configVersion, deliveries: [held("dlv_dead", "dst_dead")] })]);
    await accept(other, [makeEvent(2, { configVersion, deliveries: [due("dlv_due", "dst_due")] })]);
    for (let last = await distributeOne(distribution); last !== "events"; last = await distributeOne(distribution)) {
      assert.notEqual(last, null);
    }
    const claim = { token: "other", untilMs: LATER + minutesMs(90) };
    assert.deepEqual(await claimIds(other, LATER, { claim }), ["dlv_due"]);
    assert.deepEqual(await claimIds(other, LATER + 1_000, { claim }), []);
    for (let last = await distributeOne(distribution); last !== null;) last = await distributeOne(distribution);
    // What a takeover has given its row is found by the claim after it.
    const claimed = [];
    for (const nowMs of [LATER + 2_000, LATER + 3_000]) claimed.push(...(await claimIds(other, nowMs, { claim })));
    assert.deepEqual(claimed, ["dlv_dead"]);
  });
});

/** Its texts are looked for beside events, which come right behind it: retention waits for that one table. */
const BEFORE_EVENTS = "search_entries";

const PURGE = { payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs: T0 + 6, rowsMax: 99 };

/** An alert, its destination, and the row of its history. */
async function deleteFreshAlert(store: Store, number: number): Promise<void> {
  const fresh = alertToSave();
  assert.ok(fresh.destination !== null);
  const [alert, destination] = [
    { ...ALERT, id: `alr_${number}` },
    { ...fresh.destination, id: `dst_${number}` },
  ];
  await store.saveAlert({ ...fresh, alert, destination });
  const deleting = { accountId: ACCOUNT.id, alertId: alert.id, expectedRevision: 1, by: EVE, nowMs: T0 + 5 };
  assert.equal(await store.deleteAlert(deleting), "deleted");
}

/** Stops behind one table, as an operator may. Returns its name; `null`: it was the last one. */
async function distributeOne(distribution: Distribution): Promise<string | null> {
  let last: string | null = null;
  const ended = await distribution.run({
    isOnline: false,
    shards: 2,
    tell: (step) => void (last = step.kind === "table done" ? step.table.name : last),
    isStopping: () => last !== null,
  });
  return ended === "stopped" ? last : null;
}
