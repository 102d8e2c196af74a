/** What a release says of itself; test/release.long.test.ts makes one. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { provenance, readMade } from "../tools/release/bill.ts";
import { ROOT } from "./deployment.ts";
import { newFolder } from "./kit/folder.ts";

test("the provenance names the commit of a clean checkout, and no digest where a file was changed or added", () => {
  using folder = newFolder();
  const git = (...args: string[]): string => {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...who, ...args], { cwd: folder.path, encoding: "utf8" }).trim();
  };
  const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text);
  const source = (): unknown => {
    const { predicate } = provenance(readMade(folder.path), new Map()) as Statement;
    return predicate.buildDefinition.resolvedDependencies[0];
  };
  write("package.json", '{ "version": "1.2.3" }');
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  const head = git("rev-parse", "HEAD");
  assert.deepEqual(source(), { uri: "bellwire", digest: { gitCommit: head } });
  const dirty = { uri: "bellwire", annotations: { describes: `${head}-dirty` } };
  write("package.json", '{ "version": "1.2.4" }');
  assert.deepEqual(source(), dirty);
  git("checkout", "--quiet", ".");
  write("added.ts", "");
  assert.deepEqual(source(), dirty);
});

test("the script that installs it takes no arguments: asked for help, it changes nothing", () => {
  const script = join(ROOT, "ops/systemd/install.sh");
  const ran = spawnSync("/bin/sh", [script, "--help"], {
    encoding: "utf8",
    env: { ...process.env, DESTDIR: "/nowhere" },
  });
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /^Usage: .*install\.sh \(as root, without arguments\)/);
});

interface Statement {
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly unknown[] } };
}
