/**
 * The clock of one of two nodes is set under load, five seconds and an hour forward and back again each time. The
 * database's clock decides, so nothing is sent twice, no claim runs out, and what arrives does not pause.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hoursMs, secondsMs } from "../../src/lib/duration.ts";
import { jumpingClock } from "../../test/kit/process/running.ts";
import { type Scenario, kept } from "../scenario.ts";
import { longestQuietMs } from "../under-load.ts";
import { concludeNodes, openNodesScene, summarizeNodes, underLoad } from "./scene.ts";

/** How far the clock is ahead, one after the other. */
const AHEAD_MS = [secondsMs(5), 0, hoursMs(1), 0];
const WATCHED_MS = 10_000;
const QUICK_WATCHED_MS = 4_000;
/** A busy machine is late too. */
const QUIET_MS_MAX = 3_000;

export const jumps: Scenario = {
  name: "jumps",
  forMsMax: 240_000,
  async run({ folder, isQuick }) {
    const clock = jumpingClock(join(folder, "ahead"));
    await using scene = await openNodesScene({ folder, nodes: [{ env: clock.env }, {}] });
    const watchedMs = isQuick ? QUICK_WATCHED_MS : WATCHED_MS;
    await underLoad(scene, watchedMs);
    const quiets: number[] = [];
    for (const aheadMs of AHEAD_MS) {
      const fromMs = Date.now();
      clock.set(aheadMs);
      await underLoad(scene, watchedMs);
      quiets.push(longestQuietMs(scene.receivers, { fromMs, toMs: Date.now() }));
    }
    const found = await concludeNodes(scene);
    assert.equal(found.duplicates, 0, "sent twice");
    assert.equal(found.ranOut, 0, "claims that ran out");
    assert.ok(Math.max(...quiets) < QUIET_MS_MAX, `without an arrival for ${quiets.join(", ")} ms`);
    return kept(
      `one clock of two 5 s and 1 h ahead and back, quiet for ${quiets.join(", ")} ms: ${summarizeNodes(found)}`,
    );
  },
};
