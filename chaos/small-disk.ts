/**
 * The database's disk (a small tmpfs) fills up under load, is freed, and fills up again. While it is full intake
 * refuses with 503, which the load generator takes as "come again"; nothing that was acknowledged is lost, nothing is
 * sent twice because its success could not be noted, and the service never ends.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fillUp, mountSmallDisk } from "../test/kit/process/small-disk.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually, pause } from "../test/kit/wait.ts";
import { type Scenario, kept, skipped } from "./scenario.ts";
import { type Scene, conclude, openScene, summarize } from "./scene.ts";

/** Room for what the load writes in the whole run, so that freeing the filler always helps. */
const DISK_MB = 256;
const TIMES = 5;
const QUICK_TIMES = 2;
/** Shorter than a claim, which is how long a success that cannot be noted is tried again. */
const FULL_MS = 3_000;
const FREE_MS = 1_500;
const REFUSAL_MS_MAX = 20_000;
const DRAIN_MS_MAX = 60_000;

export const smallDisk: Scenario = {
  name: "disk",
  forMsMax: 200_000,
  async run({ folder, isQuick }) {
    const diskPath = join(folder, "disk");
    using disk = mountSmallDisk(diskPath, DISK_MB);
    if (disk === null) return skipped("needs the right to mount a small tmpfs");
    await using receiver = await startReceiver();
    const dataDir = join(diskPath, "data");
    const assistants = { sales: receiver.url };
    const urls = { receivers: [receiver], alerts: [{ url: receiver.url }], assistants };
    await using scene = await openScene({ folder, dataDir, ...urls, callers: 2 });
    const times = isQuick ? QUICK_TIMES : TIMES;
    for (let time = 0; time < times; time += 1) await fillAndFree(scene, join(diskPath, "filler"));
    const found = await conclude(scene, DRAIN_MS_MAX);
    assert.equal(found.duplicates, 0, "sent twice");
    return kept(`${times} x disk full for ${FULL_MS / 1000} s, 503 each time: ${summarize(found)}`);
  },
};

async function fillAndFree(scene: Scene, filler: string): Promise<void> {
  await scene.load.during(pause(FREE_MS));
  fillUp(filler);
  // SQLite's log may have room of its own for a while.
  const isNoticed = async () => {
    fillUp(filler);
    return (await scene.service().get("/readyz")).status === 503;
  };
  await eventually("the full disk to be noticed", isNoticed, REFUSAL_MS_MAX);
  await scene.load.during(pause(FULL_MS));
  rmSync(filler);
  const isReady = async () => (await scene.service().get("/readyz")).status === 200;
  await eventually("the service to be ready again", isReady, REFUSAL_MS_MAX);
}
