import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setReplayState, startReplay } from "../src/delivery/resend.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { pendingDeliveries, replayIn } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, type Running, drained, startService } from "../test/kit/process/running.ts";
import { eventually, soon } from "../test/kit/wait.ts";

const DELIVERIES = 5_000;
/** Ten of its seconds, so that there is a half-way to be killed at. */
const RATE_PER_SECOND = 500;
const BATCH = 500;

test("a replay of 5,000, killed half-way, sends each delivery once more; a cancelled one stops", async (t) => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  const options = { dataDir, env: { BELLWIRE_LOG_LEVEL: "warn" } };
  const whole = await startService(options);
  await deliver(whole, DELIVERIES);
  await whole.stop();
  assert.equal(receiver.requests.length, DELIVERIES);
  const originals = receiver.requests.map(findId);

  const replayId = await replayAll(dataDir);
  const first = await startService(options);
  await soon(receiver.received(DELIVERIES * 1.5), "half of the replay");
  await first.crash();
  // Bytes that the dead process had still written come first.
  await soon(receiver.allClosed(), "the end of the sockets");
  const arrivedHalfway = new Set(receiver.requests.slice(DELIVERIES).map(findId));
  const inFlight = [...pendingDeliveries(dataDir)].filter((id) => arrivedHalfway.has(id));
  const moved = replayIn(dataDir, replayId).moved;
  assert.ok(moved < DELIVERIES, `${moved} of ${DELIVERIES} were moved before the kill`);

  const second = await startService(options);
  await finished(dataDir, replayId);
  await drained(second);
  await second.stop();
  assert.deepEqual(replayIn(dataDir, replayId), { state: "finished", moved: DELIVERIES, skipped: 0 });
  const arrivals = countById(receiver.requests.slice(DELIVERIES).map(findId));
  assert.deepEqual([...arrivals.keys()].toSorted(), originals.toSorted(), "each of them, and nothing else");
  const twice = [...arrivals].filter(([, count]) => count > 1).map(([id]) => id);
  t.diagnostic(`${moved} moved before the kill, ${twice.length} sent twice of ${inFlight.length} in flight at it`);
  assert.deepEqual(
    twice.filter((id) => !inFlight.includes(id)),
    [],
  );
  await assertCancelStops(options, receiver);
});

/** Cancels a replay half-way, and lets another one of a second tell that the first does not go on. */
async function assertCancelStops(options: { readonly dataDir: string }, receiver: Receiver): Promise<void> {
  const { dataDir } = options;
  const before = receiver.requests.length;
  const replayId = await replayAll(dataDir);
  const interrupted = await startService(options);
  await soon(receiver.received(before + BATCH), "the first of the second replay");
  await interrupted.stop();
  await cancel(dataDir, replayId);
  const { moved } = replayIn(dataDir, replayId);
  assert.ok(moved >= BATCH && moved < DELIVERIES, `${moved} of ${DELIVERIES} were moved before the cancel`);

  const startedAtMs = Date.now();
  const other = await startService(options);
  await deliver(other, RATE_PER_SECOND);
  await other.stop();
  const otherId = await replayAll(dataDir, startedAtMs);
  const last = await startService(options);
  await finished(dataDir, otherId);
  await drained(last);
  await last.stop();
  assert.deepEqual(replayIn(dataDir, otherId), { state: "finished", moved: RATE_PER_SECOND, skipped: 0 });
  assert.deepEqual(replayIn(dataDir, replayId), { state: "cancelled", moved, skipped: 0 });
  assert.equal(receiver.requests.length, before + moved + 2 * RATE_PER_SECOND);
}

/** Posts this many sessions and waits until each has arrived and is settled. */
async function deliver(service: Running, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += BATCH) {
    const records = Array.from({ length: BATCH }, () => `${sessionRecord(randomUUID())}\n`);
    const { status, text } = await service.post("demo-sessions", records.join(""), { type: "application/x-ndjson" });
    assert.equal(status, 200, text);
  }
  await drained(service);
}

const ADA = { person: "ada@example.com", role: "owner" } as const;

/** There is no HTTP call for it; the service must not be running. Gives the replay's id. */
async function replayAll(dataDir: string, createdFromMs = 0): Promise<string> {
  await using app = await openApp({ dataDir });
  const filter = { states: ["delivered"], createdFromMs } as const;
  const request = { accountId: ACCOUNT, filter, ratePerSecond: RATE_PER_SECOND, startPaused: false, by: ADA };
  const started = await startReplay({ ctx: app.delivery, engine: app.engine }, request);
  assert.ok(started.ok);
  return started.value.replayId;
}

async function cancel(dataDir: string, replayId: string): Promise<void> {
  await using app = await openApp({ dataDir });
  const decision = { accountId: ACCOUNT, replayId, state: "cancelled", by: ADA } as const;
  const cancelled = await setReplayState({ ctx: app.delivery, engine: app.engine }, decision);
  assert.deepEqual(cancelled, { ok: true, value: { changed: true } });
}

const finished = (dataDir: string, replayId: string) =>
  eventually("the end of the replay", () => Promise.resolve(replayIn(dataDir, replayId).state === "finished"));

const findId = ({ headers }: ReceivedRequest): string => headers["webhook-id"] ?? "";

function countById(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
