/** What a node does with shards by itself, with nobody asking it for anything. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { shareCluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { administer } from "../../../../test/kit/servers/shards.ts";
import { eventually } from "../../../../test/kit/wait.ts";
import { findPlaceOf, moveAndDie, openTwoShards } from "../../../../test/kit/world/two-shards.ts";
import { systemClock } from "../../../lib/clock.ts";
import { StoreUnavailable } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

/** What is done now and then is done all the time. Shorter pauses would keep a busy machine from anything else. */
const hasty = {
  ...systemClock,
  after: (delayMs: number, fire: () => void) => systemClock.after(delayMs < 10_000 ? delayMs : 200, fire),
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
    await eventually("the move to end", async () => (await findPlaceOf(over)).shard === "1", 60_000);
    assert.deepEqual(await findPlaceOf(over), { shard: "1", movingTo: null, leaving: "0" });
  });
}

test("a call whose account's shard cannot be looked up fails as one whose server is away", async () => {
  await using home = await startCluster();
  await using over = await openTwoShards(home, { isApart: false });
  await using store = await over.openStore();
  await home.stop("immediate");
  await assert.rejects(store.loadAccount({ accountId: "acc_2" }), StoreUnavailable);
  await assert.rejects(store.loadAccount({ accountId: "acc_nobody" }), StoreUnavailable);
});
