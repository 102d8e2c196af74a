/**
 * The service may open 128 files and sockets only, while callers and receivers together want several times as many. It
 * loses nothing, does not end, and with the load gone it works everything off under the same limit.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";
import { type Scenario, kept, skipped } from "./scenario.ts";
import { type Scene, conclude, openScene, summarize } from "./scene.ts";

const FILES_MAX = 128;
const DESTINATIONS = 40;
const CALLERS = 64;
/** Some thousand deliveries: 128 files take about 200 of them a second. */
const LOAD_MS = 5_000;
const QUICK_LOAD_MS = 2_000;
/** So slow that attempts pile up. */
const ANSWER_MS = 300;
/** A destination for which there was no socket may have got a rest of 30 s, and then one of 60 s. */
const DRAIN_MS_MAX = 240_000;

export const fewFiles: Scenario = {
  name: "files",
  forMsMax: 300_000,
  async run({ folder, isQuick }) {
    await using receiver = await startReceiver({ delayMs: ANSWER_MS });
    const ids = Array.from({ length: DESTINATIONS }, (_, place) => `assistant-${place}`);
    const assistants = Object.fromEntries(ids.map((id) => [id, `${receiver.url}/${id}`]));
    const urls = { receivers: [receiver], alerts: [{ url: receiver.url }], assistants };
    await using scene = await openScene({ folder, ...urls, callers: CALLERS, retriesSoon: true });
    const { pid } = scene.service().child;
    if (!limitFiles(pid)) return skipped("needs prlimit (util-linux)");
    const open = await mostOpen(scene, isQuick ? QUICK_LOAD_MS : LOAD_MS);
    assert.ok(open > FILES_MAX * 0.9, `only ${open} of ${FILES_MAX} files were open: the limit was not reached`);
    const found = await conclude(scene, DRAIN_MS_MAX);
    // A sender without a socket sends nothing, so nothing arrives that is not noted.
    assert.equal(found.duplicates, 0, "sent twice");
    return kept(`${FILES_MAX} files, ${CALLERS} callers, ${DESTINATIONS} destinations: ${summarize(found)}`);
  },
};

/** For a process that runs already: Node raises the limit that it is started with as far as it may. */
function limitFiles(pid: number): boolean {
  return spawnSync("prlimit", ["--pid", String(pid), `--nofile=${FILES_MAX}:${FILES_MAX}`]).status === 0;
}

async function mostOpen({ load, service }: Scene, forMs: number): Promise<number> {
  const untilMs = performance.now() + forMs;
  let most = 0;
  while (performance.now() < untilMs) {
    most = Math.max(most, readdirSync(`/proc/${service().child.pid}/fd`).length);
    await load.during(pause(100));
  }
  return most;
}
