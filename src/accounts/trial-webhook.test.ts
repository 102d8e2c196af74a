import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, ACCOUNT, ADA, session, toValue } from "../../test/kit/world/world.ts";
import { daysMs } from "../lib/duration.ts";
import { makePullToken } from "./pull-token.ts";
import { createTrialEnds, makeTrialWebhook } from "./trial-webhook.ts";

async function makeTrial() {
  const world = await createWorld();
  await world.setUpAccount();
  const { accounts } = world;
  const made = toValue(await makeTrialWebhook(accounts, { accountId: ACCOUNT, by: ADA }));
  const ends = createTrialEnds(accounts, (error) => assert.fail(String(error)));
  const load = async () => (await accounts.accounts.loadAnew(ACCOUNT))?.webhooks ?? [];
  return { world, accounts, made, ends, load };
}

test("a trial webhook is asked for every event, and goes by itself after a day with what waits for it", async () => {
  const { world, made, ends, load } = await makeTrial();
  const [saved] = await load();
  assert.deepEqual([saved?.webhook.id, saved?.webhook.events, saved?.destination.url], [made.id, "all", "pull:"]);
  await world.accept(session(1));
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 1);
  await world.clock.advance(daysMs(1) - 1);
  await ends.step();
  assert.equal((await load()).length, 1);
  await world.clock.advance(1);
  await ends.step();
  assert.deepEqual(await load(), []);
  assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
});

test("one whose process dies before its token is made goes all the same", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { accounts } = world;
  const store = { ...accounts.store, putPullToken: () => Promise.reject(new Error("killed")) };
  await assert.rejects(makeTrialWebhook({ ...accounts, store }, { accountId: ACCOUNT, by: ADA }), /killed/);
  const load = async () => (await accounts.accounts.loadAnew(ACCOUNT))?.webhooks.length;
  assert.equal(await load(), 1);
  await world.clock.advance(daysMs(1));
  await createTrialEnds(accounts, (error) => assert.fail(String(error))).step();
  assert.equal(await load(), 0);
});

test("one that gets another token goes all the same", async () => {
  const { world, accounts, ends, load } = await makeTrial();
  const destinationId = (await load())[0]?.destination.id ?? "";
  toValue(await makePullToken(accounts, { accountId: ACCOUNT, destinationId, by: ADA }));
  await world.clock.advance(daysMs(1));
  await ends.step();
  assert.equal((await load()).length, 0);
});
