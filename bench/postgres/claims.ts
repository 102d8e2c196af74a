/**
 * The cost of a claim while ten million deliveries wait for ten thousand destinations: idle, when nothing of it is due,
 * and fair, when all of it is. Through the store's own verb, called as the engine calls it. The claimed deliveries are
 * then settled, or given back, without being timed, so that rows move through the queue as they do in service.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NEW_LANE_SLOTS } from "../../src/delivery/lanes/lane.ts";
import { daysMs, hoursMs, minutesMs } from "../../src/lib/duration.ts";
import type { ClaimedDelivery } from "../../src/store/contract/path.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { setUpDestinations } from "../many-destinations.ts";
import { fillBacklog } from "./fill.ts";
import { quantile } from "../windows.ts";
import { count, head, type Measurement, row } from "./measurement.ts";
import { createStore, forgetStatements, listStatements, logPlans, openStore } from "./server.ts";
import { delivered } from "./settlement.ts";

const FAIR_CLAIM = 200;
const IDLE_MS_GATE = 1;
const FAIR_MS_GATE = 10;
const IDLE_CLAIMS = 10_000;
const FAIR_CLAIMS = 300;
const CLAIMS_BEFORE = 50;
/** Nothing is sent here. */
const NOWHERE = "http://127.0.0.1:9/nowhere";
/** How long the backlog has grown: partitions by day are met as they are in service. */
const GROWN_MS = daysMs(2);

export const claims: Measurement = {
  name: "claims",
  minutes: ({ deliveries }) => 1 + deliveries / 1_500_000,
  async run({ cluster, folder, sizes, isExplained }) {
    const url = await createStore(cluster);
    const urls = Array.from({ length: sizes.destinations }, () => NOWHERE);
    await setUpDestinations(join(folder, "claims"), urls, url);
    const endMs = Date.now() - minutesMs(1);
    const startedMs = performance.now();
    await fillBacklog(cluster, url, { deliveries: sizes.deliveries, fromMs: endMs - GROWN_MS, overMs: GROWN_MS });
    const filledMs = performance.now() - startedMs;
    console.log(
      `- ${count(sizes.deliveries)} pending over ${count(sizes.destinations)} destinations, ` +
        `made in ${(filledMs / 1000).toFixed(0)} s, ${await readSize(cluster, url)}`,
    );
    console.log(`- claims of ${FAIR_CLAIM}, at most ${NEW_LANE_SLOTS} of a destination, one at a time\n`);
    const queue = { cluster, url, endMs };
    head("Claim", "p50 ms", "p99 ms", "most ms", "destinations a claim", "gate for p99");
    const kept = [await measureIdle(queue), await measureFair(queue, "settled"), await measureFair(queue, "released")];
    console.log("");
    if (isExplained) await explain(queue);
    return kept.every(Boolean);
  },
};

interface Queue {
  readonly cluster: Cluster;
  readonly url: string;
  /** When the last one has become due. */
  readonly endMs: number;
}

/** Before the first is due: everything waits, as it does when every receiver is down. */
async function measureIdle({ url, endMs }: Queue): Promise<boolean> {
  await using store = (await openStore(url)).store;
  const nowMs = endMs - GROWN_MS - hoursMs(1);
  const times: number[] = [];
  for (let round = 0; round < CLAIMS_BEFORE + IDLE_CLAIMS; round += 1) {
    const { claimed, tookMs } = await claim(store, nowMs);
    assert.equal(claimed.length, 0);
    if (round >= CLAIMS_BEFORE) times.push(tookMs);
  }
  return print("idle", times, { gateMs: IDLE_MS_GATE, spread: "0" });
}

async function measureFair({ cluster, url, endMs }: Queue, after: "settled" | "released"): Promise<boolean> {
  await using store = (await openStore(url)).store;
  const times: number[] = [];
  const visited = new Set<string>();
  let visits = 0;
  const startedMs = performance.now();
  for (let round = 0; round < CLAIMS_BEFORE + FAIR_CLAIMS; round += 1) {
    if (round === CLAIMS_BEFORE) await forgetStatements(cluster, url);
    const nowMs = endMs + Math.ceil(performance.now() - startedMs) + (after === "settled" ? 0 : minutesMs(10));
    const { claimed, tookMs } = await claim(store, nowMs);
    assert.equal(claimed.length, FAIR_CLAIM, "everything is due");
    if (after === "settled") await settle(store, claimed, nowMs);
    else await release(store, claimed, nowMs);
    if (round < CLAIMS_BEFORE) continue;
    times.push(tookMs);
    const destinations = new Set(claimed.map(({ destinationId }) => destinationId));
    visits += destinations.size;
    for (const id of destinations) visited.add(id);
  }
  const spread = `${(visits / FAIR_CLAIMS).toFixed(0)} (${count(visited.size)} different in all)`;
  return print(`fair, ${after} in between`, times, { gateMs: FAIR_MS_GATE, spread });
}

async function claim(store: Store, nowMs: number): Promise<{ claimed: ClaimedDelivery[]; tookMs: number }> {
  const startedMs = performance.now();
  const claimed = await store.claimDueDeliveries({
    nowMs,
    claim: { token: "bench", untilMs: nowMs + minutesMs(1) },
    deliveriesMax: FAIR_CLAIM,
    perAccountMax: 256,
    accountSlots: {},
    perDestinationMax: NEW_LANE_SLOTS,
    freeSlots: {},
    bodyCharsMax: Number.MAX_SAFE_INTEGER,
  });
  return { claimed, tookMs: performance.now() - startedMs };
}

async function settle(store: Store, claimed: readonly ClaimedDelivery[], nowMs: number): Promise<void> {
  const results = await store.settleAttemptsIfClaimed({ nowMs, settlements: claimed.map(delivered(nowMs)) });
  assert(results.every(({ kind }) => kind === "settled"));
}

async function release(store: Store, claimed: readonly ClaimedDelivery[], nowMs: number): Promise<void> {
  const held = claimed.map(({ id, accountId, claim: { token } }) => ({ deliveryId: id, accountId, claimToken: token }));
  const { released } = await store.releaseClaims({ claims: held, dueAtMs: nowMs });
  assert.equal(released, claimed.length);
}

function print(
  name: string,
  times: readonly number[],
  { gateMs, spread }: { gateMs: number; spread: string },
): boolean {
  const p99Ms = quantile(times, 0.99);
  const isKept = p99Ms < gateMs;
  const figures = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(2));
  row(name, ...figures, spread, `${gateMs} ms: ${isKept ? "kept" : "MISSED"}`);
  return isKept;
}

async function readSize(cluster: Cluster, url: string): Promise<string> {
  const [size] = await cluster.query(url, "select pg_size_pretty(pg_database_size(current_database())) as pretty");
  return String(size?.["pretty"]);
}

/** Where the time of a fair claim goes, and of giving back what it got, statement by statement; then the plans. */
async function explain({ cluster, url, endMs }: Queue): Promise<void> {
  head("Statement", "a claim", "planning ms", "running ms", "rows", "pages read", "WAL bytes", "whole pages");
  for (const { text, calls, ...each } of await listStatements(cluster, url)) {
    const { planMs, runMs, rows, pagesRead, walBytes, wholePages } = each;
    const figures = [(calls / FAIR_CLAIMS).toFixed(1), planMs.toFixed(2), runMs.toFixed(2), rows.toFixed(0)];
    row(text, ...figures, pagesRead.toFixed(0), count(Math.round(walBytes)), wholePages.toFixed(1));
  }
  await logPlans(cluster, url);
  await using store = (await openStore(url)).store;
  for (const nowMs of [endMs - GROWN_MS - hoursMs(1), endMs + hoursMs(1)]) await claim(store, nowMs);
}
