import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../writer/database-file.ts";

test("a row number beyond 2^53, as the index of search has them, stops no write", () => {
  using file = openMemory({ nowMs: 0 });
  const { db } = file;
  for (let id = 1; id <= 20; id += 1) db.run("insert into search_words (rowid, words) values (?, 'a_word')", id);
  db.exec("begin");
  for (const id of [1, 2]) assert.equal(db.run("delete from search_words where rowid = ?", id), 1);
  const last = db.get<{ row: string }>("select cast(last_insert_rowid() as text) as row")?.row ?? "";
  assert.ok(BigInt(last) > Number.MAX_SAFE_INTEGER, last);
  assert.equal(db.run("update search_cursors set event_seq = 1"), 0);
  db.exec("commit");
});
