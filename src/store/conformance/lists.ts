/** Promises about the other lists: sessions and conversations, destinations with their health, replays. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { NO_ABOUT } from "../../domain/event.ts";
import { daysMs } from "../../lib/duration.ts";
import { makeAlert, makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  accept,
  ADA,
  due,
  makeEvent,
  held,
  inStore,
  loadVersion,
  openBreaker,
  type OpenStore,
  purgeNow,
  purgeStep,
  setUp,
  makeSettlement,
  T0,
  TEST_DELIVERY,
  uuid,
} from "./world.ts";
import type { LoadDestinations } from "../contract/destinations.ts";
import type { ListEvents } from "../contract/log.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };
const CHAT = "chat_conversation_completed";
const UNDECLARED = "lead.identified";

export function describeLists(open: OpenStore): void {
  describe("lists of events", () => describeEvents(open));
  describe("reports of destinations", () => {
    describeHealthReports(open);
    describeQueueReports(open);
    describeOwners(open);
  });
  describe("lists of replays", () => describeReplays(open));
}

async function listSources(store: Store, parts: Partial<ListEvents>): Promise<string[]> {
  const events = await store.listEvents({ accountId, type: CHAT, before: null, limit: 50, ...parts });
  return events.map(({ sourceId }) => sourceId);
}

/** Conversations 1 to 6 of two assistants in turn, and 7 of an unknown one; session 8; a test of each. */
async function setUpEvents(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  for (let n = 1; n <= 7; n += 1) {
    const assistantId = n === 7 ? null : n % 2 === 0 ? "bob" : "ada";
    await accept(store, [makeEvent(n, { configVersion, type: CHAT, assistantId })], T0 + n);
  }
  await accept(store, [makeEvent(8, { configVersion })], T0 + 8);
  for (const type of [CHAT, "demo_viewed"] as const) {
    const ids = { deliveryId: `dlv_test of ${type}`, eventId: `evt_test of ${type}` };
    await store.recordTestDelivery({ ...TEST_DELIVERY, ...ids, type });
  }
}

function describeEvents(open: OpenStore): void {
  const test = inStore(open);
  test("conversations and sessions lie apart, newest first, without tests", async (store) => {
    await setUpEvents(store);
    assert.deepEqual(await listSources(store, {}), [7, 6, 5, 4, 3, 2, 1].map(uuid));
    assert.deepEqual(await listSources(store, { assistantId: "bob" }), [6, 4, 2].map(uuid));
    assert.deepEqual(await listSources(store, { assistantId: "nobody" }), []);
    assert.deepEqual(await listSources(store, { type: "demo_viewed" }), [uuid(8)]);
    assert.deepEqual(await listSources(store, { accountId: OTHER.id }), []);
  });

  test("pages follow each other", async (store) => {
    await setUpEvents(store);
    for (const assistantId of [undefined, "ada"]) {
      const which = assistantId === undefined ? {} : { assistantId };
      const all = await listSources(store, which);
      const pages: string[] = [];
      for (let before: ListEvents["before"] = null; ;) {
        const page = await store.listEvents({ accountId, type: CHAT, ...which, before, limit: 2 });
        const last = page.at(-1);
        if (last === undefined) break;
        pages.push(...page.map(({ sourceId }) => sourceId));
        before = { seq: last.seq };
      }
      assert.deepEqual(pages, all);
    }
  });

  test("events of all types are one list, page by page, also those of a type that nobody declares", async (store) => {
    await setUpEvents(store);
    const configVersion = await loadVersion(store);
    await accept(store, [makeEvent(9, { configVersion, type: UNDECLARED })], T0 + 9);
    await accept(store, [makeEvent(10, { configVersion, type: CHAT, assistantId: "bob" })], T0 + 10);
    await accept(store, [makeEvent(11, { configVersion, type: UNDECLARED })], T0 + 11);
    const all = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map(uuid);
    assert.deepEqual(await listSources(store, { type: null }), all);
    assert.deepEqual(await listSources(store, { type: UNDECLARED }), [uuid(11), uuid(9)]);
    assert.deepEqual(await listSources(store, { type: null, accountId: OTHER.id }), []);
    for (const limit of [1, 3]) {
      const pages: string[] = [];
      for (let before: ListEvents["before"] = null; ;) {
        const page = await store.listEvents({ accountId, type: null, before, limit });
        const last = page.at(-1);
        if (last === undefined) break;
        pages.push(...page.map(({ sourceId }) => sourceId));
        before = { seq: last.seq };
      }
      assert.deepEqual(pages, all);
    }
  });

  test("an event comes with its body and what became of its deliveries, also by its own id", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const ids = ["dlv_1", "dlv_2", "dlv_3", "dlv_4"];
    const deliveries = ids.map((id) => held(id, "dst_a"));
    const body = '{"conversation_summary":"Tour","intent_level":"high","lead":{"first_name":"Jane"}}';
    await accept(store, [makeEvent(1, { configVersion, type: CHAT, assistantId: "ada", deliveries, body })]);
    const states = ["delivered", "failed", "cancelled"] as const;
    const settlements = states.map((state, place) => makeSettlement(ids[place] ?? "", { next: { state } }));
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    const [listed] = await store.listEvents({ accountId, type: CHAT, before: null, limit: 1 });
    assert.deepEqual(listed, {
      seq: listed?.seq,
      id: "evt_1",
      sourceId: uuid(1),
      type: CHAT,
      assistantId: "ada",
      acceptedAtMs: T0,
      about: { who: "Jane", what: "Tour" },
      intentLevel: "high",
      isPurged: false,
      notSent: null,
      deliveries: { total: 4, delivered: 1, failed: 1 },
    });
    const loaded = await store.loadEvent({ accountId, type: CHAT, sourceId: uuid(1) });
    assert.deepEqual(loaded, { ...listed, body, deliveryIds: ids });
    assert.equal(await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(1) }), null);
    assert.equal(await store.loadEvent({ accountId: OTHER.id, type: CHAT, sourceId: uuid(1) }), null);
    for (const sourceId of [uuid(2), "no id at all", "", `${uuid(1)}0`]) {
      assert.equal(await store.loadEvent({ accountId, type: CHAT, sourceId }), null);
    }
  });

  test("bodies are listed with their ids: none of a test, of another account, or of nothing", async (store) => {
    await setUpEvents(store);
    const eventIds = ["evt_8", "evt_7", "evt_none", `evt_test of ${CHAT}`];
    const found = await store.listEventBodies({ accountId, eventIds });
    assert.deepEqual(
      new Map(found.map(({ id, sourceId, type }) => [id, `${type} ${sourceId}`])),
      new Map([
        ["evt_7", `${CHAT} ${uuid(7)}`],
        ["evt_8", `demo_viewed ${uuid(8)}`],
      ]),
    );
    assert.ok(found.every(({ body }) => body?.startsWith("{")));
    assert.deepEqual(await store.listEventBodies({ accountId: OTHER.id, eventIds }), []);
    const before = { payloadsBeforeMs: T0 + 9, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };
    await store.purge({ ...before, rowsMax: 99, nowMs: T0 + 9 });
    const purged = await store.listEventBodies({ accountId, eventIds: ["evt_8"] });
    assert.deepEqual(
      purged.map(({ id, body }) => [id, body]),
      [["evt_8", null]],
    );
  });

  test("an event stays in the list when its payload is purged, and leaves it with its row", async (store) => {
    const configVersion = await setUp(store, []);
    await accept(store, [makeEvent(1, { configVersion })]);
    await purgeStep(store, { nowMs: T0 + 9, payloadsBeforeMs: T0 + 1 });
    const [listed] = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 9 });
    assert.deepEqual([listed?.sourceId, listed?.isPurged, listed?.about], [uuid(1), true, NO_ABOUT]);
    await purgeStep(store, { nowMs: T0 + 9, rowsBeforeMs: T0 + 1 });
    assert.deepEqual(await listSources(store, { type: "demo_viewed" }), []);
    assert.equal(await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(1) }), null);
  });
}

const report = (store: Store, parts: Partial<LoadDestinations> = {}) =>
  store.loadDestinations({ accountId, withDeleted: false, nowMs: T0 + 1, waitingMax: 10, ...parts });

function describeHealthReports(open: OpenStore): void {
  const test = inStore(open);
  test("a new destination has no troubles and has had no attempt", async (store) => {
    await setUp(store, ["dst_a"]);
    assert.deepEqual(await report(store), [
      {
        id: "dst_a",
        url: "https://dst_a.example/hook",
        owner: { kind: "assistant", id: "assistant of dst_a", name: "Ada", isDeleted: false },
        tags: [],
        state: "on",
        offReason: null,
        failingSinceMs: null,
        failureScore: 0,
        isHeld: false,
        notBeforeMs: 0,
        nextDueAtMs: null,
        waiting: { count: 0, isCapped: false },
        oldestWaitingAtMs: null,
        lastFailure: null,
        lastChange: null,
        hasAttempts: false,
      },
    ]);
  });

  test("an open breaker shows its last failure and its change; the failure outlasts the outage", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    const [failing] = await report(store);
    const lastFailure = { atMs: T0, outcome: "response", status: 200 };
    assert.deepEqual(
      [failing?.isHeld, failing?.failureScore, failing?.failingSinceMs, failing?.lastFailure, failing?.hasAttempts],
      [true, 8, T0, lastFailure, true],
    );
    assert.deepEqual(failing?.lastChange, { atMs: T0, actor: "system", reason: "breaker_opened" });
    assert.ok((failing?.notBeforeMs ?? 0) > T0 + 1);
    const [rested] = await report(store, { nowMs: T0 + 10 ** 9 });
    assert.deepEqual([rested?.isHeld, rested?.notBeforeMs], [true, 0]);
    const change = { accountId, destinationId: "dst_a", by: ADA, reason: "mended" };
    await store.setDestinationState({ ...change, state: "on", nowMs: T0 + 5 });
    const [mended] = await report(store);
    assert.deepEqual([mended?.isHeld, mended?.failingSinceMs, mended?.notBeforeMs], [false, null, 0]);
    assert.deepEqual(mended?.lastFailure, lastFailure);
    assert.deepEqual(mended?.lastChange, { atMs: T0 + 5, actor: "ada", reason: "mended" });
  });

  test("what was attempted once stays so when its figures are gone", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    const nowMs = T0 + daysMs(40);
    await purgeNow(store, nowMs);
    const day = { fromMs: T0 - daysMs(1), toMs: nowMs, bucketMs: daysMs(1) };
    assert.deepEqual(await store.countAttempts({ accountId, ...day }), []);
    assert.deepEqual(
      (await report(store)).map(({ hasAttempts }) => hasAttempts),
      [true],
    );
  });

  test("a success is an attempt and no failure; a test is neither", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
    await store.recordTestDelivery({ ...TEST_DELIVERY, destinationId: "dst_b" });
    const reports = await report(store);
    assert.deepEqual(
      reports.map(({ id, hasAttempts, lastFailure }) => [id, hasAttempts, lastFailure]),
      [
        ["dst_a", true, null],
        ["dst_b", false, null],
      ],
    );
  });
}

function describeQueueReports(open: OpenStore): void {
  const test = inStore(open);
  test("what waits is counted up to a limit, and what is under way has no next attempt", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    const [underWay] = await report(store);
    assert.deepEqual([underWay?.waiting, underWay?.nextDueAtMs], [{ count: 1, isCapped: false }, null]);
    const retry = makeSettlement("dlv_1", { next: { state: "pending", dueAtMs: T0 + 5_000 } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [retry] });
    assert.equal((await report(store))[0]?.nextDueAtMs, T0 + 5_000);
    const deliveries = ["dlv_2", "dlv_3"].map((id) => due(id, "dst_a"));
    await accept(store, [makeEvent(2, { configVersion, deliveries })], T0 + 3);
    const [waiting] = await report(store, { waitingMax: 3 });
    assert.deepEqual([waiting?.waiting, waiting?.nextDueAtMs], [{ count: 3, isCapped: false }, T0 + 3]);
    assert.deepEqual((await report(store, { waitingMax: 2 }))[0]?.waiting, { count: 2, isCapped: true });
  });

  test("what waits for an account is the sum of its destinations, each up to the limit", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b", "dst_c"]);
    await setUp(store, ["dst_d"], OTHER);
    const ofOne = ["dlv_1", "dlv_2", "dlv_3"].map((id) => due(id, "dst_a"));
    const deliveries = [...ofOne, due("dlv_4", "dst_b"), held("dlv_5", "dst_c")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    const countAll = (waitingMax: number) => store.countWaitingOfAccount({ accountId, waitingMax });
    assert.deepEqual(await countAll(3), { destinations: 3, waiting: { count: 5, isCapped: false } });
    assert.deepEqual(await countAll(2), { destinations: 3, waiting: { count: 4, isCapped: true } });
    const removal = { accountId, assistantId: "assistant of dst_a", expectedRevision: 2, by: ADA, nowMs: T0 + 1 };
    assert.equal(await store.removeAssistantDestination(removal), "removed");
    assert.deepEqual(await countAll(2), { destinations: 2, waiting: { count: 2, isCapped: false } });
    const none = { destinations: 1, waiting: { count: 0, isCapped: false } };
    assert.deepEqual(await store.countWaitingOfAccount({ accountId: OTHER.id, waitingMax: 2 }), none);
  });
}

function describeOwners(open: OpenStore): void {
  const test = inStore(open);
  test("one destination or some, of its own account alone, and of deleted owners when asked for", async (store) => {
    await setUp(store, ["dst_a", "dst_b"]);
    await setUp(store, ["dst_c"], OTHER);
    const ids = async (parts: Partial<LoadDestinations>) => (await report(store, parts)).map(({ id }) => id).toSorted();
    assert.deepEqual(await ids({}), ["dst_a", "dst_b"]);
    assert.deepEqual(await ids({ destinationId: "dst_b" }), ["dst_b"]);
    assert.deepEqual(await ids({ destinationId: "dst_c" }), []);
    assert.deepEqual(await ids({ destinationIds: ["dst_b", "dst_c", "dst_a"] }), ["dst_a", "dst_b"]);
    assert.deepEqual(await ids({ destinationIds: [] }), []);
    const removal = { accountId, assistantId: "assistant of dst_a", expectedRevision: 2, by: ADA, nowMs: T0 + 1 };
    assert.equal(await store.removeAssistantDestination(removal), "removed");
    assert.deepEqual(await ids({}), ["dst_b"]);
    assert.deepEqual(await ids({ withDeleted: true }), ["dst_a", "dst_b"]);
    const [deleted] = await report(store, { destinationId: "dst_a", withDeleted: true });
    assert.deepEqual([deleted?.owner.isDeleted, deleted?.owner.name], [true, "Ada"]);
  });

  test("an alert's destination keeps its owner's name after the alert is deleted", async (store) => {
    await setUp(store, []);
    const alert = makeAlert({ name: "Hot leads" });
    const destination = makeDestinationSetup({ id: "dst_a", url: "https://a.example/" });
    const by = { accountId, by: ADA, nowMs: T0 };
    const saved = { alert, destination, expectedRevision: null, alertsMax: 9 };
    await store.saveAlert({ ...by, ...saved });
    const owner = { kind: "alert", id: "alr_1", name: "Hot leads", isDeleted: false };
    assert.deepEqual((await report(store))[0]?.owner, owner);
    await store.deleteAlert({ ...by, id: "alr_1", expectedRevision: 1 });
    assert.deepEqual((await report(store, { withDeleted: true }))[0]?.owner, { ...owner, isDeleted: true });
  });
}

function describeReplays(open: OpenStore): void {
  const test = inStore(open);
  test("replays come newest first, a hundred of them, and only the account's own", async (store) => {
    await setUp(store, []);
    await setUp(store, [], OTHER);
    const filter = { states: ["failed"] } as const;
    const common = { filter, deliveriesMax: 9, ratePerSecond: 1, startPaused: true, by: ADA, nowMs: T0 };
    const toId = (n: number): string => `rpl_${String(n).padStart(3, "0")}`;
    for (let n = 0; n < 103; n += 1) await store.createReplay({ ...common, accountId, id: toId(n) });
    await store.createReplay({ ...common, accountId: OTHER.id, id: "rpl_other" });
    const replays = await store.listReplays({ accountId });
    assert.equal(replays.length, 100);
    assert.deepEqual([replays[0]?.id, replays.at(-1)?.id], [toId(102), toId(3)]);
    assert.deepEqual(replays[0], (await store.listReplays({ accountId, replayId: toId(102) }))[0]);
    assert.equal((await store.listReplays({ accountId: OTHER.id })).length, 1);
  });
}
