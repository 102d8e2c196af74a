/**
 * Replays: many deliveries sent again at a chosen rate. A replay freezes its deliveries when it is made, and each is
 * moved in the transaction that ticks it off, so that a crash neither doubles nor forgets one.
 */
import type { Actor } from "../../domain/account.ts";
import type { ReplayFilter, ReplayState } from "../../domain/replay.ts";
import { OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface ReplaysVerbs {
  /**
   * Freezes the deliveries that the filter names now and that can still be sent, and answers how many they are. A
   * repeat with the same id answers the same and freezes nothing. `too_many`: more than `deliveriesMax`; nothing is
   * written.
   */
  createReplay(params: CreateReplay): Promise<{ readonly deliveries: number } | { readonly refused: "too_many" }>;
  /** The newest 100, newest first. */
  listReplays(params: ListReplays): Promise<readonly StoredReplay[]>;
  /** Makes as many deliveries of running replays `pending` as their rates allow by now; each once, whatever crashes. */
  stepReplays(params: { nowMs: number; deliveriesMax: number }): Promise<SteppedReplays>;
  /** `unchanged` also when it has ended: nothing starts it again. */
  setReplayState(params: SetReplayState): Promise<"changed" | "unchanged" | "missing">;
}

export const REPLAYS_VERBS = {
  createReplay: { kind: "side", route: OF_ACCOUNT },
  listReplays: { kind: "side", reads: true, route: OF_ACCOUNT },
  stepReplays: {
    kind: "path",
    route: {
      kind: "all",
      rest: (params, { moved }) => withLess(params, "deliveriesMax", moved),
      join: (one, other) => ({
        running: one.running + other.running,
        moved: one.moved + other.moved,
        replays: [...one.replays, ...other.replays],
      }),
    },
  },
  setReplayState: { kind: "path", route: OF_ACCOUNT },
} satisfies VerbTable<ReplaysVerbs>;

/** `replays`: those that moved on or ended, for pages that show them. */
export interface SteppedReplays {
  /** Replays that this call stepped or could have stepped; one that another node steps now is left to that node. */
  readonly running: number;
  readonly moved: number;
  readonly replays: readonly { readonly accountId: string; readonly replayId: string }[];
}

export interface CreateReplay {
  readonly accountId: string;
  readonly id: string;
  readonly filter: ReplayFilter;
  /** Found by the filter's search: only these of those that the rest of the filter names. */
  readonly deliveryIds?: readonly string[];
  /** Nothing is written of one that would have more: all of it is frozen in one transaction. */
  readonly deliveriesMax: number;
  readonly ratePerSecond: number;
  /** Prepared: nothing moves before it is set running; `purge` cancels it when it was not within a day. */
  readonly startPaused: boolean;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface ListReplays {
  readonly accountId: string;
  /** This one alone; every other is left out. */
  readonly replayId?: string;
}

export interface SetReplayState {
  readonly accountId: string;
  readonly replayId: string;
  readonly state: Exclude<ReplayState, "finished">;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface StoredReplay {
  readonly id: string;
  readonly filter: ReplayFilter;
  readonly ratePerSecond: number;
  readonly state: ReplayState;
  /** Never set to running yet. */
  readonly isPrepared: boolean;
  /** The exact count, frozen when it was created; `moved + skipped` grow up to it. */
  readonly deliveries: number;
  readonly moved: number;
  /** Pending already, or without a payload any more. */
  readonly skipped: number;
  /** Who created it. */
  readonly actor: string;
  /** Who paused, resumed or cancelled it last. */
  readonly stateActor: string;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}
