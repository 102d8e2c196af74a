/** Promises about client certificates that end: each is read once, and each reader is told three times before. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import { ACCOUNT, ADA, channelToAdd, inStore, type OpenStore, openBreaker, setUp, T0, tellTo } from "./world.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const ENDS_AT = T0 + daysMs(40);
const AT_30 = ENDS_AT - daysMs(30);
const AT_7 = ENDS_AT - daysMs(7);
const AT_1 = ENDS_AT - daysMs(1);

async function saveWebhook(store: Store, destinationId: string, chain: string | null): Promise<void> {
  const oauth = {
    tokenUrl: "https://id.example/token",
    clientId: "acme",
    clientSecret: "sealed",
    scope: "",
    audience: "",
    clientAuthentication: "basic",
  } as const;
  const authentication =
    chain === null ? { oauth, certificate: null } : { oauth: null, certificate: { chain, key: "sealed key" } };
  const assistantId = `assistant of ${destinationId}`;
  const destination = { id: destinationId, url: "https://crm.example/in", headers: [], ratePerSecond: null };
  const loaded = await store.loadAssistant({ accountId, assistantId });
  const change = { accountId, assistantId, expectedRevision: loaded?.revision ?? 1, by: ADA, nowMs: T0 };
  const saved = await store.saveAssistantDestination({ ...change, destination: { ...destination, authentication } });
  assert.equal(saved.kind, "saved");
}

async function readAll(store: Store, endsAtMs = ENDS_AT): Promise<string[]> {
  const unread = await store.listUnreadCertificates({ limit: 9 });
  for (const each of unread) {
    await store.noteCertificateEnd({ ...each, endsAtMs: each.chain === null ? null : endsAtMs });
  }
  return unread.map(({ chain }) => chain ?? "none").toSorted();
}

async function setUpCertificate(store: Store): Promise<void> {
  await setUp(store, ["dst_a"]);
  await saveWebhook(store, "dst_a", "first");
  await readAll(store);
  await store.addChannel(channelToAdd("ops"));
}

const claim = (store: Store, nowMs: number) =>
  store.claimChannelDigests({ nowMs, claimToken: "node", digestsMax: 9, linesMax: 9 });

/** A claim and, when it has news, its message as taken. */
async function tell(store: Store, nowMs: number): Promise<string[]> {
  const told: string[] = [];
  for (const { channelId, lines } of await claim(store, nowMs)) {
    told.push(...lines.map(({ kind, atMs }) => `${kind} ${(ENDS_AT - atMs) / daysMs(1)}`));
    const answer = lines.length === 0 ? null : { atMs: nowMs, outcome: "response", status: 200, isTaken: true };
    await store.settleChannelDigestIfClaimed({
      accountId,
      channelId,
      claimToken: "node",
      nowMs,
      answer,
      retryAtMs: null,
    });
  }
  return told;
}

export function describeCertificates(open: OpenStore): void {
  describe("client certificates that end", () => {
    describeReading(open);
    describeTelling(open);
  });
}

function describeReading(open: OpenStore): void {
  test(
    "each is unread until its end is noted, and again when another is saved",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a", "dst_b", "dst_c"]);
      await saveWebhook(store, "dst_a", "first");
      await saveWebhook(store, "dst_b", null);
      assert.equal((await store.listUnreadCertificates({ limit: 1 })).length, 1);
      assert.deepEqual(await readAll(store), ["first", "none"]);
      assert.deepEqual(await readAll(store), []);
      await saveWebhook(store, "dst_a", "second");
      assert.deepEqual(await readAll(store), ["second"]);
    }),
  );

  test(
    "the end of a certificate that was replaced meanwhile is not noted",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a"]);
      await saveWebhook(store, "dst_a", "first");
      const [unread = assert.fail()] = await store.listUnreadCertificates({ limit: 9 });
      await saveWebhook(store, "dst_a", "second");
      await store.noteCertificateEnd({ ...unread, endsAtMs: ENDS_AT });
      assert.deepEqual(await readAll(store), ["second"]);
      await store.noteCertificateEnd({ ...unread, destinationId: "dst_unknown", endsAtMs: ENDS_AT });
    }),
  );
}

function describeTelling(open: OpenStore): void {
  test(
    "a channel is told 30, 7 and 1 days before the end, once each",
    inStore(open, async (store) => {
      await setUpCertificate(store);
      assert.deepEqual(await tell(store, AT_30 - minutesMs(2)), []);
      assert.deepEqual(await tell(store, AT_30), ["certificate_ends 30"]);
      for (const laterMs of [minutesMs(1), daysMs(1), daysMs(20)]) {
        assert.deepEqual(await tell(store, AT_30 + laterMs), [], `${laterMs}`);
      }
      assert.deepEqual(await tell(store, AT_7 + minutesMs(5)), ["certificate_ends 7"]);
      assert.deepEqual(await tell(store, AT_7 + daysMs(1)), []);
      assert.deepEqual(await tell(store, AT_1), ["certificate_ends 1"]);
      assert.deepEqual(await tell(store, ENDS_AT + daysMs(2)), []);
    }),
  );

  test(
    "addresses are told too, with what a letter needs",
    inStore(open, async (store) => {
      await setUpCertificate(store);
      await tellTo(store, ["ana@example.com"]);
      const [digest, ...others] = await store.claimDigests({
        nowMs: AT_7,
        claimToken: "node",
        digestsMax: 9,
        linesMax: 9,
      });
      assert.deepEqual(others, []);
      assert.equal(digest?.counts.certificate_ends, 1);
      const [line = assert.fail()] = digest.lines;
      const { kind, atMs, incidentId, certificateEndsAtMs, destination } = line;
      assert.deepEqual([kind, atMs, incidentId, certificateEndsAtMs], ["certificate_ends", AT_7, null, ENDS_AT]);
      assert.deepEqual([destination.id, destination.owner.name], ["dst_a", "Ada"]);
    }),
  );

  test(
    "what was claimed and not sent is told by the next claim, and what came due meanwhile is not lost",
    inStore(open, async (store) => {
      await setUpCertificate(store);
      const claimed = await claim(store, AT_7 - minutesMs(5));
      assert.equal(claimed[0]?.lines[0]?.atMs, AT_30);
      // Its message is taken only now, after the next news has fallen due.
      const { channelId } = claimed[0];
      const answer = { atMs: AT_7 + 1, outcome: "response", status: 200, isTaken: true };
      const settled = { accountId, channelId, claimToken: "node", nowMs: AT_7 + 1, answer, retryAtMs: null };
      await store.settleChannelDigestIfClaimed(settled);
      assert.equal((await claim(store, AT_7 + minutesMs(5)))[0]?.lines[0]?.atMs, AT_7);
      assert.deepEqual(await tell(store, AT_7 + minutesMs(10)), ["certificate_ends 7"]);
      assert.deepEqual(await tell(store, AT_7 + minutesMs(15)), []);
    }),
  );

  test(
    "one that is replaced, taken away or deleted is not told, and a new one begins anew",
    inStore(open, async (store) => {
      await setUpCertificate(store);
      await saveWebhook(store, "dst_a", "second");
      assert.deepEqual(await tell(store, AT_30), [], "no node has read it yet");
      await readAll(store, ENDS_AT + daysMs(365));
      assert.deepEqual(await tell(store, AT_1), []);
      await saveWebhook(store, "dst_a", null);
      await readAll(store);
      assert.deepEqual(await tell(store, ENDS_AT + daysMs(364)), []);
      await saveWebhook(store, "dst_a", "first");
      await readAll(store);
      assert.deepEqual((await claim(store, AT_1 + minutesMs(5)))[0]?.lines.length, 1);
      const assistantId = "assistant of dst_a";
      const revision = (await store.loadAssistant({ accountId, assistantId }))?.revision ?? 0;
      const change = { accountId, assistantId, expectedRevision: revision, by: ADA, nowMs: AT_1 };
      assert.equal(await store.removeAssistantDestination(change), "removed");
      assert.deepEqual(await tell(store, AT_1 + minutesMs(10)), []);
    }),
  );

  test(
    "the same certificate saved again is not told twice",
    inStore(open, async (store) => {
      await setUpCertificate(store);
      assert.deepEqual(await tell(store, AT_7), ["certificate_ends 7"]);
      await saveWebhook(store, "dst_a", "first");
      assert.deepEqual(await readAll(store), []);
      assert.deepEqual(await tell(store, AT_7 + minutesMs(5)), []);
    }),
  );

  test(
    "it stands beside news of failures, in one message",
    inStore(open, async (store) => {
      await setUp(store, ["dst_a", "dst_b"]);
      await saveWebhook(store, "dst_a", "first");
      await readAll(store, T0 + daysMs(30));
      await store.addChannel(channelToAdd("ops"));
      await openBreaker(store, "dst_b");
      const [digest, ...others] = await claim(store, T0 + minutesMs(1));
      assert.deepEqual(others, []);
      assert.deepEqual(digest?.lines.map(({ kind, destination }) => `${kind} ${destination.id}`).toSorted(), [
        "certificate_ends dst_a",
        "failing dst_b",
      ]);
    }),
  );
}
