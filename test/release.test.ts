/** What a release says of itself; test/release.long.test.ts makes one. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
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

describe("the script that installs it, with the Node of the PATH", () => {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-install-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const open = join(folder, "open");
  const unpacked = join(open, "unpacked");
  before(() => {
    chmodSync(folder, 0o755);
    for (const path of ["ops/systemd", "lib", "bin"]) mkdirSync(join(unpacked, path), { recursive: true });
    for (const unit of readdirSync(join(ROOT, "ops/systemd")))
      cpSync(join(ROOT, "ops/systemd", unit), join(unpacked, "ops/systemd", unit));
    writeFileSync(join(unpacked, "lib/main.js"), "");
    writeFileSync(join(unpacked, "package.json"), '  "version": "1.2.3"');
    writeFileSync(join(unpacked, "bin/bellwire"), "#!/bin/sh\n", { mode: 0o755 });
  });

  /** A Node in a folder of that mode, and what is said when it is the first of the PATH. */
  function install(name: string, modes: { readonly folder: number; readonly node: number }) {
    const at = join(folder, name);
    mkdirSync(at);
    writeFileSync(join(at, "node"), "#!/bin/sh\n");
    chmodSync(join(at, "node"), modes.node);
    chmodSync(at, modes.folder);
    const root = join(folder, `root-of-${name}`);
    const env = { ...process.env, DESTDIR: root, PATH: `${at}:/usr/bin:/bin` };
    const ran = spawnSync("/bin/sh", [join(unpacked, "ops/systemd/install.sh")], { encoding: "utf8", env });
    return { ...ran, at, link: join(root, "opt/bellwire-1.2.3/bin/node") };
  }

  for (const [name, modes] of [
    ["folder-of-all", { folder: 0o777, node: 0o755 }],
    ["program-of-all", { folder: 0o755, node: 0o777 }],
    ["program-of-a-group", { folder: 0o755, node: 0o775 }],
    ["closed-folder", { folder: 0o700, node: 0o755 }],
  ] as const) {
    test(`refuses one that others could replace, or that the service cannot reach: ${name}`, () => {
      const { status, stderr, at, link } = install(name, modes);
      assert.equal(status, 1, stderr);
      assert.ok(stderr.startsWith(`Nothing was installed. The PATH's Node is ${join(at, "node")}, and ${at}`), stderr);
      assert.match(stderr, /Put Node's program at .*bin\/node\.$/m);
      assert.equal(existsSync(link), false);
    });
  }

  test("links to one that is its owner's alone, and to the program itself", () => {
    const { status, stderr, at, link } = install("safe", { folder: 0o755, node: 0o755 });
    assert.equal(status, 0, stderr);
    assert.equal(readlinkSync(link), realpathSync(join(at, "node")));
  });
});

interface Statement {
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly unknown[] } };
}
