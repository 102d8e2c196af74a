/** Promises about alerts to the operator: each thing once and in order, beside what owners are notified of. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AlertedDestination } from "../../domain/operator-alert.ts";
import { hoursMs, minutesMs } from "../../lib/duration.ts";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  attempt,
  ACCOUNT,
  ADA,
  alertToSave,
  claimMessages,
  inStore,
  type OpenStore,
  openBreaker,
  purgeNow,
  settleMessage,
  setUp,
  T0,
} from "./world.ts";
import type { NoteCondition } from "../contract/messages.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + 60_000;
/** Bodies of all that is due, in order; they are sent. */
async function takeAll(store: Store, nowMs = LATER): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  for (;;) {
    const alerts = await claimMessages(store, "operator", { nowMs });
    if (alerts.length === 0) return bodies;
    for (const alert of alerts) {
      assert.ok(alert.kind === "operator_alert");
      bodies.push(JSON.parse(alert.body));
      await settleMessage(store, alert, { nowMs });
    }
  }
}

const listEvents = (bodies: readonly Record<string, unknown>[]) =>
  bodies.map(({ event, reason }) => (typeof reason === "string" ? `${event as string}: ${reason}` : event));

const FAILED = { next: { state: "failed" } } as const;
const GONE = { ...FAILED, destinationOff: "gone" } as const;

const turn = (store: Store, state: "on" | "paused", nowMs = LATER) =>
  store.setDestinationState({ accountId, destinationId: "dst_a", state, by: ADA, reason: "", nowMs });

export function describeOperatorAlerts(open: OpenStore): void {
  describe("alerts to the operator", () => {
    describeDestinations(open);
    describeEnds(open);
    describeConditions(open);
  });
}

function describeDestinations(open: OpenStore): void {
  const test = inStore(open);
  test("the operator is alerted once to a breaker that opens, although its account names nobody", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await attempt(store, 1, { ...FAILED, nowMs: LATER });
    assert.deepEqual(await takeAll(store), [
      {
        event: "destination_failing",
        occurred_at: "2026-11-20T12:00:00.000+00:00",
        account: { id: accountId, name: "Acme" },
        destination: {
          id: "dst_a",
          owner: { kind: "assistant", id: "assistant of dst_a", name: "Ada" },
          origin: "https://dst_a.example",
          failing_since: "2026-11-20T12:00:00.000+00:00",
          last_failure: { at: "2026-11-20T12:00:00.000+00:00", outcome: "response", status: 200 },
        },
      },
    ]);
  });

  test("and to its end, with what it was", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await attempt(store, 1, { nowMs: LATER });
    await attempt(store, 2, { nowMs: LATER });
    const bodies = await takeAll(store);
    assert.deepEqual(listEvents(bodies), ["destination_failing", "destination_recovered: accepted"]);
    const { destination } = bodies[1] as { destination: { failing_since: string } };
    assert.equal(destination.failing_since, "2026-11-20T12:00:00.000+00:00");
  });

  test("failures that open no breaker are no alert", async (store) => {
    await setUp(store, ["dst_a"]);
    await attempt(store, 1, { ...FAILED, nowMs: T0 });
    await attempt(store, 2, { nowMs: T0 });
    assert.deepEqual(await takeAll(store), []);
  });

  test("one that turns off is one alert with the reason, also after that of its failing", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await attempt(store, 1, { ...GONE, nowMs: LATER });
    assert.deepEqual(listEvents(await takeAll(store)), ["destination_failing", "destination_turned_off: gone"]);
  });

  test("one that flaps is an alert once an hour", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await attempt(store, 1, { nowMs: LATER });
    assert.equal((await takeAll(store)).length, 2);
    for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: LATER });
    await attempt(store, 20, { ...FAILED, nowMs: T0 + hoursMs(1) - 1 });
    assert.deepEqual(await takeAll(store, T0 + hoursMs(1)), []);
    await attempt(store, 21, { ...FAILED, nowMs: T0 + hoursMs(2) });
    assert.deepEqual(listEvents(await takeAll(store, T0 + hoursMs(2))), ["destination_failing"]);
  });
}

function describeEnds(open: OpenStore): void {
  const test = inStore(open);
  test("a person who turns it on ends what there was an alert about, and nothing else", async (store) => {
    await setUp(store, ["dst_a"]);
    await turn(store, "paused");
    await turn(store, "on");
    assert.deepEqual(await takeAll(store), []);
    await attempt(store, 1, { ...GONE, nowMs: LATER });
    await turn(store, "on", LATER + 1);
    await attempt(store, 2, { nowMs: LATER + 2 });
    assert.deepEqual(listEvents(await takeAll(store, LATER + 2)), [
      "destination_turned_off: gone",
      "destination_recovered: turned_on",
    ]);
  });

  test("pausing ends nothing: it is not mended", async (store) => {
    await setUp(store, ["dst_a"]);
    await openBreaker(store, "dst_a");
    await turn(store, "paused");
    assert.deepEqual(listEvents(await takeAll(store)), ["destination_failing"]);
  });

  test("an owner who deletes it ends what there was an alert about", async (store) => {
    await setUp(store, []);
    const destination = makeDestinationSetup({ id: "dst_a", url: "https://dst_a.example/hook" });
    await store.saveAlert(alertToSave({ destination }));
    await openBreaker(store, "dst_a");
    const alert = { accountId, id: "alr_1", expectedRevision: 1 };
    assert.equal(await store.deleteAlert({ ...alert, by: ADA, nowMs: LATER }), "deleted");
    const bodies = await takeAll(store);
    assert.deepEqual(listEvents(bodies), ["destination_failing", "destination_recovered: deleted"]);
    const ended = bodies[1] as unknown as AlertedDestination;
    assert.deepEqual(ended.destination.owner, { kind: "alert", id: "alr_1", name: "Sales" });
  });
}

function describeConditions(open: OpenStore): void {
  const test = inStore(open);
  const note = (store: Store, isRaised: boolean, parts: Partial<NoteCondition> = {}) =>
    store.noteCondition({
      subject: "backlog",
      isRaised,
      body: `{"event":"${isRaised ? "late" : "cleared"}"}`,
      quietMs: minutesMs(10),
      nowMs: T0,
      ...parts,
    });

  test("a condition is noted when it begins and when it ends, by the first who sees it", async (store) => {
    assert.equal(await note(store, false), "unchanged");
    assert.deepEqual([await note(store, true), await note(store, true)], ["noted", "unchanged"]);
    assert.deepEqual([await note(store, false), await note(store, false)], ["noted", "unchanged"]);
    assert.deepEqual(listEvents(await takeAll(store)), ["late", "cleared"]);
  });

  test("of many who see it at once, one notes it", async (store) => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => note(store, true)));
    assert.equal(answers.filter((answer) => answer === "noted").length, 1);
  });

  test("one that comes back keeps quiet for a while", async (store) => {
    await note(store, true);
    await note(store, false, { nowMs: T0 + 1 });
    assert.equal(await note(store, true, { nowMs: T0 + minutesMs(10) - 1 }), "unchanged");
    assert.equal(await note(store, true, { nowMs: T0 + minutesMs(10) }), "noted");
  });

  test("what has ended is forgotten after two days, what lasts is not", async (store) => {
    await note(store, true, { subject: "lasts" });
    await note(store, true, { subject: "ended" });
    await note(store, false, { subject: "ended" });
    await purgeNow(store, T0 + hoursMs(49));
    const again = { quietMs: hoursMs(1_000), nowMs: T0 + hoursMs(49) };
    assert.equal(await note(store, true, { subject: "ended", ...again }), "noted");
    assert.equal(await note(store, true, { subject: "lasts", ...again }), "unchanged");
  });
}
