/**
 * Calls that share commits, by production's own queue (`store/group-commit.ts`) on the node's clock: one queue for each
 * verb and shard, as the store on PostgreSQL has them. A success's settlement is patient: it waits for company.
 */
import type { Clock } from "../src/lib/clock.ts";
import type { Answer, Call, VerbParams } from "../src/store/calls.ts";
import type { VerbName } from "../src/store/contract/store.ts";
import { type GroupCommit, createGroupCommit } from "../src/store/group-commit.ts";
import type { Verb } from "./ledger/books.ts";
import type { Arrival, RunCall } from "./calls.ts";

export interface JoinOptions {
  readonly clock: Clock;
  /** For the verbs that do not share commits. */
  readonly alone: RunCall;
  /** One commit. */
  readonly travelAll: (shard: string, verb: Verb, all: readonly unknown[]) => Promise<readonly Arrival[]>;
}

const JOINED: ReadonlySet<Verb> = new Set(["acceptEvents", "settleAttemptsIfClaimed"]);

/** The sizes of the store on PostgreSQL. */
const SIZES = { batchesInFlightMax: 3, besideItemsMin: 50 };

type Columns = never;

export function joinCommits({ clock, alone, travelAll }: JoinOptions): RunCall {
  const queues = new Map<string, GroupCommit<Columns>>();

  function queueOf(verb: Verb, shard: string): GroupCommit<Columns> {
    const name = `${verb} ${shard}`;
    const known = queues.get(name);
    if (known !== undefined) return known;
    const commit = async (calls: readonly Call<Columns>[]): Promise<readonly Answer[]> =>
      (
        await travelAll(
          shard,
          verb,
          calls.map(({ params }) => params),
        )
      ).map(toAnswer);
    const queue = createGroupCommit<Columns>({ ...SIZES, clock, commit, onCommit: () => {} });
    queues.set(name, queue);
    return queue;
  }

  return (call, shard) => {
    const { verb, params } = call;
    if (!JOINED.has(verb)) return alone(call, shard);
    return queueOf(verb, shard).call({ verb, params: params as VerbParams<VerbName, Columns> });
  };
}

function toAnswer(arrival: Arrival): Answer {
  if (arrival.kind === "answered") return { kind: "done", value: arrival.answer };
  const { error } = arrival;
  return { kind: "unavailable", error: error instanceof Error ? error : new Error(String(error)) };
}
