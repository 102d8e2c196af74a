import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { commitCalls } from "./commit.ts";
import { openDatabaseFile } from "./writer/database-file.ts";
import { type Call, toCall } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-commit-"));
after(() => rmSync(folder, { recursive: true }));

const setting = (name: string, value = name): Call<AttemptColumns> => toCall("saveSettingUnlessThere", { name, value });
const read = (name: string): Call<AttemptColumns> => toCall("loadSetting", { name });
/** No value: a fault of the caller, not of the disk. */
const faulty = (): Call<AttemptColumns> => setting("faulty", null as never);

function openFile(name: string) {
  return openDatabaseFile({ path: join(folder, name), nowMs: 0 });
}

test("a batch is one transaction in which later calls see earlier ones", async () => {
  using file = openFile("together.db");
  const answers = await commitCalls(file.db, [setting("a"), read("a"), setting("a", "b"), read("a")]);
  assert.deepEqual(
    answers.map((answer) => (answer.kind === "done" ? answer.value : answer)),
    [{ value: "a", isNew: true }, "a", { value: "a", isNew: false }, "a"],
  );
});

test("a faulty call fails alone, with its verb's name; the rest of its batch is committed", async () => {
  using file = openFile("faulty.db");
  const answers = await commitCalls(file.db, [setting("a"), faulty(), setting("b"), read("a")]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ["done", "fault", "done", "done"],
  );
  assert.ok(answers[1]?.kind === "fault");
  assert.match(answers[1].error.message, /^saveSettingUnlessThere failed in the store: constraint failed/);
  assert.equal((await commitCalls(file.db, [faulty()]))[0]?.kind, "fault");
  assert.equal(file.db.inTransaction(), false, "locks are given back at once");
  assert.deepEqual(await commitCalls(file.db, [read("a"), read("b")]), [
    { kind: "done", value: "a" },
    { kind: "done", value: "b" },
  ]);
});

test("a full disk makes a whole batch unavailable and none of it happen; with room it works again", async () => {
  using file = openFile("full.db");
  await commitCalls(file.db, [setting("before")]);
  const pagesMax = file.db.get<{ page_count: number }>("pragma page_count")?.page_count ?? 0;
  file.db.exec(`pragma max_page_count = ${pagesMax}`);
  const answers = await commitCalls(file.db, [setting("small"), setting("large", "x".repeat(100_000)), read("before")]);
  for (const answer of answers) {
    assert.ok(answer.kind === "unavailable");
    assert.equal(answer.error.message, "the database cannot commit now: database or disk is full (SQLite error 13)");
    assert.ok(answer.error.cause instanceof Error);
  }
  assert.equal(answers.length, 3);
  assert.deepEqual(await commitCalls(file.db, [read("small"), read("before")]), [
    { kind: "done", value: null },
    { kind: "done", value: "before" },
  ]);
  file.db.exec("pragma max_page_count = 1000000");
  assert.equal((await commitCalls(file.db, [setting("large", "x".repeat(100_000))]))[0]?.kind, "done");
});

test("a database that became read-only is unavailable until it can be written again", async () => {
  using file = openFile("read-only.db");
  file.db.exec("pragma query_only = 1");
  const [refused] = await commitCalls(file.db, [toCall("probe", { nowMs: 1 })]);
  assert.ok(refused?.kind === "unavailable");
  assert.match(refused.error.message, /readonly/);
  file.db.exec("pragma query_only = 0");
  assert.equal((await commitCalls(file.db, [toCall("probe", { nowMs: 1 })]))[0]?.kind, "done");
});

test("a transaction that was left open by a failed roll-back does not stop the next batch", async () => {
  using file = openFile("left-open.db");
  file.db.run("begin immediate");
  assert.equal((await commitCalls(file.db, [setting("a")]))[0]?.kind, "done");
});
