/** Refusals of the file system, met by a service of another uid: who runs, who owns, and what is to be done. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { explainFileFault } from "./file-fault.ts";

const ROOT_ONLY = process.getuid?.() === 0 ? false : "only root can run a process as another user";
const SOMEBODY = { uid: 1234, gid: 1234 };
const OTHER = 999;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-fault-"));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/** Opens `path` for writing as uid 1234, and explains the refusal there. */
function explainAsSomebody(path: string): string {
  const module = new URL("./file-fault.ts", import.meta.url).href;
  const program = `
    process.setgroups([]); process.setgid(${SOMEBODY.gid});
    const { explainFileFault } = await import(${JSON.stringify(module)});
    process.setuid(${SOMEBODY.uid});
    const { openSync } = await import("node:fs");
    try { openSync(${JSON.stringify(path)}, "a"); console.log("opened"); }
    catch (error) { console.log(explainFileFault(${JSON.stringify(path)}, error)); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.equal(stderr, "");
  return stdout.trim();
}

test("names both users, the owner's mode and the command that helps", { skip: ROOT_ONLY }, (t) => {
  const folder = folderOf(t);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const key = join(data, "encryption-key");
  writeFileSync(key, "x", { mode: 0o600 });
  const who = (at: string, owner: string): string => `Bellwire runs as uid 1234, and ${at} is of ${owner}: EACCES.`;
  assert.equal(explainAsSomebody(key), `${who(data, "uid 0, mode 0700")} Run: chown 1234:1234 ${data}`);
  chownSync(data, OTHER, OTHER);
  assert.equal(explainAsSomebody(key), `${who(data, "uid 999, mode 0700")} Run: chown -R 1234:1234 ${data}`);
  chownSync(data, SOMEBODY.uid, SOMEBODY.gid);
  assert.equal(explainAsSomebody(key), `${who(key, "uid 0, mode 0600")} Run: chown -R 1234:1234 ${key}`);
  chownSync(key, SOMEBODY.uid, SOMEBODY.gid);
  chmodSync(key, 0o400);
  assert.equal(explainAsSomebody(key), `${who(key, "uid 1234, mode 0400")} Run: chmod u+rwX ${key}`);
  chmodSync(key, 0o600);
  assert.equal(explainAsSomebody(key), "opened");
  const below = join(folder, "new", "deep", "file");
  chmodSync(folder, 0o711);
  assert.match(explainAsSomebody(below), /it is not there \(ENOENT\)/);
});

test("never gives away a folder that holds more than what is ours", { skip: ROOT_ONLY }, () => {
  assert.equal(
    explainAsSomebody("/bellwire.db"),
    "Bellwire runs as uid 1234, and / is of uid 0, mode 0755: EACCES. Name a folder of its own for it",
  );
});

test("says what is in the way in the system's place", (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, "file"), "");
  symlinkSync("loop", join(folder, "loop"));
  const cases: [string, RegExp][] = [
    ["file/below", /a part of its path is a file and no folder \(ENOTDIR\)/],
    ["loop", /circle of symbolic links \(ELOOP\)/],
    [".", /it is a folder \(EISDIR\)/],
    ["x".repeat(300), /too long for this file system \(ENAMETOOLONG\)/],
    ["gone/file", /it is not there \(ENOENT\), or it is a link to something that is not/],
  ];
  for (const [name, expected] of cases) {
    const path = join(folder, name);
    assert.throws(
      () => writeFileSync(path, ""),
      (error) => expected.test(explainFileFault(path, error)),
      name,
    );
  }
});
