/**
 * What has to happen beside the deliveries themselves, in small steps that never hold up intake: moving on replays,
 * deleting what is older than its retention, cancelling what has waited too long. All of it is in the store, so a step
 * that did not happen is simply the next one.
 */
import { LIMITS } from "../domain/limits.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import type { DeliveryContext } from "./context.ts";
import type { Engine } from "./engine.ts";
import { createRounds } from "../lib/rounds.ts";

/** How long things are kept after they happened. Source: security page. */
export interface Retention {
  readonly payloadMs: number;
  readonly attemptBodyMs: number;
  readonly rowMs: number;
}

export interface Housekeeping extends AsyncDisposable {
  /** Does what is due now, and returns how many rows that changed. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Ten steps a second keep a replay's pace even, instead of a burst each second. */
const STEP_MS = 100;

/** Guess: a commit of so many rows takes a few milliseconds, and intake's commits wait no longer than that. */
const ROWS_MAX = 500;

/** How often to look for what is too old, when the last look left nothing behind. */
const SWEEP_MS = minutesMs(1);

/** After a step that failed because the store is away. */
const FAILED_STEP_MS = secondsMs(5);

export function createHousekeeping(ctx: DeliveryContext, engine: Engine, retention: Retention): Housekeeping {
  const { start, stop } = createRounds(ctx.clock, round);
  let nextSweepMs = 0;

  async function step(): Promise<number> {
    const nowMs = ctx.clock.nowMs();
    const { moved, replays } = await ctx.store.stepReplays({ nowMs, deliveriesMax: ROWS_MAX });
    if (replays.length > 0) ctx.report.replaysStepped({ replays });
    if (moved > 0) engine.nudge();
    return moved + (await sweepWhenDue(nowMs));
  }

  async function sweepWhenDue(nowMs: number): Promise<number> {
    if (ctx.clock.monotonicMs() < nextSweepMs) return 0;
    const { purged, hasMore } = await ctx.store.purge({
      nowMs,
      payloadsBeforeMs: nowMs - retention.payloadMs,
      attemptBodiesBeforeMs: nowMs - retention.attemptBodyMs,
      rowsBeforeMs: nowMs - retention.rowMs,
      rowsMax: ROWS_MAX,
    });
    const dueBeforeMs = nowMs - LIMITS.waitWhileOffMs;
    const { expired } = await ctx.store.expireWaiting({ nowMs, dueBeforeMs, rowsMax: ROWS_MAX });
    // Otherwise the next step goes on.
    if (!hasMore && expired === 0) nextSweepMs = ctx.clock.monotonicMs() + SWEEP_MS;
    return purged + expired;
  }

  async function round(): Promise<number> {
    try {
      await step();
      return STEP_MS;
    } catch (error) {
      ctx.report.failed({ what: "housekeeping", error });
      return FAILED_STEP_MS;
    }
  }

  return { step, start, stop, [Symbol.asyncDispose]: stop };
}
