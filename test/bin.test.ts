/** The command answers an old Node with one sentence that helps, and runs the program with a new one. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "./kit/folder.ts";

const BIN = join(import.meta.dirname, "..", "bin", "bellwire.js");

/** Starts the command in a Node that says it is another version. */
function startAs(version: string) {
  const pretend = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, BIN, "--help"];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

for (const version of ["18.20.8", "20.20.2", "24.14.1"]) {
  test(`Node ${version} is told in one line what is needed and how to get it`, () => {
    const { status, stdout, stderr } = startAs(version);
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.equal(stderr.trimEnd().split("\n").length, 1);
    assert.ok(stderr.includes(`needs Node 24.15 or newer; this is Node ${version}.`), stderr);
    assert.match(stderr, /through npm \(`npm start`, `npm run demo`, `npx --no bellwire …`\)/);
  });
}

for (const version of [process.versions.node, "24.15.0", "26.0.0"]) {
  test(`Node ${version} starts the program`, () => {
    const { status, stdout, stderr } = startAs(version);
    assert.equal(stderr, "");
    assert.equal(status, 0);
    assert.match(stdout, /serve/);
  });
}

test("a library's warning reaches nobody, until a developer asks for warnings", () => {
  const warn = "setInterval(() => process.emitWarning('LIBRARY words'), 1).unref()";
  const start = (...flags: string[]) => {
    const args = [...flags, "--import", `data:text/javascript,${encodeURIComponent(warn)}`, BIN, "doctor"];
    const env = { ...process.env, BELLWIRE_DATABASE: "postgres://a@127.0.0.1:1/x?sslmode=require" };
    return spawnSync(process.execPath, args, { encoding: "utf8", env }).stderr;
  };
  assert.doesNotMatch(start(), /LIBRARY|Warning/);
  assert.match(start("--trace-warnings"), /LIBRARY words/);
});

test("what a command prints reaches a pipe whole, however long it is", () => {
  using folder = newFolder();
  const members = Array.from({ length: 4_000 }, (_, at) => [`member_number_${at}`, { type: "string" }] as const);
  const schema = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" }, ...Object.fromEntries(members) },
  };
  for (const type of ["a", "b", "c", "d"]) {
    const declaration = { type, title: type, key: "/id", schema, example: { id: "1" } };
    writeFileSync(join(folder.path, `${type}.json`), JSON.stringify(declaration));
  }
  // A pipe of a shell holds 64 KiB; Node still has the rest when the command has ended.
  const args = ["-c", '"$0" "$@" | cat', process.execPath, BIN, "events", "types", folder.path];
  const { stdout } = spawnSync("sh", args, { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  assert.match(stdout, /export type WebhookEvent = EventBodies\[keyof EventBodies\];\n$/);
});
