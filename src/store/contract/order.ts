/** Destinations that get one delivery at a time: what all others wait for, and a person's decision about it. */
import type { Actor } from "../../domain/account.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface OrderVerbs {
  /** The heads of these destinations' orders; none where nothing waits. */
  listHeads(params: ListHeads): Promise<readonly HeadOfOrder[]>;
  /** Cancels the head, so that the next one may go. Nothing else is touched, also when a person saw another head. */
  skipHead(params: SkipHead): Promise<SkipHeadResult>;
}

export const ORDER_VERBS = {
  listHeads: { kind: "side", reads: true, route: OF_ACCOUNT },
  skipHead: { kind: "path", route: OF_ACCOUNT },
} satisfies VerbTable<OrderVerbs>;

export interface ListHeads {
  readonly accountId: string;
  readonly destinationIds: readonly string[];
  readonly nowMs: number;
}

export interface HeadOfOrder {
  readonly destinationId: string;
  readonly deliveryId: string;
  readonly attemptsMade: number;
  /** When its first attempt failed since it was accepted or last resent; `null` before that: it holds nobody. */
  readonly heldSinceMs: number | null;
  /** When it is due; while a node holds it, when the claim runs out. */
  readonly dueAtMs: number;
  readonly isUnderWay: boolean;
}

export interface SkipHead {
  readonly accountId: string;
  readonly destinationId: string;
  /** The head that the person saw. */
  readonly deliveryId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

/** `missing`: the account has no such destination, or it does not get one at a time. */
export type SkipHeadResult = "skipped" | "missing" | "not_head" | "under_way";
