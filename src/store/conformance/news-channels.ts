/** Promises about channels: what an account has, and that each is told once, or once more. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { REMIND_MS } from "../../domain/news-channel.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import type { SettleChannelDigest } from "../contract/channels.ts";
import type { ClaimDigests } from "../contract/mail.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCOUNT,
  ADA,
  attempt,
  channelToAdd,
  inStore,
  type OpenStore,
  openBreaker,
  setUp,
  T0,
  tellTo,
} from "./world.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + minutesMs(1);
const GAP_MS = LIMITS.channelGapMs;
const TAKEN = { outcome: "response", status: 200, isTaken: true } as const;
const REFUSED = { outcome: "response", status: 404, isTaken: false } as const;

const claim = (store: Store, parts: Partial<ClaimDigests> = {}) =>
  store.claimChannelDigests({ nowMs: LATER, claimToken: "node", digestsMax: 9, linesMax: 9, ...parts });

const settle = (store: Store, parts: Partial<SettleChannelDigest> = {}) =>
  store.settleChannelDigestIfClaimed({
    accountId,
    channelId: "chn_ops",
    claimToken: "node",
    nowMs: LATER,
    answer: { atMs: LATER, ...TAKEN },
    retryAtMs: null,
    ...parts,
  });

/** The kinds of all lines, as sent. */
async function take(store: Store, nowMs: number): Promise<string[]> {
  const digests = await claim(store, { nowMs });
  for (const { channelId } of digests) await settle(store, { channelId, nowMs, answer: { atMs: nowMs, ...TAKEN } });
  return digests.flatMap(({ lines }) => lines.map(({ kind }) => kind));
}

async function setUpFailing(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await store.addChannel(channelToAdd("ops"));
  await openBreaker(store, "dst_a");
}

const remove = (store: Store, parts = {}) =>
  store.removeChannel({ accountId, channelId: "chn_ops", by: ADA, nowMs: LATER, ...parts });

export function describeNewsChannels(open: OpenStore): void {
  describe("channels for news of failures", () => {
    describeAdding(open);
    describeTelling(open);
    describeReminding(open);
    describeAnswers(open);
  });
}

function describeAdding(open: OpenStore): void {
  test(
    "an account has the channels that were added and not removed, each under a name of its own",
    inStore(open, async (store) => {
      await setUp(store, []);
      assert.equal(await store.addChannel(channelToAdd("ops")), "added");
      assert.equal(await store.addChannel(channelToAdd("sales", { nowMs: LATER })), "added");
      const twin = { ...channelToAdd("ops").channel, id: "chn_twin" };
      assert.equal(await store.addChannel({ ...channelToAdd("ops"), channel: twin }), "known");
      const [ops, sales, ...others] = await store.loadChannels({ accountId });
      const { channel } = channelToAdd("ops");
      assert.deepEqual(ops, { ...channel, addedAtMs: T0, answer: null, refusedSinceMs: null });
      assert.deepEqual([sales?.name, others], ["sales", []]);
      assert.deepEqual([await remove(store), await remove(store)], ["removed", "missing"]);
      assert.equal((await store.loadChannels({ accountId })).length, 1);
      assert.equal(await store.addChannel(channelToAdd("ops")), "added");
    }),
  );

  test(
    "another account neither sees nor removes nor tests a channel, and one that is unknown has none",
    inStore(open, async (store) => {
      await setUp(store, []);
      const other = { ...ACCOUNT, id: "acc_2" };
      await setUp(store, [], other);
      await store.addChannel(channelToAdd("ops"));
      assert.deepEqual(await store.loadChannels({ accountId: other.id }), []);
      assert.equal(await remove(store, { accountId: other.id }), "missing");
      const tested = { channelId: "chn_ops", by: ADA, nowMs: LATER, answer: null };
      assert.equal(await store.noteChannelTest({ accountId: other.id, ...tested }), "missing");
      assert.equal(await store.addChannel({ ...channelToAdd("x"), accountId: "nowhere" }), "account_missing");
      assert.equal((await store.loadChannels({ accountId })).length, 1);
    }),
  );

  test(
    `an account has ${LIMITS.newsChannelsMax} channels at most, also when many are added at once`,
    inStore(open, async (store) => {
      await setUp(store, []);
      const names = Array.from({ length: LIMITS.newsChannelsMax + 3 }, (_, n) => `channel ${n}`);
      const answers = await Promise.all(names.map((name) => store.addChannel(channelToAdd(name))));
      assert.equal(answers.filter((answer) => answer === "added").length, LIMITS.newsChannelsMax);
      assert.equal(answers.filter((answer) => answer === "full").length, 3);
    }),
  );
}

function describeTelling(open: OpenStore): void {
  test(
    "news goes to each channel and each address, and an account with a channel alone is told too",
    inStore(open, async (store) => {
      await setUpFailing(store);
      const [digest, ...others] = await claim(store);
      assert.deepEqual(others, []);
      const { lines = [], ...rest } = digest ?? {};
      assert.deepEqual(rest, {
        channelId: "chn_ops",
        kind: "slack",
        sealedUrl: "sealed ops",
        accountId,
        accountName: "Acme",
        refusals: 0,
        counts: { turned_off: 0, failing: 1, still_failing: 0, recovered: 0, certificate_ends: 0 },
        remindAtMs: null,
      });
      assert.deepEqual(
        lines.map(({ kind, destination }) => [kind, destination.id]),
        [["failing", "dst_a"]],
      );
      await tellTo(store, ["ana@example.com"]);
      await attempt(store, 1, { nowMs: LATER });
      const nowMs = LATER + minutesMs(1);
      assert.equal((await store.claimDigests({ nowMs, claimToken: "n", digestsMax: 9, linesMax: 9 })).length, 1);
      assert.deepEqual(await take(store, nowMs), ["recovered"]);
    }),
  );

  test(
    "a digest is given to one node at a time, and again when a minute is over in which nothing was heard of it",
    inStore(open, async (store) => {
      await setUpFailing(store);
      assert.equal((await claim(store)).length, 1);
      assert.deepEqual(await claim(store, { claimToken: "other", nowMs: LATER + GAP_MS - 1 }), []);
      const again = await claim(store, { claimToken: "other", nowMs: LATER + GAP_MS });
      assert.deepEqual(
        again.map(({ lines }) => lines.map(({ kind }) => kind)),
        [["failing"]],
      );
      await settle(store);
      assert.equal((await claim(store, { nowMs: LATER + 2 * GAP_MS })).length, 1, "the claim was lost");
      await settle(store);
      assert.deepEqual(await claim(store, { nowMs: LATER + 3 * GAP_MS }), []);
    }),
  );

  test(
    "what waits for a channel is not told once it is removed",
    inStore(open, async (store) => {
      await setUpFailing(store);
      await remove(store);
      assert.deepEqual(await claim(store), []);
      await store.addChannel(channelToAdd("ops", { nowMs: LATER }));
      assert.deepEqual(await claim(store, { nowMs: LATER + hoursMs(1) }), []);
    }),
  );
}

function describeReminding(open: OpenStore): void {
  test(
    "a failure that lasts is told again a day after the latest message about it, on and on, and its end ends that",
    inStore(open, async (store) => {
      await setUpFailing(store);
      assert.deepEqual(await take(store, LATER), ["failing"]);
      const second = LATER + REMIND_MS;
      assert.deepEqual(await take(store, second - 1), []);
      assert.deepEqual(await take(store, second), ["still_failing"]);
      assert.deepEqual(await take(store, second + REMIND_MS - 1), []);
      assert.deepEqual(await take(store, second + REMIND_MS), ["still_failing"]);
      await attempt(store, 1, { nowMs: second + REMIND_MS });
      assert.deepEqual(await take(store, second + REMIND_MS + minutesMs(2)), ["recovered"]);
      assert.deepEqual(await take(store, second + 3 * REMIND_MS), []);
    }),
  );

  test(
    "a reminder that was claimed and not sent is given out again",
    inStore(open, async (store) => {
      await setUpFailing(store);
      await take(store, LATER);
      const due = LATER + REMIND_MS;
      const [digest] = await claim(store, { nowMs: due });
      assert.deepEqual([digest?.remindAtMs, digest?.counts.still_failing], [due, 1]);
      await settle(store, { nowMs: due, answer: { atMs: due, ...REFUSED }, retryAtMs: due + 9 });
      assert.deepEqual(await claim(store, { nowMs: due + 8 }), []);
      assert.equal((await claim(store, { nowMs: due + 9 })).length, 1);
      const [again] = await claim(store, { claimToken: "other", nowMs: due + 9 + GAP_MS });
      assert.equal(again?.remindAtMs, due, "the first node died");
    }),
  );

  test(
    "a channel that comes in while a webhook fails is reminded of it within a day",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await tellTo(store, ["ana@example.com"]);
      await openBreaker(store, "dst_a");
      await store.addChannel(channelToAdd("ops", { nowMs: LATER }));
      assert.deepEqual(await take(store, LATER + REMIND_MS - 1), []);
      assert.deepEqual(await take(store, LATER + REMIND_MS), ["still_failing"]);
    }),
  );

  test(
    "an address is reminded in the same way",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await tellTo(store, ["ana@example.com"]);
      await openBreaker(store, "dst_a");
      const takeLetter = async (nowMs: number) => {
        const digests = await store.claimDigests({ nowMs, claimToken: "n", digestsMax: 9, linesMax: 9 });
        const settled = { accountId, claimToken: "n", retryAtMs: null, toldAtMs: nowMs };
        for (const { addressId } of digests) await store.settleDigestIfClaimed({ addressId, ...settled });
        return digests.flatMap(({ lines }) => lines.map(({ kind }) => kind));
      };
      assert.deepEqual(await takeLetter(LATER), ["failing"]);
      assert.deepEqual(await takeLetter(LATER + REMIND_MS - 1), []);
      assert.deepEqual(await takeLetter(LATER + REMIND_MS), ["still_failing"]);
    }),
  );
}

function describeAnswers(open: OpenStore): void {
  const stored = async (store: Store) => (await store.loadChannels({ accountId }))[0];

  test(
    "a channel that takes nothing is asked again when its sender says, and shows since when it has been so",
    inStore(open, async (store) => {
      await setUpFailing(store);
      for (const [refusals, at] of [LATER, LATER + minutesMs(2)].entries()) {
        const [digest] = await claim(store, { nowMs: at });
        assert.equal(digest?.refusals, refusals);
        await settle(store, { nowMs: at, answer: { atMs: at, ...REFUSED }, retryAtMs: at + secondsMs(5) });
        const { answer, refusedSinceMs } = (await stored(store)) ?? {};
        assert.deepEqual([answer, refusedSinceMs], [{ atMs: at, ...REFUSED }, LATER]);
        assert.deepEqual(await claim(store, { nowMs: at + secondsMs(5) - 1 }), []);
      }
      assert.deepEqual(await take(store, LATER + minutesMs(4)), ["failing"]);
      const { answer, refusedSinceMs } = (await stored(store)) ?? {};
      assert.deepEqual([answer?.isTaken, refusedSinceMs], [true, null]);
    }),
  );

  test(
    "a fault of ours puts a digest off and blames no channel",
    inStore(open, async (store) => {
      await setUpFailing(store);
      await claim(store);
      await settle(store, { answer: null, retryAtMs: LATER + 9 });
      assert.equal((await stored(store))?.answer, null);
      const [digest] = await claim(store, { nowMs: LATER + 9 });
      assert.equal(digest?.refusals, 0);
    }),
  );

  test(
    "a test that is taken lets what waits go at once; one that is not changes nothing of that",
    inStore(open, async (store) => {
      await setUpFailing(store);
      await claim(store);
      const put = { answer: { atMs: LATER, ...REFUSED }, retryAtMs: LATER + hoursMs(1) };
      await settle(store, put);
      const tested = { accountId, channelId: "chn_ops", by: ADA, nowMs: LATER + 5 };
      assert.equal(await store.noteChannelTest({ ...tested, answer: { atMs: LATER + 4, ...REFUSED } }), "noted");
      assert.deepEqual(await claim(store, { nowMs: LATER + 6 }), []);
      assert.equal(await store.noteChannelTest({ ...tested, answer: { atMs: LATER + 4, ...TAKEN } }), "noted");
      assert.deepEqual((await stored(store))?.answer, { atMs: LATER + 4, ...TAKEN });
      assert.equal((await claim(store, { nowMs: LATER + 6 })).length, 1);
    }),
  );

  test(
    "tests that are refused make no sender wait longer",
    inStore(open, async (store) => {
      await setUpFailing(store);
      const tested = { accountId, channelId: "chn_ops", by: ADA, nowMs: T0 };
      for (let n = 0; n < 3; n += 1) await store.noteChannelTest({ ...tested, answer: { atMs: T0, ...REFUSED } });
      const { answer, refusedSinceMs } = (await stored(store)) ?? {};
      assert.deepEqual([answer?.isTaken, refusedSinceMs], [false, T0]);
      assert.equal((await claim(store))[0]?.refusals, 0);
    }),
  );
}
