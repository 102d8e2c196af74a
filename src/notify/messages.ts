/**
 * Messages on their way out, each route in a loop of its own, so that none waits for another's receivers. The store
 * writes a message in the transaction of what it is about, so none is lost; here it is claimed, sent and settled.
 *
 *     claimed ──► sent ──► settled
 *        │          └──► refused ──► put off ──► claimed again, by any node
 *        └──► this node dies ──► its claim ends ──► claimed again
 *
 * At least once: a node may die between sending and settling.
 */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds, type Loop } from "../lib/rounds.ts";
import type { MessageRoute } from "../domain/message.ts";
import type { ClaimedMessage, MessagesVerbs, SettleMessage } from "../store/contract/messages.ts";

export interface MessagesContext {
  readonly store: Pick<MessagesVerbs, "claimMessages" | "settleMessageIfClaimed">;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when the store is away, or a receiver did not take a message. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface Courier<Message extends ClaimedMessage = ClaimedMessage> {
  readonly route: MessageRoute;
  /** The most in a step. */
  readonly messagesMax: number;
  /** Sends what was claimed, and settles each message when it knows its end. True: there may be more to send now. */
  send(messages: readonly Message[], settle: Settle): Promise<boolean>;
}

export type Settle = (message: ClaimedMessage, end: Pick<SettleMessage, "end" | "answer">) => Promise<void>;

/** Guess. For what other nodes have written, and for notifications, which are gathered for longer than that. */
export const STEP_MS = secondsMs(10);

/** Guess, for each kind. Whoever has more looks at the dashboard anyway. */
export const LINES_MAX = 20;

export function createMessageLoop(ctx: MessagesContext, courier: Courier): Loop {
  const { store, clock } = ctx;
  const { route, messagesMax } = courier;
  const rounds = createRounds(clock, round);

  async function sendDue(): Promise<{ readonly claimed: number; readonly hasMore: boolean }> {
    const claimToken = Buffer.from(ctx.random.bytes(16)).toString("hex");
    const claim = { route, nowMs: clock.nowMs(), claimToken, messagesMax, linesMax: LINES_MAX };
    const claimed = await store.claimMessages(claim);
    const hasMore = await courier.send(claimed, async ({ accountId, recipient }, end) => {
      // The others are not kept from their messages by the server of this account.
      await store
        .settleMessageIfClaimed({ accountId, recipient, claimToken, nowMs: clock.nowMs(), ...end })
        .catch((error: unknown) => ctx.onFailure("a message was sent and could not be noted", error));
    });
    return { claimed: claimed.length, hasMore: hasMore && claimed.length > 0 };
  }

  async function round(): Promise<number> {
    try {
      return (await sendDue()).hasMore ? 0 : STEP_MS;
    } catch (error) {
      ctx.onFailure(`messages by ${route} could not be read`, error);
      return STEP_MS;
    }
  }

  const stop = () => rounds.stop();
  return {
    step: async () => (await sendDue()).claimed,
    start: rounds.start,
    nudge: rounds.nudge,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
