/**
 * The work beside the deliveries themselves, in small steps that never hold up intake: replays move on, rows past their
 * retention are deleted, and deliveries that waited too long are cancelled. All of it is in the store, so a step that
 * did not happen is simply the next one.
 */
import { LIMITS } from "../domain/limits.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import type { SteppedReplays } from "../store/contract/replays.ts";
import type { DeliveryContext } from "./context.ts";
import type { Engine } from "./engine.ts";
import { createBackOff, createRounds, type Loop } from "../lib/rounds.ts";

/** The time for which rows are kept. Source: security page. */
export interface Retention {
  readonly payloadMs: number;
  readonly attemptBodyMs: number;
  readonly rowMs: number;
}

/** Ten steps a second keep a replay's pace even, instead of a burst each second. */
const STEP_MS = 100;

/** Guesses. The node that sets a replay running is nudged; others look for one whose node died, ever less often. */
const POLL_MS = secondsMs(1);
const REST_MS = secondsMs(8);

/** Guess. A commit of this many rows takes a few milliseconds, and intake's commits wait no longer than that. */
const ROWS_MAX = 500;

/**
 * After a full step, housekeeping pauses for this many times the step's duration. A step that waits behind accepts
 * takes longer, and so does the pause after it: retention gets what intake leaves.
 */
const PAUSE_SHARE = 1;

/** The interval between two sweeps for expired rows, when the last sweep left none behind. */
const SWEEP_MS = minutesMs(1);

/** After a step that failed because the store is away. */
const FAILED_STEP_MS = secondsMs(5);

export function createHousekeeping(
  ctx: Pick<DeliveryContext, "clock" | "store" | "report">,
  engine: Pick<Engine, "nudge">,
  retention: Retention,
): Loop {
  const replaying = createRounds(ctx.clock, () => guarded(replayRound));
  const sweeping = createRounds(ctx.clock, () => guarded(sweepRound));
  const rest = createBackOff(POLL_MS, REST_MS);
  let nextSweepMs = 0;

  async function replayRound(): Promise<number> {
    const { running } = await stepReplays();
    if (running > 0) rest.reset();
    return running > 0 ? STEP_MS : rest.next();
  }

  async function sweepRound(): Promise<number> {
    const startedMs = ctx.clock.monotonicMs();
    const rows = await sweepWhenDue();
    if (rows >= ROWS_MAX) return Math.max(1, PAUSE_SHARE * (ctx.clock.monotonicMs() - startedMs));
    return Math.max(STEP_MS, nextSweepMs - ctx.clock.monotonicMs());
  }

  async function stepReplays(): Promise<SteppedReplays> {
    const stepped = await ctx.store.stepReplays({ nowMs: ctx.clock.nowMs(), deliveriesMax: ROWS_MAX });
    const { moved, replays } = stepped;
    if (replays.length > 0) ctx.report.replaysStepped({ replays });
    if (moved > 0) engine.nudge();
    return stepped;
  }

  async function sweepWhenDue(): Promise<number> {
    const nowMs = ctx.clock.nowMs();
    if (ctx.clock.monotonicMs() < nextSweepMs) return 0;
    const instants = instantsBefore(nowMs, retention);
    const { purged, hasMore } = await ctx.store.purge({ nowMs, ...instants, rowsMax: ROWS_MAX });
    const dueBeforeMs = nowMs - LIMITS.waitWhileOffMs;
    const { expired } = await ctx.store.expireWaiting({ nowMs, dueBeforeMs, rowsMax: ROWS_MAX });
    // Otherwise the next step continues.
    if (!hasMore && expired === 0) nextSweepMs = ctx.clock.monotonicMs() + SWEEP_MS;
    return purged + expired;
  }

  async function guarded(round: () => Promise<number>): Promise<number> {
    try {
      return await round();
    } catch (error) {
      ctx.report.failed({ what: "housekeeping", error });
      return FAILED_STEP_MS;
    }
  }

  const stop = async (): Promise<void> => void (await Promise.all([replaying.stop(), sweeping.stop()]));

  return {
    step: async () => (await stepReplays()).moved + (await sweepWhenDue()),
    start() {
      replaying.start();
      sweeping.start();
    },
    nudge: replaying.nudge,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const instantsBefore = (nowMs: number, { payloadMs, attemptBodyMs, rowMs }: Retention) => ({
  payloadsBeforeMs: nowMs - payloadMs,
  attemptBodiesBeforeMs: nowMs - attemptBodyMs,
  rowsBeforeMs: nowMs - rowMs,
});
