/**
 * The clock of the service's machine is set under load: five seconds and an hour forward, and back again each time.
 * Nothing acknowledged is lost, and what is new arrives without a pause. A retry is due by the clock: set back it comes
 * as much later, and when the clock is there again all of them have come. Only what was under way at a jump beyond a
 * claim's length may come twice.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hoursMs, secondsMs } from "../src/lib/duration.ts";
import { jumpingClock } from "../test/kit/process/running.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";
import { type Scenario, kept } from "./scenario.ts";
import { conclude, openScene, summarize } from "./scene.ts";
import { inFullSwing, longestQuietMs, readArrivals, type Stretch } from "./under-load.ts";

/** How far the clock is ahead, one after the other; at the end as far as ever, so that nothing is due later. */
const AHEAD_MS = [secondsMs(5), 0, hoursMs(1), 0, hoursMs(1)];
const WATCHED_MS = 10_000;
const QUICK_WATCHED_MS = 4_000;
/** Deliveries. */
const SWING = 200;
/** Of `openScene`'s retries. */
const RETRY_MS = 1_000;
const DRAIN_MS_MAX = 60_000;
/** A busy machine is late too. */
const LATE_MS_MAX = 3_000;

export const jumps: Scenario = {
  name: "jumps",
  forMsMax: 300_000,
  async run({ folder, isQuick }) {
    await using chat = await startReceiver();
    await using slow = await startReceiver({ delayMs: 300 });
    await using failing = await startReceiver();
    const retries = failFirst(failing);
    const receivers = [chat, slow, failing];
    const clock = jumpingClock(join(folder, "ahead"));
    await using scene = await openScene({
      folder,
      receivers,
      alerts: [{ url: chat.url }, { url: failing.url }],
      assistants: { sales: chat.url, support: slow.url },
      callers: 6,
      retriesSoon: true,
      env: clock.env,
    });
    const courses: Course[] = [];
    for (const aheadMs of AHEAD_MS) {
      await inFullSwing(scene, SWING);
      const fromMs = Date.now();
      clock.set(aheadMs);
      await scene.load.during(pause(isQuick ? QUICK_WATCHED_MS : WATCHED_MS));
      courses.push({ aheadMs, beforeMs: courses.at(-1)?.aheadMs ?? 0, fromMs, toMs: Date.now() });
    }
    const found = await conclude(scene, DRAIN_MS_MAX);
    const told = courses.map((course) => watch(course, receivers, retries));
    for (const { text, quietMs, lateMs } of told) assert.ok(quietMs < LATE_MS_MAX && lateMs < LATE_MS_MAX, text);
    const duplicates = found.duplicates - retries.length;
    return kept(`${told.map(({ text }) => text).join(", ")}: ${summarize({ ...found, duplicates })}`);
  },
};

interface Course extends Stretch {
  readonly aheadMs: number;
  readonly beforeMs: number;
}

/** So few that the destination gets no cool-down. */
const FAILING_ONE_IN = 20;

/** Answers the first attempt of some deliveries with 503, and notes when. */
function failFirst(receiver: Receiver): { readonly id: string; readonly atMs: number }[] {
  const failed: { id: string; atMs: number }[] = [];
  const known = new Set<string>();
  receiver.script = ({ headers, atMs }) => {
    const id = headers["webhook-id"] ?? "";
    if (known.has(id)) return {};
    known.add(id);
    if (known.size % FAILING_ONE_IN > 0) return {};
    failed.push({ id, atMs });
    return { status: 503 };
  };
  return failed;
}

/** The longest time without an arrival after a jump, and how late retries were, besides by a clock that went back. */
function watch(course: Course, receivers: readonly Receiver[], retries: ReturnType<typeof failFirst>) {
  const { aheadMs, beforeMs, fromMs, toMs } = course;
  const isWithin = (atMs: number): boolean => atMs >= fromMs && atMs <= toMs;
  const quietMs = longestQuietMs(receivers, course);
  const arrivals = readArrivals(receivers);
  const lates = retries
    .filter(({ atMs }) => isWithin(atMs + RETRY_MS))
    .map(({ id, atMs }) => ((arrivals.get(id) ?? []).toSorted((a, b) => a - b)[1] ?? Infinity) - atMs - RETRY_MS);
  const backMs = Math.max(0, beforeMs - aheadMs);
  const lateMs = Math.max(0, ...lates) - backMs;
  const late = lates.filter((ms) => ms > LATE_MS_MAX).length;
  const text =
    `${(aheadMs - beforeMs) / 1000} s: quiet for ${quietMs} ms, ${late} of ${lates.length} retries late, the latest ` +
    `by ${Math.round(Math.max(0, ...lates) / 1000)} s`;
  return { text, quietMs, lateMs };
}
