/** Promises about client certificates that end: each recipient is warned three times before. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  ADA,
  channelToAdd,
  claimNotifications,
  inStore,
  notifyAddresses,
  type OpenStore,
  openBreaker,
  saveCertificate,
  settleMessage,
  setUp,
  T0,
} from "./world.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const ENDS_AT = T0 + daysMs(40);
const AT_30 = ENDS_AT - daysMs(30);
const AT_7 = ENDS_AT - daysMs(7);
const AT_1 = ENDS_AT - daysMs(1);

const FIRST = { chain: "first", endsAtMs: ENDS_AT };
const NONE = { chain: null, endsAtMs: null };

async function setUpCertificate(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await saveCertificate(store, "dst_a", FIRST);
  await store.addChannel(channelToAdd("ops"));
}

const claim = (store: Store, nowMs: number) => claimNotifications(store, "channel", { nowMs });

/** The warnings that are due, as sent: how many days before the end each was to come. */
async function take(store: Store, nowMs: number): Promise<string[]> {
  const claimed = await claim(store, nowMs);
  for (const each of claimed) await settleMessage(store, each, { nowMs });
  return claimed.flatMap(({ lines }) => lines.map(({ kind, atMs }) => `${kind} ${(ENDS_AT - atMs) / daysMs(1)}`));
}

export function describeCertificates(open: OpenStore): void {
  describe("client certificates that end", () => describeWarnings(open));
}

function describeWarnings(open: OpenStore): void {
  const test = inStore(open);
  test("a channel is warned 30, 7 and 1 days before the end, once each", async (store) => {
    await setUpCertificate(store);
    assert.deepEqual(await take(store, AT_30 - minutesMs(2)), []);
    assert.deepEqual(await take(store, AT_30), ["certificate_ends 30"]);
    for (const laterMs of [minutesMs(1), daysMs(1), daysMs(20)]) {
      assert.deepEqual(await take(store, AT_30 + laterMs), [], `${laterMs}`);
    }
    assert.deepEqual(await take(store, AT_7 + minutesMs(5)), ["certificate_ends 7"]);
    assert.deepEqual(await take(store, AT_7 + daysMs(1)), []);
    assert.deepEqual(await take(store, AT_1), ["certificate_ends 1"]);
    assert.deepEqual(await take(store, ENDS_AT + daysMs(2)), []);
  });

  test("addresses are warned too, with what an email needs, also those that are confirmed later", async (store) => {
    await setUpCertificate(store);
    await notifyAddresses(store, ["ana@example.com"], AT_7 + 1);
    const [notified, ...others] = await claimNotifications(store, "email", { nowMs: AT_7 + 1 });
    assert.deepEqual(others, []);
    assert.equal(notified?.counts.certificate_ends, 1);
    const [line = assert.fail()] = notified.lines;
    const { kind, atMs, incidentId, certificateEndsAtMs, destination } = line;
    assert.deepEqual([kind, atMs, incidentId, certificateEndsAtMs], ["certificate_ends", AT_7, null, ENDS_AT]);
    assert.deepEqual([destination.id, destination.owner.name], ["dst_a", "Ada"]);
  });

  test("what was claimed and not sent is in the next claim, and what came due meanwhile is not lost", async (store) => {
    await setUpCertificate(store);
    const claimed = await claim(store, AT_7 - minutesMs(5));
    assert.equal(claimed[0]?.lines[0]?.atMs, AT_30);
    // It is taken only now, after the next one has fallen due.
    await settleMessage(store, claimed[0], { nowMs: AT_7 + 1 });
    assert.equal((await claim(store, AT_7 + minutesMs(5)))[0]?.lines[0]?.atMs, AT_7);
    assert.deepEqual(await take(store, AT_7 + minutesMs(10)), ["certificate_ends 7"]);
    assert.deepEqual(await take(store, AT_7 + minutesMs(15)), []);
  });

  test("nobody is warned of one that was replaced, taken away or deleted, and a new one begins anew", async (store) => {
    await setUpCertificate(store);
    await saveCertificate(store, "dst_a", { chain: "second", endsAtMs: ENDS_AT + daysMs(365) });
    assert.deepEqual(await take(store, AT_1), []);
    await saveCertificate(store, "dst_a", NONE);
    assert.deepEqual(await take(store, ENDS_AT + daysMs(364)), []);
    await saveCertificate(store, "dst_a", FIRST);
    assert.deepEqual((await claim(store, AT_1 + minutesMs(5)))[0]?.lines.length, 1);
    const assistantId = "assistant of dst_a";
    const revision = (await store.loadAssistant({ accountId, assistantId }))?.revision ?? 0;
    const change = { accountId, assistantId, expectedRevision: revision, by: ADA, nowMs: AT_1 };
    assert.equal(await store.removeAssistantDestination(change), "removed");
    assert.deepEqual(await take(store, AT_1 + minutesMs(10)), []);
  });

  test("the same certificate saved again brings no warning twice", async (store) => {
    await setUpCertificate(store);
    assert.deepEqual(await take(store, AT_7), ["certificate_ends 7"]);
    await saveCertificate(store, "dst_a", FIRST);
    assert.deepEqual(await take(store, AT_7 + minutesMs(5)), []);
  });

  test("it stands beside an outage, in one notification", async (store) => {
    await setUp(store, ["dst_a", "dst_b"]);
    await saveCertificate(store, "dst_a", { chain: "first", endsAtMs: T0 + daysMs(30) });
    await store.addChannel(channelToAdd("ops"));
    await openBreaker(store, "dst_b");
    const [notified, ...others] = await claim(store, T0 + minutesMs(1));
    assert.deepEqual(others, []);
    assert.deepEqual(notified?.lines.map(({ kind, destination }) => `${kind} ${destination.id}`).toSorted(), [
      "certificate_ends dst_a",
      "failing dst_b",
    ]);
  });
}
