/**
 * The database's disk (a small tmpfs) fills up under load, is freed, and fills up again. While it is full intake
 * refuses with 503, which the load generator takes as "come again"; nothing that was acknowledged is lost, nothing is
 * sent twice because its success could not be noted, and the service never ends.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { pause, until } from "./patience.ts";
import { type Scenario, kept, skipped } from "./scenario.ts";
import { type Scene, conclude, openScene, summaryOf } from "./scene.ts";

/** Room for what the load writes in the whole run, so that freeing the filler always helps. */
const DISK_MIB = 256;
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
    using disk = mountSmallDisk(join(folder, "disk"));
    if (disk === null) return skipped("needs the right to mount a small tmpfs");
    await using receiver = await startReceiver();
    const dataDir = join(disk.path, "data");
    const assistants = { sales: receiver.url };
    const urls = { receivers: [receiver], alerts: [{ url: receiver.url }], assistants };
    await using scene = await openScene({ folder, dataDir, ...urls, callers: 2 });
    const times = isQuick ? QUICK_TIMES : TIMES;
    for (let time = 0; time < times; time += 1) await fillAndFree(scene, join(disk.path, "filler"));
    const found = await conclude(scene, DRAIN_MS_MAX);
    assert.equal(found.duplicates, 0, "sent twice");
    return kept(`${times} x disk full for ${FULL_MS / 1000} s, 503 each time: ${summaryOf(found)}`);
  },
};

async function fillAndFree(scene: Scene, filler: string): Promise<void> {
  await scene.load.during(pause(FREE_MS));
  fillUp(filler);
  // SQLite's log may have room of its own for a while.
  await until({ what: "the full disk to be noticed", forMs: REFUSAL_MS_MAX }, async () => {
    fillUp(filler);
    return (await scene.service().get("/readyz")).status === 503;
  });
  await scene.load.during(pause(FULL_MS));
  rmSync(filler);
  const isReady = async () => (await scene.service().get("/readyz")).status === 200;
  await until({ what: "the service to be ready again", forMs: REFUSAL_MS_MAX }, isReady);
}

/** `null` where this may not be done. */
function mountSmallDisk(path: string): (Disposable & { readonly path: string }) | null {
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "tmpfs", path]);
  if (status !== 0) return null;
  // Lazily, because a killed service may let go of its files a moment later.
  return { path, [Symbol.dispose]: () => void spawnSync("umount", ["-l", path]) };
}

function fillUp(path: string): void {
  const file = openSync(path, "a");
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes /= 2) writeWhileThereIsRoom(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeWhileThereIsRoom(file: number, chunk: Buffer): void {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
