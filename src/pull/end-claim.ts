/** The end of what a program holds: acknowledged, or given back. It settles just what the claim held, or nothing. */
import type { HandedOutcome } from "../domain/attempt.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { type HandOut, readHandedOutAt } from "../domain/pull.ts";
import { type HeldMessage, type PulledDestination, settleMessage } from "../store/contract/pull.ts";
import type { PullContext } from "./context.ts";

export interface EndedClaim {
  /** `null`: it is none of ours. */
  readonly claim: HandOut | null;
  readonly how: keyof typeof OUTCOMES;
}

const OUTCOMES = {
  acknowledged: { kind: "pulled" },
  given_back: { kind: "not_acknowledged", message: "It gave it back." },
} as const satisfies Readonly<Record<string, HandedOutcome>>;

/** A commit of this many rows takes a few milliseconds, and others' accepts wait for it on SQLite. */
const SETTLED_AT_ONCE = 100;

/** `null`: it is done. */
export async function endClaim(
  ctx: Omit<PullContext, "waits">,
  asked: PulledDestination,
  { claim, how }: EndedClaim,
): Promise<Problem | null> {
  const handedOutAtMs = claim === null ? null : readHandedOutAt(claim.token);
  if (claim === null || handedOutAtMs === null || claim.untilMs <= ctx.clock.nowMs()) return CLAIM_LOST;
  const held = await ctx.store.listHandedOut({ ...asked, claim });
  let settled = 0;
  for (let from = 0; from < held.length; from += SETTLED_AT_ONCE) {
    const messages = held.slice(from, from + SETTLED_AT_ONCE);
    settled += await settle(ctx, asked, { messages, claimToken: claim.token, handedOutAtMs, outcome: OUTCOMES[how] });
  }
  return settled === 0 ? CLAIM_LOST : null;
}

interface EndedMessages {
  readonly messages: readonly HeldMessage[];
  readonly claimToken: string;
  readonly handedOutAtMs: number;
  readonly outcome: HandedOutcome;
}

/** How many the claim still held. */
async function settle(
  { store, clock, report }: Pick<PullContext, "store" | "clock" | "report">,
  asked: PulledDestination,
  { messages, ...end }: EndedMessages,
): Promise<number> {
  const nowMs = clock.nowMs();
  const given = messages.map((message) => settleMessage(message, { accountId: asked.accountId, nowMs, ...end }));
  const results = await store.settleAttemptsIfClaimed({ nowMs, settlements: given });
  const settled = given.filter((_, place) => results[place]?.kind === "settled");
  const idsOf = (state: string) =>
    settled.flatMap(({ deliveryId, next }) => (next.state === state ? [deliveryId] : []));
  const ends = { acknowledged: idsOf("delivered"), notAcknowledged: idsOf("pending"), failed: idsOf("failed") };
  if (settled.length > 0) report.pulled({ ...asked, ...ends });
  return settled.length;
}

const CLAIM_LOST = problem(
  "pull_claim_lost",
  "This claim holds nothing: its time is over, it has ended already, or it was never given. Nothing was settled. " +
    "Ask again without it; what is not acknowledged comes again.",
);
