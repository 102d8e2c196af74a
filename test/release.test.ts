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
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { provenance, readMade } from "../tools/release/bill.ts";
import { LAUNCHER } from "../tools/release/program.ts";
import { ROOT } from "./deployment.ts";
import { parseDockerfile, parseEnv } from "./dockerfile.ts";
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

test("archive and image give Node the same heap, and an operator's own options stand", () => {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-launcher-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "bellwire"), LAUNCHER, { mode: 0o755 });
  writeFileSync(join(folder, "node"), '#!/bin/sh\necho "$NODE_OPTIONS $2"\n', { mode: 0o755 });
  const run = (env: NodeJS.ProcessEnv) =>
    spawnSync(join(folder, "bellwire"), ["serve"], { encoding: "utf8", env: { PATH: "/usr/bin:/bin", ...env } }).stdout;
  const image = parseDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8")).find(({ name }) => name === "program");
  assert.ok(image !== undefined);
  assert.equal(run({}), `${parseEnv(image)["NODE_OPTIONS"]} serve\n`);
  assert.equal(run({ NODE_OPTIONS: "--max-old-space-size=448" }), "--max-old-space-size=448 serve\n");
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

  /** The check is the last thing that it does here, even if it should find nothing: the program says no. */
  test("says before its first write what the machine lacks", { skip: skipsOtherUsers() }, () => {
    const lacking = join(folder, "lacking");
    cpSync(unpacked, lacking, { recursive: true });
    writeFileSync(join(lacking, "bin/bellwire"), "#!/bin/sh\nexit 1\n");
    const few = join(folder, "few");
    mkdirSync(few);
    for (const tool of ["dirname", "sed", "id"]) symlinkSync(`/usr/bin/${tool}`, join(few, tool));
    const script = join(lacking, "ops/systemd/install.sh");
    const ran = spawnSync("/bin/sh", [script], { encoding: "utf8", env: { PATH: few } });
    assert.equal(ran.status, 1);
    assert.match(
      ran.stderr,
      /^Nothing was installed\. This machine has no \w+, which the service or its command needs\.$/m,
    );
  });

  test("links to one that is its owner's alone, and to the program itself", () => {
    const { status, stderr, at, link } = install("safe", { folder: 0o755, node: 0o755 });
    assert.equal(status, 0, stderr);
    assert.equal(readlinkSync(link), realpathSync(join(at, "node")));
    const again = () => {
      const env = { ...process.env, DESTDIR: join(folder, "root-of-safe"), PATH: `${at}:/usr/bin:/bin` };
      return spawnSync("/bin/sh", [join(unpacked, "ops/systemd/install.sh")], { encoding: "utf8", env }).stdout;
    };
    assert.doesNotMatch(again(), /older/);
    mkdirSync(join(folder, "root-of-safe/opt/bellwire-1.2.2"));
    assert.match(again(), /\nAn older version is there: rm -r \S+\/opt\/bellwire-1\.2\.2, once/);
    const command = join(folder, "root-of-safe/usr/local/bin/bellwire");
    assert.equal(readlinkSync(command), "/opt/bellwire/ops/systemd/bellwire");
  });
});

/** The settings as systemd reads them, and what the command makes of each. */
const SETTINGS = `
# BELLWIRE_PORT=1
; BELLWIRE_PORT=2
BELLWIRE_PORT=7171
  BELLWIRE_PUBLIC_URL = "https://hooks.example.com/a b"  
BELLWIRE_BRAND_NAME=Bob's "best" $HOME \`id\` #1
BELLWIRE_API_KEY='a "key" of $ours=='
BELLWIRE_HOST=
no setting
2BELLWIRE_PORT=3
BELLWIRE_LOG_LEVEL=warn`;
const TAKEN = {
  BELLWIRE_DATA_DIR: "/var/lib/bellwire",
  BELLWIRE_PORT: "7171",
  BELLWIRE_PUBLIC_URL: "https://hooks.example.com/a b",
  BELLWIRE_BRAND_NAME: 'Bob\'s "best" $HOME `id` #1',
  BELLWIRE_API_KEY: 'a "key" of $ours==',
  BELLWIRE_HOST: "",
  BELLWIRE_LOG_LEVEL: "warn",
  BELLWIRE_EVENTS: "/etc/bellwire events",
};

describe("the command `bellwire` that it installs", { skip: skipsOtherUsers() }, () => {
  const folder = newFolder();
  const root = folder.path;
  const unit = join(root, "etc/systemd/system/bellwire.service");
  const settings = join(root, "etc/bellwire.env");
  const command = join(root, "opt/bellwire-1.2.3/ops/systemd/bellwire");
  after(() => folder[Symbol.dispose]());
  before(() => {
    chmodSync(root, 0o755);
    for (const path of ["opt/bellwire-1.2.3/ops/systemd", "opt/bellwire-1.2.3/bin", "etc/systemd/system"])
      mkdirSync(join(root, path), { recursive: true });
    cpSync(join(ROOT, "ops/systemd/bellwire"), command);
    // In place of the program: who it is, its own words, and its settings.
    writeFileSync(
      join(root, "opt/bellwire-1.2.3/bin/bellwire"),
      '#!/bin/sh\nid -un; umask; echo "$HOME"; echo "$@"; env | grep ^BELLWIRE_\n',
      { mode: 0o755 },
    );
    const text = readFileSync(join(ROOT, "ops/systemd/bellwire.service"), "utf8").replaceAll(
      "=bellwire\n",
      "=daemon\n",
    );
    writeFileSync(unit, text.replace("/etc/bellwire.env", settings));
    mkdirSync(`${unit}.d`);
    writeFileSync(
      join(`${unit}.d`, "override.conf"),
      '[Service]\nUser=nobody\nEnvironment="BELLWIRE_EVENTS=/etc/bellwire events" BELLWIRE_PORT=1\n',
    );
    writeFileSync(settings, SETTINGS, { mode: 0o600 });
  });

  function run(args: readonly string[], { env = {}, uid = 0 } = {}) {
    const whole = { PATH: process.env["PATH"] ?? "", ...env };
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: whole, uid });
    const [user, umask, home, words, ...lines] = stdout.split("\n");
    const taken = Object.fromEntries(lines.filter(Boolean).map((line) => line.split(/=(.*)/s, 2)));
    return { status, stderr, user, umask, home, words, taken };
  }

  const uidOf = (name: string): number => Number(execFileSync("id", ["-u", name]).toString());

  test("runs the program with the service's settings, as its user, and passes on its words", () => {
    const ran = run(["doctor", "--to", "a b"]);
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual([ran.user, ran.umask, ran.words], ["nobody", "0077", "doctor --to a b"]);
    assert.deepEqual(ran.taken, TAKEN);
    const [, home] = /^nobody:.*:(.*):.*$/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
    assert.equal(ran.home, home);
  });

  test("says in a sentence what is in the way, and runs nothing", () => {
    const nobody = uidOf("nobody");
    const refused = [
      [run(["doctor"], { uid: uidOf("daemon") }), "Run this as root (sudo bellwire doctor): it works as nobody,"],
      [run(["doctor"], { uid: nobody }), `Run this as root (sudo bellwire doctor): nobody may not read ${settings}`],
      [run(["restore"], { env: { BELLWIRE_DATA_DIR: "/drill" } }), "BELLWIRE_DATA_DIR is set, and this takes"],
    ] as const;
    for (const [{ status, stderr, user }, words] of refused) {
      assert.deepEqual([status, user], [1, ""]);
      assert.ok(stderr.startsWith(words), stderr);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    }
  });

  for (const line of ['A="two\nlines"', "A=back\\slash", "A='one' 'two'", 'A="a \\"quoted\\" word"', 'A="'])
    test(`refuses a setting that only systemd can read: ${JSON.stringify(line)}`, (t) => {
      writeFileSync(settings, line);
      t.after(() => writeFileSync(settings, SETTINGS));
      const { status, stderr, user } = run(["doctor"]);
      assert.deepEqual([status, user], [1, ""]);
      assert.match(stderr, /^\S+bellwire\.env sets A .*only systemd can read\.$/m);
    });

  test("explains itself to everybody", () => {
    assert.equal(run(["--help"], { uid: uidOf("daemon") }).words, "help");
  });
});

function skipsOtherUsers(): string | false {
  if (process.platform !== "linux") return "it is for systemd";
  return process.getuid?.() !== 0 && "only root can become the service's user";
}

interface Statement {
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly unknown[] } };
}
