/** Progress lines of a move: one every two seconds, in plain text, for terminals and logs alike. */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Progress } from "../store/move/move.ts";

const LINE_EVERY_MS = secondsMs(2);

/** Takes every step of the move and prints some of them. */
export function createProgressLines(clock: Clock, write: (line: string) => void): (progress: Progress) => void {
  let step: Progress["step"] | null = null;
  let startedMs = 0;
  let writtenMs = 0;
  return (progress) => {
    const nowMs = clock.monotonicMs();
    if (progress.step !== step) {
      step = progress.step;
      startedMs = nowMs;
      writtenMs = nowMs;
      return;
    }
    if (nowMs - writtenMs < LINE_EVERY_MS) return;
    writtenMs = nowMs;
    write(toLine(progress, nowMs - startedMs));
  };
}

/** Such as `copied 1200000 of 5000000 rows, in attempts: 31000 rows/s, about 2 min left`. */
function toLine({ step, table, rows: { ofStep, here, all } }: Progress, tookMs: number): string {
  const perSecond = (here / tookMs) * secondsMs(1);
  const left = perSecond === 0 ? "" : `, about ${inWords((all - ofStep) / perSecond)} left`;
  return `${step} ${ofStep} of ${all} rows, in ${table}: ${Math.round(perSecond)} rows/s${left}`;
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
