/** Promises about the log of deliveries: each filter alone and with others, in order, in pages that fit together. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { NO_ABOUT } from "../../domain/event.ts";
import type { Outcome } from "../../domain/attempt.ts";
import { hoursMs } from "../../lib/duration.ts";
import { makeAlert, makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  accept,
  ADA,
  makeAttempt,
  makeEvent,
  held,
  inStore,
  okOutcome,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
  uuid,
  loadVersion,
  requestOneResend,
} from "./world.ts";
import type { ListDeliveries, StoredDelivery } from "../contract/log.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };

type Filter = Partial<ListDeliveries>;

const list = (store: Store, filter: Filter = {}) =>
  store.listDeliveries({ accountId, withTests: false, before: null, limit: 50, ...filter });

async function listIds(store: Store, filter: Filter = {}): Promise<string[]> {
  return (await list(store, filter)).deliveries.map(({ id }) => id);
}

/** Page by page, to the end. */
async function allIds(store: Store, filter: Filter): Promise<string[]> {
  const ids: string[] = [];
  let before: ListDeliveries["before"] = null;
  do {
    const page = await list(store, { ...filter, before });
    assert.ok(page.deliveries.length > 0 || page.next === null || page.searchedBackToMs !== null);
    if (page.searchedBackToMs !== null) assert.equal(page.next?.createdAtMs, page.searchedBackToMs);
    ids.push(...page.deliveries.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  return ids;
}

const answered = (status: number): Outcome => ({
  kind: "response",
  response: { status, headers: {}, body: new Uint8Array(), bodyCut: false },
});

const toId = (n: number): string => `dlv_${String(n).padStart(3, "0")}`;

/** The ends of deliveries in turn; `null`: none yet. */
const FATES: readonly (
  | (Pick<Settlement, "next"> & { readonly outcome: Outcome; readonly isResent?: boolean })
  | null
)[] = [
  { next: { state: "delivered" }, outcome: okOutcome },
  { next: { state: "failed" }, outcome: answered(503) },
  { next: { state: "pending", dueAtMs: T0 + 5_000 }, outcome: { kind: "timeout", phase: "headers" } },
  null,
  { next: { state: "delivered" }, outcome: answered(204) },
  { next: { state: "failed" }, outcome: { kind: "dns_error", code: "ENOTFOUND", message: "" } },
  { next: { state: "pending", dueAtMs: T0 + 9_000 }, outcome: answered(429) },
  { next: { state: "cancelled" }, outcome: answered(410) },
  { next: { state: "delivered" }, outcome: okOutcome, isResent: true },
  { next: { state: "failed" }, outcome: answered(500), isResent: true },
  { next: { state: "failed" }, outcome: answered(302) },
];

const DESTINATIONS = ["dst_alert", "dst_second", "dst_bot"];
const DELIVERIES = 66;
const UNDECLARED = "lead.identified";

/** A webhook may get events of several types, also of one that nobody declares any more. */
function findType(n: number): string {
  if (n % DESTINATIONS.length === 2) return "chat_conversation_completed";
  return n % 4 === 0 ? UNDECLARED : "demo_viewed";
}

/** Two alerts and an assistant with deliveries of every fate and of three types, two of each millisecond, and tests. */
async function setUpLog(store: Store): Promise<void> {
  await setUp(store, ["dst_bot"]);
  for (const id of ["dst_alert", "dst_second"]) await saveAlert(store, id);
  const configVersion = await loadVersion(store);
  for (let n = 0; n < DELIVERIES; n += 1) {
    const destinationId = DESTINATIONS[n % DESTINATIONS.length] ?? "";
    const deliveries = [held(toId(n), destinationId)];
    const body = JSON.stringify({ name: `Tour ${n}`, lead: { first_name: "Jane", last_name: `Doe ${n}` } });
    const event = makeEvent(n, { configVersion, type: findType(n), deliveries, body });
    await accept(store, [event], T0 + Math.floor(n / 2));
  }
  for (let n = 0; n < DELIVERIES; n += 1) await meetFate(store, n);
  await store.recordTestDelivery({ ...TEST_DELIVERY, destinationId: "dst_alert", nowMs: T0 + 7 });
  const unsaved = {
    deliveryId: "dlv_unsaved",
    eventId: "evt_unsaved",
    destinationId: null,
    state: "delivered",
  } as const;
  await store.recordTestDelivery({ ...TEST_DELIVERY, ...unsaved, attempt: makeAttempt(1), nowMs: T0 + 8 });
}

async function saveAlert(store: Store, destinationId: string): Promise<void> {
  const alert = makeAlert({ id: `alert of ${destinationId}`, name: destinationId });
  const destination = makeDestinationSetup({ id: destinationId, url: "https://alert.example/" });
  const saved = await store.saveAlert({
    accountId,
    alert,
    destination,
    expectedRevision: null,
    alertsMax: 9,
    by: ADA,
    nowMs: T0,
  });
  assert.equal(saved.kind, "saved");
}

async function meetFate(store: Store, n: number): Promise<void> {
  const fate = FATES[(n * 5) % FATES.length] ?? null;
  if (fate === null) return;
  const { outcome, next, isResent = false } = fate;
  const settlement = makeSettlement(toId(n), { next, attempt: makeAttempt(1, { outcome }) });
  const [settled] = await store.settleAttemptsIfClaimed({ nowMs: T0 + 100, settlements: [settlement] });
  assert.equal(settled?.kind, "settled");
  if (isResent) await requestOneResend(store, { accountId, deliveryId: toId(n), by: ADA, nowMs: T0 + 200 });
}

/** Everything there is, as one by one it comes back. */
async function loadAll(store: Store): Promise<StoredDelivery[]> {
  const ids = [...Array.from({ length: DELIVERIES }, (_, n) => toId(n)), "dlv_test", "dlv_unsaved"];
  const loaded = await Promise.all(ids.map((deliveryId) => store.loadDelivery({ accountId, deliveryId })));
  return loaded.map((delivery) => delivery ?? assert.fail());
}

/** The filter's meaning, said once more and without any index. */
function matches(delivery: StoredDelivery, filter: Filter): boolean {
  const { state, attemptsInSchedule, createdAtMs, destinationId, eventType, isTest } = delivery;
  const status = state !== "pending" ? state : attemptsInSchedule > 0 ? "retrying" : "waiting";
  const { createdFromMs = 0, createdToMs = Infinity } = filter;
  return (
    (filter.statuses === undefined || filter.statuses.includes(status)) &&
    (filter.type === undefined || filter.type === eventType) &&
    (filter.destinationId === undefined || filter.destinationId === destinationId) &&
    (filter.response === undefined || hasResponse(delivery, filter.response)) &&
    createdAtMs >= createdFromMs &&
    createdAtMs < createdToMs &&
    (!isTest || filter.withTests === true)
  );
}

function hasResponse({ attempts }: StoredDelivery, response: NonNullable<ListDeliveries["response"]>): boolean {
  const outcome = attempts.at(-1)?.result.outcome;
  if (outcome === undefined) return false;
  if (response === "none") return outcome.kind !== "response";
  if (outcome.kind !== "response") return false;
  const { status } = outcome.response;
  return "status" in response ? status === response.status : Math.floor(status / 100) === response.hundreds;
}

const expectedIds = (all: readonly StoredDelivery[], filter: Filter): string[] =>
  all
    .filter((delivery) => matches(delivery, filter))
    .toSorted((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id);

const STATUSES: readonly Filter[] = [
  {},
  { statuses: ["waiting"] },
  { statuses: ["retrying"] },
  { statuses: ["delivered"] },
  { statuses: ["failed"] },
  { statuses: ["cancelled"] },
  { statuses: ["failed", "cancelled"] },
  { statuses: ["waiting", "retrying"] },
  { statuses: ["waiting", "delivered", "failed"] },
];
const RESPONSES: readonly Filter[] = [
  {},
  { response: { hundreds: 2 } },
  { response: { hundreds: 4 } },
  { response: { hundreds: 5 } },
  { response: { status: 204 } },
  { response: { status: 503 } },
  { response: "none" },
];
const PLACES: readonly Filter[] = [
  {},
  { destinationId: "dst_alert" },
  { type: "demo_viewed" },
  { type: UNDECLARED },
  { type: UNDECLARED, destinationId: "dst_second" },
  { type: "chat_conversation_completed", destinationId: "dst_bot" },
  { type: "chat_conversation_completed", destinationId: "dst_alert" },
  { createdFromMs: T0 + 5, createdToMs: T0 + 20 },
];

/** Exact when there is room for it; else at least a part, and never more than there are. */
async function assertTotal(store: Store, filter: Filter & { readonly withTests: boolean }, expected: number) {
  const about = JSON.stringify(filter);
  const total = await store.countDeliveries({ accountId, ...filter, rowsMax: 1_000 });
  assert.deepEqual(total, { count: expected, isWhole: true }, about);
  const cut = await store.countDeliveries({ accountId, ...filter, rowsMax: 6 });
  assert.ok(cut.isWhole ? cut.count === expected : cut.count <= Math.min(6, expected), about);
  assert.ok(!cut.isWhole || expected <= 6, about);
}

export function describeLog(open: OpenStore): void {
  describe("the log of deliveries", () => {
    describeFilters(open);
    describePages(open);
    describeRows(open);
    describeIds(open);
  });
}

function describeFilters(open: OpenStore): void {
  const test = inStore(open);
  test("every filter finds what it names, newest first, without a gap or repeat; tests if asked", async (store) => {
    await setUpLog(store);
    const all = await loadAll(store);
    let found = 0;
    for (const statuses of STATUSES) {
      for (const response of RESPONSES) {
        for (const [place, where] of PLACES.entries()) {
          // Both values come up with each of the others, without asking for everything twice.
          const withTests = (place + RESPONSES.indexOf(response) + STATUSES.indexOf(statuses)) % 2 === 0;
          const filter = { ...statuses, ...response, ...where, withTests };
          const expected = expectedIds(all, filter);
          assert.deepEqual(await allIds(store, { ...filter, limit: 9 }), expected, JSON.stringify(filter));
          await assertTotal(store, filter, expected.length);
          found += expected.length;
        }
      }
    }
    assert.ok(found > 1_000, `the filters must find something (${found})`);
  });

  test("a page that may look at few rows says how far back it came, and the next ones find the rest", async (store) => {
    await setUpLog(store);
    const all = await loadAll(store);
    for (const [row, statuses] of STATUSES.entries()) {
      for (const [column, response] of RESPONSES.entries()) {
        // Each place comes up with each of the others; all together would be pages by the thousand.
        const filter = { ...statuses, ...response, ...PLACES[(row + column) % PLACES.length] };
        const found = await allIds(store, { ...filter, limit: 9, lookedAtMax: 15 });
        assert.deepEqual(found, expectedIds(all, filter), JSON.stringify(filter));
      }
    }
  });

  test("an answer that came once is on the first page, however many others lie before it", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const spanMs = hoursMs(50);
    for (let n = 0; n < 200; n += 1) {
      const nowMs = T0 + Math.floor((spanMs * n) / 200);
      const deliveries = [held(toId(n), n % 2 === 0 ? "dst_a" : "dst_b")];
      await accept(store, [makeEvent(n, { configVersion, type: "chat_conversation_completed", deliveries })], nowMs);
      const outcome = answered(n === 20 ? 204 : n === 31 ? 202 : 200);
      // One of them waits for two days.
      const startedAtMs = nowMs + (n === 31 ? hoursMs(48) : 10);
      const attempt = { ...makeAttempt(1, { outcome }), startedAtMs };
      const settlements = [makeSettlement(toId(n), { next: { state: "delivered" }, attempt })];
      await store.settleAttemptsIfClaimed({ nowMs: startedAtMs + 5, settlements });
    }
    for (const [status, ids] of [
      [204, [toId(20)]],
      [202, [toId(31)]],
      [203, []],
    ] as const) {
      for (const where of [{}, { destinationId: "dst_a" }, { type: "chat_conversation_completed" as const }]) {
        const page = await list(store, { response: { status }, lookedAtMax: 60, ...where });
        const expected = "destinationId" in where ? ids.filter((id) => id !== toId(31)) : ids;
        assert.deepEqual(
          page.deliveries.map(({ id }) => id),
          expected,
        );
        assert.equal(page.next, null);
        assert.equal(page.searchedBackToMs, null);
      }
    }
  });

  test("another account sees nothing of it, whatever it asks for", async (store) => {
    await setUpLog(store);
    await setUp(store, ["dst_other"], OTHER);
    const foreign = { accountId: OTHER.id, withTests: true, destinationId: "dst_alert", rowsMax: 1_000 };
    assert.deepEqual(await store.countDeliveries(foreign), { count: 0, isWhole: true });
    const filters = [{}, { destinationId: "dst_alert" }, { idText: "dlv_003" }, { idText: uuid(3) }];
    for (const filter of filters) {
      assert.deepEqual(await listIds(store, { ...filter, accountId: OTHER.id, withTests: true }), []);
    }
  });
}

function describePages(open: OpenStore): void {
  const test = inStore(open);
  test("a page says where the next one begins, if there is one, and new rows shift nothing", async (store) => {
    await setUpLog(store);
    const before = await listIds(store);
    const first = await list(store, { limit: 10 });
    assert.deepEqual(first.next, { createdAtMs: T0 + 28, id: toId(56) });
    const configVersion = await loadVersion(store);
    await accept(store, [makeEvent(900, { configVersion, deliveries: [held("dlv_900", "dst_alert")] })], T0 + 900);
    const second = await list(store, { limit: 10, before: first.next });
    assert.deepEqual(
      [...first.deliveries, ...second.deliveries].map(({ id }) => id),
      before.slice(0, 20),
    );
    assert.equal((await list(store, { limit: DELIVERIES + 1 })).next, null);
    assert.equal((await listIds(store))[0], "dlv_900");
  });
}

function describeRows(open: OpenStore): void {
  const test = inStore(open);
  test("a row says who and what its delivery is about, and what its last attempt met", async (store) => {
    await setUpLog(store);
    const { deliveries } = await list(store, { limit: 99, withTests: true });
    for (const stored of await loadAll(store)) {
      const row = deliveries.find(({ id }) => id === stored.id);
      const { id, eventId, eventType, destinationId, isTest, state, attemptsMade, attemptsInSchedule } = stored;
      const { dueAtMs, createdAtMs } = stored;
      const same = { id, eventId, eventType, destinationId, isTest, state, attemptsMade, attemptsInSchedule };
      const outcome = stored.attempts.at(-1)?.result.outcome;
      const status = outcome?.kind === "response" ? outcome.response.status : null;
      const last = outcome === undefined ? null : { outcome: outcome.kind, status, totalMs: 4 };
      const n = Number(eventId.slice("evt_".length));
      const isKnown = !isTest && eventType !== UNDECLARED;
      const about = isKnown ? { who: `Jane Doe ${n}`, what: `Tour ${n}` } : NO_ABOUT;
      const sourceId = isTest ? null : uuid(n);
      assert.deepEqual(row, { ...same, dueAtMs, createdAtMs, last, sourceId, about });
    }
  });

  test("an attempt that is the service's own fault leaves a delivery waiting", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_001", "dst_a")] })]);
    const outcome: Outcome = { kind: "internal_error", message: "" };
    const next = { state: "pending", dueAtMs: T0 + 9 } as const;
    const attempt = makeAttempt(1, { outcome });
    const settlements = [makeSettlement("dlv_001", { next, attempt, isFree: true })];
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    assert.deepEqual(await listIds(store, { statuses: ["waiting"], response: "none" }), ["dlv_001"]);
    assert.deepEqual(await listIds(store, { statuses: ["retrying"] }), []);
  });
}

function describeIds(open: OpenStore): void {
  const test = inStore(open);
  test("an id finds deliveries: their own, their event's or their record's, within the filter", async (store) => {
    await setUpLog(store);
    const configVersion = await loadVersion(store);
    const deliveries = [held("dlv_800", "dst_alert"), held("dlv_801", "dst_second")];
    await accept(store, [makeEvent(800, { configVersion, deliveries })], T0 + 800);
    const both = ["dlv_801", "dlv_800"];
    assert.deepEqual(await listIds(store, { idText: "dlv_801" }), ["dlv_801"]);
    assert.deepEqual(await listIds(store, { idText: "evt_800" }), both);
    assert.deepEqual(await listIds(store, { idText: uuid(800) }), both);
    assert.deepEqual(await listIds(store, { idText: uuid(2) }), [toId(2)], "a conversation's");
    assert.deepEqual(await allIds(store, { idText: uuid(800), limit: 1 }), both);
    assert.deepEqual(await listIds(store, { idText: uuid(800), destinationId: "dst_alert" }), ["dlv_800"]);
    assert.deepEqual(await listIds(store, { idText: uuid(800), type: "chat_conversation_completed" }), []);
    assert.deepEqual(await listIds(store, { idText: uuid(800), statuses: ["failed"] }), []);
    assert.deepEqual(await listIds(store, { idText: "dlv_80" }), [], "only a whole id");
    // A session's id is kept in lower case, a declared type's key as it came.
    const sourceId = "ABCDEF00-0000-4000-8000-00000000000A";
    for (const [n, kept] of [sourceId.toLowerCase(), sourceId].entries()) {
      const event = { configVersion, type: n === 0 ? "demo_viewed" : UNDECLARED, sourceId: kept };
      await accept(store, [makeEvent(810 + n, { ...event, deliveries: [held(`dlv_81${n}`, "dst_alert")] })], T0 + 810);
    }
    assert.deepEqual(await listIds(store, { idText: sourceId }), ["dlv_811", "dlv_810"]);
  });

  test("a test is found by its id when tests are asked for", async (store) => {
    await setUpLog(store);
    assert.deepEqual(await listIds(store, { idText: "dlv_unsaved", withTests: true }), ["dlv_unsaved"]);
    assert.deepEqual(await listIds(store, { idText: "evt_test", withTests: true }), ["dlv_test"]);
    assert.deepEqual(await listIds(store, { idText: "evt_test" }), []);
  });
}
