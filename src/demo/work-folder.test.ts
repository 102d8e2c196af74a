/**
 * The demo's files are removed when it ends, in every way that it can end; a folder that a person asked to keep stays.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openWorkFolder } from "./work-folder.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-work-"));
after(() => rmSync(ROOT, { recursive: true, force: true }));

const MODULE = new URL("work-folder.ts", import.meta.url).href;

/** Ends a process that has a folder open, by `ending`; returns the rest of its folder for temporary files. */
function leftAfter(ending: string): string[] {
  const temporary = mkdtempSync(join(ROOT, "tmp-"));
  const script = `
    const { openWorkFolder } = await import(${JSON.stringify(MODULE)});
    console.log(openWorkFolder(null).value.received);
    ${ending}`;
  const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    env: { ...process.env, TMPDIR: temporary },
    encoding: "utf8",
  });
  assert.ok(run.stdout.startsWith(temporary), run.stderr);
  return readdirSync(temporary);
}

test("a temporary folder goes with a process that exits in the middle, as on a second Ctrl-C", () => {
  assert.deepEqual(leftAfter("process.exit(130);"), []);
});

test("a temporary folder goes with a process that dies of a bug", () => {
  assert.deepEqual(leftAfter('throw new Error("a bug");'), []);
});

test("a temporary folder goes when it is disposed, and leaves no listener behind", () => {
  const listeners = process.listenerCount("exit");
  const opened = openWorkFolder(null);
  assert.ok(opened.ok);
  assert.equal(statSync(opened.value.received).mode & 0o077, 0);
  opened.value[Symbol.dispose]();
  assert.equal(existsSync(opened.value.received), false);
  assert.equal(process.listenerCount("exit"), listeners);
});

test("a folder that was named stays", () => {
  const folder = join(ROOT, "deep", "kept");
  const opened = openWorkFolder(folder);
  assert.ok(opened.ok);
  opened.value[Symbol.dispose]();
  assert.deepEqual(readdirSync(folder), ["received"]);
  assert.equal(opened.value.isKept, true);
});

test("a folder with anything in it is not taken, nor one that cannot be made", () => {
  writeFileSync(join(ROOT, "file"), "somebody's");
  const notEmpty = openWorkFolder(ROOT);
  assert.deepEqual(notEmpty, { ok: false, error: `The folder ${ROOT} is not empty; name a new one for the demo.` });
  const impossible = openWorkFolder(join(ROOT, "file", "below"));
  assert.ok(!impossible.ok);
  assert.match(impossible.error, /cannot use the folder .*below \(ENOTDIR\); name another with --keep\.$/);
});
