/**
 * The service as a node of another machine than this one, run as a program of its own: with a clock that is wrong, or
 * with accounts in made-up groups, as they lie on a database of several servers. Neither is a setting.
 */
import { systemClock } from "../../../src/lib/clock.ts";
import { madeUpGroups } from "../../../src/store/postgres/buckets/groups.ts";
import { runService } from "./run-service.ts";

/** How far this machine's clock seems to be ahead of the others'; below 0 it is behind. */
const CLOCK_AHEAD_MS = Number(process.env["E2E_CLOCK_AHEAD_MS"] ?? 0);
const GROUPS = Number(process.env["E2E_GROUPS"] ?? 1);

const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + CLOCK_AHEAD_MS };
const groups = GROUPS === 1 ? {} : { groups: madeUpGroups(GROUPS) };
await runService({ changes: { clock, ...groups } });
