import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { hoursMs } from "../../../lib/duration.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ACCOUNT, accept, held, makeAttempt, makeEvent, makeSettlement, setUp, T0 } from "../../conformance/world.ts";
import { toRuns } from "./count-attempts.ts";
import { openPostgresStore } from "../open.ts";

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

test("a node that keeps bars in memory sees what another node has counted in their hour", async () => {
  const url = await cluster.createDatabase();
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
