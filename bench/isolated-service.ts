/**
 * The service as `bellwire serve` runs it, with two changes that a benchmark needs and a setting should not offer:
 * names are asked of the benchmark's name server, and ONE_QUEUE=1 puts all destinations into one lane. The second is
 * the control: the same program with a plain queue in front of a fixed number of workers, as most senders have.
 */
import { Resolver } from "node:dns/promises";
import type { App } from "../src/app.ts";
import { Load } from "../src/delivery/lanes/load.ts";
import { runService } from "../test/kit/process/run-service.ts";

/** As many workers as a single lane ever has. */
const WORKERS = 64;

askNameServer(process.env["NAME_SERVER"] ?? "");
await runService({ onCreated: process.env["ONE_QUEUE"] === "1" ? useOneQueue : () => {} });

/** The resolver of production reads resolv.conf; only whom it asks is changed, the first time that it asks. */
function askNameServer(address: string): void {
  const pointed = new WeakSet<Resolver>();
  for (const verb of ["resolve4", "resolve6"] as const) {
    const resolve = Resolver.prototype[verb] as (...args: unknown[]) => Promise<never>;
    Resolver.prototype[verb] = function ask(this: Resolver, ...args: unknown[]) {
      if (!pointed.has(this)) this.setServers([address]);
      pointed.add(this);
      return resolve.apply(this, args);
    };
  }
}

/** Puts every destination into the same lane: first come first served, of a fixed width, without holding back. */
function useOneQueue({ store }: App): void {
  const findLane = Load.prototype.laneOf;
  Load.prototype.laneOf = function ofAll() {
    const lane = findLane.call(this, { accountId: "all", destinationId: "all" });
    if (lane.limit.limit !== WORKERS) {
      const limit = { limit: WORKERS, good: 0 };
      Object.defineProperty(lane, "limit", { get: () => limit, set: () => {} });
    }
    return lane;
  };
  const settle = store.settleAttemptsIfClaimed;
  store.settleAttemptsIfClaimed = async (params) => {
    const results = await settle(params);
    return results.map((result) => (result.kind === "settled" ? { ...result, heldUntilMs: 0 } : result));
  };
}
