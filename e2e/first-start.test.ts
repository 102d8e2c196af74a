import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Child, startChild } from "../test/kit/process/child.ts";
import { newFolder } from "../test/kit/folder.ts";
import { BIN } from "../test/kit/process/running.ts";
import { soon } from "../test/kit/wait.ts";

/** As a person starts it in a folder: nothing set but the port, so that two tests do not meet. */
const serve = (cwd: string, env: Record<string, string> = {}): Child =>
  startChild({ args: [BIN, "serve"], cwd, env: { BELLWIRE_PORT: "0", ...env } });

async function stop(child: Child): Promise<number | null> {
  child.kill("SIGTERM");
  return (await soon(child.exited, "its end")).code;
}

test("the first start makes its data folder and prints the key's place and a link; later ones do not", async () => {
  using folder = newFolder();
  await using first = serve(folder.path);
  const [, link] = await first.err.match(/^ {2}Sign-in link {3}(\S+)/);
  const [, keyFile] = await first.err.match(/^ {2}Intake key {5}in (\S+)$/);
  assert.equal(await stop(first), 0);
  const data = join(folder.path, "data");
  assert.deepEqual(readdirSync(folder.path), ["data"]);
  assert.deepEqual(readdirSync(data).toSorted(), ["bellwire.db", "bellwire.db.lock", "encryption-key", "intake-key"]);
  for (const name of ["encryption-key", "intake-key", "bellwire.db"]) {
    assert.equal(statSync(join(data, name)).mode & 0o777, 0o600, name);
  }
  assert.equal(keyFile, join(realpathSync(data), "intake-key"));
  const key = readFileSync(join(data, "intake-key"), "utf8").trim();
  assert.match(link ?? "", /^http:\/\/localhost:\d+\/sign-in\/[\w-]{43}$/);
  assert.doesNotMatch(first.out.text, /sign-in/, "a log is read by more people than a terminal");
  assert.doesNotMatch(first.out.text + first.err.text, new RegExp(key), "both may be collected with the logs");

  await using second = serve(folder.path);
  await second.err.match(/^Bellwire is running at /);
  assert.equal(await stop(second), 0);
  assert.doesNotMatch(second.err.text, /Intake key|Sign-in link|first start/);
  assert.doesNotMatch(second.err.text + second.out.text, new RegExp(key));
});

test("a second process on the same data folder says so and leaves the first one alone", async () => {
  using folder = newFolder();
  await using first = serve(folder.path);
  const [, url] = await first.err.match(/^Bellwire is running at (\S+)$/);
  await using second = serve(folder.path);
  const { code } = await soon(second.exited, "the end of the second process");
  assert.equal(code, 1);
  assert.match(second.err.text, /^Bellwire cannot use its database: .*used by another Bellwire process/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
});

test("a port that is taken is told with what to do", async () => {
  using folder = newFolder();
  using other = newFolder();
  await using first = serve(folder.path);
  const [, port = ""] = await first.err.match(/^Bellwire is running at http:\/\/localhost:(\d+)$/);
  await using second = serve(other.path, { BELLWIRE_PORT: port });
  assert.equal((await soon(second.exited, "the end of the second process")).code, 1);
  assert.match(second.err.text, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port} .*BELLWIRE_PORT`));
});

test("it runs under node --watch, whose messages reach the store's thread too", async () => {
  using folder = newFolder();
  // What `--watch` sets for the process that it starts.
  await using child = serve(folder.path, { WATCH_REPORT_DEPENDENCIES: "1" });
  await child.err.match(/^ {2}Sign-in link {3}\S+/);
  assert.equal(await stop(child), 0);
});

test("all wrong settings are told together, and nothing is made", async () => {
  using folder = newFolder();
  const wrong = {
    BELLWIRE_PORT: "many",
    BELLWIRE_ENCRYPTION_KEY: "too short",
    BELLWIRE_EGRESS_ALLOW: "0.0.0.0/0",
    BELLWIRE_HOTS: "127.0.0.1",
  };
  await using child = serve(folder.path, wrong);
  assert.equal((await soon(child.exited, "its end")).code, 1);
  for (const name of Object.keys(wrong)) assert.match(child.err.text, new RegExp(`^  ${name} `, "m"));
  assert.match(child.err.text, /BELLWIRE_HOTS is not a setting; did you mean BELLWIRE_HOST\?/);
  assert.doesNotMatch(child.err.text, /\n\s+at /, "no stack trace");
  assert.deepEqual(readdirSync(folder.path), []);
});

test("a real older Node is told in one line what is needed", async (t) => {
  const older = olderNode();
  if (older === null) return t.skip("no older Node on this machine; test/bin.test.ts pretends to be one");
  using folder = newFolder();
  await using child = startChild({ node: older.path, args: [BIN, "serve"], cwd: folder.path });
  assert.equal((await soon(child.exited, "its end")).code, 1);
  assert.deepEqual(child.err.all.length, 1, child.err.text);
  assert.match(child.err.text, new RegExp(`^Bellwire needs Node 24\\.15 or newer; this is Node ${older.version}\\.`));
  assert.deepEqual(readdirSync(folder.path), []);
});

/** A Node of the system that is too old for us, and its version. */
function olderNode(): { readonly path: string; readonly version: string } | null {
  for (const path of ["/usr/bin/node", "/usr/local/bin/node"]) {
    const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const version = /^v((\d+)\.(\d+)\.\d+)/.exec(stdout ?? "");
    const [, whole = "", major = "", minor = ""] = version ?? [];
    const isOlder = Number(major) < 24 || (Number(major) === 24 && Number(minor) < 15);
    if (status === 0 && version !== null && isOlder) return { path, version: whole };
  }
  return null;
}
