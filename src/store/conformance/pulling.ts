/**
 * Promises about destinations that are asked: no claim of a node sees them, a program holds what it was handed until it
 * settles it or its time is over, and nothing of it is lost.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { HANDED_OUT_MAX, newHandOut, PULL_URL } from "../../domain/pull.ts";
import { daysMs, secondsMs } from "../../lib/duration.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import {
  ACCEPTED,
  ACCOUNT,
  accept,
  acceptEach,
  acceptNumbers,
  ADA,
  BODY,
  claimDue,
  claimIds,
  due,
  inStore,
  loadVersion,
  makeEvent,
  type OpenStore,
  purgeNow,
  requestOneResend,
  setUp,
  SETTLED,
  T0,
  uuid,
  WEBHOOK,
  WEBHOOK_DESTINATION,
  webhookToSave,
} from "./world.ts";
import type { HandOut } from "../../domain/pull.ts";
import { type HandOutDue, settleMessage } from "../contract/pull.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const destinationId = WEBHOOK_DESTINATION.id;
const HOLD_MS = secondsMs(60);
const random = createSeededRandom(1);
const ASKED = { ...WEBHOOK_DESTINATION, url: PULL_URL, headers: [] };

const newClaim = (nowMs: number): HandOut => newHandOut(random, { nowMs, holdMs: HOLD_MS });

const TOKEN = "hash of a token";

const putToken = (store: Store, tokenHash = TOKEN) =>
  store.putPullToken({ accountId, destinationId, tokenHash, by: ADA, nowMs: T0 });

/** A webhook that is asked, and one that is called; the version to accept with. */
async function setUpAsked(store: Store, endsAtMs: number | null = null): Promise<number> {
  await setUp(store, ["dst_a"]);
  assert.equal((await store.saveWebhook(webhookToSave({ destination: { ...ASKED, endsAtMs } }))).kind, "saved");
  assert.equal(await putToken(store), "put");
  return await loadVersion(store);
}

const acceptMessages = (store: Store, numbers: readonly number[]) => acceptNumbers(store, destinationId, numbers);

async function ask(store: Store, nowMs: number, parts: Partial<HandOutDue> = {}) {
  const claim = newClaim(nowMs);
  const limits = { deliveriesMax: 100, bodyCharsMax: 10 ** 6 };
  const handed = await store.handOut({ accountId, destinationId, tokenHash: TOKEN, nowMs, claim, ...limits, ...parts });
  return { claim, ...handed, ids: handed.messages.map(({ deliveryId }) => deliveryId) };
}

/** As the service acknowledges or gives back. */
async function end(
  store: Store,
  claim: HandOut,
  { nowMs, isGivenBack = false }: { nowMs: number; isGivenBack?: boolean },
) {
  const held = await store.listHandedOut({ accountId, destinationId, claim });
  const outcome = isGivenBack
    ? ({ kind: "not_acknowledged", message: "Given back." } as const)
    : ({ kind: "pulled" } as const);
  const settling = { accountId, claimToken: claim.token, handedOutAtMs: T0, nowMs, outcome };
  return await store.settleAttemptsIfClaimed({ nowMs, settlements: held.map((each) => settleMessage(each, settling)) });
}

const load = (store: Store, deliveryId: string) => store.loadDelivery({ accountId, deliveryId });

export function describePulling(open: OpenStore): void {
  describe("destinations that are asked", () => {
    describeApartness(open);
    describeHandingOut(open);
    describeTokens(open);
    describeEnds(open);
  });
}

function describeApartness(open: OpenStore): void {
  const test = inStore(open);

  test("no claim of a node brings what waits there, and nothing is due for nodes", async (store) => {
    const configVersion = await setUpAsked(store);
    await acceptMessages(store, [1]);
    assert.deepEqual(await claimIds(store, T0 + secondsMs(1)), []);
    assert.deepEqual(await store.findNextDue({ nowMs: T0 }), { dueAtMs: null });
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 5 }), { waiting: 1, oldestDueAtMs: null });
    await acceptEach(store, [due("dlv_2", "dst_a")], configVersion);
    assert.deepEqual(await claimIds(store, T0 + secondsMs(1)), ["dlv_2"]);
  });

  test("a clock that was set back does not bring it to nodes", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1]);
    await claimDue(store, T0 + daysMs(3));
    assert.deepEqual(await claimIds(store, T0 + daysMs(2)), []);
    assert.deepEqual((await ask(store, T0 + 5)).ids, ["dlv_1"]);
  });

  test("a webhook that gets a URL is called with what waits, and asked no more", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1]);
    await store.saveWebhook(webhookToSave({ destination: WEBHOOK_DESTINATION, expectedRevision: 1 }));
    assert.equal((await ask(store, T0 + 5)).isAsked, false);
    assert.equal(await store.findPulled({ tokenHash: TOKEN, nowMs: T0 }), null);
    assert.deepEqual(await claimIds(store, T0 + 5), ["dlv_1"]);
  });

  test("a webhook that is asked from now on hands out what waited for its URL", async (store) => {
    await setUp(store, []);
    await store.saveWebhook(webhookToSave());
    await acceptMessages(store, [1]);
    await store.saveWebhook(webhookToSave({ destination: ASKED, expectedRevision: 1 }));
    await putToken(store);
    assert.deepEqual(await claimIds(store, T0 + 5), []);
    assert.deepEqual((await ask(store, T0 + 5)).ids, ["dlv_1"]);
  });
}

function describeHandingOut(open: OpenStore): void {
  const test = inStore(open);

  test("what is due is handed out oldest first, within the limits, and each message once", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2, 3, 4]);
    const first = await ask(store, T0 + 5, { deliveriesMax: 2 });
    assert.deepEqual(first.messages, [
      {
        deliveryId: "dlv_1",
        eventId: "evt_1",
        eventType: "demo_viewed",
        body: BODY,
        attemptsMade: 0,
        attemptsInSchedule: 0,
        pendingSinceMs: T0,
      },
      {
        deliveryId: "dlv_2",
        eventId: "evt_2",
        eventType: "demo_viewed",
        body: BODY,
        attemptsMade: 0,
        attemptsInSchedule: 0,
        pendingSinceMs: T0 + 1,
      },
    ]);
    assert.deepEqual((await ask(store, T0 + 6, { bodyCharsMax: 1 })).ids, ["dlv_3"], "one is always taken");
    assert.deepEqual((await ask(store, T0 + 7)).ids, ["dlv_4"]);
    assert.deepEqual((await ask(store, T0 + 8)).ids, []);
  });

  test("an acknowledgement settles what the claim held, and nothing else", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const first = await ask(store, T0 + 5, { deliveriesMax: 1 });
    const second = await ask(store, T0 + 6);
    assert.deepEqual(await end(store, first.claim, { nowMs: T0 + 10 }), [SETTLED]);
    assert.deepEqual(await end(store, first.claim, { nowMs: T0 + 11 }), [], "it holds nothing more");
    const delivered = await load(store, "dlv_1");
    assert.equal(delivered?.state, "delivered");
    assert.deepEqual(
      delivered?.attempts.map(({ number, result, url }) => [number, result.outcome, url]),
      [[1, { kind: "pulled" }, PULL_URL]],
    );
    assert.equal((await load(store, "dlv_2"))?.state, "pending");
    assert.deepEqual(await end(store, second.claim, { nowMs: T0 + 12 }), [SETTLED]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 + 12 }), { waiting: 0, oldestDueAtMs: null });
  });

  test("a claim of another token, of another time or of another destination holds nothing", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1]);
    const { claim } = await ask(store, T0 + 5);
    const list = (other: Partial<HandOut>, destination = destinationId) =>
      store.listHandedOut({ accountId, destinationId: destination, claim: { ...claim, ...other } });
    assert.deepEqual(await list({ token: newClaim(T0 + 5).token }), []);
    assert.deepEqual(await list({ untilMs: claim.untilMs + 1 }), []);
    assert.deepEqual(await list({}, "dst_a"), []);
    assert.equal((await list({})).length, 1);
  });

  test("what a claim that ran out held comes again, with an attempt that says so", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const first = await ask(store, T0 + 5, { deliveriesMax: 1 });
    assert.deepEqual((await ask(store, T0 + 4 + HOLD_MS)).ids, ["dlv_2"], "it is still held");
    const again = await ask(store, first.claim.untilMs);
    assert.deepEqual(again.ids, ["dlv_1"]);
    assert.deepEqual(again.notAcknowledged, ["dlv_1"]);
    assert.equal(again.messages[0]?.attemptsMade, 1);
    assert.deepEqual(await end(store, first.claim, { nowMs: first.claim.untilMs + 1 }), []);
    assert.deepEqual(await end(store, again.claim, { nowMs: first.claim.untilMs + 2 }), [SETTLED]);
    const stored = await load(store, "dlv_1");
    assert.deepEqual(
      stored?.attempts.map(({ number, startedAtMs, result: { outcome, timings } }) => ({
        number,
        startedAtMs,
        kind: outcome.kind,
        totalMs: timings.totalMs,
      })),
      [
        { number: 1, startedAtMs: T0 + 5, kind: "not_acknowledged", totalMs: HOLD_MS },
        { number: 2, startedAtMs: T0, kind: "pulled", totalMs: HOLD_MS + 7 },
      ],
    );
  });

  test("what is given back comes at once, and first", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const { claim } = await ask(store, T0 + 5, { deliveriesMax: 1 });
    await end(store, claim, { nowMs: T0 + 6, isGivenBack: true });
    assert.deepEqual((await ask(store, T0 + 7)).ids, ["dlv_1", "dlv_2"]);
  });

  test("it fails when it was handed out ten times, and the destination's health stays", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1]);
    let nowMs = T0 + 5;
    for (let times = 1; times <= HANDED_OUT_MAX; times += 1) {
      assert.deepEqual((await ask(store, nowMs)).ids, ["dlv_1"], `time ${times}`);
      nowMs += HOLD_MS;
    }
    const last = await ask(store, nowMs);
    assert.deepEqual([last.ids, last.failed], [[], ["dlv_1"]]);
    const stored = await load(store, "dlv_1");
    assert.deepEqual([stored?.state, stored?.attempts.length], ["failed", HANDED_OUT_MAX]);
    const [destination] = await store.loadDestinations({
      accountId,
      destinationId,
      withDeleted: false,
      nowMs,
      waitingMax: 9,
    });
    assert.deepEqual([destination?.state, destination?.failingSinceMs, destination?.isHeld], ["on", null, false]);
    const resend = { accountId, deliveryId: "dlv_1", by: ADA, nowMs };
    assert.equal(await requestOneResend(store, resend), "queued");
    const anew = await ask(store, nowMs + 1);
    assert.deepEqual([anew.ids, anew.messages[0]?.attemptsInSchedule], [["dlv_1"], 0]);
  });

  test("two programs that ask at once share what is due", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2, 3, 4, 5, 6]);
    const answers = await Promise.all([1, 2, 3].map(() => ask(store, T0 + 9, { deliveriesMax: 2 })));
    // One that lost a row to another at the very moment gets it with its next question.
    const rest = await ask(store, T0 + 10);
    const ids = [...answers, rest].flatMap((answer) => answer.ids);
    assert.deepEqual(ids.toSorted(), ["dlv_1", "dlv_2", "dlv_3", "dlv_4", "dlv_5", "dlv_6"]);
  });

  test("an event that was committed late is not passed over", async (store) => {
    const configVersion = await setUpAsked(store);
    await acceptMessages(store, [2]);
    await end(store, (await ask(store, T0 + 50)).claim, { nowMs: T0 + 51 });
    const late = makeEvent(1, { configVersion, deliveries: [due("dlv_1", destinationId)] });
    assert.deepEqual(await accept(store, [late], T0 + 1), [ACCEPTED]);
    assert.deepEqual((await ask(store, T0 + 60)).ids, ["dlv_1"]);
  });

  test("a paused one hands out nothing, and keeps what a program holds", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const { claim } = await ask(store, T0 + 5, { deliveriesMax: 1 });
    const change = { accountId, destinationId, by: ADA, reason: "", nowMs: T0 + 6 };
    await store.setDestinationState({ ...change, state: "paused" });
    const paused = await ask(store, T0 + 7);
    assert.deepEqual([paused.isAsked, paused.ids], [true, []]);
    assert.deepEqual(await end(store, claim, { nowMs: T0 + 8 }), [SETTLED]);
    await store.setDestinationState({ ...change, state: "on" });
    assert.deepEqual(await claimIds(store, T0 + 9), []);
    assert.deepEqual((await ask(store, T0 + 9)).ids, ["dlv_2"]);
  });

  test("which destinations have something due is asked for many at once", async (store) => {
    await setUpAsked(store);
    const pulled = [
      { accountId, destinationId: "dst_a" },
      { accountId, destinationId },
    ];
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: T0 + 5 }), []);
    await acceptMessages(store, [1]);
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: T0 + 5 }), [destinationId]);
    const { claim } = await ask(store, T0 + 5);
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: T0 + 6 }), []);
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: claim.untilMs }), [destinationId]);
    const change = { accountId, destinationId, by: ADA, reason: "", nowMs: T0 + 6 };
    await store.setDestinationState({ ...change, state: "paused" });
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: claim.untilMs }), [], "nothing would be handed out");
    await store.setDestinationState({ ...change, state: "on" });
    assert.deepEqual(await store.listPulledDue({ pulled, nowMs: claim.untilMs }), [destinationId]);
  });
}

function describeTokens(open: OpenStore): void {
  const test = inStore(open);
  const find = (store: Store, tokenHash: string, nowMs = T0) => store.findPulled({ tokenHash, nowMs });

  test("a token finds its destination until another replaces it", async (store) => {
    await setUp(store, []);
    await store.saveWebhook(webhookToSave({ destination: ASKED }));
    assert.equal(await store.hasPulled({ nowMs: T0 }), false, "nobody can ask yet");
    assert.equal(await putToken(store, "one"), "put");
    assert.equal(await store.hasPulled({ nowMs: T0 }), true);
    assert.deepEqual(await find(store, "one"), { accountId, destinationId });
    assert.equal(await putToken(store, "other"), "put");
    assert.deepEqual([await find(store, "one"), await find(store, "other")], [null, { accountId, destinationId }]);
  });

  test("a question that waited while another token came is handed nothing", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1]);
    await putToken(store, "other");
    const { isAsked, ids } = await ask(store, T0 + 5);
    assert.deepEqual([isAsked, ids], [false, []]);
    assert.deepEqual((await ask(store, T0 + 5, { tokenHash: "other" })).ids, ["dlv_1"]);
  });

  test("only a destination of the account that is asked has one", async (store) => {
    await setUpAsked(store);
    const token = { tokenHash: "t", by: ADA, nowMs: T0 };
    assert.equal(await store.putPullToken({ ...token, accountId, destinationId: "dst_a" }), "missing");
    assert.equal(await find(store, "t"), null);
  });

  test("it goes with its webhook, and with its time", async (store) => {
    await setUpAsked(store, T0 + 10);
    await putToken(store, "t");
    const ended = { accountId, webhookId: WEBHOOK.id, revision: 1 };
    assert.deepEqual(await store.listEndedPulls({ nowMs: T0 + 9, limit: 9 }), []);
    assert.deepEqual(await store.listEndedPulls({ nowMs: T0 + 10, limit: 9 }), [ended]);
    assert.equal(await find(store, "t", T0 + 10), null);
    assert.notEqual(await find(store, "t", T0 + 9), null);
    await store.deleteWebhook({ accountId, id: WEBHOOK.id, expectedRevision: 1, by: ADA, nowMs: T0 + 5 });
    assert.equal(await find(store, "t", T0 + 6), null);
    assert.equal(await store.hasPulled({ nowMs: T0 + 6 }), false);
    assert.deepEqual(await store.listEndedPulls({ nowMs: T0 + 10, limit: 9 }), []);
  });
}

function describeEnds(open: OpenStore): void {
  const test = inStore(open);

  test("an acknowledged one goes with its attempts when it is old, and what waits or is held stays", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2, 3]);
    const first = await ask(store, T0 + 5, { deliveriesMax: 1 });
    await end(store, first.claim, { nowMs: T0 + 6, isGivenBack: true });
    const again = await ask(store, T0 + 7, { deliveriesMax: 1 });
    assert.deepEqual([again.ids, await end(store, again.claim, { nowMs: T0 + 8 })], [["dlv_1"], [SETTLED]]);
    const { claim } = await ask(store, T0 + 9, { deliveriesMax: 1 });
    const event = { accountId, type: "demo_viewed", sourceId: uuid(1) };
    assert.notEqual(await store.loadEvent(event), null);
    await purgeNow(store, T0 + 10, T0);
    assert.equal((await load(store, "dlv_1"))?.attempts.length, 2);
    await purgeNow(store, T0 + 10, T0 + 10);
    assert.deepEqual([await load(store, "dlv_1"), await store.loadEvent(event)], [null, null]);
    assert.deepEqual(await end(store, claim, { nowMs: T0 + 11 }), [SETTLED]);
    assert.deepEqual((await ask(store, T0 + 12)).ids, ["dlv_3"]);
  });

  test("what nobody asked for in two weeks is cancelled, and what is held is not", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const nowMs = T0 + daysMs(14) + secondsMs(1);
    const { claim } = await ask(store, nowMs, { deliveriesMax: 1 });
    const expire = { nowMs, dueBeforeMs: nowMs - daysMs(14), rowsMax: 10 };
    assert.deepEqual(await store.expireWaiting(expire), { expired: 1 });
    assert.deepEqual(await store.expireWaiting(expire), { expired: 0 });
    assert.equal((await load(store, "dlv_2"))?.state, "cancelled");
    assert.deepEqual(await end(store, claim, { nowMs }), [SETTLED]);
  });

  test("what waits for a deleted one is cancelled, also when its claim ran out", async (store) => {
    await setUpAsked(store);
    await acceptMessages(store, [1, 2]);
    const { claim } = await ask(store, T0 + 5, { deliveriesMax: 1 });
    await store.deleteWebhook({ accountId, id: WEBHOOK.id, expectedRevision: 1, by: ADA, nowMs: T0 + 6 });
    assert.equal((await ask(store, T0 + 7)).isAsked, false);
    const expire = { dueBeforeMs: T0 - daysMs(14), rowsMax: 10 };
    assert.deepEqual(await store.expireWaiting({ ...expire, nowMs: T0 + 8 }), { expired: 1 });
    assert.deepEqual(await store.expireWaiting({ ...expire, nowMs: claim.untilMs }), { expired: 1 });
  });
}
