/**
 * How long a delivery that is due waits until somebody claims it: through the store alone, without anything being sent.
 * Accepts come at a fixed rate; one claimer takes what is due, as an engine with free lanes would, and settles it while
 * it claims the next.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { NEW_LANE_SLOTS } from "../../src/delivery/lanes/lane.ts";
import { newId } from "../../src/domain/id.ts";
import { minutesMs } from "../../src/lib/duration.ts";
import { systemRandom, newUuid } from "../../src/lib/random.ts";
import type { ClaimedDelivery } from "../../src/store/contract/path.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { ASSISTANT, findAccount } from "../many-destinations.ts";
import { bodyText } from "../record.ts";
import { openStore } from "./server.ts";
import { delivered } from "./settlement.ts";
import { makeNewDelivery, makeNewEvent } from "../../test/kit/make.ts";

export interface AcceptTraffic {
  /** Accepts go to this number of destinations in turn; the one after them has the backlog, or none. */
  readonly destinations: number;
  readonly ratePerSecond: number;
  readonly durationMs: number;
}

export interface ClaimWaits {
  /** In the order of the accepts. */
  readonly ms: number[];
  readonly missing: number;
  /** How late the timer of this process was, each time: what the machine itself did. */
  readonly timerMs: number[];
}

const CLAIM_MAX = 200;
const TIMER_MS = 5;
const GRACE_MS = 5_000;

/** The lane of the one with the backlog: its width, and how long each delivery is under way. */
const LANE = { deliveriesMax: 64, answerMs: 100 };

export async function measureAcceptToClaim(url: string, traffic: AcceptTraffic): Promise<ClaimWaits> {
  const { store: opened, clock } = await openStore(url);
  await using store = opened;
  const targets = await loadTargets(store, traffic.destinations + 1);
  const run: Run = {
    store,
    nowMs: () => clock.nowMs(),
    targets: targets.slice(0, -1),
    backlogged: targets.at(-1)?.destinationId ?? "",
    releasedAtMs: new Map(),
    claimedAtMs: new Map(),
    timerMs: [],
    isOver: false,
    news: Promise.withResolvers(),
  };
  const claiming = claimUntilOver(run);
  await acceptAll(run, traffic);
  const missing = () => [...run.releasedAtMs.keys()].filter((id) => !run.claimedAtMs.has(id)).length;
  const graceEndsMs = performance.now() + GRACE_MS;
  while (missing() > 0 && performance.now() < graceEndsMs) await sleep(TIMER_MS);
  run.isOver = true;
  await claiming;
  const endMs = performance.now();
  const ms = [...run.releasedAtMs].map(([id, atMs]) => (run.claimedAtMs.get(id) ?? endMs) - atMs);
  return { ms, missing: missing(), timerMs: run.timerMs };
}

interface Run {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly targets: readonly Target[];
  /** The destination with the backlog. */
  readonly backlogged: string;
  /** By delivery. */
  readonly releasedAtMs: Map<string, number>;
  readonly claimedAtMs: Map<string, number>;
  readonly timerMs: number[];
  isOver: boolean;
  /** Resolves when something was accepted since the last claim began. */
  news: PromiseWithResolvers<void>;
}

async function acceptAll(run: Run, { ratePerSecond, durationMs }: AcceptTraffic): Promise<void> {
  const total = Math.floor((ratePerSecond * durationMs) / 1000);
  const accepts: Promise<void>[] = [];
  const startedMs = performance.now();
  while (run.releasedAtMs.size < total) {
    const elapsedMs = performance.now() - startedMs;
    const due = Math.min(total, Math.floor((elapsedMs * ratePerSecond) / 1000));
    while (run.releasedAtMs.size < due) accepts.push(acceptNext(run));
    await sleep(TIMER_MS);
    run.timerMs.push(performance.now() - startedMs - elapsedMs - TIMER_MS);
  }
  await Promise.all(accepts);
}

/** Not claimed by the node that accepts it: that is the path that a claim is needed for. */
async function acceptNext({ store, nowMs, targets, releasedAtMs, news }: Run): Promise<void> {
  const target = targets[releasedAtMs.size % targets.length];
  if (target === undefined) throw new Error("there are no destinations");
  const { accountId, configVersion, destinationId } = target;
  const id = newId("evt", nowMs(), systemRandom);
  const delivery = makeNewDelivery({ id: newId("dlv", nowMs(), systemRandom), destinationId });
  const source = { sourceId: newUuid(systemRandom), body: bodyText(0) };
  const event = makeNewEvent({ id, accountId, configVersion, ...source, deliveries: [delivery] });
  releasedAtMs.set(delivery.id, performance.now());
  await store.acceptEvents({ nowMs: nowMs(), claim: { token: "none", untilMs: 0 }, events: [event] });
  news.resolve();
}

async function claimUntilOver(run: Run): Promise<void> {
  /** When each delivery of the backlog was claimed that is still under way. */
  let underWay: number[] = [];
  let settled: Promise<unknown> = Promise.resolve();
  while (!run.isOver) {
    run.news = Promise.withResolvers();
    underWay = underWay.filter((atMs) => performance.now() - atMs < LANE.answerMs);
    const freeSlots = { [run.backlogged]: LANE.deliveriesMax - underWay.length };
    const [claimed] = await Promise.all([claim(run, freeSlots), settled]);
    for (const { id, destinationId } of claimed) {
      if (destinationId === run.backlogged) underWay.push(performance.now());
      else run.claimedAtMs.set(id, performance.now());
    }
    settled = settle(run, claimed);
    if (claimed.length === 0) await Promise.race([run.news.promise, sleep(TIMER_MS)]);
  }
  await settled;
}

async function settle({ store, nowMs }: Run, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const settlements = claimed.map(delivered(nowMs()));
  if (settlements.length > 0) await store.settleAttemptsIfClaimed({ nowMs: nowMs(), settlements });
}

interface Target {
  readonly accountId: string;
  readonly configVersion: number;
  readonly destinationId: string;
}

async function loadTargets(store: Store, destinations: number): Promise<Target[]> {
  const accountIds = Array.from({ length: destinations }, (_, destination) => findAccount(destination));
  return await Promise.all(
    accountIds.map(async (accountId) => {
      const account = await store.loadAccount({ accountId });
      const destinationId = account?.assistants.find(({ id }) => id === ASSISTANT)?.destination?.id;
      if (account === null || destinationId === undefined) throw new Error(`${accountId} has no destination`);
      return { accountId, configVersion: account.configVersion, destinationId };
    }),
  );
}

function claim({ store, nowMs }: Run, freeSlots: Readonly<Record<string, number>>): Promise<ClaimedDelivery[]> {
  return store.claimDueDeliveries({
    nowMs: nowMs(),
    claim: { token: "bench", untilMs: nowMs() + minutesMs(1) },
    deliveriesMax: CLAIM_MAX,
    perAccountMax: 256,
    accountSlots: {},
    perDestinationMax: NEW_LANE_SLOTS,
    freeSlots,
    bodyCharsMax: Number.MAX_SAFE_INTEGER,
  });
}
