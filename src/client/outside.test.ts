/** Waiting on the real clock ends by itself or by the signal, and keeps the process alive until then. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { systemOutside } from "./outside.ts";

test("waits as long as asked, with a signal or without", async () => {
  const startedMs = systemOutside.nowMs();
  await systemOutside.wait(20, undefined);
  await systemOutside.wait(20, new AbortController().signal);
  // Timers may fire a millisecond early.
  assert.ok(systemOutside.nowMs() - startedMs >= 38);
});

test("ends with the signal's reason, before the wait and during it", async () => {
  const stopped = new AbortController();
  const waiting = systemOutside.wait(60_000, stopped.signal);
  stopped.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(systemOutside.wait(60_000, stopped.signal), /enough/);
});

test("a process that waits for nothing else stays", () => {
  const module = JSON.stringify(new URL("outside.ts", import.meta.url).href);
  const code = `const { systemOutside: { wait } } = await import(${module}); await wait(20); console.log("here");`;
  const run = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  assert.deepEqual([run.status, run.stdout], [0, "here\n"], run.stderr);
});
