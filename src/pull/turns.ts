/**
 * When a question may begin. One that waits anyway waits for its turn too, where its token asks too often: more has
 * come by then, and fewer are asked. As many of a token do so as may wait for messages; more are refused at once.
 */
import type { CallLimits } from "../http/call-limits.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Clock, sleep } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { WAITS_PER_DESTINATION_MAX } from "./waits.ts";

const TURN_MS_MAX = secondsMs(1);
const TURN_MS = secondsMs(1) / LIMITS.pullCallsPerSecondMax;

export interface Asking {
  readonly destinationId: string;
  readonly isWaiting: boolean;
}

/** `null`: it may begin, and `limits.end` has to follow. Otherwise which limit refuses it. */
export type BeginTurn = (asking: Asking) => Promise<ReturnType<CallLimits["begin"]>>;

export function createTurns(limits: Pick<CallLimits, "begin">, clock: Clock): BeginTurn {
  const waiting = new Map<string, number>();

  async function untilTurn(destinationId: string): Promise<ReturnType<CallLimits["begin"]>> {
    for (let ms = 0; ms < TURN_MS_MAX; ms += TURN_MS) {
      await sleep(clock, TURN_MS);
      const refusal = limits.begin(destinationId);
      if (refusal !== "per_second") return refusal;
    }
    return "per_second";
  }

  return async ({ destinationId, isWaiting }) => {
    const refusal = limits.begin(destinationId);
    const before = waiting.get(destinationId) ?? 0;
    if (refusal !== "per_second" || !isWaiting || before >= WAITS_PER_DESTINATION_MAX) return refusal;
    waiting.set(destinationId, before + 1);
    try {
      return await untilTurn(destinationId);
    } finally {
      const left = (waiting.get(destinationId) ?? 1) - 1;
      if (left === 0) waiting.delete(destinationId);
      else waiting.set(destinationId, left);
    }
  };
}
