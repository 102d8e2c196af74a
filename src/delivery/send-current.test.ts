/** A person's decision between a delivery's claim and its first byte, on the same node and on another one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAccount, makeWebhookForm } from "../../test/kit/make.ts";
import {
  ACCOUNT,
  ADA,
  HOOK,
  type World,
  conversation,
  createWorld,
  session,
  toValue,
} from "../../test/kit/world/world.ts";
import { eventType } from "../../test/kit/event-type.ts";
import { settled } from "../../test/kit/world/virtual-clock.ts";
import { createAccountCache } from "../accounts/account-cache.ts";
import type { AccountsContext } from "../accounts/context.ts";
import { deleteAlert } from "../accounts/save-alert.ts";
import { putAccount, setAccountState } from "../accounts/put-account.ts";
import { rotateSecret } from "../accounts/rotate-secret.ts";
import { saveAssistantWebhook } from "../accounts/save-assistant-webhook.ts";
import { signService } from "../domain/signature.ts";
import { setDestinationState } from "../accounts/set-destination-state.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import { sendTest } from "./test-delivery.ts";

const BOT = "bot-1";

/** The same store as another node uses it. */
function elsewhere(world: World): AccountsContext {
  const { store, accounts, clock } = world;
  const { sealer } = accounts;
  return { ...accounts, accounts: createAccountCache({ store, sealer, clock, isShared: true }) };
}

const pause = (node: AccountsContext, destinationId: string) =>
  setDestinationState(node, { accountId: ACCOUNT, destinationId, state: "paused", by: ADA, reason: "" });

const redirect = (node: AccountsContext, url: string) =>
  saveAssistantWebhook(node, {
    accountId: ACCOUNT,
    assistantId: BOT,
    revision: null,
    webhook: makeWebhookForm({ url }),
    by: ADA,
  });

/** A world with connections that open when the test says so, with one delivery waiting for its connection. */
async function connecting({ isShared }: { readonly isShared: boolean }) {
  const open = Promise.withResolvers<void>();
  const world = await createWorld({ isShared, connect: () => open.promise });
  await world.setUpAccount();
  const { destinationId } = await world.setUpAssistant(BOT);
  await world.acceptOne(conversation(1, { assistant_id: BOT }));
  await settled();
  assert.equal(world.sent.length, 0);
  return { world, destinationId, connect: open.resolve };
}

const urls = ({ sent }: World): string[] => sent.map(({ request }) => request.url.href);

describe("on one node, while a connection is being opened", () => {
  test("a pause keeps the request from starting, and the delivery waits", async () => {
    const { world, destinationId, connect } = await connecting({ isShared: false });
    toValue(await pause(world.accounts, destinationId));
    connect();
    await world.run();
    assert.deepEqual(urls(world), []);
    assert.deepEqual(world.engine.lanes.load.counts(), { inFlight: 0, deliveries: 0 });
    assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 1);
  });

  test("a changed URL gets the delivery that was on its way to the old one", async () => {
    const { world, connect } = await connecting({ isShared: false });
    toValue(await redirect(world.accounts, "https://new.example.com/in"));
    connect();
    await world.run();
    assert.deepEqual(urls(world), ["https://new.example.com/in"]);
  });

  test("a secret that leaked signs nothing more", async () => {
    const { world, connect } = await connecting({ isShared: false });
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, overlap: "none", by: ADA }));
    connect();
    await world.run();
    const { current } = (await world.ctx.accounts.load(ACCOUNT))?.secrets ?? assert.fail();
    const [{ request } = assert.fail()] = world.sent;
    assert.equal(request.headers["x-service-signature"], signService(request.body, current.secret));
  });
});

describe("on several nodes", () => {
  for (const state of ["suspended", "deleted"] as const) {
    test(`an account that is ${state} elsewhere starts no request, and the node goes on`, async () => {
      const { world, connect } = await connecting({ isShared: true });
      toValue(await setAccountState(elsewhere(world), { accountId: ACCOUNT, state, by: ADA }));
      await world.clock.advance(1_500);
      connect();
      await world.run();
      assert.deepEqual(urls(world), []);
      assert.deepEqual(world.engine.lanes.load.counts(), { inFlight: 0, deliveries: 0 });
    });
  }

  test("a pause elsewhere is noticed by a request whose connection took long", async () => {
    const { world, destinationId, connect } = await connecting({ isShared: true });
    toValue(await pause(elsewhere(world), destinationId));
    await world.clock.advance(1_500);
    connect();
    await world.run();
    assert.deepEqual(urls(world), []);
  });

  test("a deleted alert's lane is given back together, not one delivery at a time", async () => {
    const answer = Promise.withResolvers<void>();
    const receiver = async () => await answer.promise.then(() => ({ kind: "response" as const, response: OK }));
    const world = await createWorld({ isShared: true, receiver });
    await world.setUpAccount();
    const { id, revision } = toValue(await world.setUpAlert());
    for (let number = 1; number <= 20; number += 1) await world.acceptOne(session(number));
    await settled();
    assert.equal(world.sent.length, 4);
    const node = elsewhere(world);
    toValue(await deleteAlert(node, { accountId: ACCOUNT, id, revision, by: ADA }));
    const given: number[] = [];
    const { releaseClaims } = world.store;
    (world.ctx as { store: Store }).store = {
      ...world.store,
      releaseClaims: async (params) => {
        given.push(params.claims.length);
        return await releaseClaims(params);
      },
    };
    await world.clock.advance(1_500);
    answer.resolve();
    await world.run();
    assert.equal(world.sent.length, 4);
    assert.equal(world.engine.lanes.load.counts().deliveries, 0);
    assert.equal(
      given.reduce((sum, count) => sum + count, 0),
      16,
    );
    // Deliveries that were about to start find out by themselves.
    assert.ok(given.length < 8, `given back in ${given.length} calls`);
  });

  test("while the store is away longer than a view is good for, nothing starts, and all of it afterwards", async () => {
    const { world, connect } = await connecting({ isShared: true });
    const { loadConfigVersions } = world.store;
    let isAway = true;
    (world.store as { loadConfigVersions: Store["loadConfigVersions"] }).loadConfigVersions = async (params) => {
      if (isAway) throw new StoreUnavailable("away");
      return await loadConfigVersions(params);
    };
    await world.clock.advance(1_500);
    connect();
    await world.clock.advance(5_000);
    assert.deepEqual(urls(world), []);
    isAway = false;
    await world.clock.advance(500);
    await world.run();
    assert.deepEqual(urls(world), [HOOK]);
    assert.deepEqual(world.told.failures, []);
  });

  test("a fast path that is in use asks nothing: its commits confirm what it sends under", async () => {
    const world = await createWorld({ isShared: true });
    await world.setUpAccount();
    await world.setUpAssistant(BOT);
    let asked = 0;
    (world.store as { loadConfigVersions: Store["loadConfigVersions"] }).loadConfigVersions = () => {
      asked += 1;
      return Promise.resolve([]);
    };
    for (let number = 1; number <= 30; number += 1) {
      await world.acceptOne(conversation(number, { assistant_id: BOT }));
      await world.clock.advance(1_000);
    }
    await world.run();
    assert.equal(world.sent.length, 30);
    assert.equal(asked, 0);
  });

  test("a test is signed with the secrets that are valid now, and refused on a plan that was lowered", async () => {
    const world = await createWorld({ isShared: true });
    await world.setUpAccount();
    await world.ctx.accounts.loadCurrent(ACCOUNT);
    const node = elsewhere(world);
    toValue(await rotateSecret(node, { accountId: ACCOUNT, overlap: "none", by: ADA }));
    await world.clock.advance(1_500);
    const webhook = makeWebhookForm({ url: HOOK });
    const draft = {
      accountId: ACCOUNT,
      saved: null,
      webhook,
      owner: "alert",
      type: eventType("demo_viewed"),
      body: "{}",
    } as const;
    toValue(await sendTest(world.ctx, draft));
    const { current } = (await node.accounts.load(ACCOUNT))?.secrets ?? assert.fail();
    assert.equal(world.sent[0]?.request.headers["x-service-signature"], signService(draft.body, current.secret));
    await putAccount(node, makeAccount({ id: ACCOUNT, plan: "free" }));
    await world.clock.advance(1_500);
    const refused = await sendTest(world.ctx, draft);
    assert.equal(refused.ok ? "" : refused.error.code, "plan_too_low");
    assert.equal(world.sent.length, 1);
  });
});

const OK = { status: 200, headers: {}, body: new Uint8Array(), bodyCut: false };
