/** What a release says of itself; test/release.long.test.ts makes one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { provenance, readMade } from "../tools/release/bill.ts";
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

interface Statement {
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly unknown[] } };
}
