/**
 * Whole files of browser tests once more, in the machine's own Firefox: a search, and the log as a file. Others pass
 * there too and would take the build server's time; CONTRIBUTING.md has the command for them.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { findFirefox } from "../../test/kit/browser/firefox.ts";

const FILES = ["export.long.test.ts", "search.long.test.ts"] as const;

/** A process with this in its environment reports to the runner above it, in another form than for people. */
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

for (const file of FILES) {
  const skip = findFirefox() === null ? "this machine has no Firefox" : false;
  test(`${file} passes in Firefox`, { skip }, async () => {
    const args = ["--test", "--test-reporter=spec", join(import.meta.dirname, file)];
    const child = spawn(process.execPath, args, { env: { ...env, E2E_ENGINE: "firefox" }, stdio: "pipe" });
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", resolve);
    });
    const [printed, code] = await Promise.all([text(child.stdout), ended]);
    assert.equal(code, 0, printed);
    assert.match(printed, /^ℹ pass [1-9]/m, printed);
  });
}
