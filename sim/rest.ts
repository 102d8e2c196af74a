/** When a run is at rest, and what has to be true of it then; and when one that idles has something to do again. */
import { daysMs, secondsMs } from "../src/lib/duration.ts";
import type { StoredDelivery } from "../src/store/contract/log.ts";
import type { Cluster } from "./cluster.ts";
import type { World } from "./invariants/invariant.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Movers } from "./moves/movers.ts";
import { findPlaces, listLeft } from "./moves/found-places.ts";
import type { Simulator } from "./simulator.ts";
import type { Source } from "./source.ts";
import type { Stores } from "./stores.ts";
import type { Watch } from "./watch.ts";

/** When something that is pending can go out by the clock that is farthest ahead, in true time. */
export function wakeAtMs(sim: Simulator, ledger: Ledger, aheadMs: number): number {
  const nowMs = sim.nowMs();
  let wakeAt = Infinity;
  for (const { state, dueAtMs, destinationId, event } of ledger.deliveries.values()) {
    const isOn = ledger.configs.destination(event.accountId, destinationId)?.state === "on";
    if (state !== "pending" || (!isOn && dueAtMs - aheadMs <= nowMs)) continue;
    const atMs = Math.max(dueAtMs, ledger.holds.heldUntilMs(destinationId)) - aheadMs;
    wakeAt = Math.min(wakeAt, atMs > nowMs ? atMs : lookAgainMs(sim, atMs));
  }
  return Math.floor(wakeAt);
}

/**
 * It should go out, and yet no node takes it: look again, ever more rarely. Not within the first second: the tick that
 * takes it may be the next thing on the agenda, and a leap would make it late (seed 947 of a thousand).
 */
function lookAgainMs(sim: Simulator, atMs: number): number {
  const nowMs = sim.nowMs();
  if (nowMs - atMs < secondsMs(1)) return nowMs;
  return nowMs + Math.max(secondsMs(1), (nowMs - sim.activityMs()) / 4);
}

interface Resting {
  readonly sim: Simulator;
  readonly ledger: Ledger;
  readonly source: Source;
  readonly movers: Pick<Movers, "areDone"> | null;
}

/** Several ticks of every node, none of which has found anything. */
const AT_REST_MS = secondsMs(2);

/** Every record answered, every delivery ended or waiting at a destination that is not on, nothing under way. */
export function isAtRest({ sim, ledger, source, movers }: Resting): boolean {
  if (movers?.areDone() === false) return false;
  if (source.open() > 0 || !sim.isIdle() || sim.nowMs() - sim.activityMs() < AT_REST_MS) return false;
  const deliveries = [...ledger.deliveries.values()];
  return deliveries.every(({ state, event, destinationId, claim }) => {
    const mayWait = ledger.configs.destination(event.accountId, destinationId)?.state !== "on";
    return state !== "pending" || (mayWait && (claim?.untilMs ?? 0) <= sim.nowMs());
  });
}

interface Rested extends Resting {
  readonly stores: Pick<Stores, "real" | "servers">;
  readonly cluster: Cluster;
  readonly watch: Watch;
  readonly world: World;
}

/** Reads every row, and holds against it what is promised in the end. */
export async function holdRestingInvariants(rested: Rested): Promise<void> {
  const { sim, ledger, watch, world, cluster, source } = rested;
  const store = rested.stores.real;
  const rows = new Map<string, StoredDelivery>();
  for (const { id, event } of ledger.deliveries.values()) {
    const row = await store.loadDelivery({ accountId: event.accountId, deliveryId: id });
    if (row !== null) rows.set(id, row);
  }
  const { waiting } = await store.countWaiting({ nowMs: sim.nowMs() });
  const counted = await countAttempts(rested);
  const moved = await findLeft(rested);
  watch.rest({ ...world, ...moved, counted, nodes: cluster.up(), openRecords: source.open(), rows, waiting });
}

async function findLeft({ stores: { servers }, ledger }: Rested) {
  const accountIds = [...new Set([...ledger.events.values()].map(({ event }) => event.accountId))];
  if (servers === null) return { places: [], leftOfMoves: [] };
  return { places: await findPlaces(servers, accountIds), leftOfMoves: listLeft(servers) };
}

/** Of all accounts, whatever the clocks of nodes said. */
async function countAttempts({ stores, sim, ledger }: Rested): Promise<number> {
  const accountIds = new Set([...ledger.events.values()].map(({ event }) => event.accountId));
  const span = { fromMs: 0, toMs: sim.nowMs() + daysMs(1), bucketMs: daysMs(1) };
  let counted = 0;
  for (const accountId of accountIds) {
    const rows = await stores.real.countAttempts({ accountId, ...span, joined: "destinations" });
    for (const { kind, count } of rows) if (kind === "attempt") counted += count;
  }
  return counted;
}
