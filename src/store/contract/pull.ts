/**
 * Webhooks that are asked (`domain/pull.ts`). A program holds what it was handed as a node holds what it claims: under
 * a token and until a time. Acknowledging is `settleAttemptsIfClaimed`, guarded by that claim.
 */
import type { Actor } from "../../domain/account.ts";
import type { AttemptOutcome, AttemptRecord } from "../../domain/attempt.ts";
import { HANDED_OUT_MAX, type HandOut, PULL_URL } from "../../domain/pull.ts";
import type { Settlement } from "./path.ts";
import { OF_ACCOUNT, accountsOf, pick, type VerbTable } from "./verb-table.ts";

export interface PullVerbs {
  /** Another token replaces the one before at once. `missing`: the account has no such destination that is asked. */
  putPullToken(params: PutPullToken): Promise<"put" | "missing">;
  /** `null`: the token is not known, or its webhook has gone. */
  findPulled(params: { readonly tokenHash: string; readonly nowMs: number }): Promise<PulledDestination | null>;
  /** Whether any webhook of the installation is asked. */
  hasPulled(params: { readonly nowMs: number }): Promise<boolean>;
  /**
   * Hands out what is due of a destination, the earliest due first. What an earlier claim held that has run out gets an
   * attempt that was not acknowledged, and fails when it has had its number of them. Nothing while it is not on.
   */
  handOut(params: HandOutDue): Promise<HandedOutResult>;
  /** What a claim holds, by the rows: empty for one that is not known, or has ended in any way. */
  listHandedOut(params: ListHandedOut): Promise<readonly HeldMessage[]>;
  /** Those of the destinations that are on and have something due. Accounts that are away have none. */
  listPulledDue(params: ListPulledDue): Promise<readonly string[]>;
  /** Webhooks whose time as asked ones is over. */
  listEndedPulls(params: { readonly nowMs: number; readonly limit: number }): Promise<readonly EndedPull[]>;
}

export const PULL_VERBS = {
  putPullToken: { kind: "path", route: OF_ACCOUNT },
  findPulled: { kind: "path", reads: true, route: { kind: "token", isKnown: (found) => found !== null } },
  hasPulled: { kind: "path", reads: true, route: { kind: "all", join: (one, other) => one || other } },
  handOut: { kind: "path", route: OF_ACCOUNT },
  listHandedOut: { kind: "path", reads: true, route: OF_ACCOUNT },
  listPulledDue: {
    kind: "path",
    reads: true,
    route: {
      kind: "accounts",
      accountsOf: ({ pulled }) => accountsOf(pulled),
      only: (params, indexes) => ({ ...params, pulled: pick(params.pulled, indexes) }),
      join: (parts) => parts.flatMap(({ answer }) => answer),
      ofAway: () => [],
    },
  },
  listEndedPulls: {
    kind: "side",
    reads: true,
    route: { kind: "all", join: (one, other) => [...one, ...other] },
  },
} satisfies VerbTable<PullVerbs>;

export interface PutPullToken {
  readonly accountId: string;
  readonly destinationId: string;
  readonly tokenHash: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface PulledDestination {
  readonly accountId: string;
  readonly destinationId: string;
}

export interface HandOutDue extends PulledDestination {
  /** By which the program asks. */
  readonly tokenHash: string;
  readonly nowMs: number;
  readonly claim: HandOut;
  readonly deliveriesMax: number;
  /** Stops before the bodies exceed this; one delivery is always taken. */
  readonly bodyCharsMax: number;
}

export interface HandedOutResult {
  /** False: it is deleted or has a URL now, or another token has replaced this one. */
  readonly isAsked: boolean;
  readonly messages: readonly HandedMessage[];
  /** What earlier claims held and nobody acknowledged: ids of those that are due again, and of those that failed. */
  readonly notAcknowledged: readonly string[];
  readonly failed: readonly string[];
}

/** What its attempt is numbered and judged by. */
export interface HeldMessage {
  readonly deliveryId: string;
  /** In its whole life. */
  readonly attemptsMade: number;
  /** Since it was accepted or last resent. */
  readonly attemptsInSchedule: number;
  /** When it was accepted or last resent. */
  readonly pendingSinceMs: number;
}

export interface HandedMessage extends HeldMessage {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

export interface ListHandedOut extends PulledDestination {
  readonly claim: HandOut;
}

export interface ListPulledDue {
  readonly pulled: readonly PulledDestination[];
  readonly nowMs: number;
}

export interface EndedPull {
  readonly accountId: string;
  readonly webhookId: string;
  readonly revision: number;
}

/* How what a program held is settled: in the same way by the service and by a claim that finds it run out. */

interface EndOfClaim {
  readonly accountId: string;
  readonly claimToken: string;
  readonly handedOutAtMs: number;
  readonly nowMs: number;
  /** Another one than a program's where its body could not be made: nothing was handed out, and it has failed. */
  readonly outcome: AttemptOutcome;
}

/** A message's attempt ends: it is delivered, or due again at its place in the order, or has failed. */
export function settleMessage(message: HeldMessage, end: EndOfClaim): Settlement {
  const { accountId, claimToken, outcome } = end;
  return {
    deliveryId: message.deliveryId,
    accountId,
    claimToken,
    attempt: toAttempt(message, end),
    next: findNext(message, outcome),
    isFree: false,
    isTrial: false,
    setUpAtMs: null,
    destinationOff: null,
    holdUntilMs: null,
  };
}

function findNext({ attemptsInSchedule, pendingSinceMs }: HeldMessage, { kind }: AttemptOutcome): Settlement["next"] {
  if (kind === "pulled") return { state: "delivered" };
  return kind !== "not_acknowledged" || attemptsInSchedule + 1 >= HANDED_OUT_MAX
    ? { state: "failed" }
    : { state: "pending", dueAtMs: pendingSinceMs };
}

const NO_TIMES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null } as const;

/** No headers: nothing was sent, and what was handed out has secret ones. */
const toAttempt = ({ attemptsMade }: HeldMessage, { handedOutAtMs, nowMs, outcome }: EndOfClaim): AttemptRecord => ({
  number: attemptsMade + 1,
  startedAtMs: handedOutAtMs,
  url: PULL_URL,
  requestHeaders: {},
  result: { outcome, timings: { ...NO_TIMES, totalMs: Math.max(0, nowMs - handedOutAtMs) }, address: null },
});
