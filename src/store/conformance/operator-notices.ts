/** Promises about telling the operator: each thing once and in order, beside what owners are told, whatever dies. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NoticedDestination } from "../../domain/operator-notice.ts";
import { hoursMs, minutesMs } from "../../lib/duration.ts";
import {
  attempt,
  ACCOUNT,
  ADA,
  alertToSave,
  inStore,
  type OpenStore,
  openBreaker,
  purgeNow,
  setUp,
  T0,
} from "./world.ts";
import type { ClaimNotices, NoteCondition } from "../contract/notices.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + 60_000;
const CLAIM_MS = 60_000;

const claim = (store: Store, parts: Partial<ClaimNotices> = {}) => {
  const { nowMs = LATER } = parts;
  const limits = { claimToken: "node", claimUntilMs: nowMs + CLAIM_MS, noticesMax: 9 };
  return store.claimOperatorNotices({ nowMs, ...limits, ...parts });
};

const told = (store: Store, noticeSeq: number, claimToken = "node") =>
  store.settleOperatorNoticeIfClaimed({ noticeSeq, claimToken, retryAtMs: null });

/** Bodies of all that there is to tell, in order; they are told. */
async function tellAll(store: Store, nowMs = LATER): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  for (;;) {
    const notices = await claim(store, { nowMs });
    if (notices.length === 0) return bodies;
    for (const { seq, body } of notices) {
      bodies.push(JSON.parse(body));
      await told(store, seq);
    }
  }
}

const listEvents = (bodies: readonly Record<string, unknown>[]) =>
  bodies.map(({ event, reason }) => (typeof reason === "string" ? `${event as string}: ${reason}` : event));

const FAILED = { next: { state: "failed" } } as const;
const GONE = { ...FAILED, destinationOff: "gone" } as const;

const turn = (store: Store, state: "on" | "paused", nowMs = LATER) =>
  store.setDestinationState({ accountId, destinationId: "dst_a", state, by: ADA, reason: "", nowMs });

export function describeOperatorNotices(open: OpenStore): void {
  describe("telling the operator", () => {
    describeDestinations(open);
    describeEnds(open);
    describeConditions(open);
    describeGivingOut(open);
  });
}

function describeDestinations(open: OpenStore): void {
  test(
    "a breaker that opens is told once, although its account names nobody",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { ...FAILED, nowMs: LATER });
      assert.deepEqual(await tellAll(store), [
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
    }),
  );

  test(
    "its end is told, with what it was",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { nowMs: LATER });
      await attempt(store, 2, { nowMs: LATER });
      const bodies = await tellAll(store);
      assert.deepEqual(listEvents(bodies), ["destination_failing", "destination_recovered: accepted"]);
      const { destination } = bodies[1] as { destination: { failing_since: string } };
      assert.equal(destination.failing_since, "2026-11-20T12:00:00.000+00:00");
    }),
  );

  test(
    "failures that open no breaker are no news",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await attempt(store, 1, { ...FAILED, nowMs: T0 });
      await attempt(store, 2, { nowMs: T0 });
      assert.deepEqual(await tellAll(store), []);
    }),
  );

  test(
    "one that turns off is told with the reason, once, also when its failing was told before",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { ...GONE, nowMs: LATER });
      assert.deepEqual(listEvents(await tellAll(store)), ["destination_failing", "destination_turned_off: gone"]);
    }),
  );

  test(
    "one that flaps is told of once an hour",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { nowMs: LATER });
      assert.equal((await tellAll(store)).length, 2);
      for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: LATER });
      await attempt(store, 20, { ...FAILED, nowMs: T0 + hoursMs(1) - 1 });
      assert.deepEqual(await tellAll(store, T0 + hoursMs(1)), []);
      await attempt(store, 21, { ...FAILED, nowMs: T0 + hoursMs(2) });
      assert.deepEqual(listEvents(await tellAll(store, T0 + hoursMs(2))), ["destination_failing"]);
    }),
  );
}

function describeEnds(open: OpenStore): void {
  test(
    "a person who turns it on ends what was told, and nothing that was not",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await turn(store, "paused");
      await turn(store, "on");
      assert.deepEqual(await tellAll(store), []);
      await attempt(store, 1, { ...GONE, nowMs: LATER });
      await turn(store, "on");
      await attempt(store, 2, { nowMs: LATER });
      assert.deepEqual(listEvents(await tellAll(store)), [
        "destination_turned_off: gone",
        "destination_recovered: turned_on",
      ]);
    }),
  );

  test(
    "pausing ends nothing: it is not mended",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await turn(store, "paused");
      assert.deepEqual(listEvents(await tellAll(store)), ["destination_failing"]);
    }),
  );

  test(
    "an owner who deletes it ends what was told",
    inStore(open, async (store) => {
      await setUp(store, []);
      const destination = { id: "dst_a", url: "https://dst_a.example/hook", headers: [], ratePerSecond: null };
      await store.saveAlert(alertToSave({ destination }));
      await openBreaker(store, "dst_a");
      const alert = { accountId, alertId: "alr_1", expectedRevision: 1 };
      assert.equal(await store.deleteAlert({ ...alert, by: ADA, nowMs: LATER }), "deleted");
      const bodies = await tellAll(store);
      assert.deepEqual(listEvents(bodies), ["destination_failing", "destination_recovered: deleted"]);
      const ended = bodies[1] as unknown as NoticedDestination;
      assert.deepEqual(ended.destination.owner, { kind: "alert", id: "alr_1", name: "Sales" });
    }),
  );
}

function describeConditions(open: OpenStore): void {
  const note = (store: Store, isRaised: boolean, parts: Partial<NoteCondition> = {}) =>
    store.noteCondition({
      subject: "backlog",
      isRaised,
      body: `{"event":"${isRaised ? "late" : "cleared"}"}`,
      quietMs: minutesMs(10),
      nowMs: T0,
      ...parts,
    });

  test(
    "a condition is noted when it begins and when it ends, by the first who sees it",
    inStore(open, async (store) => {
      assert.equal(await note(store, false), "unchanged");
      assert.deepEqual([await note(store, true), await note(store, true)], ["noted", "unchanged"]);
      assert.deepEqual([await note(store, false), await note(store, false)], ["noted", "unchanged"]);
      assert.deepEqual(listEvents(await tellAll(store)), ["late", "cleared"]);
    }),
  );

  test(
    "of many who see it at once, one notes it",
    inStore(open, async (store) => {
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => note(store, true)));
      assert.equal(answers.filter((answer) => answer === "noted").length, 1);
    }),
  );

  test(
    "one that comes back keeps quiet for a while",
    inStore(open, async (store) => {
      await note(store, true);
      await note(store, false, { nowMs: T0 + 1 });
      assert.equal(await note(store, true, { nowMs: T0 + minutesMs(10) - 1 }), "unchanged");
      assert.equal(await note(store, true, { nowMs: T0 + minutesMs(10) }), "noted");
    }),
  );

  test(
    "what has ended is forgotten after two days, what lasts is not",
    inStore(open, async (store) => {
      await note(store, true, { subject: "lasts" });
      await note(store, true, { subject: "ended" });
      await note(store, false, { subject: "ended" });
      await purgeNow(store, T0 + hoursMs(49));
      const again = { quietMs: hoursMs(1_000), nowMs: T0 + hoursMs(49) };
      assert.equal(await note(store, true, { subject: "ended", ...again }), "noted");
      assert.equal(await note(store, true, { subject: "lasts", ...again }), "unchanged");
    }),
  );
}

function describeGivingOut(open: OpenStore): void {
  const note = (store: Store, subject: string, isRaised = true) =>
    store.noteCondition({ subject, isRaised, body: `"${subject}"`, quietMs: 0, nowMs: T0 });

  test(
    "a notice is given to one node at a time, and again when its claim has ended",
    inStore(open, async (store) => {
      await note(store, "a");
      const [first] = await claim(store);
      assert.deepEqual([first?.subject, first?.atMs, first?.body, first?.attempts], ["a", T0, '"a"', 1]);
      assert.deepEqual(await claim(store, { claimToken: "other", nowMs: LATER + CLAIM_MS - 1 }), []);
      const [again] = await claim(store, { claimToken: "other", nowMs: LATER + CLAIM_MS });
      assert.deepEqual([again?.seq, again?.attempts], [first?.seq, 2]);
    }),
  );

  test(
    "one that was told goes for good; only its holder can say so",
    inStore(open, async (store) => {
      await note(store, "a");
      const seq = (await claim(store))[0]?.seq ?? 0;
      await told(store, seq, "other");
      assert.equal((await claim(store, { nowMs: LATER + CLAIM_MS })).length, 1);
      await told(store, seq);
      await told(store, seq);
      assert.deepEqual(await claim(store, { nowMs: LATER + 2 * CLAIM_MS }), []);
    }),
  );

  test(
    "one that is put off comes again when it is time, and only its holder can put it off",
    inStore(open, async (store) => {
      await note(store, "a");
      const noticeSeq = (await claim(store))[0]?.seq ?? 0;
      const retryAtMs = LATER + 5_000;
      await store.settleOperatorNoticeIfClaimed({ noticeSeq, claimToken: "other", retryAtMs: LATER });
      assert.deepEqual(await claim(store, { claimToken: "third" }), []);
      await store.settleOperatorNoticeIfClaimed({ noticeSeq, claimToken: "node", retryAtMs });
      assert.deepEqual(await claim(store, { nowMs: retryAtMs - 1 }), []);
      assert.equal((await claim(store, { nowMs: retryAtMs }))[0]?.attempts, 2);
    }),
  );

  test(
    "those of one subject are given out one after the other, those of others beside them",
    inStore(open, async (store) => {
      await note(store, "a");
      await note(store, "b");
      await note(store, "a", false);
      const first = await claim(store);
      assert.deepEqual(
        first.map(({ subject }) => subject),
        ["a", "b"],
      );
      assert.deepEqual(await claim(store, { claimToken: "other" }), [], "a's second waits for its first");
      for (const { seq } of first) await told(store, seq);
      const [second, ...none] = await claim(store);
      assert.deepEqual([second?.subject, none], ["a", []]);
      assert.ok((second?.seq ?? 0) > (first[1]?.seq ?? 0), "numbers grow");
    }),
  );

  test(
    "they come oldest first, as many as are asked for",
    inStore(open, async (store) => {
      for (const subject of ["c", "a", "b"]) await note(store, subject);
      const taken = await claim(store, { noticesMax: 2 });
      assert.deepEqual(
        taken.map(({ subject }) => subject),
        ["c", "a"],
      );
    }),
  );

  test(
    "what nobody asked for goes after two days",
    inStore(open, async (store) => {
      await note(store, "a");
      await purgeNow(store, T0 + hoursMs(48));
      assert.equal((await claim(store, { nowMs: T0 + hoursMs(48) })).length, 1);
      await purgeNow(store, T0 + hoursMs(49));
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(72) }), []);
    }),
  );
}
