/**
 * Preloaded into a node (`jumpingClock` in running.ts): its `Date`, in every thread, is wrong by as many milliseconds
 * as the file says that `E2E_CLOCK_AHEAD_FILE` names. So a clock that is set, forward or back, is seen by all of the
 * program, while timers go on as those of a real machine do.
 */
import { readFileSync } from "node:fs";

const RealDate = Date;
/** A jump is seen after this at the latest. */
const LOOKED_EVERY_MS = 10;

const path = process.env["E2E_CLOCK_AHEAD_FILE"] ?? "";
let aheadMs = 0;

function look(): void {
  // While it is written it is empty.
  const text = readFileSync(path, "utf8");
  if (text !== "") aheadMs = Number(text);
}

class JumpingDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [JumpingDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

look();
setInterval(look, LOOKED_EVERY_MS).unref();
globalThis.Date = JumpingDate as DateConstructor;
