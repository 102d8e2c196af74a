/** Promises about telling owners: what is news, that it is told once, and that none of it is lost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hoursMs } from "../../lib/duration.ts";
import {
  attempt,
  ACCOUNT,
  accept,
  ADA,
  attemptOf,
  eventOf,
  held,
  inStore,
  type OpenStore,
  openBreaker,
  purgeNow,
  setUp,
  settlementOf,
  T0,
  versionOf,
} from "./world.ts";
import type { ClaimNotices } from "../dashboard-verbs.ts";
import type { Store } from "../store.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const LATER = T0 + 60_000;
const CLAIM_MS = 600_000;

const saveMail = (store: Store, addresses: readonly string[], nowMs = T0) =>
  store.saveFailureMail({ accountId, addresses, by: ADA, nowMs });

const claim = (store: Store, parts: Partial<ClaimNotices> = {}) => {
  const { nowMs = LATER } = parts;
  return store.claimNotices({ nowMs, claimToken: "node", claimUntilMs: nowMs + CLAIM_MS, noticesMax: 9, ...parts });
};

/** Kinds of all notices up to now; they are acknowledged. */
async function newsOf(store: Store, nowMs = LATER): Promise<string[]> {
  const notices = await claim(store, { nowMs });
  for (const { seq } of notices) await store.acknowledgeNotice({ noticeSeq: seq, claimToken: "node" });
  return notices.map(({ kind }) => kind);
}

const FAILED = { next: { state: "failed" } } as const;

async function setUpTold(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await saveMail(store, [ANA]);
}

export function describeNotices(open: OpenStore): void {
  describe("telling owners", () => {
    describeAddresses(open);
    describeNews(open);
    describeQuiet(open);
    describeClaims(open);
  });
}

function describeAddresses(open: OpenStore): void {
  test(
    "an account names nobody, then whom it was given last",
    inStore(open, async (store) => {
      await setUp(store, []);
      assert.deepEqual(await store.loadFailureMail({ accountId }), []);
      await saveMail(store, [ANA]);
      await saveMail(store, [ANA, "ops@example.com"]);
      assert.deepEqual(await store.loadFailureMail({ accountId }), [ANA, "ops@example.com"]);
      assert.deepEqual(await store.loadFailureMail({ accountId: "acc_2" }), []);
    }),
  );

  test(
    "the same addresses again are no change, and no entry in the audit",
    inStore(open, async (store) => {
      await setUp(store, []);
      await saveMail(store, [ANA]);
      await saveMail(store, [ANA]);
      const entries = await store.listAudit({ accountId, action: "failure_mail_changed", before: null, limit: 9 });
      assert.equal(entries.length, 1);
    }),
  );

  test(
    "an account that names nobody gets no notices, and is told of an outage that outlasts that",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      assert.deepEqual(await claim(store), []);
      await saveMail(store, [ANA]);
      await attempt(store, 1, { ...FAILED, nowMs: LATER });
      assert.deepEqual(await newsOf(store), ["failing"]);
    }),
  );

  test(
    "who is named is read when it is told; when nobody is named any more, nothing is left to tell",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      await saveMail(store, ["ops@example.com"]);
      const [notice] = await claim(store);
      assert.deepEqual(notice?.addresses, ["ops@example.com"]);
      await saveMail(store, []);
      await saveMail(store, [ANA]);
      assert.deepEqual(await claim(store, { nowMs: LATER + CLAIM_MS }), []);
    }),
  );
}

function describeNews(open: OpenStore): void {
  test(
    "a breaker that opens is told once, with what the letter needs",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a", { attempt: attemptOf(1, { outcome: { kind: "timeout", phase: "headers" } }) });
      await attempt(store, 1, { ...FAILED, nowMs: LATER, attempt: attemptOf(1, { startedAtMs: LATER }) });
      const [notice, ...others] = await claim(store);
      assert.deepEqual(others, []);
      assert.deepEqual(notice, {
        seq: notice?.seq,
        kind: "failing",
        atMs: T0,
        accountId,
        accountName: "Acme",
        addresses: [ANA],
        destination: {
          id: "dst_a",
          url: "https://dst_a.example/hook",
          owner: { kind: "assistant", id: "assistant of dst_a", name: "Ada", isDeleted: false },
          offReason: null,
          failingSinceMs: T0,
          lastFailure: { atMs: LATER, outcome: "response", status: 200 },
        },
      });
    }),
  );

  test(
    "the last failure is the receiver's, and a success or a fault of ours leaves it as it is",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      const reported = async () => {
        const [found] = await store.loadDestinations({ accountId, withDeleted: false, nowMs: LATER, waitingMax: 0 });
        return found?.lastFailure;
      };
      assert.equal(await reported(), null);
      const timeout = attemptOf(1, { startedAtMs: T0 + 1, outcome: { kind: "timeout", phase: "connect" } });
      await attempt(store, 1, { ...FAILED, attempt: timeout, nowMs: T0 + 2 });
      const expected = { atMs: T0 + 1, outcome: "timeout", status: null };
      assert.deepEqual(await reported(), expected);
      await attempt(store, 2, { nowMs: T0 + 3 });
      const ours = attemptOf(1, { outcome: { kind: "proxy_error", code: "ECONNREFUSED", message: "" } });
      await attempt(store, 3, { ...FAILED, attempt: ours, nowMs: T0 + 4 });
      assert.deepEqual(await reported(), expected);
    }),
  );

  test(
    "the end of an outage that was told is told too",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { nowMs: LATER });
      await attempt(store, 2, { nowMs: LATER });
      assert.deepEqual(await newsOf(store), ["failing", "recovered"]);
    }),
  );

  test(
    "a few failures that open no breaker are no news, nor is what follows them",
    inStore(open, async (store) => {
      await setUpTold(store);
      await attempt(store, 1, { ...FAILED, nowMs: T0 });
      await attempt(store, 2, { nowMs: T0 });
      assert.deepEqual(await newsOf(store), []);
    }),
  );

  test(
    "a destination that turns off is told with the reason, once",
    inStore(open, async (store) => {
      await setUpTold(store);
      const configVersion = await versionOf(store);
      const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")];
      await accept(store, [eventOf(1, { configVersion, deliveries })]);
      const gone = { ...FAILED, destinationOff: "gone" } as const;
      const settlements = [settlementOf("dlv_1", gone), settlementOf("dlv_2", gone)];
      await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
      const notices = await claim(store);
      assert.deepEqual(
        notices.map(({ kind, destination }) => [kind, destination.offReason]),
        [["turned_off", "gone"]],
      );
    }),
  );
}

function describeQuiet(open: OpenStore): void {
  const turnOn = (store: Store, nowMs: number) => {
    const decision = { accountId, destinationId: "dst_a", state: "on", by: ADA, reason: "" } as const;
    return store.setDestinationState({ ...decision, nowMs });
  };

  test(
    "whoever turns it on knows already, and is told of the next outage at once",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      await turnOn(store, T0 + 1);
      await attempt(store, 1, { nowMs: T0 + 2 });
      assert.deepEqual(await newsOf(store), ["failing"]);
      for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: T0 + 3 });
      assert.deepEqual(await newsOf(store), ["failing"]);
    }),
  );

  test(
    "a receiver that flaps is told of once an hour",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { nowMs: LATER });
      assert.deepEqual(await newsOf(store), ["failing", "recovered"]);
      for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: LATER });
      await attempt(store, 20, { ...FAILED, nowMs: T0 + hoursMs(1) - 1 });
      assert.deepEqual(await newsOf(store, T0 + hoursMs(1)), []);
      await attempt(store, 21, { ...FAILED, nowMs: T0 + hoursMs(2) });
      assert.deepEqual(await newsOf(store, T0 + hoursMs(2)), ["failing"]);
    }),
  );
}

function describeClaims(open: OpenStore): void {
  const setUpNotice = async (store: Store) => {
    await setUpTold(store);
    await openBreaker(store, "dst_a");
  };

  test(
    "a notice is given to one node at a time, and again when its claim has ended",
    inStore(open, async (store) => {
      await setUpNotice(store);
      const [first] = await claim(store);
      assert.deepEqual(await claim(store, { claimToken: "other", nowMs: LATER + CLAIM_MS - 1 }), []);
      const [again] = await claim(store, { claimToken: "other", nowMs: LATER + CLAIM_MS });
      assert.equal(again?.seq, first?.seq);
    }),
  );

  test(
    "one that is acknowledged never comes back; only its holder can do that",
    inStore(open, async (store) => {
      await setUpNotice(store);
      const [notice] = await claim(store);
      const noticeSeq = notice?.seq ?? 0;
      await store.acknowledgeNotice({ noticeSeq, claimToken: "other" });
      assert.equal((await claim(store, { nowMs: LATER + CLAIM_MS })).length, 1);
      await store.acknowledgeNotice({ noticeSeq, claimToken: "node" });
      await store.acknowledgeNotice({ noticeSeq, claimToken: "node" });
      assert.deepEqual(await claim(store, { nowMs: LATER + 2 * CLAIM_MS }), []);
    }),
  );

  test(
    "they come oldest first, as many as are asked for, under numbers that are never used again",
    inStore(open, async (store) => {
      await setUpNotice(store);
      await attempt(store, 1, { nowMs: LATER });
      const [first, ...none] = await claim(store, { noticesMax: 1 });
      assert.deepEqual([first?.kind, none], ["failing", []]);
      const [second] = await claim(store, { claimToken: "other", noticesMax: 9 });
      assert.equal(second?.kind, "recovered");
      await store.acknowledgeNotice({ noticeSeq: first?.seq ?? 0, claimToken: "node" });
      await store.acknowledgeNotice({ noticeSeq: second.seq, claimToken: "other" });
      await attempt(store, 21, { ...FAILED, destinationOff: "gone", nowMs: LATER });
      const [third] = await claim(store);
      assert.ok((third?.seq ?? 0) > second.seq);
    }),
  );

  test(
    "what nobody could tell for two days is no news any more",
    inStore(open, async (store) => {
      await setUpNotice(store);
      await purgeNow(store, T0 + hoursMs(48));
      assert.equal((await claim(store, { nowMs: T0 + hoursMs(48) })).length, 1);
      await purgeNow(store, T0 + hoursMs(49));
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(72) }), []);
    }),
  );
}
