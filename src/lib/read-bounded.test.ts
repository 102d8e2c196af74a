/** What a path may lead to, and that none of it is read without an end. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readFile } from "../commands/read-file.ts";
import { faultCode } from "./file-fault.ts";
import { readBounded } from "./read-bounded.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-bounded-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
execFileSync("mkfifo", [at("pipe")]);
writeFileSync(at("whole"), "x".repeat(200_000));
// As Kubernetes mounts a secret: name → ..data/name → ..2026/name.
mkdirSync(at("..2026"));
writeFileSync(at("..2026/key"), "secret");
symlinkSync("..2026", at("..data"));
symlinkSync("..data/key", at("key"));

const read = (path: string, bytesMax: number): string | number => {
  try {
    return readBounded(path, bytesMax).bytes.length;
  } catch (error) {
    return faultCode(error);
  }
};

for (const [what, path, bytesMax, expected] of [
  ["a file", "whole", 200_000, 200_000],
  ["one byte of a larger file, by which it is told", "whole", 99_999, 100_000],
  ["a secret behind Kubernetes' links", "key", 100, 6],
  ["no pipe that nobody writes to", "pipe", 100, "ENOTFILE"],
  ["no device", "/dev/zero", 100, "ENOTFILE"],
  ["no folder", ".", 100, "EISDIR"],
  ["nothing", "none", 100, "ENOENT"],
] as const) {
  test(`reads ${what}`, () => assert.equal(read(path.startsWith("/") ? path : at(path), bytesMax), expected));
}

test("a command reads a pipe to its end, and no device without one", () => {
  const module = new URL("../commands/read-file.ts", import.meta.url).href;
  const program = `const { readFile } = await import(${JSON.stringify(module)});
    console.log(readFile("/dev/stdin").value.toString());`;
  const args = ["--input-type=module", "-e", program];
  // As a shell hands on another program's output.
  const piped = execFileSync("/bin/sh", ["-c", 'printf record | "$0" "$@"', process.execPath, ...args]);
  assert.equal(String(piped).trim(), "record");
  assert.deepEqual(readFile("/dev/zero"), { ok: false, error: "it has more than 64 MiB" });
});
