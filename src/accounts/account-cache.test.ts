/**
 * How long a node may send under the view of an account that it holds: several nodes as several caches on one store.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { putAccount } from "./put-account.ts";
import { ACCOUNT, createWorld, type World } from "../../test/kit/world/world.ts";
import { settled } from "../../test/kit/world/virtual-clock.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import { type AccountCacheOptions, CONFIRMED_MS, createAccountCache } from "./account-cache.ts";
import type { AccountView } from "./account-view.ts";

/** The cache of another node, and the questions that it asked the store. */
function otherNode({ store, accounts, clock }: World, changes: Partial<AccountCacheOptions["store"]> = {}) {
  const asked: (readonly string[])[] = [];
  const loadConfigVersions: Store["loadConfigVersions"] = async (params) => {
    asked.push(params.accountIds);
    return await store.loadConfigVersions(params);
  };
  const { sealer } = accounts;
  const spied = { ...store, loadConfigVersions, ...changes };
  return { asked, cache: createAccountCache({ store: spied, sealer, clock, isShared: true }) };
}

const loaded = (view: AccountView | null): AccountView => view ?? assert.fail("there is no such account");

test("a view is current for a second and a half after its read began, and then only when it is confirmed", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { cache, asked } = otherNode(world);
  const view = loaded(await cache.loadCurrent(ACCOUNT));
  await world.clock.advance(CONFIRMED_MS - 1);
  assert.ok(cache.isCurrent(view));
  await world.clock.advance(1);
  assert.ok(!cache.isCurrent(view));
  assert.ok(cache.isCurrent(loaded(await cache.loadCurrent(ACCOUNT))));
  assert.deepEqual(asked, [[ACCOUNT]]);
});

test("the time of a read counts from its question, not from its answer", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const answer = Promise.withResolvers<void>();
  const { cache } = otherNode(world, {
    async loadAccount(params) {
      const stored = await world.store.loadAccount(params);
      await answer.promise;
      return stored;
    },
  });
  const reading = cache.loadCurrent(ACCOUNT);
  await world.clock.advance(CONFIRMED_MS);
  answer.resolve();
  assert.ok(!cache.isCurrent(loaded(await reading)));
});

test("what another node changed is read by the first request after the view has aged", async () => {
  const world = await createWorld();
  await world.setUpAccount("starter");
  const { cache } = otherNode(world);
  const view = loaded(await cache.loadCurrent(ACCOUNT));
  await world.setUpAccount("growth");
  await world.clock.advance(CONFIRMED_MS);
  assert.ok(!cache.isCurrent(view));
  assert.equal(loaded(await cache.loadCurrent(ACCOUNT)).account.plan, "growth");
});

test("an accept or a claim with the same version confirms a view; one with a newer version ends it", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { cache, asked } = otherNode(world);
  const view = loaded(await cache.loadCurrent(ACCOUNT));
  const { configVersion } = view;
  await world.clock.advance(CONFIRMED_MS);
  cache.confirm(ACCOUNT, { configVersion, askedMs: world.clock.monotonicMs() });
  assert.ok(cache.isCurrent(view));
  // An answer that was late does not set the view back.
  cache.confirm(ACCOUNT, { configVersion, askedMs: 0 });
  cache.confirm(ACCOUNT, { configVersion: configVersion - 1, askedMs: world.clock.monotonicMs() });
  assert.ok(cache.isCurrent(view));
  cache.confirm(ACCOUNT, { configVersion: configVersion + 1, askedMs: 0 });
  assert.ok(!cache.isCurrent(view));
  assert.deepEqual(asked, []);
});

test("a view in use is asked about before it is too old, without a wait, and many share a question", async () => {
  const world = await createWorld();
  const ids = ["a", "b", "c"];
  for (const id of ids) await world.setUpAccount("starter", id);
  const { cache, asked } = otherNode(world);
  for (const id of ids) await cache.loadCurrent(id);
  await world.clock.advance(CONFIRMED_MS / 2);
  const views = await Promise.all([...ids, ...ids].map(async (id) => await cache.loadCurrent(id)));
  await settled();
  assert.deepEqual(asked, [ids]);
  await world.clock.advance(CONFIRMED_MS - 1);
  for (const view of views) assert.ok(cache.isCurrent(loaded(view)));
});

test("a hundred accounts in use at different moments cost no more questions than one", async () => {
  const world = await createWorld();
  const ids = Array.from({ length: 100 }, (_, place) => `account-${place}`);
  for (const id of ids) await world.setUpAccount("starter", id);
  const { cache, asked } = otherNode(world);
  const turn = async (): Promise<void> => {
    for (const id of ids) {
      assert.ok(cache.isCurrent(loaded(await cache.loadCurrent(id))));
      await world.clock.advance(20);
    }
  };
  await turn();
  const before = asked.length;
  for (let second = 0; second < 10; second += 2) await turn();
  assert.ok(asked.length - before <= 30, `${asked.length - before} questions in ten seconds`);
});

test("while the store is away a view ages all the same, and sending hears of it", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const { cache } = otherNode(world, { loadConfigVersions: away });
  const view = loaded(await cache.loadCurrent(ACCOUNT));
  // Asked about in advance: a failure that does not matter yet is not reported.
  await world.clock.advance(CONFIRMED_MS - 1);
  assert.equal(await cache.loadCurrent(ACCOUNT), view);
  await world.clock.advance(1);
  await assert.rejects(async () => await cache.loadCurrent(ACCOUNT), StoreUnavailable);
  assert.ok(!cache.isCurrent(view));
});

test("where no other node writes, a view is current until it is forgotten, and nothing is asked", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { cache, asked } = otherNode(world);
  const { store, sealer } = world.accounts;
  const alone = createAccountCache({ store, sealer, clock: world.clock, isShared: false });
  const view = loaded(await alone.loadCurrent(ACCOUNT));
  await world.clock.advance(100 * CONFIRMED_MS);
  assert.equal(await alone.loadCurrent(ACCOUNT), view);
  assert.ok(alone.isCurrent(view));
  alone.forget(ACCOUNT);
  assert.ok(!alone.isCurrent(view));
  assert.deepEqual(asked, []);
  assert.ok(!cache.isCurrent(view), "another cache's view is nothing to this one");
});

test("a person's look reads the store and leaves what is about to be sent alone", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { cache } = otherNode(world);
  const view = loaded(await cache.loadCurrent(ACCOUNT));
  const looking = cache.loadAnew(ACCOUNT);
  assert.ok(cache.isCurrent(view));
  await looking;
  assert.ok(cache.isCurrent(view));
});

test("a look asks for the version, and reads the account where that is another, or where it is gone", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { loadAccount } = world.accounts.store;
  let reads = 0;
  const counted: typeof loadAccount = (params) => {
    reads += 1;
    return loadAccount(params);
  };
  const { cache, asked } = otherNode(world, { loadAccount: counted });
  const view = loaded(await cache.loadAnew(ACCOUNT));
  assert.equal(await cache.loadAnew(ACCOUNT), view);
  assert.deepEqual([reads, asked.length], [1, 1]);
  await putAccount(world.accounts, { ...view.account, name: "Renamed" });
  assert.equal((await cache.loadAnew(ACCOUNT))?.account.name, "Renamed");
  const by = { person: "ada", role: "owner" } as const;
  await world.accounts.store.setAccountState({ accountId: ACCOUNT, state: "deleted", by, nowMs: 0 });
  assert.equal(await cache.loadAnew(ACCOUNT), null);
  assert.equal(reads, 3);
});
