/**
 * Promises about deliveries that a node has in hand: the log, one delivery, its event, the counts and the figures say
 * the same of them as of all others, whatever a store has written so far. Random walks against a model.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minutesMs } from "../../lib/duration.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import type { Store } from "../contract/store.ts";
import { ExpectedDeliveries, type ExpectedDelivery } from "./expected-deliveries.ts";
import {
  ACCOUNT,
  ADA,
  CLAIM_LOST,
  claimAt,
  due,
  held,
  inStore,
  LEASE_MS,
  makeAttempt,
  makeEvent,
  makeSettlement,
  type OpenStore,
  setUp,
  T0,
  uuid,
  requestOneResend,
} from "./world.ts";

const accountId = ACCOUNT.id;
const DESTINATIONS = ["dst_a", "dst_b"];
const STEPS = 60;

/** A walk's dice, its time, and what it works on. */
interface Walk {
  readonly store: Store;
  readonly model: ExpectedDeliveries;
  readonly configVersion: number;
  /** A whole number below `end`. */
  readonly below: (end: number) => number;
  nowMs: number;
  tokens: number;
  events: number;
}

type Step = (walk: Walk) => Promise<void>;

/** `restart`: ends the store's process without warning and starts it again; left out where others share the store. */
export function describeInHand(open: OpenStore, seeds: number, restart: Step | null = null): void {
  describe("deliveries in hand", () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      test(
        `are seen as what they are, walk ${seed}`,
        inStore(open, async (store) => walk(store, seed, restart)),
      );
    }
  });
}

async function walk(store: Store, seed: number, restart: Step | null): Promise<void> {
  const random = createSeededRandom(seed);
  const below = (end: number): number => Math.floor(random.unit() * end);
  const configVersion = await setUp(store, DESTINATIONS);
  const walking: Walk = {
    store,
    model: new ExpectedDeliveries(),
    configVersion,
    below,
    nowMs: T0,
    tokens: 0,
    events: 0,
  };
  const steps = [
    acceptOne,
    acceptOne,
    settleOne,
    settleOne,
    settleOne,
    releaseOne,
    claimAll,
    resendOne,
    ...(restart === null ? [] : [restart]),
  ];
  for (let step = 0; step < STEPS; step += 1) {
    walking.nowMs += below(LEASE_MS / 8);
    await steps[below(steps.length)]?.(walking);
    if (step % 4 === 0) await compare(walking);
  }
  await compare(walking);
}

/** One event; a claim that is new, as each request's is. */
async function acceptOne(walking: Walk): Promise<void> {
  const { store, model, configVersion, below, nowMs } = walking;
  const n = (walking.events += 1);
  const token = `accept ${(walking.tokens += 1)}`;
  const claim = claimAt(nowMs, token);
  const deliveries = DESTINATIONS.slice(0, 1 + below(2)).map((destinationId, place) =>
    (below(4) === 0 ? due : held)(`dlv_${n}_${place}`, destinationId),
  );
  const event = makeEvent(n, { configVersion, deliveries });
  const [answer] = await store.acceptEvents({ nowMs, claim, events: [event] });
  assert.deepEqual(answer, { kind: "accepted", unclaimed: [] });
  for (const { id, destinationId, claimed } of deliveries) {
    const until = claimed ? { claim, dueAtMs: claim.untilMs } : { claim: null, dueAtMs: nowMs };
    model.accept({ id, eventId: event.id, sourceId: event.sourceId, destinationId, createdAtMs: nowMs, ...until });
  }
}

/** Settles any delivery, mostly under its own claim, with any end. */
async function settleOne(walking: Walk): Promise<void> {
  const { store, model, below, nowMs } = walking;
  const delivery = pickHeld(walking);
  if (delivery === null) return;
  const claimToken = below(8) === 0 ? "another" : (delivery.claim?.token ?? "");
  const attempt = makeAttempt(delivery.attempts + 1, { startedAtMs: nowMs });
  const ended = { state: below(4) === 0 ? "failed" : "delivered" } as const;
  const next = below(3) === 0 ? ({ state: "pending", dueAtMs: nowMs + below(LEASE_MS) } as const) : ended;
  const settlement = makeSettlement(delivery.id, { claimToken, attempt, next });
  const [result] = await store.settleAttemptsIfClaimed({ nowMs, settlements: [settlement] });
  assert.equal(result?.kind, model.settle(delivery.id, claimToken, next) ? "settled" : CLAIM_LOST.kind);
}

async function releaseOne(walking: Walk): Promise<void> {
  const { store, model, nowMs } = walking;
  const delivery = pickHeld(walking);
  if (delivery === null) return;
  const { id: deliveryId, claim } = delivery;
  const claimToken = claim?.token ?? "";
  const { released } = await store.releaseClaims({
    claims: [{ deliveryId, accountId: ACCOUNT.id, claimToken }],
    dueAtMs: nowMs,
  });
  assert.equal(released, model.release(deliveryId, claimToken, nowMs) ? 1 : 0);
}

/** Everything that is due. */
async function claimAll(walking: Walk): Promise<void> {
  const { store, model, nowMs } = walking;
  const given = claimAt(nowMs, `claim ${(walking.tokens += 1)}`);
  const all = { deliveriesMax: 1_000, perDestinationMax: 1_000, freeSlots: {}, bodyCharsMax: 10 ** 9 };
  const claimed = await store.claimDueDeliveries({ nowMs, claim: given, ...all });
  assert.deepEqual(claimed.map(({ id }) => id).toSorted(), model.listDue(nowMs));
  model.claim(claimed, given);
}

async function resendOne({ store, model, below, nowMs }: Walk): Promise<void> {
  const ids = [...model.deliveries.keys()];
  const deliveryId = ids[below(ids.length)];
  if (deliveryId === undefined) return;
  const result = await requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs });
  assert.equal(result, model.resend(deliveryId, nowMs));
}

function pickHeld({ model, below }: Walk): ExpectedDelivery | null {
  const waiting = [...model.deliveries.values()].filter(({ claim }) => claim !== null);
  return waiting[below(waiting.length)] ?? null;
}

async function compare(walking: Walk): Promise<void> {
  const { store, model, nowMs } = walking;
  const expected = [...model.deliveries.values()];
  await compareLog(store, expected);
  await compareEvents(store, expected);
  const pending = expected.filter(({ state }) => state === "pending");
  assert.equal((await store.countWaiting({ nowMs })).waiting, pending.length, "waiting");
  const reports = await store.loadDestinations({ accountId, withDeleted: false, waitingMax: 999, nowMs });
  for (const { id, waiting } of reports) {
    assert.equal(waiting.count, pending.filter(({ destinationId }) => destinationId === id).length, `waiting at ${id}`);
  }
  const counts = await store.countAttempts({ accountId, fromMs: 0, toMs: nowMs + 1, bucketMs: minutesMs(1) });
  const sums = { attempt: 0, delivery: 0 };
  for (const { kind, count } of counts) sums[kind] += count;
  // One that has just started may arrive in the next minute.
  assert.equal(sums.attempt, model.counted.attempt, "attempts are counted once");
}

const toLine = ({ id, state, attempts, dueAtMs }: ExpectedDelivery): string =>
  `${id} ${state} ${attempts} ${state === "pending" ? dueAtMs : null}`;

/** Every page, and a page of each filter that those in hand may be in or not. */
async function compareLog(store: Store, expected: readonly ExpectedDelivery[]): Promise<void> {
  const newestFirst = expected.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
  const list = async (filter: object): Promise<string[]> => {
    const lines: string[] = [];
    let before = null;
    do {
      const page = await store.listDeliveries({ accountId, withTests: true, limit: 7, ...filter, before });
      for (const row of page.deliveries) lines.push(toLine({ ...row, attempts: row.attemptsMade } as never));
      before = page.next;
    } while (before !== null);
    return lines;
  };
  const lines = (isIn: (delivery: ExpectedDelivery) => boolean): string[] => newestFirst.filter(isIn).map(toLine);
  assert.deepEqual(
    await list({}),
    lines(() => true),
  );
  assert.deepEqual(
    await list({ statuses: ["waiting", "retrying"] }),
    lines(({ state }) => state === "pending"),
  );
  assert.deepEqual(
    await list({ destinationId: "dst_b", statuses: ["delivered"] }),
    lines(({ destinationId, state }) => destinationId === "dst_b" && state === "delivered"),
  );
  assert.deepEqual(
    await list({ response: "none" }),
    lines(() => false),
  );
  const [some] = newestFirst;
  if (some === undefined) return;
  for (const idText of [some.id, some.eventId, some.sourceId]) {
    assert.ok((await list({ idText })).includes(toLine(some)), `found by ${idText}`);
  }
  const row = await store.loadDelivery({ accountId, deliveryId: some.id });
  assert.deepEqual([row?.state, row?.attempts.length], [some.state, some.attempts]);
  assert.equal(await store.loadDelivery({ accountId: "acc_2", deliveryId: some.id }), null);
}

async function compareEvents(store: Store, expected: readonly ExpectedDelivery[]): Promise<void> {
  const events = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 5 });
  for (const { id, deliveries } of events) {
    const own = expected.filter(({ eventId }) => eventId === id);
    const count = (wanted: string) => own.filter(({ state }) => state === wanted).length;
    assert.deepEqual(deliveries, { total: own.length, delivered: count("delivered"), failed: count("failed") });
    const [first] = own;
    if (first === undefined) continue;
    const event = await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(Number(id.slice(4))) });
    assert.deepEqual(event?.deliveryIds, own.map((delivery) => delivery.id).toSorted());
  }
}
