/**
 * An installation as a crash leaves it, for databases that are kept of each schema: what `installation.ts` has, and
 * besides it what only a node's memory has beside its database. Here too is what a later Bellwire must find in it.
 *
 * A database that is kept was filled by the code of its time. So nothing is taken away here, and what is added is asked
 * for only of databases that have it.
 */
import assert from "node:assert/strict";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { newId } from "../../domain/id.ts";
import { hoursMs, minutesMs } from "../../lib/duration.ts";
import type { ClaimedDelivery } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { fillInstallation } from "./installation.ts";
import {
  keyOf,
  accept,
  ACCOUNT,
  ACCEPTED,
  ADA,
  BODY,
  claimAt,
  claimDue,
  due,
  held,
  loadVersion,
  makeAttempt,
  makeEvent,
  makeSettlement,
  setUp,
  T0,
  uuid,
} from "./world.ts";

const accountId = ACCOUNT.id;
/** The last thing that happens. */
const AT = T0 + minutesMs(20);
/** When the next process starts: claims and leases of the dead one have run out. */
const LATER = AT + hoursMs(1);

const random = createSeededRandom(1);
const makeIds = () => ({ event: newId("evt", AT, random), delivery: newId("dlv", AT, random) });

/** With ids that tell their instant, which lie in tables of their day; each of a session of its own. */
const DELIVERED = { n: 31, ...makeIds() };
const RETRIED = { n: 32, ...makeIds() };
const CANCELLED = { n: 33, ...makeIds() };
const REFUSED = { n: 34, ...makeIds() };
const WAITING = { n: 35, ...makeIds() };
const IN_HAND = { n: 36, ...makeIds() };

/** Fills an empty store. Ask nothing of it afterwards: what is in memory only would be written down. */
export async function fillForUpgrade(store: Store): Promise<void> {
  await fillInstallation(store);
  await setUp(store, ["dst_a", "dst_off", "dst_emptied"]);
  await store.noteCondition({ subject: "backlog", isRaised: true, body: "{}", quietMs: 0, nowMs: AT });
  const configVersion = await loadVersion(store);
  const take = async ({ n, event, delivery }: typeof DELIVERED, destination: string, isHeld: boolean) => {
    const deliveries = [(isHeld ? held : due)(delivery, destination)];
    assert.deepEqual(await accept(store, [makeEvent(n, { id: event, configVersion, deliveries })], AT), [ACCEPTED]);
  };
  await take(CANCELLED, "dst_emptied", false);
  await store.cancelWaiting({ accountId, destinationId: "dst_emptied", createdBeforeMs: LATER, rowsMax: 9, nowMs: AT });
  await take(DELIVERED, "dst_a", true);
  await take(RETRIED, "dst_a", true);
  await take(REFUSED, "dst_off", true);
  await take(WAITING, "dst_a", false);
  await take(IN_HAND, "dst_a", true);
  const attempt = makeAttempt(1, { startedAtMs: AT });
  const gone = { status: 410, headers: {}, body: new Uint8Array(), bodyCut: false };
  const refused = { ...attempt, result: { ...attempt.result, outcome: { kind: "response", response: gone } as const } };
  const timedOut = makeAttempt(1, { startedAtMs: AT, outcome: { kind: "timeout", phase: "connect" } });
  const settlements = [
    makeSettlement(RETRIED.delivery, { attempt: timedOut, next: { state: "pending", dueAtMs: AT + minutesMs(1) } }),
    makeSettlement(REFUSED.delivery, { attempt: refused, next: { state: "failed" }, destinationOff: "gone" }),
    makeSettlement(DELIVERED.delivery, { attempt }),
  ];
  const settled = await store.settleAttemptsIfClaimed({ nowMs: AT + 5, settlements });
  assert.deepEqual(new Set(settled.map(({ kind }) => kind)), new Set(["settled"]));
}

/** What was there when the process died can be read. Changes nothing of it. */
export async function assertIsThere(store: Store): Promise<void> {
  const load = (deliveryId: string) => store.loadDelivery({ accountId, deliveryId });
  const delivered = await load(DELIVERED.delivery);
  assert.deepEqual(delivered?.attempts, [makeAttempt(1, { startedAtMs: AT })]);
  assert.deepEqual([delivered?.state, delivered?.body, delivered?.eventId], ["delivered", BODY, DELIVERED.event]);
  const ended = [RETRIED, CANCELLED, REFUSED, WAITING].map(async ({ delivery }) => {
    const { state, attempts = [] } = (await load(delivery)) ?? {};
    return [state, attempts.map(({ result }) => result.outcome.kind)];
  });
  assert.deepEqual(await Promise.all(ended), [
    ["pending", ["timeout"]],
    ["cancelled", []],
    ["failed", ["response"]],
    ["pending", []],
  ]);
  assert.equal((await load("dlv_test"))?.isTest, true);

  const page = await store.listDeliveries({ accountId, withTests: true, limit: 100, before: null });
  const listed = new Map(page.deliveries.map(({ id, state }) => [id, state]));
  assert.deepEqual(
    [page.next, listed.get(DELIVERED.delivery), listed.get(IN_HAND.delivery)],
    [null, "delivered", "pending"],
  );
  assert.equal(listed.size, DELIVERIES);
  const event = await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(DELIVERED.n) });
  assert.equal(event?.id, DELIVERED.event);
  const span = { accountId, fromMs: T0 - hoursMs(1), toMs: LATER, bucketMs: hoursMs(3) };
  const counts = (await store.countAttempts(span)).filter(({ kind }) => kind === "attempt");
  assert.equal(
    counts.reduce((sum, { count }) => sum + count, 0),
    ATTEMPTS,
  );
  assert.equal((await store.loadMailAddresses({ accountId })).length, 2);
  assert.equal((await store.loadSession({ sessionHash: keyOf("session"), isUse: false, nowMs: T0 + 2 }))?.id, "ses_1");
  const account = await store.loadAccount({ accountId });
  const states = account?.assistants.map(({ destination }) => [destination?.id, destination?.state]);
  assert.deepEqual(Object.fromEntries(states ?? []), {
    dst_a: "on",
    dst_b: "paused",
    dst_c: "on",
    dst_off: "off",
    dst_emptied: "on",
  });
  assert.deepEqual([account?.secrets.next?.sealed, account?.alerts.length], ["sealed next", 1]);
}

/** Of the account, in the whole log. */
const DELIVERIES = 24;
/** Those that were counted, on whichever way: added up, or by the row alone. */
const ATTEMPTS = 14;

/** A new process goes on where the dead one was. `inboxRecords`: how many the product had put in. */
export async function assertGoesOn(store: Store, { inboxRecords }: { readonly inboxRecords: number }): Promise<void> {
  await assertIsTold(store);
  const claim = { nowMs: LATER, claim: claimAt(LATER), recordsMax: 9, bytesMax: 10 ** 6 };
  assert.equal((await store.claimInboxRecords(claim)).records.length, inboxRecords);
  const configVersion = await loadVersion(store);
  const known = [
    makeEvent(1, { configVersion }),
    makeEvent(10_001, { configVersion }),
    makeEvent(36, { configVersion }),
  ];
  assert.deepEqual(await accept(store, known, LATER), [
    { kind: "duplicate", eventId: "evt_1", deliveries: 2 },
    { kind: "duplicate", eventId: "evt_10001", deliveries: 0 },
    { kind: "duplicate", eventId: IN_HAND.event, deliveries: 1 },
  ]);
  const replay = { accountId, replayId: "rpl_2", by: ADA, nowMs: LATER } as const;
  assert.equal(await store.setReplayState({ ...replay, state: "running" }), "changed");
  for (let n = 1; (await store.stepReplays({ nowMs: LATER + hoursMs(n), deliveriesMax: 100 })).moved > 0; n += 1);
  const replays = await store.listReplays({ accountId });
  assert.deepEqual(new Set(replays.map(({ state }) => state)), new Set(["finished"]));

  await accept(store, [makeEvent(40, { configVersion, deliveries: [due("dlv_40", "dst_a")] })], LATER);
  const sent = await deliverAll(store, LATER + hoursMs(10));
  const wanted = [RETRIED, WAITING, IN_HAND].map(({ delivery }) => delivery);
  for (const id of [...wanted, "dlv_2_a", "dlv_3_a", "dlv_4_a", "dlv_40"]) assert.ok(sent.has(id), `${id} is sent`);
  assert.ok(!sent.has(DELIVERED.delivery) && !sent.has(CANCELLED.delivery));
  for (const [id, attempts] of sent) {
    const delivery = await store.loadDelivery({ accountId, deliveryId: id });
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ["delivered", attempts], id);
  }
  const session = {
    sessionHash: keyOf("another"),
    sessionId: "ses_2",
    replacedHash: null,
    expiresAtMs: LATER,
    nowMs: T0 + 2,
  };
  const links = ["used", "ended", "fresh"].map((hash) => store.openSession({ ...session, tokenHash: keyOf(hash) }));
  const kinds = (await Promise.all(links)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["used", "ended", "opened"]);
}

/** News that nobody was told yet. */
async function assertIsTold(store: Store): Promise<void> {
  const claim = { nowMs: LATER, claimToken: "n", claimUntilMs: LATER + 9 };
  const [digest] = await store.claimDigests({ ...claim, digestsMax: 9, linesMax: 9 });
  assert.deepEqual([digest?.address, digest?.counts.turned_off, digest?.counts.failing], ["ops@acme.example", 1, 1]);
  const [letter] = await store.claimConfirmations({ ...claim, secretHashes: ["a"] });
  assert.equal(letter?.address, "waiting@acme.example");
  const notices = await store.claimOperatorNotices({ ...claim, noticesMax: 9 });
  assert.deepEqual(
    notices.map(({ subject }) => subject),
    ["dst_c", "backlog", "dst_off"],
  );
}

/** All of the account that is due, each delivery with how many attempts it has had then. */
async function deliverAll(store: Store, nowMs: number): Promise<ReadonlyMap<string, number>> {
  const sent = new Map<string, number>();
  // A claim takes a dead node over and gets what that had at the next.
  for (let empty = 0; empty < 3;) {
    const claimed = (await claimDue(store, nowMs)).filter((delivery) => delivery.accountId === accountId);
    empty = claimed.length === 0 ? empty + 1 : 0;
    const settlements = claimed.map((delivery) => settlementOf(delivery, nowMs));
    for (const answer of await store.settleAttemptsIfClaimed({ nowMs, settlements })) {
      assert.equal(answer.kind, "settled");
    }
    for (const { id, attemptsMade } of claimed) {
      assert.ok(!sent.has(id), `${id} is sent once`);
      sent.set(id, attemptsMade + 1);
    }
  }
  return sent;
}

const settlementOf = ({ id, attemptsMade, isProbe }: ClaimedDelivery, nowMs: number) =>
  makeSettlement(id, { attempt: makeAttempt(attemptsMade + 1, { startedAtMs: nowMs }), isProbe });
