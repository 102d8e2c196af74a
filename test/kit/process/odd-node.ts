/** The service as a node of another machine than this one, with a clock that is wrong, run as a program of its own. */
import { systemClock } from "../../../src/lib/clock.ts";
import { runService } from "./run-service.ts";

/** How far this machine's clock seems to be ahead of the others'; below 0 it is behind. */
const CLOCK_AHEAD_MS = Number(process.env["E2E_CLOCK_AHEAD_MS"] ?? 0);

const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + CLOCK_AHEAD_MS };
await runService({ changes: { clock } });
