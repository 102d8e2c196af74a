/**
 * A bug to plant: what it puts in the place of a part. Almost all of them wrap a port, so that production code carries
 * no switches for them.
 */
import type { DeliveryContext } from "../src/delivery/context.ts";
import type { Engine } from "../src/delivery/engine.ts";
import type { Connection } from "../src/store/sqlite/connection/connection.ts";
import type { Store } from "../src/store/contract/store.ts";
import type { Chance } from "./chance.ts";
import type { FaultName } from "./faults.ts";
import type { Life } from "./records.ts";
import type { Simulator } from "./simulator.ts";
import type { Fence } from "../src/store/postgres/path/fence.ts";
import type { Open, RunCall, SimCall } from "./calls.ts";
import type { SimMoves } from "./moves/steps.ts";

export interface Mutant {
  /** The bug in a sentence. */
  readonly bug: string;
  /** It shows under these faults together, which seeds rarely choose; without it, under those that the seed chooses. */
  readonly faults?: readonly FaultName[];
  /** A bug of the store: between the simulator's book and the real store. */
  readonly onStore?: (store: Store) => Store;
  /** A bug below the store's verbs: in what they keep in memory, or in single statements. */
  readonly onDatabase?: (db: Connection) => Connection;
  /** A bug of the engine in how it uses the store: between the engine and the port. */
  readonly onPort?: (port: Store, node: MutantNode) => Store;
  /** A bug behind the way to a shard: in how its calls reach its commits. */
  readonly onRun?: (run: RunCall) => RunCall;
  /** A bug in how a node opens a shard beside the home shard. */
  readonly onReach?: (open: Open) => Open;
  /** A bug of a verb's transaction: in what it holds against moves. */
  readonly onFence?: (fence: Fence, call: SimCall) => Fence;
  /** A bug of a move: in its steps, or in what it asks of the shards. */
  readonly onMoves?: (over: SimMoves) => SimMoves;
  /** A bug anywhere else in what the event's path works with. */
  readonly onContext?: (ctx: DeliveryContext) => DeliveryContext;
  /** A bug in how accepting hands deliveries to the lanes. */
  readonly onAcceptingEngine?: (engine: Engine, ctx: DeliveryContext) => Engine;
  readonly deliveriesMax?: number;
  /** The time that the network gives an attempt, in milliseconds. */
  readonly deadlineMs?: number;
}

export interface MutantNode {
  readonly life: Life;
  readonly sim: Simulator;
  readonly random: Chance;
}

export const NO_MUTANT: Mutant = { bug: "none" };
