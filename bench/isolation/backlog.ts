/** Tells how the others fare while one destination has a backlog, held or draining. */
import type { Running } from "../../test/kit/process/running.ts";
import { pause } from "../../test/kit/wait.ts";
import { readThreads } from "../little/threads.ts";
import { add, type Comparison, noWaits } from "../windows.ts";
import { type Place, type Rig, run, runAt, start } from "./rig.ts";
import { GATE, RATE_PER_SECOND, RECOVERED_GATE, RECOVERED_RATES, ROUNDS, WARM_UP_MS, WELL_MS } from "./sizes.ts";

/** Its receiver is down: the breaker holds it all back, and nothing but probes goes out. */
export async function compareHeldBacklog(rig: Rig, name: string): Promise<Comparison[]> {
  rig.isBacklogDown = true;
  const comparisons = await compareBacklog(rig, { name, place: "backlog", gate: GATE, rounds: ROUNDS });
  rig.isBacklogDown = false;
  return comparisons;
}

interface BacklogComparison {
  readonly name: string;
  readonly place: Place;
  readonly gate: number | null;
  readonly rounds: number;
}

/** A process of its own for each window, because the backlog is in its file. */
export async function compareBacklog(
  rig: Rig,
  { name, place, gate, rounds }: BacklogComparison,
): Promise<Comparison[]> {
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate };
  const env = { ONE_QUEUE: gate === null ? "1" : "0" };
  for (let round = 0; round < rounds; round += 1) {
    for (const [waits, where] of [
      [comparison.without, "queue"],
      [comparison.during, place],
    ] as const) {
      await using service = await start(rig, where, env);
      await run(rig, service, WARM_UP_MS);
      const used = watchUse(rig, service);
      add(waits, await run(rig, service, WELL_MS));
      console.log(`- ${name}, ${where}: ${used()}`);
    }
  }
  if (gate !== null && !rig.isBacklogDown) await showBacklogAlone(rig, place);
  return [comparison];
}

/** It drains as fast as the others let it: beside few of them, beside more, and beside none. */
export async function compareRecovered(rig: Rig, name: string): Promise<Comparison[]> {
  const comparisons = RECOVERED_RATES.map((rate) => {
    return { name: `${name}, beside ${rate}/s`, rate, without: noWaits(), during: noWaits(), gate: RECOVERED_GATE };
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const place of ["queue", "recovered-backlog"] as const) {
      await using service = await start(rig, place);
      await run(rig, service, WARM_UP_MS);
      for (const { rate, without, during } of comparisons) {
        add(
          place === "queue" ? without : during,
          await runAt(rig, service, { durationMs: WELL_MS, ratePerSecond: rate }),
        );
      }
    }
  }
  for (const { name: beside, during } of comparisons) {
    console.log(`- ${beside}: ${during.drainedPerSecond.map((count) => count.toFixed(0)).join(", ")} drained a second`);
  }
  await using service = await start(rig, "recovered-backlog");
  await pause(WARM_UP_MS);
  const alone = await runAt(rig, service, { durationMs: WELL_MS, ratePerSecond: 0 });
  console.log(
    `- ${name}, alone: ${alone.drainedPerSecond.map((count) => count.toFixed(0)).join(", ")} drained a second`,
  );
  return comparisons;
}

/** Its speed on a node that has nothing else to do: yielding must not cost it anything then. */
async function showBacklogAlone(rig: Rig, place: Place): Promise<void> {
  await using service = await start(rig, place);
  await pause(WARM_UP_MS);
  const used = watchUse(rig, service, 0);
  await pause(WELL_MS);
  console.log(`- the backlog alone: ${used()}`);
}

/** Since the call: who got how much of the node. */
function watchUse({ hostile }: Rig, { child }: Running, fresh = RATE_PER_SECOND): () => string {
  const countBacklog = (): number => hostile.requests.filter(({ path }) => path === "/backlog").length;
  const [startedMs, backlog, before] = [performance.now(), countBacklog(), readThreads(child.pid)];
  return () => {
    const seconds = (performance.now() - startedMs) / 1000;
    const after = readThreads(child.pid);
    const cpu = (["main", "store", "other"] as const).map((thread) => {
      return `${thread} ${((after[thread].cpuMs - before[thread].cpuMs) / seconds).toFixed(0)}`;
    });
    const share = ((countBacklog() - backlog) / seconds).toFixed(0);
    return `${share} requests/s of the backlog beside ${fresh} fresh ones, ms of CPU a second: ${cpu.join(", ")}`;
  };
}
