/** Promises about notifying owners: of what, that it is once, and that none of it is lost. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  ADA,
  accept,
  addressToAdd,
  attempt,
  channelToAdd,
  claimNotifications,
  held,
  inStore,
  loadVersion,
  makeAttempt,
  makeEvent,
  makeSettlement,
  notifyAddresses,
  type OpenStore,
  openBreaker,
  setUp,
  T0,
  takeNotifications,
} from "./world.ts";
import type { ClaimMessages } from "../contract/messages.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const LATER = T0 + minutesMs(1);
const GAP_MS = LIMITS.emailGapMs;

const claim = (store: Store, parts: Partial<ClaimMessages> = {}) =>
  claimNotifications(store, "email", { nowMs: LATER, ...parts });

/** The lines of all that is due by email; it is sent. */
const take = (store: Store, nowMs = LATER) => takeNotifications(store, "email", nowMs);

const FAILED = { next: { state: "failed" } } as const;

async function setUpNotified(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await notifyAddresses(store, [ANA]);
}

export function describeNotifications(open: OpenStore): void {
  describe("notifying owners", () => {
    describeRecipients(open);
    describeOutages(open);
    describeQuiet(open);
    describeBounds(open);
  });
}

function describeRecipients(open: OpenStore): void {
  const test = inStore(open);
  test("an account of which nobody wants email is notified of an outage that outlasts that", async (store) => {
    await setUp(store, ["dst_a"]);
    await store.addMailAddress(addressToAdd(ANA));
    await openBreaker(store, "dst_a");
    assert.deepEqual(await claim(store), []);
    await store.removeRecipient({ accountId, recipientId: `adr of ${ANA}`, by: ADA, nowMs: T0 });
    await notifyAddresses(store, ["bo@example.com"]);
    await attempt(store, 1, { ...FAILED, nowMs: LATER });
    assert.deepEqual(await take(store, LATER + minutesMs(1)), ["failing"]);
  });

  test("each address that is confirmed and each channel is notified, and no other address is", async (store) => {
    await setUp(store, ["dst_a"]);
    await notifyAddresses(store, [ANA, "bo@example.com", "cy@example.com"]);
    await store.addMailAddress(addressToAdd("waiting@example.com"));
    await store.addChannel(channelToAdd("ops"));
    await store.followMailLink({ tokenHash: "stop of bo@example.com", action: "stop", nowMs: T0 });
    await openBreaker(store, "dst_a");
    // All are due since the same instant, so they come in any order.
    const emails = (await claim(store)).filter((each) => each.kind === "email");
    assert.deepEqual(
      emails
        .toSorted((a, b) => a.address.localeCompare(b.address))
        .map((each) => [each.accountId, each.address, each.accountName, each.sealedStop]),
      [ANA, "cy@example.com"].map((address) => [accountId, address, "Acme", `sealed ${address}`]),
    );
    const [message, ...others] = await claimNotifications(store, "channel", { nowMs: LATER });
    assert.ok(message?.kind === "channel");
    assert.deepEqual([message.channelKind, message.sealedUrl, others], ["slack", "sealed ops", []]);
  });

  for (const what of ["removed", "stopped"] as const) {
    test(`what waits for an address is not sent once it is ${what}`, async (store) => {
      await setUpNotified(store);
      await openBreaker(store, "dst_a");
      const addressId = `adr of ${ANA}`;
      if (what === "removed") await store.removeRecipient({ accountId, recipientId: addressId, by: ADA, nowMs: T0 });
      else await store.followMailLink({ tokenHash: `stop of ${ANA}`, action: "stop", nowMs: T0 });
      assert.deepEqual(await claim(store), []);
    });
  }
}

function describeOutages(open: OpenStore): void {
  const test = inStore(open);
  test("an owner is notified once of a breaker that opens, with what an email needs", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a", {
      attempt: makeAttempt(1, { outcome: { kind: "timeout", phase: "headers" } }),
    });
    await attempt(store, 1, { ...FAILED, nowMs: LATER, attempt: makeAttempt(1, { startedAtMs: LATER }) });
    const [notified, ...others] = await claim(store);
    assert.deepEqual(others, []);
    assert.deepEqual(notified?.counts, {
      turned_off: 0,
      failing: 1,
      still_failing: 0,
      recovered: 0,
      certificate_ends: 0,
    });
    const [line, ...more] = notified.lines;
    assert.deepEqual(more, []);
    assert.deepEqual(line, {
      kind: "failing",
      atMs: T0,
      incidentId: (await store.listIncidents({ accountId, destinationId: "dst_a", before: null, limit: 1 }))[0]?.id,
      certificateEndsAtMs: null,
      destination: {
        id: "dst_a",
        url: "https://dst_a.example/hook",
        owner: { kind: "assistant", id: "assistant of dst_a", name: "Ada" },
        offReason: null,
        failingSinceMs: T0,
        lastFailure: { atMs: LATER, outcome: "response", status: 200 },
      },
    });
  });

  test("the last failure is the receiver's, and a success or a fault of ours leaves it as it is", async (store) => {
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
  });

  test("an owner is notified of the end of an outage too", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    assert.deepEqual(await take(store), ["failing"]);
    await attempt(store, 1, { nowMs: LATER });
    await attempt(store, 2, { nowMs: LATER });
    assert.deepEqual(await take(store, LATER + GAP_MS), ["recovered"]);
  });

  test("an outage that is over before anybody was notified is one line: its end", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    await attempt(store, 1, { nowMs: LATER });
    assert.deepEqual(await take(store, LATER + minutesMs(1)), ["recovered"]);
  });

  test("nobody is notified of a few failures that open no breaker, nor of what follows them", async (store) => {
    await setUpNotified(store);
    await attempt(store, 1, { ...FAILED, nowMs: T0 });
    await attempt(store, 2, { nowMs: T0 });
    assert.deepEqual(await take(store), []);
  });

  test("an owner is notified once of a destination that turns off, with the reason", async (store) => {
    await setUpNotified(store);
    const configVersion = await loadVersion(store);
    const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    const gone = { ...FAILED, destinationOff: "gone" } as const;
    const settlements = [makeSettlement("dlv_1", gone), makeSettlement("dlv_2", gone)];
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
    const [notified] = await claim(store);
    assert.deepEqual(
      notified?.lines.map(({ kind, destination }) => [kind, destination.offReason]),
      [["turned_off", "gone"]],
    );
  });
}

function describeQuiet(open: OpenStore): void {
  const test = inStore(open);
  const turnOn = (store: Store, nowMs: number) => {
    const decision = { accountId, destinationId: "dst_a", state: "on", by: ADA, reason: "" } as const;
    return store.setDestinationState({ ...decision, nowMs });
  };

  test("a person who turns it on knows already, and is notified of the next outage at once", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    await turnOn(store, T0 + 1);
    await attempt(store, 1, { nowMs: T0 + 2 });
    assert.deepEqual(await take(store), ["failing"]);
    for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: T0 + 3 });
    assert.deepEqual(await take(store, LATER + GAP_MS), ["failing"]);
  });

  test("an owner is notified once an hour of a receiver that flaps", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    assert.deepEqual(await take(store), ["failing"]);
    await attempt(store, 1, { nowMs: LATER });
    assert.deepEqual(await take(store, LATER + GAP_MS), ["recovered"]);
    for (let n = 10; n < 18; n += 1) await attempt(store, n, { ...FAILED, nowMs: LATER });
    await attempt(store, 20, { ...FAILED, nowMs: T0 + hoursMs(1) - 1 });
    assert.deepEqual(await take(store, T0 + hoursMs(1)), []);
    await attempt(store, 21, { ...FAILED, nowMs: T0 + hoursMs(2) });
    assert.deepEqual(await take(store, T0 + hoursMs(2) + minutesMs(1)), ["failing"]);
  });
}

function describeBounds(open: OpenStore): void {
  const test = inStore(open);
  /** Opens the breaker of any of them; `n` makes the event. */
  const failOften = async (store: Store, destinationId: string, n: number) => {
    const ids = Array.from({ length: 8 }, (_, place) => `dlv_${n}_${place}`);
    const deliveries = ids.map((id) => held(id, destinationId));
    await accept(store, [makeEvent(n, { configVersion: await loadVersion(store), deliveries })]);
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id, FAILED)) });
  };
  const NAMES = ["dst_a", "dst_b", "dst_c", "dst_d"];

  test("all that fails is in one notification, with the lines asked for; the others are counted", async (store) => {
    await setUp(store, NAMES);
    await notifyAddresses(store, [ANA]);
    for (const [n, name] of NAMES.entries()) await failOften(store, name, n);
    const [notified, ...others] = await claim(store, { linesMax: 3 });
    assert.deepEqual(others, []);
    assert.deepEqual(
      notified?.lines.map(({ destination }) => destination.id),
      ["dst_a", "dst_b", "dst_c"],
    );
    assert.equal(notified.counts.failing, 4);
  });

  test("what failed before and still does stands beside what is new, and is no news by itself", async (store) => {
    await setUp(store, NAMES);
    await notifyAddresses(store, [ANA]);
    await openBreaker(store, "dst_a");
    await take(store, LATER);
    assert.deepEqual(await take(store, LATER + GAP_MS), []);
    await failOften(store, "dst_b", 2);
    const [notified] = await claim(store, { nowMs: LATER + 2 * GAP_MS });
    assert.deepEqual(
      notified?.lines.map(({ kind, destination }) => [kind, destination.id]),
      [
        ["failing", "dst_b"],
        ["still_failing", "dst_a"],
      ],
    );
  });

  test("the first notification waits for half a minute, so that what fails together is in one", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    assert.deepEqual(await claim(store, { nowMs: T0 + secondsMs(30) - 1 }), []);
    assert.equal((await claim(store, { nowMs: T0 + secondsMs(30) })).length, 1);
  });

  test("nobody is notified of a destination that was deleted meanwhile", async (store) => {
    await setUpNotified(store);
    await openBreaker(store, "dst_a");
    const assistantId = "assistant of dst_a";
    await store.removeAssistantDestination({ accountId, assistantId, expectedRevision: 2, by: ADA, nowMs: LATER });
    assert.deepEqual(await claim(store), []);
  });
}
