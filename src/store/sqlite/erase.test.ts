import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newFolder } from "../../../test/kit/folder.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { BUSY_TIMEOUT_MS, openConnection } from "./connection/connection.ts";
import { systemClock } from "../../lib/clock.ts";
import { cutOffLog, ERASE_STEPS, scrub } from "./erase.ts";
import { openSqliteStore } from "./open.ts";
import type { Transaction } from "./transaction.ts";

test("an erasure's end waits for no reader of the log, and cuts it off when there is none", () => {
  using folder = newFolder();
  const path = join(folder.path, "read.db");
  const db = openConnection(path);
  db.exec("create table words (word text); insert into words values ('Jane')");
  const reader = new DatabaseSync(path);
  reader.exec("begin; select word from words");
  reader.prepare("select word from words").all();
  const startedMs = performance.now();
  cutOffLog(db);
  assert.ok(performance.now() - startedMs < BUSY_TIMEOUT_MS / 2);
  assert.ok(statSync(`${path}-wal`).size > 0);
  assert.equal(db.get<{ timeout: number }>("pragma busy_timeout")?.timeout, BUSY_TIMEOUT_MS);
  reader.close();
  cutOffLog(db);
  assert.equal(statSync(`${path}-wal`).size, 0);
  db.close();
});

test("a log that a dead process left is cut off once nobody reads it, as it may have an erased person", async () => {
  using folder = newFolder();
  const path = join(folder.path, "left.db");
  const opened = () => openSqliteStore({ path, clock: systemClock });
  await (await opened())[Symbol.asyncDispose]();
  const dead = openConnection(path);
  dead.exec("pragma secure_delete = on; insert into settings values ('name', 'zqjane')");
  dead.exec("delete from settings where name = 'name'");
  const log = readFileSync(`${path}-wal`);
  dead.close();
  writeFileSync(`${path}-wal`, log);
  const reader = new DatabaseSync(path);
  reader.exec("begin; select name from settings");
  reader.prepare("select name from settings").all();
  const has = (suffix: string): boolean => readFileSync(`${path}${suffix}`).includes("zqjane");
  {
    await using store = await opened();
    assert.ok(has("-wal"));
    await store.probe({ nowMs: 1 });
    reader.close();
    await eventually("it is cut off", () => !has("-wal"));
    assert.ok(!has(""));
  }
});

/** An index of search of some MiB, a word of a block that was deleted, and 20 MiB of pages that became free. */
async function openWithRests(path: string) {
  await (await openSqliteStore({ path, clock: systemClock }))[Symbol.asyncDispose]();
  const db = openConnection(path);
  const insert = "insert into search_words (rowid, words) values (?, ?)";
  const words = (block: number) =>
    Array.from({ length: 400 }, (_, n) => `a${block}b${n}c${(block * n) % 9_973}`).join(" ");
  for (let block = 1; block <= 600; block += 1) db.run(insert, block, words(block));
  db.run(insert, 601, "zqjanesmark");
  db.run("delete from search_words where rowid = 601");
  db.exec("create table junk (text text)");
  for (let row = 0; row < 20; row += 1) db.run("insert into junk values (?)", "zqjunk".repeat(170_000));
  db.exec("drop table junk");
  return db;
}

test("an erasure's end goes in small steps, and leaves no deleted word and no free page as it was", async () => {
  using folder = newFolder();
  const path = join(folder.path, "rests.db");
  const db = await openWithRests(path);
  const has = (text: string): boolean => readFileSync(path).includes(text);
  cutOffLog(db);
  assert.deepEqual([has("zqjanesmark"), has("zqjunk")], [true, true]);
  let steps = 0;
  for (let isOver = false; !isOver; steps += 1) {
    db.exec("pragma secure_delete = on");
    db.erasing = "step";
    db.run("begin immediate");
    const before = db.get<{ pages: number }>("pragma page_count")?.pages ?? 0;
    isOver = ERASE_STEPS.endErasing({ db } as Transaction, steps) as boolean;
    const after = db.get<{ pages: number }>("pragma page_count")?.pages ?? 0;
    assert.ok(after - before < 400, `the file grew by ${after - before} pages`);
    db.run("commit");
    const log = statSync(`${path}-wal`).size;
    assert.ok(log < 6 * 1024 * 1024, `step ${steps} wrote ${log} bytes`);
    cutOffLog(db);
    scrub(db);
  }
  assert.ok(steps > 8, `${steps} steps`);
  assert.deepEqual([has("zqjanesmark"), has("zqjunk")], [false, false]);
  assert.equal(db.get("select name from sqlite_schema where name = 'erasing_filler'"), undefined);
  db.run("insert into search_words (search_words, rank) values ('integrity-check', 0)");
  db.close();
});

test("a write may be of a row whose number JavaScript has not, as the index of search has them", () => {
  const db = openConnection(":memory:");
  db.exec("create table words (id integer primary key)");
  assert.equal(db.run("insert into words values (9009398277996544)"), 1);
  assert.equal(db.run("delete from words where id = ?", 1), 0);
  db.close();
});
