/** Promises about `acceptEvents`: all of an event or nothing, one event for each source id, decided on fresh set-up. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { hoursMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  accept,
  BODY,
  claimIds,
  due,
  makeEvent,
  held,
  inStore,
  LEASE_MS,
  type OpenStore,
  setUp,
  T0,
  ACCEPTED,
  uuid,
} from "./world.ts";
import { StoreUnavailable } from "../contract/store.ts";

const accountId = ACCOUNT.id;

export function describeAccepting(open: OpenStore): void {
  describe("accepting", () => {
    describeAccepted(open);
    describeRepeats(open);
    describeRefusals(open);
  });
}

function describeAccepted(open: OpenStore): void {
  const test = inStore(open);
  test("an event is kept with each of its deliveries", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [due("dlv_1", "dst_a"), held("dlv_2", "dst_b")];
    assert.deepEqual(await accept(store, [makeEvent(1, { configVersion, deliveries })]), [ACCEPTED]);
    const loaded = await store.loadDelivery({ accountId, deliveryId: "dlv_1" });
    const expected = {
      id: "dlv_1",
      eventId: "evt_1",
      eventType: "demo_viewed",
      accountId,
      destinationId: "dst_a",
      isTest: false,
      state: "pending",
      attemptsMade: 0,
      attemptsInSchedule: 0,
      dueAtMs: T0,
      createdAtMs: T0,
      settledAtMs: null,
      resentAtMs: null,
      resentBy: null,
      body: BODY,
      attempts: [],
    };
    assert.deepEqual(loaded, expected);
    const second = await store.loadDelivery({ accountId, deliveryId: "dlv_2" });
    assert.deepEqual(second, { ...expected, id: "dlv_2", destinationId: "dst_b" });
  });

  test("webhooks that an event did not go to are kept with it; none where it went to all", async (store) => {
    const configVersion = await setUp(store, []);
    const notSent = '[0,["dst_a","all",["lead.email","contains","é 漢字"]]]';
    await accept(store, [makeEvent(1, { configVersion, notSent }), makeEvent(2, { configVersion })]);
    const load = (n: number) => store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(n) });
    assert.deepEqual([(await load(1))?.notSent, (await load(2))?.notSent], [notSent, null]);
    const listed = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 9 });
    assert.deepEqual(
      listed.map((event) => event.notSent),
      [null, notSent],
    );
  });

  test("long reasons that many events share are read with each of them, also after a repeat", async (store) => {
    const configVersion = await setUp(store, []);
    const reasons = (demo: string) =>
      JSON.stringify([3, ...Array.from({ length: 7 }, (_, n) => [`dst_${n}`, "demos", 0, demo])]);
    const texts = [...Array.from({ length: 9 }, (_, n) => reasons(n % 2 === 0 ? "Tour" : 'é "漢字"')), null];
    const events = texts.map((notSent, n) => makeEvent(n, { configVersion, notSent }));
    // One in a commit, all the others in another, and the first once again.
    await accept(store, events.slice(0, 1));
    await accept(store, events.slice(1, 4), T0 + 1);
    await accept(store, [...events.slice(0, 1), ...events.slice(4)], T0 + hoursMs(1) - 1);
    const load = async (n: number) =>
      (await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(n) }))?.notSent;
    assert.deepEqual(await Promise.all(texts.map((_, n) => load(n))), texts);
    const listed = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 99 });
    assert.deepEqual(
      listed.map((event) => event.notSent),
      texts.toReversed(),
    );
  });

  test("a body comes back character for character, however large or odd", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const bodies = ['{"n":9007199254740993,"t":"é 漢字 \u{1f514} \\u0000 \u2028"}', `{"t":"${"ü".repeat(500_000)}"}`];
    for (const [place, body] of bodies.entries()) {
      const deliveries = [due(`dlv_${place}`, "dst_a")];
      await accept(store, [makeEvent(place, { configVersion, body, deliveries })]);
      const loaded = await store.loadDelivery({ accountId, deliveryId: `dlv_${place}` });
      assert.ok(loaded?.body === body, `body ${place} differs`);
    }
  });

  test("a key may be any text, and is known when it comes again", async (store) => {
    const configVersion = await setUp(store, []);
    const keys = ["order-1", "Order-1", "12345678901234567890", 'é 漢字 \u{1f514} "\\', "k".repeat(256)];
    const events = (first: number) =>
      keys.map((sourceId, n) => makeEvent(first + n, { configVersion, type: "order_paid", sourceId }));
    assert.deepEqual(
      (await accept(store, events(0))).map(({ kind }) => kind),
      keys.map(() => "accepted"),
    );
    for (const [n, sourceId] of keys.entries()) {
      assert.equal((await store.loadEvent({ accountId, type: "order_paid", sourceId }))?.id, `evt_${n}`);
    }
    assert.deepEqual(
      (await accept(store, events(10))).map(({ kind }) => kind),
      keys.map(() => "duplicate"),
    );
  });

  test("a delivery inserted as claimed is nobody else's until the claim runs out", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    assert.deepEqual(await claimIds(store, T0 + LEASE_MS - 1), []);
    assert.deepEqual(await claimIds(store, T0 + LEASE_MS), ["dlv_1"]);
  });

  test("many events are answered one by one, in order", async (store) => {
    const configVersion = await setUp(store, []);
    const events = [1, 2, 1, 3].map((n) => makeEvent(n, { configVersion: n === 3 ? 99 : configVersion }));
    assert.deepEqual(
      (await accept(store, events)).map(({ kind }) => kind),
      ["accepted", "accepted", "duplicate", "config_changed"],
    );
    assert.deepEqual(await accept(store, []), []);
  });
}

function describeRepeats(open: OpenStore): void {
  const test = inStore(open);
  test("a repeat names the first event and how many deliveries it had, and writes nothing", async (store) => {
    const configVersion = await setUp(store, ["dst_a", "dst_b"]);
    const deliveries = [due("dlv_1", "dst_a"), due("dlv_2", "dst_b")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    const repeat = makeEvent(1, { id: "evt_repeat", configVersion, deliveries: [due("dlv_3", "dst_a")] });
    assert.deepEqual(await accept(store, [repeat]), [
      { kind: "duplicate", eventId: "evt_1", deliveries: 2, differs: false },
    ]);
    assert.equal(await store.loadDelivery({ accountId, deliveryId: "dlv_3" }), null);
    assert.equal((await store.countWaiting({ nowMs: T0 })).waiting, 2);
  });

  test("an event that went to nobody is a duplicate too", async (store) => {
    const configVersion = await setUp(store, []);
    await accept(store, [makeEvent(1, { configVersion })]);
    const repeat = await accept(store, [makeEvent(1, { id: "evt_repeat", configVersion })]);
    assert.deepEqual(repeat, [{ kind: "duplicate", eventId: "evt_1", deliveries: 0, differs: false }]);
  });

  test("a repeat with another body says so, in one call with the first and in a later one", async (store) => {
    const configVersion = await setUp(store, []);
    const event = (id: string, body: string) => makeEvent(1, { id, configVersion, body });
    const [paid, shipped] = ['{"state":"paid"}', '{"state":"shipped"}'];
    const together = await accept(store, [event("evt_1", paid), event("evt_2", shipped), event("evt_3", paid)]);
    const later = await accept(store, [event("evt_4", shipped), event("evt_5", paid), event("evt_6", '{"state":1}')]);
    const known = (differs: boolean) => ({ kind: "duplicate", eventId: "evt_1", deliveries: 0, differs });
    assert.deepEqual(together, [ACCEPTED, known(true), known(false)]);
    assert.deepEqual(later, [known(true), known(false), known(true)]);
  });

  test("the same source id of another type or account is another event", async (store) => {
    const configVersion = await setUp(store, []);
    const other = { ...ACCOUNT, id: "acc_2" };
    await store.putAccount({ account: other, newSealedSecret: "s", nowMs: T0 });
    const answers = await accept(store, [
      makeEvent(1, { configVersion }),
      makeEvent(1, { configVersion, id: "evt_chat", type: "chat_conversation_completed" }),
      makeEvent(1, { configVersion: 1, id: "evt_other", accountId: "acc_2" }),
    ]);
    assert.deepEqual(answers, [ACCEPTED, ACCEPTED, ACCEPTED]);
  });

  test("of two hundred repeats at once one is accepted, and the others name it", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, place) => {
        const deliveries = [due(`dlv_${place}`, "dst_a")];
        const event = makeEvent(1, { id: `evt_${place}`, configVersion, deliveries });
        return { id: event.id, answer: (await accept(store, [event]))[0] };
      }),
    );
    const [first, ...others] = answers.filter(({ answer }) => answer?.kind === "accepted");
    assert.deepEqual(others, []);
    const repeats = answers.filter(({ answer }) => answer?.kind === "duplicate").map(({ answer }) => answer);
    assert.equal(repeats.length, 199);
    const known = { kind: "duplicate", eventId: first?.id, deliveries: 1, differs: false };
    for (const repeat of repeats) assert.deepEqual(repeat, known);
    assert.equal((await store.countWaiting({ nowMs: T0 })).waiting, 1);
  });
}

function describeRefusals(open: OpenStore): void {
  const test = inStore(open);
  test("an event decided by an older set-up, or of no account, is refused; its source id stays free", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const deliveries = [due("dlv_1", "dst_a")];
    const old = makeEvent(1, { configVersion: configVersion - 1, deliveries });
    const unknown = makeEvent(2, { configVersion, accountId: "nobody" });
    assert.deepEqual(await accept(store, [old, unknown]), [{ kind: "config_changed" }, { kind: "config_changed" }]);
    assert.equal(await store.loadDelivery({ accountId, deliveryId: "dlv_1" }), null);
    assert.deepEqual(await accept(store, [makeEvent(1, { configVersion, deliveries })]), [ACCEPTED]);
  });

  test("a refused event takes no key: a valid one beside it gets it, and a known one keeps it", async (store) => {
    const configVersion = await setUp(store, []);
    const old = configVersion - 1;
    await accept(store, [makeEvent(1, { configVersion })]);
    const twice = { ...makeEvent(2, { configVersion }), id: "evt_2_valid" };
    const events = [makeEvent(1, { configVersion: old }), makeEvent(2, { configVersion: old }), twice];
    const refused = { kind: "config_changed" } as const;
    assert.deepEqual(await accept(store, events, T0 + 1), [refused, refused, ACCEPTED]);
    const again = [makeEvent(1, { configVersion }), makeEvent(2, { configVersion })];
    const ids = (await accept(store, again, T0 + 2)).map((answer) => "eventId" in answer && answer.eventId);
    assert.deepEqual(ids, ["evt_1", "evt_2_valid"]);
  });

  test("a change of the set-up before an accept refuses it, even when both are called at once", async (store) => {
    const configVersion = await setUp(store, []);
    const [, answers, , late] = await Promise.all([
      accept(store, [makeEvent(1, { configVersion })]),
      accept(store, [makeEvent(2, { configVersion })]),
      store.putChatAssistant({ accountId, assistant: { id: "bot", name: "" }, rename: false, nowMs: T0 }),
      accept(store, [makeEvent(3, { configVersion })]),
    ]);
    assert.deepEqual(answers, [ACCEPTED]);
    assert.deepEqual(late, [{ kind: "config_changed" }]);
  });

  test("a faulty call fails alone and wholly, whatever else is called at the same time", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const acceptNth = (n: number) => {
      const destinationId = n === 5 ? "dst_unknown" : "dst_a";
      return accept(store, [
        makeEvent(2 * n, { configVersion }),
        makeEvent(2 * n + 1, { configVersion, deliveries: [due(`dlv_${n}`, destinationId)] }),
      ]);
    };
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => acceptNth(n)));
    for (const [n, result] of results.entries()) {
      assert.equal(result.status, n === 5 ? "rejected" : "fulfilled");
      if (result.status === "rejected") assert.ok(!(result.reason instanceof StoreUnavailable));
    }
    assert.equal((await store.countWaiting({ nowMs: T0 })).waiting, 9);
    assert.deepEqual(await accept(store, [makeEvent(10, { configVersion })]), [ACCEPTED]);
  });
}
