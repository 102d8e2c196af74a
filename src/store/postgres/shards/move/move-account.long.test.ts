/** A move whose process dies at each step, between two schemas of one database and between two databases. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareCluster } from "../../../../../test/kit/servers/postgres.ts";
import {
  assertIsOnlyIn,
  type Dump,
  dump,
  findPlaceOf,
  moveAndDie,
  openTwoShards,
  options,
  STEPS,
  type TwoShards,
} from "../../../../../test/kit/world/two-shards.ts";
import { MoveOvertaken } from "./over.ts";
import { moveAccount } from "./move-account.ts";
import { takeBack } from "./take-back.ts";

const { accountId } = options;
const OTHER = "acc_2";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

for (const isApart of [false, true]) {
  describe(`a move between ${isApart ? "two databases" : "two schemas of one database"}`, () => {
    let over: TwoShards;
    let all: Dump;
    let others: Dump;
    before(async () => {
      over = await openTwoShards(cluster, { isApart });
      all = await dump(over, "0", accountId);
      others = await dump(over, "0", OTHER);
    });
    after(() => over[Symbol.asyncDispose]());

    for (const step of STEPS) {
      test(`that dies when it has ${step} is run again`, async () => {
        const from = (await findPlaceOf(over)).shard;
        const to = from === "0" ? "1" : "0";
        await moveAndDie(over, to, step);
        assert.equal((await moveAccount(over, { ...options, to })).kind, "moved");
        await assertIsOnlyIn(over, to, all);
        assert.deepEqual(await dump(over, "0", OTHER), others);
      });

      test(`that dies when it has ${step} is taken back, or has arrived`, async () => {
        const from = (await findPlaceOf(over)).shard;
        const to = from === "0" ? "1" : "0";
        await moveAndDie(over, to, step);
        const isPast = STEPS.indexOf(step) >= STEPS.indexOf("departed");
        assert.equal(await takeBack(over, { accountId }), isPast ? "not moving" : "took back");
        await assertIsOnlyIn(over, isPast ? to : from, all);
        assert.deepEqual(await dump(over, "0", OTHER), others);
      });
    }

    test("two movers at once, or a mover and who takes its move back, leave it in one shard", async () => {
      await using other = over.connect("bellwire move beside");
      for (let round = 0; round < 6; round += 1) {
        const from = (await findPlaceOf(over)).shard;
        const to = from === "0" ? "1" : "0";
        const beside = round % 2 === 0 ? moveAccount(other, { ...options, to }) : takeBack(other, { accountId });
        const ended = await Promise.allSettled([moveAccount(over, { ...options, to }), beside]);
        const failed = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
        assert.ok(
          failed.every((error) => error instanceof MoveOvertaken),
          failed.join("; "),
        );
        assert.equal((await moveAccount(over, { ...options, to })).kind, "moved");
        await assertIsOnlyIn(over, to, all);
        assert.deepEqual(await dump(over, "0", OTHER), others);
      }
    });
  });
}
