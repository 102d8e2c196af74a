import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newFolder } from "../../../test/kit/folder.ts";
import { BUSY_TIMEOUT_MS, openConnection } from "./connection/connection.ts";
import { scrub } from "./erase.ts";

test("an erasure's end waits for no reader of the log, and cuts it off when there is none", () => {
  using folder = newFolder();
  const path = join(folder.path, "read.db");
  const db = openConnection(path);
  db.exec("create table words (word text); insert into words values ('Jane')");
  const reader = new DatabaseSync(path);
  reader.exec("begin; select word from words");
  reader.prepare("select word from words").all();
  const startedMs = performance.now();
  scrub(db);
  assert.ok(performance.now() - startedMs < BUSY_TIMEOUT_MS / 2);
  assert.ok(statSync(`${path}-wal`).size > 0);
  assert.equal(db.get<{ timeout: number }>("pragma busy_timeout")?.timeout, BUSY_TIMEOUT_MS);
  reader.close();
  scrub(db);
  assert.equal(statSync(`${path}-wal`).size, 0);
  db.close();
});

test("a write may be of a row whose number JavaScript has not, as the index of search has them", () => {
  const db = openConnection(":memory:");
  db.exec("create table words (id integer primary key)");
  assert.equal(db.run("insert into words values (9009398277996544)"), 1);
  assert.equal(db.run("delete from words where id = ?", 1), 0);
  db.close();
});
