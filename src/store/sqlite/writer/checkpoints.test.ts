import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Connection, openConnection } from "../connection/connection.ts";
import { scrub } from "../erase.ts";
import { createReadGate, type ReadGate } from "../reader/read-gate.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-checkpoints-"));
/** Those of a test that has failed: a thread that goes on would keep the process. */
const open = new Set<World>();
after(async () => {
  for (const { checkpoints } of open) await checkpoints.stop();
  rmSync(folder, { recursive: true });
});

const PAGES_MAX = 100;
const BODY = "x".repeat(3_000);

interface World {
  readonly path: string;
  readonly db: Connection;
  readonly checkpoints: Checkpoints;
  readonly gate: ReadGate;
  /** Commits one row of about a page, as the store's thread does. */
  commitOne(): void;
  /** Pages that stand in the log alone. */
  countLog(): number;
  waitUntilCopied(): Promise<void>;
  /** How often the other thread has copied the log, and a timer fired. */
  copies(): number;
  /** Fires the timer that is set, and waits for what it has begun. Answers how long it was set for. */
  passTimer(): Promise<number>;
  timers(): number;
}

function openWorld(name: string, copiedPath = join(folder, name)): World {
  const path = join(folder, name);
  const db = openConnection(path);
  db.exec("create table bodies (n integer primary key, body text)");
  let nowMs = 0;
  let copied = 0;
  const between = (work: () => void): void => {
    work();
    copied += 1;
  };
  const timers: { readonly delayMs: number; readonly fire: () => void }[] = [];
  const clock = {
    monotonicMs: () => (nowMs += 1_000),
    after(delayMs: number, fire: () => void) {
      timers.push({ delayMs, fire });
      return () => void timers.pop();
    },
  };
  const gate = createReadGate();
  const checkpoints = createCheckpoints(db, { path: copiedPath, pagesMax: PAGES_MAX, gate, clock, between });
  const world: World = {
    path,
    db,
    checkpoints,
    gate,
    copies: () => copied,
    async passTimer() {
      const [timer = assert.fail("no timer is set"), ...more] = timers.splice(0);
      assert.deepEqual(more, []);
      // The first is the timer's own.
      const before = copied + 1;
      timer.fire();
      while (copied <= before) await pause(1);
      return timer.delayMs;
    },
    timers: () => timers.length,
    commitOne() {
      db.run("insert into bodies (body) values (?)", BODY);
      checkpoints.afterCommit();
    },
    countLog() {
      const pages = db.get<{ log: number; checkpointed: number }>("pragma wal_checkpoint(noop)");
      assert.ok(pages !== undefined);
      return pages.log - pages.checkpointed;
    },
    async waitUntilCopied() {
      const before = copied;
      while (copied === before) await pause(1);
    },
  };
  open.add(world);
  return world;
}

async function end(world: World): Promise<void> {
  const { db, checkpoints, path } = world;
  open.delete(world);
  await checkpoints.stop();
  db.close();
  assert.equal(existsSync(`${path}-wal`), false, "the last connection wrote the log back and removed it");
}

describe("a log that is long", { timeout: 30_000 }, () => {
  test("is copied by the other thread, and then begins anew", async () => {
    const world = openWorld("long.db");
    for (let round = 0; round < 5; round += 1) {
      const copied = world.waitUntilCopied();
      for (let row = 0; row < PAGES_MAX; row += 1) world.commitOne();
      await copied;
      assert.equal(world.countLog(), 0, "no page stands in the log alone");
    }
    const bytes = statSync(`${world.path}-wal`).size;
    assert.ok(bytes < 4 * PAGES_MAX * 4_200, `the log's file did not grow with the rows: ${bytes} bytes`);
    await end(world);
    const db = openConnection(world.path);
    assert.equal(db.get<{ rows: number }>("select count(*) as rows from bodies")?.rows, 5 * PAGES_MAX);
    assert.equal(db.get<{ integrity_check: string }>("pragma integrity_check")?.integrity_check, "ok");
    db.close();
  });

  test("is not touched while it is short, and no thread is started for it", async () => {
    const world = openWorld("short.db");
    for (let row = 0; row < PAGES_MAX / 4; row += 1) world.commitOne();
    await pause(20);
    assert.ok(world.countLog() > PAGES_MAX / 8);
    await end(world);
  });

  test("stays whole while commits go on beside the copying", async () => {
    const world = openWorld("beside.db");
    let rows = 0;
    while (world.copies() < 20) {
      world.commitOne();
      rows += 1;
      if (rows % 10 === 0) await pause(0);
    }
    assert.equal(world.db.get<{ rows: number }>("select count(*) as rows from bodies")?.rows, rows);
    assert.ok(statSync(`${world.path}-wal`).size < rows * 4_096, "the log began anew at least once");
    await end(world);
  });

  test("begins anew although somebody reads it all the time, but for a closed gate", async () => {
    const world = openWorld("read.db");
    const reader = new DatabaseSync(world.path);
    const read = (): void => {
      if (reader.isTransaction) reader.exec("rollback");
      if (world.gate[0] === 1) return;
      reader.exec("begin");
      reader.prepare("select count(*) from bodies").get();
    };
    const rows = 20 * PAGES_MAX;
    for (let row = 0; row < rows; row += 1) {
      world.commitOne();
      if (row % 5 === 0) read();
      if (row % 10 === 0) await pause(0);
    }
    reader.close();
    assert.ok(statSync(`${world.path}-wal`).size < (rows * 4_096) / 2, "the log began anew");
    await end(world);
  });

  test("that has an erased person's bytes is cut off once its reader lets go, however short it is", async () => {
    const world = openWorld("erased.db");
    world.db.exec("pragma secure_delete = on; insert into bodies (body) values ('zqjane')");
    const reader = new DatabaseSync(world.path);
    reader.exec("begin");
    reader.prepare("select body from bodies").all();
    const where = () => ["", "-wal"].filter((log) => readFileSync(`${world.path}${log}`).includes("zqjane"));
    world.db.run("delete from bodies");
    world.db.erasing = "end";
    scrub(world.db);
    world.checkpoints.afterCommit();
    world.checkpoints.afterCommit();
    assert.deepEqual([await world.passTimer(), await world.passTimer()], [1_000, 2_000]);
    assert.ok(where().includes("-wal"));
    reader.close();
    assert.equal(await world.passTimer(), 4_000);
    assert.deepEqual(where(), []);
    assert.equal(world.db.cutsOffLog, false);
    await end(world);
    assert.equal(world.timers(), 0);
  });

  test("is left to SQLite when the other thread cannot work", async () => {
    const world = openWorld("alone.db", join(folder, "no such folder", "alone.db"));
    for (let row = 0; row < 3 * PAGES_MAX; row += 1) world.commitOne();
    await pause(100);
    world.commitOne();
    assert.ok(world.countLog() > 3 * PAGES_MAX);
    assert.equal(world.gate[0], 0, "reads go on");
    await end(world);
  });
});
