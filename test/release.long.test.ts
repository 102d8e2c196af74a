/** `npm run release`: the same bytes of the same commit, an archive that needs only Node, and its installation. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runTimePackages } from "../tools/licences.ts";
import { ROOT, read } from "./deployment.ts";
import { brokenLinks } from "./doc-pages.ts";
import { newFolder } from "./kit/folder.ts";
import { startChild } from "./kit/process/child.ts";

const { version: VERSION } = JSON.parse(read("package.json")) as { version: string };
const ARCHIVE = `bellwire-${VERSION}`;
const skip = process.platform === "linux" ? false : "a release is made on Linux, with GNU tar";

test("a release empties no folder that has something else in it", { skip }, () => {
  using folder = newFolder();
  const kept = join(folder.path, "notes.txt");
  writeFileSync(kept, "mine");
  const ran = spawnSync(process.execPath, ["tools/release/release.ts", folder.path], { cwd: ROOT, encoding: "utf8" });
  assert.notEqual(ran.status, 0);
  assert.match(ran.stderr, /has something else in it/);
  assert.equal(readFileSync(kept, "utf8"), "mine");
});

describe("a release", { skip, timeout: 300_000 }, () => {
  const folder = newFolder();
  const made = join(folder.path, "made");
  const unpacked = join(folder.path, ARCHIVE);
  after(() => folder[Symbol.dispose]());

  before(() => {
    release(ROOT, made);
    execFileSync("tar", ["-xzf", join(made, `${ARCHIVE}.tar.gz`), "-C", folder.path]);
    cpSync(process.execPath, join(unpacked, "bin", "node"), { dereference: true });
  });

  function release(checkout: string, to: string, umask = 0o022): void {
    const command = `umask ${umask.toString(8)} && exec node tools/release/release.ts "${to}"`;
    const ran = spawnSync("/bin/sh", ["-c", command], { cwd: checkout, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
  }

  test("has the same bytes wherever, whenever and by whomever it is made", () => {
    const other = join(folder.path, "another", "checkout");
    mkdirSync(join(folder.path, "another"));
    cpSync(ROOT, other, {
      recursive: true,
      filter: (path) => !/(?:^|[\\/])(?:node_modules|data|dist\/release)$/.test(path),
    });
    symlinkSync(join(ROOT, "node_modules"), join(other, "node_modules"));
    release(other, join(folder.path, "again"), 0o077);
    const sums = (place: string): string => readFileSync(join(folder.path, place, "SHA256SUMS"), "utf8");
    assert.equal(sums("again"), sums("made"));
    assert.equal(sums("made").trim().split("\n").length, 5);
  });

  test("is whole by its own sums, and says where it comes from", () => {
    const checked = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: made, encoding: "utf8" });
    assert.equal(checked.status, 0, checked.stdout);
    const { subject, predicate } = JSON.parse(readFileSync(join(made, "provenance.json"), "utf8"));
    const archive = subject.find(({ name }: { name: string }) => name === `${ARCHIVE}.tar.gz`);
    const bytes = readFileSync(join(made, `${ARCHIVE}.tar.gz`));
    assert.equal(archive.digest.sha256, createHash("sha256").update(bytes).digest("hex"));
    const source = predicate.buildDefinition.resolvedDependencies[0];
    const said = source.digest?.gitCommit ?? source.annotations.describes.replace("-dirty", "");
    assert.equal(said, execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim());
  });

  test("names every run-time package with its version, licence and hash, and has the licences' texts", () => {
    const { components } = JSON.parse(readFileSync(join(made, "bom.cdx.json"), "utf8"));
    const ours = runTimePackages().filter(({ name }) => !name.startsWith("node-"));
    for (const { name, version, licence } of ours) {
      const found = components.find((each: { purl: string }) =>
        each.purl.endsWith(`${name.replace("@", "%40")}@${version}`),
      );
      assert.equal(found?.licenses[0].license.id, licence, name);
      assert.equal(found?.hashes[0].content.length, 128, name);
    }
    assert.match(readFileSync(join(unpacked, "THIRD-PARTY.md"), "utf8"), /Copyright .*Fastify/i);
  });

  test("holds the program, its page and its documents, and no test, source or tool", () => {
    const files = globSync("**/*", { cwd: unpacked });
    for (const path of [
      "bin/bellwire",
      "lib/main.js",
      "lib/main.js.map",
      "web/dist/index.html",
      "docs/operations.md",
      "bridge/README.md",
    ])
      assert.ok(files.includes(path), path);
    assert.deepEqual(
      files.filter((path) => /\.ts$|\.test\.|conformance|golden|node_modules/.test(path)),
      [],
    );
    const wide = (path: string): boolean => /[^\0-\xff]/.test(readFileSync(join(unpacked, path), "utf8"));
    assert.deepEqual(files.filter((path) => /^lib.*\.js$/.test(path)).filter(wide), [], "two bytes a character");
  });

  test("has documents whose links lead to something that is in it", () => {
    const readIn = (path: string): string | null =>
      existsSync(join(unpacked, path))
        ? path.endsWith(".md")
          ? readFileSync(join(unpacked, path), "utf8")
          : ""
        : null;
    const pages = globSync(["CHANGELOG.md", "{docs,bridge}/*.md"], { cwd: unpacked });
    assert.ok(pages.length > 25, `${pages.length} pages`);
    assert.deepEqual(
      pages.flatMap((path) => brokenLinks({ path, text: readIn(path) ?? "" }, readIn)),
      [],
    );
  });

  test("runs its demo where there is nothing but Node's own program", () => {
    const env = { PATH: "/usr/bin:/bin", TMPDIR: folder.path };
    const ran = spawnSync(join(unpacked, "bin", "bellwire"), ["demo", "--for", "6"], {
      env,
      encoding: "utf8",
      cwd: "/",
    });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const [, accepted, delivered, verified] =
      /accepted (\d+) = delivered (\d+) = verified (\d+)/.exec(ran.stdout) ?? [];
    assert.ok(Number(accepted) > 0, ran.stdout);
    assert.deepEqual([delivered, verified], [accepted, accepted]);
  });

  test("is installed for systemd by its script, twice, and keeps the settings", () => {
    const root = join(folder.path, "root");
    const install = (): string =>
      execFileSync(join(unpacked, "ops/systemd/install.sh"), {
        env: { ...process.env, DESTDIR: root },
        encoding: "utf8",
      });
    assert.match(install(), new RegExp(`^Bellwire ${VERSION} is in /opt/bellwire\\.`));
    const settings = join(root, "etc/bellwire.env");
    execFileSync("sh", ["-c", `echo BELLWIRE_PORT=7171 >> ${settings}`]);
    assert.match(install(), /Restart it: systemctl restart bellwire$/m);
    assert.match(readFileSync(settings, "utf8"), /^BELLWIRE_PORT=7171$/m);
    assert.equal(readlinkSync(join(root, "opt/bellwire")), ARCHIVE);
    const unit = readFileSync(join(root, "etc/systemd/system/bellwire.service"), "utf8");
    assert.equal(readlinkSync(join(root, "usr/local/bin/bellwire")), "/opt/bellwire/ops/systemd/bellwire");
    assert.notEqual(statSync(join(root, "opt/bellwire/ops/systemd/bellwire")).mode & 0o111, 0);
    const [, program = ""] = /^ExecStart=(\S+) serve$/m.exec(unit) ?? [];
    const ran = spawnSync(join(root, program), ["help"], { encoding: "utf8" });
    assert.match(ran.stdout, /^Usage: bellwire/);
  });

  test("has a bridge that finds its client again after an upgrade", async () => {
    const root = join(folder.path, "bridged");
    const install = () =>
      execFileSync(join(unpacked, "ops/systemd/install.sh"), { env: { ...process.env, DESTDIR: root }, stdio: "pipe" });
    install();
    const unit = readFileSync(join(root, "etc/systemd/system/bellwire-bridge@.service"), "utf8");
    const [, dataDir = ""] = /BELLWIRE_DATA_DIR=(\S+)/.exec(unit) ?? [];
    const program = join(root, "opt/bellwire/bin/bellwire.js");
    const env = {
      BELLWIRE_DATA_DIR: join(root, dataDir),
      BELLWIRE_API_KEY: "intake-key-of-a-bridge",
      BELLWIRE_BRIDGE_PORT: "0",
      BELLWIRE_BRIDGE_BROKER: "amqp://127.0.0.1:1",
      BELLWIRE_BRIDGE_SOURCE: "records",
      BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
    };
    const args = [program, "bridge", "rabbitmq"];
    await using without = startChild({ args, env, cwd: "/" });
    await without.exited;
    const clients = join(root, dataDir, "clients");
    assert.match(without.err.text, new RegExp(`npm install --prefix ${RegExp.escape(clients)} --save-exact amqplib@`));
    cpSync(join(ROOT, "node_modules/amqplib"), join(clients, "node_modules/amqplib"), { recursive: true });
    install();
    await using bridge = startChild({ args, env, cwd: "/" });
    await bridge.out.match(/"msg":"bridge\.broker_failed"/);
  });

  test("says so where there is no Node", () => {
    const bare = join(folder.path, "bare");
    const few = join(folder.path, "few");
    cpSync(join(unpacked, "bin"), bare, { recursive: true });
    rmSync(join(bare, "node"));
    mkdirSync(few);
    for (const tool of ["dirname", "readlink"]) symlinkSync(`/usr/bin/${tool}`, join(few, tool));
    const ran = spawnSync(join(bare, "bellwire"), ["help"], { env: { PATH: few }, encoding: "utf8" });
    assert.deepEqual([ran.status, ran.stderr.split("\n").length], [1, 2], ran.stderr);
    assert.match(ran.stderr, /^Bellwire needs Node: put it in the PATH, or its program at .*bare\/node\.$/m);
  });

  test("is not installed with a Node that is too old, and says so", () => {
    const program = readFileSync(join(unpacked, "bin/bellwire.js"), "utf8");
    assert.match(program, /advice = "Put a newer one in the PATH, or its program at bin\/node/);
    const old = join(folder.path, "old");
    cpSync(unpacked, old, { recursive: true });
    rmSync(join(old, "bin", "node"));
    writeFileSync(join(old, "bin", "node"), "#!/bin/sh\necho Bellwire needs Node 24.15 or newer >&2; exit 1\n", {
      mode: 0o755,
    });
    const env = { ...process.env, DESTDIR: join(folder.path, "nowhere") };
    const ran = spawnSync(join(old, "ops/systemd/install.sh"), { env, encoding: "utf8" });
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /Nothing was installed\. Put a newer Node in the PATH/);
    assert.deepEqual(globSync("nowhere/**", { cwd: folder.path }), []);
  });
});
