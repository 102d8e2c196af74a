/** The same calls on both stores, chosen by a seed: whatever they answer, they answer alike. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { makeAlert, makeDestinationSetup, makeNewDelivery } from "../../../test/kit/make.ts";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import {
  ACCOUNT,
  ADA,
  makeAttempt,
  claimAt,
  makeEvent,
  okOutcome,
  makeSettlement,
  T0,
  notifyAddresses,
  uuid,
  requestOneResend,
} from "../conformance/world.ts";
import type { ListDeliveries, ListedDeliveries } from "../contract/log.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { ClaimedDelivery } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { openPostgresStore } from "./open.ts";

const accountId = ACCOUNT.id;

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

/** Both stores as one: each verb is called on both, and gives what both answered. */
interface Both extends AsyncDisposable {
  call<Answer>(verb: string, run: (store: Store) => Promise<Answer>): Promise<Answer>;
}

async function openBoth(): Promise<Both> {
  const sqlite = await openSqliteStore({ path: ":memory:", clock: systemClock });
  const { store: postgres } = await openPostgresStore({ url, clock: systemClock });
  await cluster.emptyStore(url);
  return {
    async call(verb, run) {
      const [expected, actual] = await Promise.all([run(sqlite), run(postgres)]);
      assert.deepEqual(actual, expected, verb);
      return actual;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([sqlite[Symbol.asyncDispose](), postgres[Symbol.asyncDispose]()]);
    },
  };
}

const OUTCOMES = [
  okOutcome,
  { kind: "response", response: { status: 404, headers: {}, body: new Uint8Array(), bodyCut: false } },
  { kind: "response", response: { status: 503, headers: {}, body: new Uint8Array(), bodyCut: false } },
  { kind: "timeout", phase: "body" },
  { kind: "dns_error", code: "ENOTFOUND", message: "" },
  { kind: "proxy_error", code: "ECONNREFUSED", message: "" },
] as const;

/** Every page of the log that `filter` lets through. */
async function readLog(both: Both, filter: Partial<ListDeliveries>): Promise<void> {
  let cursor: ListDeliveries["before"] = null;
  for (let page = 0; page < 40; page += 1) {
    const params: ListDeliveries = { accountId, withTests: false, limit: 7, ...filter, before: cursor };
    const listed = await both.call(JSON.stringify(params), async (store) =>
      sinceAccept(await store.listDeliveries(params)),
    );
    if (listed.next === null) return;
    cursor = listed.next;
  }
}

/**
 * What a node holds since its accept may have a row on one store and be in memory on the other: the row is due at the
 * end of the claim, what is in memory since the accept.
 */
const sinceAccept = ({ deliveries, ...page }: ListedDeliveries) => ({
  ...page,
  deliveries: deliveries.map((row) =>
    row.attemptsMade === 0 && row.dueAtMs === claimAt(row.createdAtMs).untilMs
      ? { ...row, dueAtMs: row.createdAtMs }
      : row,
  ),
});

const DESTINATIONS = ["dst_a", "dst_b", "dst_c"];

/** A life as it goes on in both stores. */
interface Life {
  readonly both: Both;
  readonly random: Random;
  readonly revisions: Map<string, number>;
  readonly held: ClaimedDelivery[];
  readonly attempts: Map<string, number>;
  nowMs: number;
  /** The number of the last event. */
  last: number;
}

/** A life of some minutes: two owners, some destinations, receivers that fail, people who decide things. */
async function live(both: Both, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const life: Life = { both, random, revisions: new Map(), held: [], attempts: new Map(), nowMs: T0, last: 0 };
  const { nowMs } = life;
  await both.call("putAccount", (store) => store.putAccount({ account: ACCOUNT, newSealedSecret: "s", nowMs }));
  await both.call("notifyAddresses", (store) => notifyAddresses(store, ["ops@acme.example"], nowMs));
  for (const id of DESTINATIONS) await saveDestination(life, id);
  for (let step = 0; step < 120; step += 1) {
    life.nowMs += 1 + Math.floor(random.unit() * 3_000);
    await pick(random, [accept, accept, claimSome, claimSome, settle, settle, settle, decide])(life);
    await both.call("countWaiting", (store) => store.countWaiting({ nowMs: life.nowMs }));
  }
  await look(both, life);
}

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random.unit() * items.length)] as Item;

async function saveDestination({ both, revisions, nowMs, last }: Life, id: string): Promise<void> {
  const setup = makeDestinationSetup({ id, url: `https://${id}.example/${last}` });
  const common = { accountId, destination: setup, by: ADA, nowMs };
  const expectedRevision = revisions.get(id) ?? null;
  const alert = makeAlert({ id: `alr_${id}`, name: `Alert ${id}` });
  const saved = await both.call("saveAlert", (store) =>
    store.saveAlert({ ...common, alert, expectedRevision, alertsMax: 9 }),
  );
  if (saved.kind === "saved") revisions.set(id, saved.revision);
}

async function accept(life: Life): Promise<void> {
  const { both, random, nowMs } = life;
  const account = await both.call("load", (store) => store.loadAccount({ accountId }));
  const configVersion = account?.configVersion ?? 0;
  const events = Array.from({ length: 1 + Math.floor(random.unit() * 3) }, () => {
    const n = random.unit() < 0.1 ? Math.max(life.last, 1) : (life.last += 1);
    const { last } = life;
    const deliveries = DESTINATIONS.filter(() => random.unit() < 0.6).map((destinationId, place) =>
      makeNewDelivery({ id: `dlv_${last}_${place}`, destinationId, claimed: random.unit() < 0.4 }),
    );
    return makeEvent(n, { id: `evt_${last}`, configVersion, body: `{"n":${n}}`, deliveries });
  });
  const params = { nowMs, claim: claimAt(nowMs, `accept ${nowMs}`), events };
  await both.call("acceptEvents", (store) => store.acceptEvents(params));
}

async function claimSome({ both, held, nowMs }: Life): Promise<void> {
  const limits = {
    deliveriesMax: 5,
    perDestinationMax: 3,
    perAccountMax: 100,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 1_000,
  };
  const claim = claimAt(nowMs, `claim ${nowMs}`);
  held.push(
    ...(await both.call("claimDueDeliveries", (store) => store.claimDueDeliveries({ nowMs, claim, ...limits }))),
  );
}

async function settle({ both, random, held, attempts, nowMs }: Life): Promise<void> {
  const settlements = held.splice(0, 4).map((delivery) => {
    const outcome = pick(random, OUTCOMES);
    const number = (attempts.get(delivery.id) ?? delivery.attemptsMade) + 1;
    attempts.set(delivery.id, number);
    const isOk = outcome === okOutcome;
    const next = isOk ? "delivered" : pick(random, ["pending", "pending", "failed"] as const);
    return makeSettlement(delivery.id, {
      claimToken: delivery.claim.token,
      attempt: makeAttempt(number, { outcome, startedAtMs: nowMs - 3 }),
      next: next === "pending" ? { state: next, dueAtMs: nowMs + 4_000 + number } : { state: next },
      isFree: outcome.kind === "proxy_error",
      isTrial: delivery.isTrial,
      setUpAtMs: null,
      holdUntilMs: random.unit() < 0.05 ? nowMs + 2_000 : null,
      destinationOff: random.unit() < 0.02 ? "gone" : null,
    });
  });
  await both.call("settle", (store) => store.settleAttemptsIfClaimed({ nowMs, settlements }));
}

async function decide(life: Life): Promise<void> {
  const { both, random, nowMs } = life;
  const destinationId = pick(random, DESTINATIONS);
  const deliveryId = `dlv_${1 + Math.floor(random.unit() * life.last)}_0`;
  const common = { accountId, by: ADA, nowMs };
  const state = pick(random, ["on", "on", "paused"] as const);
  await both.call("setDestinationState", (store) =>
    store.setDestinationState({ ...common, destinationId, state, reason: "r" }),
  );
  await both.call("requestResends", (store) => requestOneResend(store, { ...common, deliveryId }));
  if (random.unit() < 0.3) await saveDestination(life, destinationId);
  const replay = { id: `rpl_${nowMs}`, filter: { states: ["failed"] }, deliveriesMax: 50, ratePerSecond: 5 } as const;
  if (random.unit() < 0.2) {
    await both.call("createReplay", (store) => store.createReplay({ ...common, ...replay, startPaused: false }));
  }
  await both.call("stepReplays", (store) => store.stepReplays({ nowMs, deliveriesMax: 10 }));
}

/** Everything that can be asked about it. */
async function look(both: Both, { nowMs, last }: { nowMs: number; last: number }): Promise<void> {
  const middleMs = Math.floor((T0 + nowMs) / 2);
  const filters: Partial<ListDeliveries>[] = [
    {},
    { withTests: true },
    { statuses: ["waiting"] },
    { statuses: ["retrying", "failed"] },
    { statuses: ["cancelled"] },
    { statuses: ["delivered", "waiting"] },
    { type: "demo_viewed" },
    { type: "chat_conversation_completed" },
    { destinationId: "dst_b" },
    { response: "none" },
    { response: { hundreds: 2 } },
    { response: { hundreds: 5 }, statuses: ["failed"] },
    { response: { status: 404 } },
    { createdFromMs: middleMs },
    { createdToMs: middleMs },
    { idText: "dlv_3_0" },
    { idText: "evt_4" },
    { idText: uuid(5) },
    { idText: "nothing" },
  ];
  for (const filter of filters) await readLog(both, filter);
  const report = { accountId, withDeleted: true, nowMs, waitingMax: 5 };
  await both.call("loadDestinations", async (store) => byId(await store.loadDestinations(report)));
  await both.call("listReplays", (store) => store.listReplays({ accountId }));
  const audit = { accountId, before: null, limit: 99 };
  await both.call("listAudit", async (store) => withoutSeq(await store.listAudit(audit)));
  const counts = { accountId, fromMs: T0 - 60_000, toMs: nowMs + 60_000, bucketMs: 60_000 };
  for (const joined of [{}, { joined: "destinations" }, { joined: "answers" }] as const) {
    for (const which of [{}, { destinationIds: ["dst_b", "dst_c"] }]) {
      const params = { ...counts, ...joined, ...which };
      await both.call("countAttempts", async (store) => sorted(await store.countAttempts(params)));
    }
  }
  for (const type of ["demo_viewed", "chat_conversation_completed"] as const) {
    const page = { accountId, type, before: null, limit: 10 };
    await both.call("listEvents", async (store) => withoutSeq(await store.listEvents(page)));
  }
  for (let n = 1; n <= last; n += 1) {
    const params = { accountId, deliveryId: `dlv_${n}_0` };
    await both.call("loadDelivery", (store) => store.loadDelivery(params));
    const event = { accountId, type: "demo_viewed", sourceId: uuid(n) } as const;
    await both.call("loadEvent", async (store) => withoutSeq([await store.loadEvent(event)]));
  }
  for (const destinationId of ["dst_a", "dst_b", "dst_c"]) {
    await both.call("changes", (store) => store.listDestinationChanges({ accountId, destinationId }));
  }
  await both.call("loadRecipients", (store) => store.loadRecipients({ accountId }));
  const claim = { route: "email", nowMs: nowMs + 60_000, claimToken: "n", messagesMax: 9, linesMax: 9 } as const;
  await both.call("claimMessages", (store) => store.claimMessages(claim));
  await purgeAll(both, nowMs);
  await readLog(both, { withTests: true });
  const old = { ...counts, bucketMs: 3_600_000 };
  await both.call("old figures", async (store) => sorted(await store.countAttempts(old)));
}

/** Half of it loses its payload, a minute of it goes; figures become hours. How many steps it takes is their own. */
async function purgeAll(both: Both, nowMs: number): Promise<void> {
  const laterMs = nowMs + 2 * 86_400_000;
  const limits = {
    payloadsBeforeMs: Math.floor((T0 + nowMs) / 2),
    attemptBodiesBeforeMs: nowMs,
    rowsBeforeMs: T0 + 60_000,
  };
  await both.call("purge", async (store) => {
    for (let left = 50; left > 0; left -= 1) {
      const step = { nowMs: laterMs, ...limits, rowsMax: 1_000 };
      if ((await store.purge(step)).purged === 0) return;
    }
    throw new Error("the purge does not end");
  });
}

const byId = <Row extends { id: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Numbers of rows are each store's own: only their order is promised. */
const withoutSeq = (rows: readonly (object | null)[]) =>
  rows.map((row) => (row === null ? null : { ...row, seq: undefined }));

const sorted = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(row)).toSorted((one, other) => (one < other ? -1 : 1));

describe("both stores answer alike", () => {
  for (const seed of [1, 2, 3, 4]) {
    test(`life ${seed}`, async () => {
      await using both = await openBoth();
      await live(both, seed);
    });
  }
});
