import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

test("what serves loads no undici", () => {
  const url = new URL("../commands/serve.ts", import.meta.url);
  const program = `await import("${url.href}"); process.stdout.write(process.moduleLoadList.join("\\n"))`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  assert.match(loaded, /^NativeModule http$/m);
  assert.doesNotMatch(loaded, /undici/);
});
