/** A node that takes over another one's lease dies at each step of it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { minutesMs } from "../../../lib/duration.ts";
import {
  ACCOUNT,
  accept,
  CLAIM_LOST,
  claimIds,
  held,
  makeEvent,
  makeSettlement,
  setUp,
  T0,
} from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

const ACCOUNTS = ["acc_1", "acc_2", "acc_3", "acc_a"];
const PROGRAM = join(import.meta.dirname, "../../../../test/kit/process/claim-and-die.ts");
/** The lease of the first node and its claims have ended. */
const LATER = T0 + minutesMs(2);

async function openNode(url: string): Promise<Store> {
  return (await openPostgresStore({ url, clock: systemClock })).store;
}

/** A node with a delivery of each in memory; its lease ends by the clock of the others. */
async function acceptAll(store: Store): Promise<void> {
  const events = [];
  for (const [n, accountId] of ACCOUNTS.entries()) {
    const configVersion = await setUp(store, [`dst_${accountId}`], { ...ACCOUNT, id: accountId });
    const deliveries = [held(`dlv_${accountId}`, `dst_${accountId}`)];
    events.push(makeEvent(n, { accountId, configVersion, deliveries }));
  }
  await accept(store, events);
}

/** Resolves with what the node said before it was killed: how many statements it sent, once it lived to its end. */
async function claimAndDie(url: string, deadly: number): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, url, `${LATER}`, `${deadly}`], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const { promise, resolve } = Promise.withResolvers<string | null>();
  child.on("close", (_, signal) => resolve(signal));
  assert.equal(await promise, "SIGKILL", said);
  return said;
}

/** The other nodes find each delivery once, and the first one has none of them any more. */
async function assertAllTakenOver(url: string, first: Store, others: readonly string[] = []): Promise<void> {
  await using other = await openNode(url);
  const claimed: string[] = [];
  // The dead one's claims have ended too; a lease that another session still holds comes next time.
  for (let n = 1; claimed.length < ACCOUNTS.length && n < 50; n += 1) {
    const nowMs = LATER + n * minutesMs(2);
    claimed.push(...(await claimIds(other, nowMs, { claim: { token: "other", untilMs: nowMs + minutesMs(90) } })));
  }
  assert.deepEqual(claimed.toSorted(), ACCOUNTS.map((id) => `dlv_${id}`).toSorted());
  const settlements = ACCOUNTS.map((accountId) => makeSettlement(`dlv_${accountId}`, { accountId }));
  const answers = await first.settleAttemptsIfClaimed({ nowMs: LATER, settlements });
  assert.deepEqual(
    answers,
    ACCOUNTS.map(() => CLAIM_LOST),
  );
  const rows = await cluster.query(url, "select count(1)::integer as count from bellwire.deliveries");
  assert.equal(rows[0]?.["count"], ACCOUNTS.length + others.length);
}

test("a takeover that dies at any statement is ended by another node, and nothing is lost or twice", async () => {
  const url = await cluster.createStoreDatabase();
  let deaths = 0;
  for (let deadly = 1, said = ""; said === ""; deadly += STEP, deaths += 1) {
    await using first = await openNode(url);
    await cluster.emptyStore(url);
    await acceptAll(first);
    said = await claimAndDie(url, deadly);
    await assertAllTakenOver(url, first);
  }
  assert.ok(deaths > 5, `${deaths} deaths`);
});

/** The distance between two statements that a node dies at; a transaction has several. */
const STEP = 2;
