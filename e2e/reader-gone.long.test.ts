import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { newFolder } from "../test/kit/folder.ts";
import { BIN } from "../test/kit/process/running.ts";

test("a command whose reader has gone, as in `bellwire … | head`, ends without a word", async () => {
  using folder = newFolder();
  // Closed before Node has even started, so that the first line has no reader.
  const child = spawn(process.execPath, [BIN, "doctor"], { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(complaint, "");
  assert.equal(code, 141);
});
