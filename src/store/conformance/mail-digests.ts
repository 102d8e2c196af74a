/** Promises about telling owners: what is news, that it is told once, and that none of it is lost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import {
  keyOf,
  attempt,
  ACCOUNT,
  accept,
  ADA,
  addressToAdd,
  makeAttempt,
  makeEvent,
  held,
  inStore,
  type OpenStore,
  openBreaker,
  purgeNow,
  setUp,
  makeSettlement,
  T0,
  tellTo,
  loadVersion,
} from "./world.ts";
import type { ClaimDigests, SettleDigest } from "../contract/mail.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const LATER = T0 + minutesMs(1);
const GAP_MS = LIMITS.digestGapMs;

const claim = (store: Store, parts: Partial<ClaimDigests> = {}) =>
  store.claimDigests({ nowMs: LATER, claimToken: "node", digestsMax: 9, linesMax: 9, ...parts });

/** A claim, and its digests as sent. */
async function take(store: Store, nowMs: number) {
  const digests = await claim(store, { nowMs });
  for (const { addressId } of digests) {
    await store.settleDigestIfClaimed({ accountId, addressId, claimToken: "node", retryAtMs: null, toldAtMs: nowMs });
  }
  return digests;
}

/** The news of all digests together; they are sent. */
const listNews = async (store: Store, nowMs = LATER): Promise<string[]> =>
  (await take(store, nowMs)).flatMap(({ lines }) => lines.map(({ kind }) => kind));

const FAILED = { next: { state: "failed" } } as const;

async function setUpTold(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await tellTo(store, [ANA]);
}

export function describeMailDigests(open: OpenStore): void {
  describe("telling owners", () => {
    describeReaders(open);
    describeNews(open);
    describeQuiet(open);
    describeClaims(open);
    describeBounds(open);
  });
}

function describeReaders(open: OpenStore): void {
  test(
    "an account whose letters nobody wants gets no news, and is told of an outage that outlasts that",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await store.addMailAddress(addressToAdd(ANA));
      await openBreaker(store, "dst_a");
      assert.deepEqual(await claim(store), []);
      await store.removeMailAddress({ accountId, addressId: `adr of ${ANA}`, by: ADA, nowMs: T0 });
      await tellTo(store, ["bo@example.com"]);
      await attempt(store, 1, { ...FAILED, nowMs: LATER });
      assert.deepEqual(await listNews(store, LATER + minutesMs(1)), ["failing"]);
    }),
  );

  test(
    "each address that is confirmed gets a digest of its own, and no other address does",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await tellTo(store, [ANA, "bo@example.com", "cy@example.com"]);
      await store.addMailAddress(addressToAdd("waiting@example.com"));
      await store.useMailLink({ tokenHash: keyOf("stop of bo@example.com"), action: "stop", nowMs: T0 });
      await openBreaker(store, "dst_a");
      const digests = await take(store, LATER);
      assert.deepEqual(digests.map(({ address }) => address).toSorted(), [ANA, "cy@example.com"]);
      const [{ accountName, sealedStop, accountId: of } = assert.fail()] = digests;
      assert.deepEqual([of, accountName, sealedStop.slice(0, 7)], [accountId, "Acme", "sealed "]);
    }),
  );

  for (const what of ["removed", "stopped"] as const) {
    test(
      `what waits for an address is not told once it is ${what}`,
      inStore(open, async (store) => {
        await setUpTold(store);
        await openBreaker(store, "dst_a");
        const addressId = `adr of ${ANA}`;
        if (what === "removed") await store.removeMailAddress({ accountId, addressId, by: ADA, nowMs: T0 });
        else await store.useMailLink({ tokenHash: keyOf(`stop of ${ANA}`), action: "stop", nowMs: T0 });
        assert.deepEqual(await claim(store), []);
      }),
    );
  }
}

function describeNews(open: OpenStore): void {
  test(
    "a breaker that opens is told once, with what the letter needs",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a", {
        attempt: makeAttempt(1, { outcome: { kind: "timeout", phase: "headers" } }),
      });
      await attempt(store, 1, { ...FAILED, nowMs: LATER, attempt: makeAttempt(1, { startedAtMs: LATER }) });
      const [digest, ...others] = await claim(store);
      assert.deepEqual(others, []);
      assert.deepEqual(digest?.counts, {
        turned_off: 0,
        failing: 1,
        still_failing: 0,
        recovered: 0,
        certificate_ends: 0,
      });
      const [line, ...more] = digest.lines;
      assert.deepEqual(more, []);
      assert.deepEqual(line, {
        kind: "failing",
        atMs: T0,
        incidentId: (await store.listIncidents({ accountId, destinationId: "dst_a", before: null, limit: 1 }))[0]?.id,
        certificateEndsAtMs: null,
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
      const timeout = makeAttempt(1, { startedAtMs: T0 + 1, outcome: { kind: "timeout", phase: "connect" } });
      await attempt(store, 1, { ...FAILED, attempt: timeout, nowMs: T0 + 2 });
      const expected = { atMs: T0 + 1, outcome: "timeout", status: null };
      assert.deepEqual(await reported(), expected);
      await attempt(store, 2, { nowMs: T0 + 3 });
      const ours = makeAttempt(1, { outcome: { kind: "proxy_error", code: "ECONNREFUSED", message: "" } });
      await attempt(store, 3, { ...FAILED, attempt: ours, nowMs: T0 + 4 });
      assert.deepEqual(await reported(), expected);
    }),
  );

  test(
    "the end of an outage that was told is told too",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      assert.deepEqual(await listNews(store), ["failing"]);
      await attempt(store, 1, { nowMs: LATER });
      await attempt(store, 2, { nowMs: LATER });
      assert.deepEqual(await listNews(store, LATER + GAP_MS), ["recovered"]);
    }),
  );

  test(
    "an outage that is over before it was told is told once: by its end",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      await attempt(store, 1, { nowMs: LATER });
      assert.deepEqual(await listNews(store, LATER + minutesMs(1)), ["recovered"]);
    }),
  );

  test(
    "a few failures that open no breaker are no news, nor is what follows them",
    inStore(open, async (store) => {
      await setUpTold(store);
      await attempt(store, 1, { ...FAILED, nowMs: T0 });
      await attempt(store, 2, { nowMs: T0 });
      assert.deepEqual(await listNews(store), []);
    }),
  );

  test(
    "a destination that turns off is told with the reason, once",
    inStore(open, async (store) => {
      await setUpTold(store);
      const configVersion = await loadVersion(store);
      const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")];
      await accept(store, [makeEvent(1, { configVersion, deliveries })]);
      const gone = { ...FAILED, destinationOff: "gone" } as const;
      const settlements = [makeSettlement("dlv_1", gone), makeSettlement("dlv_2", gone)];
      await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
      const [digest] = await claim(store);
      assert.deepEqual(
        digest?.lines.map(({ kind, destination }) => [kind, destination.offReason]),
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
      assert.deepEqual(await listNews(store), ["failing"]);
      for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: T0 + 3 });
      assert.deepEqual(await listNews(store, LATER + GAP_MS), ["failing"]);
    }),
  );

  test(
    "a receiver that flaps is told of once an hour",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      assert.deepEqual(await listNews(store), ["failing"]);
      await attempt(store, 1, { nowMs: LATER });
      assert.deepEqual(await listNews(store, LATER + GAP_MS), ["recovered"]);
      for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: LATER });
      await attempt(store, 20, { ...FAILED, nowMs: T0 + hoursMs(1) - 1 });
      assert.deepEqual(await listNews(store, T0 + hoursMs(1)), []);
      await attempt(store, 21, { ...FAILED, nowMs: T0 + hoursMs(2) });
      assert.deepEqual(await listNews(store, T0 + hoursMs(2) + minutesMs(1)), ["failing"]);
    }),
  );
}

function describeClaims(open: OpenStore): void {
  const setUpNews = async (store: Store) => {
    await setUpTold(store);
    await openBreaker(store, "dst_a");
  };
  const settle = (store: Store, parts: Partial<SettleDigest> = {}) =>
    store.settleDigestIfClaimed({
      accountId,
      addressId: `adr of ${ANA}`,
      claimToken: "node",
      retryAtMs: null,
      toldAtMs: LATER,
      ...parts,
    });

  test(
    "a digest is given to one node at a time, and again when its quarter of an hour is over",
    inStore(open, async (store) => {
      await setUpNews(store);
      assert.equal((await claim(store)).length, 1);
      assert.deepEqual(await claim(store, { claimToken: "other", nowMs: LATER + GAP_MS - 1 }), []);
      assert.equal((await claim(store, { claimToken: "other", nowMs: LATER + GAP_MS })).length, 1);
    }),
  );

  test(
    "what was sent never comes back; only its holder can say so",
    inStore(open, async (store) => {
      await setUpNews(store);
      await claim(store);
      await settle(store, { claimToken: "other" });
      assert.equal((await claim(store, { nowMs: LATER + GAP_MS })).length, 1);
      await settle(store);
      await settle(store);
      assert.deepEqual(await claim(store, { nowMs: LATER + 2 * GAP_MS }), []);
    }),
  );

  test(
    "what was not tried is given out again when it was asked for, and not before",
    inStore(open, async (store) => {
      await setUpNews(store);
      await claim(store);
      await settle(store, { retryAtMs: LATER + 9 });
      assert.deepEqual(await claim(store, { nowMs: LATER + 8 }), []);
      assert.equal((await claim(store, { nowMs: LATER + 9 })).length, 1);
    }),
  );

  test(
    "news that comes in while a digest is being sent is in the next one",
    inStore(open, async (store) => {
      await setUpNews(store);
      await claim(store);
      await attempt(store, 1, { nowMs: LATER });
      await settle(store);
      assert.deepEqual(await listNews(store, LATER + GAP_MS - 1), []);
      assert.deepEqual(await listNews(store, LATER + GAP_MS), ["recovered"]);
    }),
  );

  test(
    "what nobody could tell for a day is no news any more, and goes a day later",
    inStore(open, async (store) => {
      await setUpNews(store);
      assert.equal((await claim(store, { nowMs: T0 + hoursMs(24) - 1 })).length, 1);
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(25) }), []);
      await purgeNow(store, T0 + hoursMs(49));
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(23) }), []);
    }),
  );
}

function describeBounds(open: OpenStore): void {
  /** Opens the breaker of any of them; `n` makes the event. */
  const failOften = async (store: Store, destinationId: string, n: number) => {
    const ids = Array.from({ length: 8 }, (_, place) => `dlv_${n}_${place}`);
    const deliveries = ids.map((id) => held(id, destinationId));
    await accept(store, [makeEvent(n, { configVersion: await loadVersion(store), deliveries })]);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id, FAILED)) });
  };
  const NAMES = ["dst_a", "dst_b", "dst_c", "dst_d"];

  test(
    "all that fails is in one digest, of which as many lines are read as are asked for and the rest is counted",
    inStore(open, async (store) => {
      await setUp(store, NAMES);
      await tellTo(store, [ANA]);
      for (const [n, name] of NAMES.entries()) await failOften(store, name, n);
      const [digest, ...others] = await claim(store, { linesMax: 3 });
      assert.deepEqual(others, []);
      assert.deepEqual(
        digest?.lines.map(({ destination }) => destination.id),
        ["dst_a", "dst_b", "dst_c"],
      );
      assert.equal(digest.counts.failing, 4);
    }),
  );

  test(
    "what failed before and still does is beside the news, and makes none by itself",
    inStore(open, async (store) => {
      await setUp(store, NAMES);
      await tellTo(store, [ANA]);
      await openBreaker(store, "dst_a");
      await take(store, LATER);
      assert.deepEqual(await take(store, LATER + GAP_MS), []);
      await failOften(store, "dst_b", 2);
      const [digest] = await take(store, LATER + 2 * GAP_MS);
      assert.deepEqual(
        digest?.lines.map(({ kind, destination }) => [kind, destination.id]),
        [
          ["failing", "dst_b"],
          ["still_failing", "dst_a"],
        ],
      );
    }),
  );

  test(
    "the first digest waits until the news is half a minute old, so that what fails together is told together",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      assert.deepEqual(await claim(store, { nowMs: T0 + secondsMs(30) - 1 }), []);
      assert.equal((await claim(store, { nowMs: T0 + secondsMs(30) })).length, 1);
    }),
  );

  test(
    "a destination that is deleted meanwhile is not told of",
    inStore(open, async (store) => {
      await setUpTold(store);
      await openBreaker(store, "dst_a");
      const assistantId = "assistant of dst_a";
      await store.removeAssistantDestination({ accountId, assistantId, expectedRevision: 2, by: ADA, nowMs: LATER });
      const news = await claim(store);
      assert.deepEqual(
        news.flatMap(({ lines }) => lines),
        [],
      );
    }),
  );
}
