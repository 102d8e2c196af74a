/**
 * An invariant of the service: looks at each fact as it happens, and at the whole run when it has come to rest. What it
 * finds wrong is a sentence and the id that it is about, for the report to pick the lines that tell how it came to it.
 */
import type { StoredDelivery } from "../../src/store/contract/log.ts";
import type { Fact } from "../history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Swarm } from "../faults.ts";
import type { Node } from "../node.ts";
import type { Receivers } from "../receivers.ts";

/** Everything that invariants can see. */
export interface World {
  readonly swarm: Swarm;
  readonly ledger: Ledger;
  readonly receivers: Receivers;
  nowMs(): number;
  /** Several nodes change accounts. */
  readonly isShared: boolean;
  /** No fault of the infrastructure concerns this account: other shards may be away, its own never was. */
  isFirm(accountId: string): boolean;
  /** The chat assistant of the record with this source id; `null`: a demo session's; undefined: no such record. */
  findAssistant(sourceId: string): string | null | undefined;
  /** The account's verification secret, as its owner sees it. */
  findSecret(accountId: string): string;
}

/** A run that has healed and come to rest, or was given up waiting for. */
export interface RestingWorld extends World {
  /** Nodes that are up. */
  readonly nodes: readonly Node[];
  /** Records that the product has no answer for. */
  readonly openRecords: number;
  /** Every delivery as the store has it. */
  readonly rows: ReadonlyMap<string, StoredDelivery>;
  /** Pending deliveries as the store counts them. */
  readonly waiting: number;
  /** Each account, where moves have it. */
  readonly places: readonly FoundPlace[];
  /** What moves have left in the shards: rows about them, and locks. */
  readonly leftOfMoves: readonly string[];
  /** Attempts in the figures of all charts. */
  readonly counted: number;
}

export interface FoundPlace {
  readonly accountId: string;
  readonly directory: string;
  /** Shards with its own row, and with any row of it. */
  readonly livesIn: readonly string[];
  readonly rowsIn: readonly string[];
}

export interface Finding {
  readonly message: string;
  /** A delivery, an event or a node; "" for the run as a whole. */
  readonly about: string;
}

export interface Invariant {
  /** The promise, as a sentence. */
  readonly name: string;
  readonly see?: (fact: Fact, world: World) => Finding | null;
  readonly rest?: (world: RestingWorld) => Finding | null;
}

export interface Breach extends Finding {
  readonly invariant: string;
}

/** Each run gets its own, because some of them remember. */
export type NewInvariant = () => Invariant;

/** The first thing that is wrong with one of the items. */
export function firstFinding<Item>(items: Iterable<Item>, find: (item: Item) => Finding | null): Finding | null {
  for (const item of items) {
    const finding = find(item);
    if (finding !== null) return finding;
  }
  return null;
}
