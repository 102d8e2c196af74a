/** What a node does with shards by itself, with nobody asking it for anything. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { administer } from "../../../../test/kit/servers/shards.ts";
import { eventually } from "../../../../test/kit/wait.ts";
import { findPlaceOf, moveAndDie, openTwoShards } from "../../../../test/kit/world/two-shards.ts";
import { systemClock } from "../../../lib/clock.ts";
import { openPostgresStore } from "../open.ts";

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

/** What is done now and then is done at once. */
const hasty = {
  ...systemClock,
  after: (delayMs: number, fire: () => void) => systemClock.after(delayMs < 10_000 ? delayMs : 20, fire),
};

for (const step of ["departed", "landed"] as const) {
  test(`ends a move whose mover died when it had ${step}, although no call is about that account`, async () => {
    await using over = await openTwoShards(cluster, { isApart: true });
    await moveAndDie(over, "1", step);
    assert.equal((await findPlaceOf(over)).movingTo, "1");
    const { openAddress } = administer(over.url);
    const { store } = await openPostgresStore({ url: over.url, clock: hasty, openAddress });
    await using stack = new AsyncDisposableStack();
    stack.use(store);
    await eventually("the move to end", async () => (await findPlaceOf(over)).shard === "1", 20_000);
    assert.deepEqual(await findPlaceOf(over), { shard: "1", movingTo: null, leaving: "0" });
  });
}
