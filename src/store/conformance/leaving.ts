/** Promises about accounts that are suspended or deleted: whom they still tell something, and that nothing returns. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { daysMs, hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import type { Store } from "../contract/store.ts";
import {
  accept,
  acceptEach,
  ACCOUNT,
  ADA,
  addressToAdd,
  channelToAdd,
  claimMessages,
  due,
  held,
  inStore,
  makeEvent,
  makeSettlement,
  notifyAddresses,
  type OpenStore,
  openBreaker,
  purgeNow,
  purgeStep,
  saveCertificate,
  setUp,
  T0,
} from "./world.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const BEA = "bea@example.com";
const LATER = T0 + minutesMs(30);

type State = "active" | "suspended" | "deleted";

const setState = (store: Store, state: State, id: string = accountId) =>
  store.setAccountState({ accountId: id, state, by: ADA, nowMs: T0 + 1 });

const goOn = (store: Store, state: State) =>
  store.setAccountState({ accountId, state, goesOn: true, by: ADA, nowMs: T0 + 2 });

const follow = (store: Store, tokenHash: string, action: "look" | "confirm" | "stop") =>
  store.followMailLink({ tokenHash, action, nowMs: T0 + 2 });

/** Its webhook fails; one address is notified of that, one is asked, and a channel is told too. */
async function setUpTelling(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await notifyAddresses(store, [ANA]);
  await store.addChannel(channelToAdd("ops"));
  await openBreaker(store, "dst_a");
  await store.addMailAddress(addressToAdd(BEA));
}

const told = async (store: Store, nowMs: number): Promise<string[]> => {
  const claimed = [
    ...(await claimMessages(store, "email", { nowMs })),
    ...(await claimMessages(store, "channel", { nowMs })),
  ];
  return claimed.map(({ kind }) => kind).toSorted();
};

const MANY = Array.from({ length: 120 }, (_, n) => `dst_${n}`);

/** Each state that one of them is in. */
const statesOf = async (store: Store): Promise<string[]> => {
  const assistants = (await store.loadAccount({ accountId }))?.assistants ?? [];
  return [...new Set(assistants.flatMap(({ destination }) => destination?.state ?? []))].toSorted();
};

/** Calls until nothing is left to change; gives how many calls it took. */
async function setStateOfAll(store: Store, state: State): Promise<number> {
  for (let calls = 1; ; calls += 1) {
    const now = await (calls === 1 ? setState : goOn)(store, state);
    if (now === "missing" || !now.hasMore) return calls;
  }
}

function describeMany(open: OpenStore): void {
  const test = inStore(open);
  describe("accounts that leave with many webhooks", () => {
    test("each call changes some of them, and the first the account", async (store) => {
      await setUp(store, MANY);
      assert.deepEqual(await setState(store, "suspended"), { state: "suspended", changed: true, hasMore: true });
      assert.deepEqual(await statesOf(store), ["on", "paused"]);
      assert.equal((await store.loadAccount({ accountId }))?.isSuspended, true);
      assert.equal(await setStateOfAll(store, "suspended"), 2);
      assert.deepEqual(await statesOf(store), ["paused"]);
      assert.equal(await setStateOfAll(store, "active"), 3);
      assert.deepEqual(await statesOf(store), ["on"]);
      assert.equal(await setStateOfAll(store, "deleted"), 3);
      assert.equal(await store.loadAccount({ accountId }), null);
    });

    test("a suspension that was broken off is ended, and one that ends is taken up again", async (store) => {
      await setUp(store, MANY);
      await setState(store, "suspended");
      assert.equal(await setStateOfAll(store, "active"), 1);
      assert.deepEqual(await statesOf(store), ["on"]);
      await setStateOfAll(store, "suspended");
      await setState(store, "active");
      assert.deepEqual(await statesOf(store), ["on", "paused"]);
      await setStateOfAll(store, "suspended");
      assert.deepEqual(await statesOf(store), ["paused"]);
      await setStateOfAll(store, "active");
      assert.deepEqual(await statesOf(store), ["on"]);
    });

    test("of two changes at once the one that began later counts, and both end", async (store) => {
      await setUp(store, MANY);
      await setState(store, "suspended");
      await setState(store, "active");
      assert.deepEqual(await goOn(store, "suspended"), { state: "active", changed: false, hasMore: false });
      assert.deepEqual(await statesOf(store), ["on"]);
      await setStateOfAll(store, "suspended");
      await setState(store, "active");
      await setState(store, "suspended");
      assert.deepEqual(await goOn(store, "active"), { state: "suspended", changed: false, hasMore: false });
      assert.equal(((await goOn(store, "suspended")) as { hasMore: boolean }).hasMore, false);
      assert.deepEqual(await goOn(store, "active"), { state: "suspended", changed: false, hasMore: false });
      assert.deepEqual(await statesOf(store), ["paused"]);
    });

    test("the rest of a suspension that was broken off goes by itself, and of one that ends", async (store) => {
      await setUp(store, MANY);
      const expire = async (nowMs: number) => {
        while ((await store.expireWaiting({ nowMs, dueBeforeMs: 0, rowsMax: 100 })).expired > 0);
      };
      for (const [state, after] of [
        ["suspended", ["paused"]],
        ["active", ["on"]],
      ] as const) {
        await setState(store, state);
        await goOn(store, state);
        // A process that lives has its time.
        await expire(T0 + secondsMs(59));
        assert.deepEqual(await statesOf(store), ["on", "paused"]);
        await expire(LATER);
        assert.deepEqual(await statesOf(store), after);
        assert.deepEqual(await goOn(store, state), { state, changed: false, hasMore: false });
        assert.equal((await store.loadAccount({ accountId }))?.isSuspended, state === "suspended");
      }
      const audit = await store.listAudit({ accountId, before: null, limit: 2 });
      assert.deepEqual(
        audit.map(({ action, role }) => `${action} ${role}`),
        ["account_resumed owner", "account_suspended owner"],
      );
    });

    test("a step cancels what waits for some of them, however few that is", async (store) => {
      const configVersion = await setUp(store, MANY);
      await accept(store, [makeEvent(1, { configVersion, deliveries: MANY.map((id) => due(`dlv of ${id}`, id)) })]);
      await setStateOfAll(store, "deleted");
      const cancelled: number[] = [];
      for (let step = 0; step < 4; step += 1) {
        cancelled.push((await store.expireWaiting({ nowMs: LATER, dueBeforeMs: 0, rowsMax: 500 })).expired);
      }
      assert.deepEqual(cancelled, [50, 50, 20, 0]);
    });

    test("the rest of a deletion that was broken off goes by itself", async (store) => {
      const configVersion = await setUp(store, MANY);
      await acceptEach(store, [due("dlv_1", "dst_99")], configVersion);
      assert.equal(((await setState(store, "deleted")) as { hasMore: boolean }).hasMore, true);
      for (let step = 0; step < 3; step += 1) {
        await store.expireWaiting({ nowMs: LATER, dueBeforeMs: 0, rowsMax: 100 });
      }
      for (let step = 0; step < 20; step += 1) await purgeNow(store, LATER);
      assert.deepEqual(await setState(store, "deleted"), { state: "deleted", changed: false, hasMore: false });
    });
  });
}

export function describeLeaving(open: OpenStore): void {
  const test = inStore(open);
  describeMany(open);
  describe("accounts that leave", () => {
    test("the people of a suspended one hear nothing until it goes on", async (store) => {
      await setUpTelling(store);
      await setState(store, "suspended");
      assert.deepEqual(await told(store, LATER), []);
      await setState(store, "active");
      assert.deepEqual(await told(store, LATER), ["channel", "confirmation", "email"]);
    });

    test("nor that a certificate ends, and they may still say that they want no e-mail", async (store) => {
      await setUp(store, ["dst_a"]);
      await notifyAddresses(store, [ANA]);
      await saveCertificate(store, "dst_a", { chain: "chain", endsAtMs: T0 + daysMs(40) });
      await setState(store, "suspended");
      assert.deepEqual(await told(store, T0 + daysMs(11)), []);
      assert.equal((await follow(store, `stop of ${ANA}`, "look"))?.state, "confirmed");
      await setState(store, "active");
      assert.deepEqual(await told(store, T0 + daysMs(11)), ["email"]);
      await setState(store, "suspended");
      assert.equal((await follow(store, `stop of ${ANA}`, "stop"))?.state, "stopped");
    });

    test("links in e-mails of a deleted one lead to nothing at once, and nobody is told anything", async (store) => {
      await setUpTelling(store);
      await setState(store, "deleted");
      for (const link of [`link of ${BEA}`, `stop of ${ANA}`]) {
        assert.equal(await follow(store, link, "look"), null);
        assert.equal(await follow(store, link, link.startsWith("stop") ? "stop" : "confirm"), null);
      }
      assert.deepEqual(await store.loadRecipients({ accountId }), { mailAddresses: [], channels: [] });
      assert.deepEqual(await told(store, LATER), []);
    });

    test("what its attempts had counted makes no figures when it is gone", async (store) => {
      const leaving = { ...ACCOUNT, id: "acc_9" };
      const [stays, leaves] = [await setUp(store, ["dst_a"]), await setUp(store, ["dst_b"], leaving)];
      const deliver = async (count: number, ofAccount: { id: string; configVersion: number; to: string }) => {
        const { id: whose, configVersion, to } = ofAccount;
        const ids = Array.from({ length: count }, (_, n) => `dlv_${whose}_${n}`);
        const events = ids.map((id, n) =>
          makeEvent(n, { id: `evt_${whose}_${n}`, configVersion, accountId: whose, deliveries: [held(id, to)] }),
        );
        await accept(store, events);
        for (const id of ids) {
          const settlements = [makeSettlement(id, { accountId: whose })];
          assert.equal((await store.settleAttemptsIfClaimed({ nowMs: T0, settlements }))[0]?.kind, "settled");
        }
      };
      const purge = async () => await purgeStep(store, { nowMs: T0 + minutesMs(1) });
      while ((await purge()).purged > 0);
      // Those of others are added up first, while all else of the account goes.
      await deliver(600, { id: accountId, configVersion: stays, to: "dst_a" });
      await deliver(3, { id: leaving.id, configVersion: leaves, to: "dst_b" });
      assert.deepEqual(await setState(store, "deleted", leaving.id), {
        state: "deleting",
        changed: true,
        hasMore: false,
      });
      for (let step = 0; step < 20; step += 1) await purge();
      assert.deepEqual(await setState(store, "deleted", leaving.id), {
        state: "deleted",
        changed: false,
        hasMore: false,
      });
      const span = { fromMs: T0 - hoursMs(1), toMs: T0 + hoursMs(1), bucketMs: hoursMs(1) };
      const count = async (id: string) =>
        (await store.countAttempts({ accountId: id, ...span, joined: "destinations" }))
          .filter(({ kind }) => kind === "attempt")
          .reduce((sum, each) => sum + each.count, 0);
      assert.deepEqual([await count(accountId), await count(leaving.id)], [600, 0]);
    });
  });
}
