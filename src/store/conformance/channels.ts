/** Promises about channels: what an account has, and what each answered. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CHANNEL_KINDS } from "../../domain/channel.ts";
import { LIMITS } from "../../domain/limits.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import type { SettleMessage } from "../contract/messages.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCOUNT,
  ADA,
  channelToAdd,
  claimNotifications,
  inStore,
  type OpenStore,
  openBreaker,
  settleMessage,
  setUp,
  T0,
} from "./world.ts";

const accountId = ACCOUNT.id;
const LATER = T0 + minutesMs(1);
const TAKEN = { outcome: "response", status: 200, isTaken: true } as const;
const REFUSED = { outcome: "response", status: 404, isTaken: false } as const;

const claim = (store: Store, nowMs = LATER) => claimNotifications(store, "channel", { nowMs });

const settle = (store: Store, parts: Partial<SettleMessage> = {}) =>
  settleMessage(store, { accountId, recipient: "chn_ops" }, { nowMs: LATER, ...parts });

async function setUpFailing(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await store.addChannel(channelToAdd("ops"));
  await openBreaker(store, "dst_a");
}

const remove = (store: Store, parts = {}) =>
  store.removeRecipient({ accountId, recipientId: "chn_ops", by: ADA, nowMs: LATER, ...parts });

export function describeChannels(open: OpenStore): void {
  describe("channels that are notified of failures", () => {
    describeAdding(open);
    describeAnswers(open);
  });
}

function describeAdding(open: OpenStore): void {
  const test = inStore(open);
  test("an account has the channels that were added and not removed, each under a name of its own", async (store) => {
    await setUp(store, []);
    assert.equal(await store.addChannel(channelToAdd("ops")), "added");
    assert.equal(await store.addChannel(channelToAdd("sales", { nowMs: LATER })), "added");
    const twin = { ...channelToAdd("ops").channel, id: "chn_twin" };
    assert.equal(await store.addChannel({ ...channelToAdd("ops"), channel: twin }), "known");
    const [ops, sales, ...others] = (await store.loadRecipients({ accountId })).channels;
    const { channel } = channelToAdd("ops");
    assert.deepEqual(ops, { ...channel, addedAtMs: T0, answer: null, refusedSinceMs: null });
    assert.deepEqual([sales?.name, others], ["sales", []]);
    assert.deepEqual([await remove(store), await remove(store)], ["removed", "missing"]);
    assert.equal((await store.loadRecipients({ accountId })).channels.length, 1);
    assert.equal(await store.addChannel(channelToAdd("ops")), "added");
  });

  test("a channel may be of any kind", async (store) => {
    await setUp(store, []);
    for (const kind of CHANNEL_KINDS) {
      const { channel } = channelToAdd(kind);
      assert.equal(await store.addChannel({ ...channelToAdd(kind), channel: { ...channel, kind } }), "added");
    }
    const { channels } = await store.loadRecipients({ accountId });
    assert.deepEqual(channels.map(({ kind }) => kind).toSorted(), CHANNEL_KINDS.toSorted());
  });

  test("another account neither sees nor removes nor tests a channel; an unknown one has none", async (store) => {
    await setUp(store, []);
    const other = { ...ACCOUNT, id: "acc_2" };
    await setUp(store, [], other);
    await store.addChannel(channelToAdd("ops"));
    assert.deepEqual((await store.loadRecipients({ accountId: other.id })).channels, []);
    assert.equal(await remove(store, { accountId: other.id }), "missing");
    const tested = { channelId: "chn_ops", by: ADA, nowMs: LATER, answer: null };
    assert.equal(await store.noteChannelTest({ accountId: other.id, ...tested }), "missing");
    assert.equal(await store.addChannel({ ...channelToAdd("x"), accountId: "nowhere" }), "account_missing");
    assert.equal((await store.loadRecipients({ accountId })).channels.length, 1);
  });

  test(`an account has ${LIMITS.newsChannelsMax} channels at most, also when many are added at once`, async (store) => {
    await setUp(store, []);
    const names = Array.from({ length: LIMITS.newsChannelsMax + 3 }, (_, n) => `channel ${n}`);
    const answers = await Promise.all(names.map((name) => store.addChannel(channelToAdd(name))));
    assert.equal(answers.filter((answer) => answer === "added").length, LIMITS.newsChannelsMax);
    assert.equal(answers.filter((answer) => answer === "full").length, 3);
  });
}

function describeAnswers(open: OpenStore): void {
  const test = inStore(open);
  const stored = async (store: Store) => (await store.loadRecipients({ accountId })).channels[0];

  test("a channel shows its latest answer, and since when it has taken nothing", async (store) => {
    await setUpFailing(store);
    for (const at of [LATER, LATER + minutesMs(2)]) {
      assert.equal((await claim(store, at)).length, 1);
      const end = { kind: "refused", retryAtMs: at + secondsMs(5) } as const;
      await settle(store, { nowMs: at, end, answer: { atMs: at, ...REFUSED } });
      const { answer, refusedSinceMs } = (await stored(store)) ?? {};
      assert.deepEqual([answer, refusedSinceMs], [{ atMs: at, ...REFUSED }, LATER]);
    }
    const at = LATER + minutesMs(4);
    await claim(store, at);
    await settle(store, { nowMs: at, answer: { atMs: at, ...TAKEN } });
    const { answer, refusedSinceMs } = (await stored(store)) ?? {};
    assert.deepEqual([answer, refusedSinceMs], [{ atMs: at, ...TAKEN }, null]);
  });

  test("a fault of ours blames no channel", async (store) => {
    await setUpFailing(store);
    await claim(store);
    await settle(store, { end: { kind: "put_off", retryAtMs: LATER + 9 }, answer: null });
    assert.equal((await stored(store))?.answer, null);
  });

  test("a test that is taken lets what waits go at once; one that is not changes nothing of that", async (store) => {
    await setUpFailing(store);
    await claim(store);
    await settle(store, { end: { kind: "refused", retryAtMs: LATER + hoursMs(1) } });
    const tested = { accountId, channelId: "chn_ops", by: ADA, nowMs: LATER + 5 };
    assert.equal(await store.noteChannelTest({ ...tested, answer: { atMs: LATER + 4, ...REFUSED } }), "noted");
    assert.deepEqual(await claim(store, LATER + 6), []);
    assert.equal(await store.noteChannelTest({ ...tested, answer: { atMs: LATER + 4, ...TAKEN } }), "noted");
    assert.deepEqual((await stored(store))?.answer, { atMs: LATER + 4, ...TAKEN });
    assert.equal((await claim(store, LATER + 6)).length, 1);
    await store.noteChannelTest({ ...tested, answer: { atMs: LATER + 7, ...TAKEN } });
    assert.deepEqual(await claim(store, LATER + 8), [], "a node is sending to it right now");
  });

  test("tests that are refused make no sender wait longer", async (store) => {
    await setUpFailing(store);
    const tested = { accountId, channelId: "chn_ops", by: ADA, nowMs: T0 };
    for (let n = 0; n < 3; n += 1) await store.noteChannelTest({ ...tested, answer: { atMs: T0, ...REFUSED } });
    const { answer, refusedSinceMs } = (await stored(store)) ?? {};
    assert.deepEqual([answer?.isTaken, refusedSinceMs], [false, T0]);
    assert.equal((await claim(store))[0]?.refusals, 0);
  });
}
