import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "./make-folder.ts";

test("makes a folder and those above it, for their owner alone, and leaves one that is there", (t) => {
  const root = mkdtempSync(join(tmpdir(), "bellwire-folder-"));
  t.after(() => rmSync(root, { recursive: true }));
  makeFolder(join(root, "a", "b"));
  makeFolder(join(root, "a", "b"));
  const modes = [join(root, "a"), join(root, "a", "b")].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, platform() === "win32" ? modes : [0o700, 0o700]);
  writeFileSync(join(root, "file"), "");
  assert.throws(() => makeFolder(join(root, "file", "b")), { code: "ENOTDIR" });
  assert.throws(() => makeFolder(join(root, "file")), { code: "EEXIST" });
});

test("a place where nobody can make one is refused, and not tried for ever", { skip: platform() !== "linux" }, () => {
  assert.throws(() => makeFolder("/proc/nowhere/bellwire"), { code: "ENOENT" });
});
