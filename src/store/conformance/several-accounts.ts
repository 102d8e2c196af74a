/**
 * Promises about calls that are about several accounts at once, or about whatever is due in any. Where there are
 * several shards these accounts are in different ones, and the caller must not notice.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { daysMs } from "../../lib/duration.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCEPTED,
  ACCOUNT,
  accept,
  ADA,
  CLAIM_LOST,
  channelToAdd,
  claimMessages,
  linkOf,
  purgeStep,
  settleMessage,
  claimDue,
  due,
  held,
  inStore,
  makeEvent,
  makeSettlement,
  type OpenStore,
  purgeNow,
  SETTLED,
  setUp,
  T0,
} from "./world.ts";

/** Where there are four shards, each is in one of its own. */
const IDS = ["acc_1", "acc_2", "acc_3", "acc_a"] as const;
const DAY_LATER = T0 + daysMs(1);

const destinationOf = (accountId: string): string => `dst_${accountId}`;
const deliveryOf = (accountId: string): string => `dlv_${accountId}`;

async function setUpAll(store: Store): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const id of IDS) versions.set(id, await setUp(store, [destinationOf(id)], { ...ACCOUNT, id }));
  return versions;
}

/** One event of each account in one call; some are held by this node. */
async function acceptAll(store: Store, versions: ReadonlyMap<string, number>, isHeld = false) {
  const events = IDS.map((accountId, n) => {
    const make = isHeld ? held : due;
    const deliveries = [make(deliveryOf(accountId), destinationOf(accountId))];
    return makeEvent(n, { accountId, configVersion: versions.get(accountId) ?? 0, deliveries });
  });
  return await accept(store, events);
}

const settlementOf = (accountId: string, parts: Partial<Parameters<typeof makeSettlement>[1]> = {}) =>
  makeSettlement(deliveryOf(accountId), { accountId, ...parts });

const fail = (store: Store) =>
  store.settleAttemptsIfClaimed({
    nowMs: T0,
    settlements: IDS.map((accountId) => settlementOf(accountId, { next: { state: "failed" } })),
  });

const readActions = async (store: Store, accountId: string): Promise<string[]> =>
  (await store.listAudit({ accountId, before: null, limit: 50 })).map(({ action }) => action);

function describeEnds(open: OpenStore): void {
  const test = inStore(open);
  test("a suspended one goes on with what it had, and a deleted one loses its rows wherever it lies", async (store) => {
    await acceptAll(store, await setUpAll(store));
    const set = (accountId: string, state: "active" | "suspended" | "deleted") =>
      store.setAccountState({ accountId, state, by: ADA, nowMs: T0 + 1 });
    const stateOf = async (accountId: string) =>
      (await store.loadAccount({ accountId }))?.assistants.map(({ destination }) => destination?.state);
    const [first, second, third] = IDS;
    assert.deepEqual(await set(first, "suspended"), { state: "suspended", changed: true, hasMore: false });
    assert.deepEqual([await stateOf(first), await stateOf(third)], [["paused"], ["on"]]);
    assert.deepEqual(await set(first, "active"), { state: "active", changed: true, hasMore: false });
    assert.deepEqual(await stateOf(first), ["on"]);
    assert.equal(await set("nobody", "suspended"), "missing");
    assert.deepEqual(await set(second, "deleted"), { state: "deleting", changed: true, hasMore: false });
    assert.equal(await store.loadAccount({ accountId: second }), null);
    const put = await store.putAccount({ account: { ...ACCOUNT, id: second }, newSealedSecret: "s", nowMs: T0 + 2 });
    assert.deepEqual(put, { created: false, isDeleted: true });
    while ((await store.expireWaiting({ nowMs: DAY_LATER, dueBeforeMs: 0, rowsMax: 3 })).expired > 0);
    await purgeNow(store, DAY_LATER);
    assert.deepEqual(await set(second, "active"), { state: "deleted", changed: false, hasMore: false });
    const found = await Promise.all(
      IDS.map((accountId) => store.loadDelivery({ accountId, deliveryId: deliveryOf(accountId) })),
    );
    assert.deepEqual(
      found.map((delivery) => delivery !== null),
      [true, false, true, true],
    );
    assert.deepEqual(await readActions(store, second), ["account_deleted"]);
  });
}

export function describeSeveralAccounts(open: OpenStore): void {
  describe("several accounts at once", () => {
    describeEnds(open);
    describePath(open);
    describeCounts(open);
    describeMessages(open);
    describeHousekeeping(open);
  });
}

function describePath(open: OpenStore): void {
  const test = inStore(open);
  test("one accept takes events of all, and each answer stands in its event's place", async (store) => {
    const versions = await setUpAll(store);
    const late = IDS.map((accountId, n) => makeEvent(n, { accountId, configVersion: n === 2 ? 0 : 2 }));
    versions.forEach((version) => assert.equal(version, 3));
    assert.deepEqual(
      (await accept(store, late)).map(({ kind }) => kind),
      ["config_changed", "config_changed", "config_changed", "config_changed"],
    );
    versions.set("acc_3", 1);
    assert.deepEqual(
      (await acceptAll(store, versions)).map(({ kind }) => kind),
      ["accepted", "accepted", "config_changed", "accepted"],
    );
    versions.set("acc_3", 3);
    assert.deepEqual(
      (await acceptAll(store, versions)).map(({ kind }) => kind),
      ["duplicate", "duplicate", "accepted", "duplicate"],
    );
  });

  test("claims get what is due in any, no more than asked for at once, and each once", async (store) => {
    await acceptAll(store, await setUpAll(store));
    const first = await claimDue(store, T0, { deliveriesMax: 3 });
    assert.equal(first.length, 3);
    const rest = await claimDue(store, T0, { deliveriesMax: 3 });
    assert.deepEqual([...first, ...rest].map(({ accountId }) => accountId).toSorted(), [...IDS]);
    assert.deepEqual(await claimDue(store, T0), []);
  });

  test("one call settles attempts of all, and each answer stands in its attempt's place", async (store) => {
    assert.deepEqual(
      await acceptAll(store, await setUpAll(store), true),
      IDS.map(() => ACCEPTED),
    );
    const settlements = IDS.map((accountId) =>
      settlementOf(accountId, { claimToken: accountId === "acc_2" ? "not its own" : "token" }),
    );
    assert.deepEqual(await store.settleAttemptsIfClaimed({ nowMs: T0, settlements }), [
      SETTLED,
      CLAIM_LOST,
      SETTLED,
      SETTLED,
    ]);
    for (const accountId of IDS) {
      const stored = await store.loadDelivery({ accountId, deliveryId: deliveryOf(accountId) });
      assert.equal(stored?.state, accountId === "acc_2" ? "pending" : "delivered", accountId);
    }
  });

  test("claims of all are given back in one call", async (store) => {
    await acceptAll(store, await setUpAll(store));
    const claims = (await claimDue(store, T0)).map(({ id, accountId, claim }) => ({
      deliveryId: id,
      accountId,
      claimToken: claim.token,
    }));
    assert.deepEqual(await store.releaseClaims({ claims, dueAtMs: T0 + 1 }), { released: 4 });
    assert.equal((await claimDue(store, T0 + 1)).length, 4);
  });
}

function describeCounts(open: OpenStore): void {
  const test = inStore(open);
  test("versions of all are read in one call, and of those alone that exist", async (store) => {
    const versions = await setUpAll(store);
    const found = await store.loadConfigVersions({ accountIds: [...IDS, "nobody"] });
    assert.deepEqual(new Map(found.map(({ accountId, configVersion }) => [accountId, configVersion])), versions);
  });

  test("counts are of all, and the next due time is the earliest", async (store) => {
    await acceptAll(store, await setUpAll(store));
    const counts = await store.countDestinations({ nowMs: T0 });
    assert.deepEqual(counts, { on: 4, failing: 0, held: 0, paused: 0, off: 0 });
    assert.deepEqual(await store.countWaiting({ nowMs: T0 }), { waiting: 4, oldestDueAtMs: T0 });
    assert.deepEqual(await store.findNextDue({ nowMs: T0 }), { dueAtMs: T0 });
  });
}

function describeMessages(open: OpenStore): void {
  const test = inStore(open);
  test("notifications of all are given out, no more than asked for at once, and each once", async (store) => {
    const versions = await setUpAll(store);
    for (const accountId of IDS) {
      const { channel, ...rest } = channelToAdd("ops");
      await store.addChannel({ ...rest, accountId, channel: { ...channel, id: `chn of ${accountId}` } });
    }
    await acceptAll(store, versions, true);
    const gone = { next: { state: "failed" }, destinationOff: "gone" } as const;
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: IDS.map((id) => settlementOf(id, gone)) });
    const step = { route: "channel", claimToken: "node", linesMax: 9, nowMs: DAY_LATER - 1 } as const;
    const first = await store.claimMessages({ ...step, messagesMax: 3 });
    const rest = await store.claimMessages({ ...step, messagesMax: 3 });
    assert.deepEqual([first.length, rest.length], [3, 1]);
    assert.deepEqual([...first, ...rest].map(({ accountId }) => accountId).toSorted(), [...IDS]);
  });

  test("confirmation emails of all are given out, each with a link that finds its own account", async (store) => {
    await setUpAll(store);
    for (const accountId of IDS) {
      const address = { id: `adr of ${accountId}`, address: `${accountId}@example.com` };
      const stop = { stopHash: `stop of ${accountId}`, sealedStop: "sealed" };
      const link = linkOf(accountId);
      await store.addMailAddress({ accountId, address: { ...address, ...stop }, link, by: ADA, nowMs: T0 });
    }
    const emails = await claimMessages(store, "email", { nowMs: T0 });
    assert.equal(emails.length, IDS.length);
    for (const email of emails) {
      assert.ok(email.kind === "confirmation");
      const { accountId, secretHash } = email;
      await settleMessage(store, email, { nowMs: T0 });
      const tokenHash = secretHash;
      assert.equal((await store.followMailLink({ tokenHash, action: "confirm", nowMs: T0 }))?.accountId, accountId);
      const [address] = (await store.loadRecipients({ accountId })).mailAddresses;
      assert.deepEqual([address?.state, address?.confirmation.state], ["confirmed", "sent"]);
      const stop = { tokenHash: `stop of ${accountId}`, nowMs: T0 };
      assert.equal((await store.followMailLink({ ...stop, action: "stop" }))?.state, "stopped");
    }
  });
}

function describeHousekeeping(open: OpenStore): void {
  const test = inStore(open);
  test("what waits too long for destinations that are not on is cancelled, at most as asked for", async (store) => {
    await acceptAll(store, await setUpAll(store));
    for (const accountId of IDS) {
      const paused = { accountId, destinationId: destinationOf(accountId), state: "paused", by: ADA } as const;
      await store.setDestinationState({ ...paused, reason: "", nowMs: T0 });
    }
    const step = { nowMs: DAY_LATER, dueBeforeMs: DAY_LATER, rowsMax: 3 };
    assert.deepEqual(await store.expireWaiting(step), { expired: 3 });
    assert.deepEqual(await store.expireWaiting(step), { expired: 1 });
    assert.deepEqual(await store.expireWaiting(step), { expired: 0 });
  });

  test("replays of all are stepped; those that nobody confirmed are cancelled, in each one's audit", async (store) => {
    await acceptAll(store, await setUpAll(store), true);
    await fail(store);
    const filter = { states: ["failed"] } as const;
    const replay = { filter, deliveriesMax: 9, ratePerSecond: 10, by: ADA, nowMs: T0 + 1 };
    for (const accountId of IDS) {
      await store.createReplay({ ...replay, accountId, id: `rpl_1 ${accountId}`, startPaused: false });
      await store.createReplay({ ...replay, accountId, id: `rpl_2 ${accountId}`, startPaused: true });
    }
    const { moved, replays } = await store.stepReplays({ nowMs: T0 + 1_001, deliveriesMax: 99 });
    assert.deepEqual([moved, replays.map(({ accountId }) => accountId).toSorted()], [4, [...IDS]]);
    await purgeNow(store, DAY_LATER + 2);
    for (const accountId of IDS) {
      const [prepared] = await store.listReplays({ accountId, replayId: `rpl_2 ${accountId}` });
      assert.equal(prepared?.state, "cancelled");
      assert.equal((await readActions(store, accountId))[0], "replay_cancelled");
    }
  });

  test("an account with several replays leaves half of a step to another's", async (store) => {
    await acceptAll(store, await setUpAll(store), true);
    await fail(store);
    const replay = { filter: { states: ["failed"] }, deliveriesMax: 9, ratePerSecond: 10, by: ADA } as const;
    for (const [place, accountId] of ["acc_1", "acc_1", "acc_1", "acc_2"].entries()) {
      await store.createReplay({ ...replay, accountId, id: `rpl_${place}`, startPaused: false, nowMs: T0 + place });
    }
    const { replays } = await store.stepReplays({ nowMs: T0 + 1_001, deliveriesMax: 2 });
    assert.deepEqual(replays.map(({ accountId }) => accountId).toSorted(), ["acc_1", "acc_2"]);
  });

  test("the previous secret of each stops in time, and each audit says so", async (store) => {
    await setUpAll(store);
    const rotation = { kind: "secret", previousStopsAtMs: DAY_LATER, by: ADA, nowMs: T0 } as const;
    for (const accountId of IDS) {
      await store.rotateSecret({ ...rotation, accountId, newSealedSecret: `new of ${accountId}` });
    }
    await purgeNow(store, DAY_LATER);
    for (const accountId of IDS) {
      const account = await store.loadAccount({ accountId });
      assert.equal(account?.secrets.current.sealed, `new of ${accountId}`);
      assert.equal((await readActions(store, accountId))[0], "secret_stopped");
    }
  });

  test("expired sessions and links of all are forgotten, at most as many rows as asked for", async (store) => {
    await setUpAll(store);
    for (const accountId of IDS) {
      const tokenHash = `link of ${accountId}`;
      const link = { accountId, person: "ana", role: "owner", tokenHash, nowMs: T0 } as const;
      await store.createSignInLink({ ...link, expiresAtMs: T0 + LIMITS.signInLinkMs });
      const session = { sessionHash: `session of ${accountId}`, sessionId: `ses of ${accountId}` };
      const opened = { tokenHash, ...session, replacedHash: null, expiresAtMs: T0 + daysMs(7), nowMs: T0 };
      assert.equal((await store.openSession(opened)).kind, "opened");
    }
    let purged = 0;
    for (let gone = -1; gone !== 0; purged += gone) {
      gone = (await purgeStep(store, { nowMs: T0 + daysMs(8), rowsMax: 3 })).purged;
      assert.ok(gone <= 3, `${gone} rows in a step of three`);
    }
    assert.equal(purged, 8);
  });
}
