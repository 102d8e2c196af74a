/**
 * Promises about deliveries that a node has in memory: the log, one delivery, its event, the counts and the figures say
 * the same of them as of all others, whatever a store has written so far. Random walks against a model, of one account
 * and of several, whose calls are about all of them at once: on a database of several servers these lie apart.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { minutesMs } from "../../lib/duration.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import type { NewEvent } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { ExpectedDeliveries, type ExpectedDelivery } from "./expected-deliveries.ts";
import {
  ACCEPTED,
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
  okOutcome,
  OUR_FAULT,
  type OpenStore,
  setUp,
  T0,
  uuid,
  requestOneResend,
} from "./world.ts";

/** In groups of their own where there are four: see `several-accounts.ts`. */
const ACCOUNTS = ["acc_1", "acc_2", "acc_3", "acc_a"];
const STEPS = 60;
/** Events, settlements or claims in one call. */
const TOGETHER_MAX = 3;

interface WalkAccount {
  readonly id: string;
  readonly configVersion: number;
  readonly destinations: readonly string[];
}

/** A walk's dice, its time, and what it works on. */
interface Walk {
  readonly store: Store;
  readonly model: ExpectedDeliveries;
  readonly accounts: readonly WalkAccount[];
  /** A whole number below `end`. */
  readonly below: (end: number) => number;
  nowMs: number;
  tokens: number;
  events: number;
}

type Step = (walk: Walk) => Promise<void>;

/** `restart`: ends the store's process without warning and starts it again; left out where others share the store. */
export function describeInMemory(open: OpenStore, seeds: number, restart: Step | null = null): void {
  const test = inStore(open);
  describe("deliveries in memory", () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const accounts = seed % 2 === 0 ? ACCOUNTS : ACCOUNTS.slice(0, 1);
      const name = `are seen as what they are, walk ${seed} with ${accounts.length} accounts`;
      test(name, (store) => walk(store, { seed, accounts, restart }));
    }
  });
}

interface Planned {
  readonly seed: number;
  readonly accounts: readonly string[];
  readonly restart: Step | null;
}

async function walk(store: Store, { seed, accounts: ids, restart }: Planned): Promise<void> {
  const random = createSeededRandom(seed);
  const below = (end: number): number => Math.floor(random.unit() * end);
  const accounts: WalkAccount[] = [];
  for (const id of ids) {
    const destinations = [`dst_a_${id}`, `dst_b_${id}`];
    accounts.push({ id, destinations, configVersion: await setUp(store, destinations, { ...ACCOUNT, id }) });
  }
  const walking: Walk = { store, model: new ExpectedDeliveries(), accounts, below, nowMs: T0, tokens: 0, events: 0 };
  const steps = [
    acceptSome,
    acceptSome,
    settleSome,
    settleSome,
    settleSome,
    releaseSome,
    claimAll,
    resendOne,
    ...(restart === null ? [] : [restart]),
  ];
  for (let step = 0; step < STEPS; step += 1) {
    walking.nowMs += below(LEASE_MS / 8);
    await steps[below(steps.length)]?.(walking);
    if (step % 4 === 0) await compare(walking, accounts.slice(below(accounts.length)).slice(0, 1));
  }
  await compare(walking, accounts);
}

/** A few events of any accounts; a claim that is new, as each request's is. */
async function acceptSome(walking: Walk): Promise<void> {
  const { store, model, below, nowMs } = walking;
  const claim = claimAt(nowMs, `accept ${(walking.tokens += 1)}`);
  const events = Array.from({ length: countTogether(walking) }, () => drawEvent(walking));
  const answers = await store.acceptEvents({ nowMs, claim, events });
  assert.deepEqual(
    answers,
    events.map(() => ACCEPTED),
  );
  for (const { id: eventId, sourceId, accountId, deliveries } of events) {
    for (const { id, destinationId, claimed } of deliveries) {
      const until = claimed ? { claim, dueAtMs: claim.untilMs } : { claim: null, dueAtMs: nowMs };
      model.accept({ id, accountId, eventId, sourceId, destinationId, createdAtMs: nowMs, ...until });
    }
  }

  function drawEvent({ accounts }: Walk): NewEvent {
    const n = (walking.events += 1);
    const account = accounts[below(accounts.length)] ?? assert.fail("a walk without accounts");
    const { id: accountId, configVersion, destinations } = account;
    const deliveries = destinations
      .slice(0, 1 + below(2))
      .map((destinationId, place) => (below(4) === 0 ? due : held)(`dlv_${n}_${place}`, destinationId));
    return makeEvent(n, { accountId, configVersion, deliveries });
  }
}

/** With one account calls are small, so that a walk has more of them. */
const countTogether = ({ accounts, below }: Walk): number => (accounts.length === 1 ? 1 : 1 + below(TOGETHER_MAX));

/** Settles any deliveries, mostly under their own claims, with any end. */
async function settleSome(walking: Walk): Promise<void> {
  const { store, model, below, nowMs } = walking;
  const settlements = pickHeld(walking).map(({ id, accountId, claim, attempts }) => {
    const claimToken = below(8) === 0 ? "another" : (claim?.token ?? "");
    const ended = { state: below(4) === 0 ? "failed" : "delivered" } as const;
    const next = below(3) === 0 ? ({ state: "pending", dueAtMs: nowMs + below(LEASE_MS) } as const) : ended;
    const outcome = next.state === "delivered" ? okOutcome : OUR_FAULT;
    const attempt = makeAttempt(attempts + 1, { startedAtMs: nowMs, outcome });
    return makeSettlement(id, { accountId, claimToken, attempt, next });
  });
  const results = await store.settleAttemptsIfClaimed({ nowMs, settlements });
  assert.deepEqual(
    results.map(({ kind }) => kind),
    settlements.map(({ deliveryId, claimToken, next }) =>
      model.settle(deliveryId, claimToken, next) ? "settled" : CLAIM_LOST.kind,
    ),
  );
}

async function releaseSome(walking: Walk): Promise<void> {
  const { store, model, nowMs } = walking;
  const claims = pickHeld(walking).map(({ id, accountId, claim }) => ({
    deliveryId: id,
    accountId,
    claimToken: claim?.token ?? "",
  }));
  const { released } = await store.releaseClaims({ claims, dueAtMs: nowMs });
  assert.equal(
    released,
    claims.filter(({ deliveryId, claimToken }) => model.release(deliveryId, claimToken, nowMs)).length,
  );
}

/** Everything that is due. */
async function claimAll(walking: Walk): Promise<void> {
  const { store, model, nowMs } = walking;
  const given = claimAt(nowMs, `claim ${(walking.tokens += 1)}`);
  const all = {
    deliveriesMax: 1_000,
    perDestinationMax: 1_000,
    perAccountMax: 1_000,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 10 ** 9,
  };
  const claimed = await store.claimDueDeliveries({ nowMs, claim: given, ...all });
  assert.deepEqual(claimed.map(({ id }) => id).toSorted(), model.listDue(nowMs));
  model.claim(claimed, given);
}

async function resendOne({ store, model, below, nowMs }: Walk): Promise<void> {
  const ids = [...model.deliveries.keys()];
  const deliveryId = ids[below(ids.length)];
  if (deliveryId === undefined) return;
  const { accountId = "" } = model.deliveries.get(deliveryId) ?? {};
  const result = await requestOneResend(store, { accountId, deliveryId, by: ADA, nowMs });
  assert.equal(result, model.resend(deliveryId, nowMs));
}

/** Some that a node holds, each once. */
function pickHeld(walking: Walk): readonly ExpectedDelivery[] {
  const waiting = [...walking.model.deliveries.values()].filter(({ claim }) => claim !== null);
  const places = Array.from({ length: countTogether(walking) }, () => walking.below(waiting.length));
  return [...new Set(places)].flatMap((place) => waiting.slice(place, place + 1));
}

/** What is about all, and these accounts. */
async function compare({ store, model, nowMs }: Walk, accounts: readonly WalkAccount[]): Promise<void> {
  const all = [...model.deliveries.values()];
  assert.equal((await store.countWaiting({ nowMs })).waiting, all.filter(isPending).length, "waiting");
  for (const { id } of accounts) {
    const seen = { store, accountId: id, expected: all.filter(({ accountId }) => accountId === id) };
    await compareLog(seen);
    await compareEvents(seen);
    await compareDestinations(seen, nowMs);
    const counts = await store.countAttempts({ accountId: id, fromMs: 0, toMs: nowMs + 1, bucketMs: minutesMs(1) });
    const attempts = counts.reduce((sum, { kind, count }) => sum + (kind === "attempt" ? count : 0), 0);
    const expected = seen.expected.reduce((sum, delivery) => sum + delivery.attempts, 0);
    assert.equal(attempts, expected, `attempts of ${id}, each counted once`);
  }
}

/** An account as the store shows it, and as the model has it. */
interface Seen {
  readonly store: Store;
  readonly accountId: string;
  readonly expected: readonly ExpectedDelivery[];
}

const isPending = ({ state }: ExpectedDelivery): boolean => state === "pending";

async function compareDestinations({ store, accountId, expected }: Seen, nowMs: number): Promise<void> {
  const reports = await store.loadDestinations({ accountId, withDeleted: false, waitingMax: 999, nowMs });
  for (const { id, waiting } of reports) {
    const own = expected.filter(({ destinationId }) => destinationId === id);
    assert.equal(waiting.count, own.filter(isPending).length, `waiting at ${id}`);
  }
  const { destinations, waiting } = await store.countWaitingOfAccount({ accountId, waitingMax: 999 });
  assert.deepEqual([destinations, waiting.count], [reports.length, expected.filter(isPending).length]);
}

type Shown = Pick<ExpectedDelivery, "id" | "state" | "attempts"> & { readonly dueAtMs: number | null };

const toLine = ({ id, state, attempts, dueAtMs }: Shown): string =>
  `${id} ${state} ${attempts} ${state === "pending" ? dueAtMs : null}`;

/** What a node holds is due at the end of its claim, or since its accept while it is in memory. */
function linesOf(expected: readonly ExpectedDelivery[]): (row: Shown) => string {
  const claimed = new Map(expected.filter(({ claim }) => claim !== null).map((delivery) => [delivery.id, delivery]));
  return (row) => {
    const { createdAtMs, dueAtMs = null } = claimed.get(row.id) ?? {};
    return toLine(row.dueAtMs === createdAtMs ? { ...row, dueAtMs } : row);
  };
}

/** Every page, and a page of each filter that those in memory may be in or not. */
async function compareLog({ store, accountId, expected }: Seen): Promise<void> {
  const toLineOfRow = linesOf(expected);
  const newestFirst = expected.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
  const list = async (filter: object): Promise<string[]> => {
    const lines: string[] = [];
    let before = null;
    do {
      const page = await store.listDeliveries({ accountId, withTests: true, limit: 7, ...filter, before });
      for (const row of page.deliveries) lines.push(toLineOfRow({ ...row, attempts: row.attemptsMade }));
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
    await list({ destinationId: `dst_b_${accountId}`, statuses: ["delivered"] }),
    lines(({ destinationId, state }) => destinationId === `dst_b_${accountId}` && state === "delivered"),
  );
  assert.deepEqual(
    await list({ response: "none" }),
    lines(({ isUnanswered }) => isUnanswered),
  );
  const [some] = newestFirst;
  if (some === undefined) return;
  for (const idText of [some.id, some.eventId, some.sourceId]) {
    assert.ok((await list({ idText })).includes(toLine(some)), `found by ${idText}`);
  }
  const row = await store.loadDelivery({ accountId, deliveryId: some.id });
  assert.deepEqual([row?.state, row?.attempts.length], [some.state, some.attempts]);
  const other = ACCOUNTS.find((id) => id !== accountId) ?? "";
  assert.equal(await store.loadDelivery({ accountId: other, deliveryId: some.id }), null);
}

async function compareEvents({ store, accountId, expected }: Seen): Promise<void> {
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
