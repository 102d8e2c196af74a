/** Promises about messages on their way out, whatever they say: one node at a time, one after the other, none lost. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { REMIND_MS } from "../../domain/message.ts";
import { hoursMs, minutesMs } from "../../lib/duration.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCOUNT,
  ADA,
  attempt,
  channelToAdd,
  claimMessages,
  claimNotifications,
  inStore,
  notifyAddresses,
  type OpenStore,
  openBreaker,
  purgeNow,
  settleMessage,
  setUp,
  T0,
  takeNotifications,
} from "./world.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const LATER = T0 + minutesMs(1);

/** One message that is due at `LATER`, by each route. */
const ROUTES = {
  email: { recipient: `adr of ${ANA}`, holdMs: LIMITS.emailGapMs },
  channel: { recipient: "chn_ops", holdMs: LIMITS.channelGapMs },
  operator: { recipient: "operator/dst_a", holdMs: minutesMs(1) },
} as const;

type Route = keyof typeof ROUTES;

async function setUpFailing(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await notifyAddresses(store, [ANA]);
  await store.addChannel(channelToAdd("ops"));
  await openBreaker(store, "dst_a");
}

const count = async (store: Store, route: Route, nowMs: number): Promise<number> =>
  (await claimMessages(store, route, { nowMs })).length;

export function describeMessages(open: OpenStore): void {
  describe("messages on their way out", () => {
    for (const route of ["email", "channel", "operator"] as const) describeRoute(open, route);
    describeReminders(open);
    describeAlerts(open);
  });
}

function describeRoute(open: OpenStore, route: Route): void {
  const test = inStore(open);
  const { recipient, holdMs } = ROUTES[route];
  const settle = (store: Store, parts: Partial<Parameters<typeof settleMessage>[2]> = {}) =>
    settleMessage(store, { accountId, recipient }, { nowMs: LATER, ...parts });

  test(`${route}: one node at a time has it, and another when nothing was heard of it for so long`, async (store) => {
    await setUpFailing(store);
    const [first, ...others] = await claimMessages(store, route, { nowMs: LATER });
    assert.deepEqual([first?.recipient, others], [recipient, []]);
    assert.equal(await count(store, route, LATER + holdMs - 1), 0);
    assert.deepEqual(await claimMessages(store, route, { nowMs: LATER + holdMs, claimToken: "other" }), [first]);
  });

  test(`${route}: what was sent never comes back, and only its holder can say so`, async (store) => {
    await setUpFailing(store);
    await count(store, route, LATER);
    await settle(store, { claimToken: "other" });
    assert.equal(await count(store, route, LATER + holdMs), 1);
    await settle(store);
    await settle(store);
    assert.equal(await count(store, route, LATER + 2 * holdMs), 0);
  });

  test(`${route}: what was put off or refused comes again on time, and knows how often`, async (store) => {
    await setUpFailing(store);
    let nowMs = LATER;
    for (const [kind, refusals] of [
      ["put_off", 0],
      ["refused", 1],
      ["refused", 2],
    ] as const) {
      await count(store, route, nowMs);
      await settle(store, { end: { kind, retryAtMs: nowMs + 9 }, claimToken: "other" });
      await settle(store, { end: { kind, retryAtMs: nowMs + 9 } });
      assert.equal(await count(store, route, nowMs + 8), 0);
      nowMs += 9;
      const [again] = await claimMessages(store, route, { nowMs });
      assert.equal(again?.refusals, refusals);
      await settle(store, { end: { kind: "put_off", retryAtMs: nowMs } });
    }
  });

  test(`${route}: what nobody could send for a day is no news any more, and goes a day later`, async (store) => {
    await setUpFailing(store);
    await purgeNow(store, T0 + hoursMs(48));
    assert.equal(await count(store, route, T0 + hoursMs(24) - 1), 1);
    await settle(store, { end: { kind: "put_off", retryAtMs: T0 } });
    await purgeNow(store, T0 + hoursMs(48) + 1);
    assert.equal(await count(store, route, T0 + hoursMs(24) - 1), 0);
  });
}

function describeReminders(open: OpenStore): void {
  const test = inStore(open);
  for (const route of ["email", "channel"] as const) {
    const { recipient, holdMs } = ROUTES[route];

    test(`${route}: what comes in while a notification is being sent is in the next one`, async (store) => {
      await setUpFailing(store);
      await count(store, route, LATER);
      await attempt(store, 1, { nowMs: LATER });
      await settleMessage(store, { accountId, recipient }, { nowMs: LATER });
      assert.deepEqual(await takeNotifications(store, route, LATER + holdMs - 1), []);
      assert.deepEqual(await takeNotifications(store, route, LATER + holdMs), ["recovered"]);
    });

    test(`${route}: a failure that lasts comes again a day after the latest message, until it ends`, async (store) => {
      await setUpFailing(store);
      const take = (nowMs: number) => takeNotifications(store, route, nowMs);
      assert.deepEqual(await take(LATER), ["failing"]);
      const second = LATER + REMIND_MS;
      assert.deepEqual(await take(second - 1), []);
      assert.deepEqual(await take(second), ["still_failing"]);
      assert.deepEqual(await take(second + REMIND_MS - 1), []);
      assert.deepEqual(await take(second + REMIND_MS), ["still_failing"]);
      await attempt(store, 1, { nowMs: second + REMIND_MS });
      assert.deepEqual(await take(second + REMIND_MS + minutesMs(16)), ["recovered"]);
      assert.deepEqual(await take(second + 3 * REMIND_MS), []);
    });

    test(`${route}: a reminder that was claimed and not sent is given out again, as the same one`, async (store) => {
      await setUpFailing(store);
      await takeNotifications(store, route, LATER);
      const due = LATER + REMIND_MS;
      const claim = (nowMs: number) => claimNotifications(store, route, { nowMs });
      const [first] = await claim(due);
      assert.deepEqual([first?.remindAtMs, first?.counts.still_failing], [due, 1]);
      const end = { kind: "refused", retryAtMs: due + 9 } as const;
      await settleMessage(store, { accountId, recipient }, { nowMs: due, end });
      assert.equal((await claim(due + 9))[0]?.remindAtMs, due);
      assert.equal((await claim(due + 9 + holdMs))[0]?.remindAtMs, due, "the first node died");
    });
  }

  test("what nobody could send for a day comes as a reminder, and to the operator no more", async (store) => {
    await setUpFailing(store);
    const nowMs = T0 + hoursMs(24);
    assert.deepEqual(await takeNotifications(store, "channel", nowMs), ["still_failing"]);
    assert.deepEqual(await takeNotifications(store, "email", nowMs), ["still_failing"]);
    assert.equal(await count(store, "operator", nowMs), 0);
  });

  test("a channel that comes in while a webhook fails is reminded of it within a day", async (store) => {
    await setUp(store, ["dst_a"]);
    await notifyAddresses(store, [ANA]);
    await openBreaker(store, "dst_a");
    await store.addChannel(channelToAdd("ops", { nowMs: LATER }));
    assert.deepEqual(await takeNotifications(store, "channel", LATER + REMIND_MS - 1), []);
    assert.deepEqual(await takeNotifications(store, "channel", LATER + REMIND_MS), ["still_failing"]);
  });

  test("what waits for a channel is not sent once it is removed", async (store) => {
    await setUpFailing(store);
    await store.removeRecipient({ accountId, recipientId: "chn_ops", by: ADA, nowMs: LATER });
    assert.equal(await count(store, "channel", LATER), 0);
    await store.addChannel(channelToAdd("ops", { nowMs: LATER }));
    assert.equal(await count(store, "channel", LATER + hoursMs(1)), 0);
  });
}

function describeAlerts(open: OpenStore): void {
  const test = inStore(open);
  const note = (store: Store, subject: string, isRaised = true) =>
    store.noteCondition({ subject, isRaised, body: `"${subject}"`, quietMs: 0, nowMs: T0 });
  const claim = (store: Store, parts = {}) => claimMessages(store, "operator", { nowMs: LATER, ...parts });

  test("alerts of one subject are given out one after the other, those of others beside them", async (store) => {
    await note(store, "a");
    await note(store, "b");
    await note(store, "a", false);
    const first = await claim(store);
    assert.deepEqual(
      first.map(({ recipient, accountId: of }) => [recipient, of]),
      [
        ["operator/a", ""],
        ["operator/b", ""],
      ],
    );
    assert.deepEqual(await claim(store, { claimToken: "other" }), [], "a's second waits for its first");
    for (const each of first) await settleMessage(store, each, { nowMs: LATER });
    const [second, ...none] = await claim(store);
    assert.deepEqual([second?.recipient, none], ["operator/a", []]);
    const [one, two] = [first[0], second].map((each) => (each?.kind === "operator_alert" ? each.seq : 0));
    assert.ok((one ?? 0) < (two ?? 0), "numbers grow");
  });

  test("they come oldest first, as many as are asked for", async (store) => {
    for (const subject of ["c", "a", "b"]) await note(store, subject);
    const taken = await claim(store, { messagesMax: 2 });
    assert.deepEqual(
      taken.map((each) => each.kind === "operator_alert" && [each.subject, each.body, each.atMs]),
      [
        ["c", '"c"', T0],
        ["a", '"a"', T0],
      ],
    );
  });
}
