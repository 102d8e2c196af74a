/**
 * The lines of docs/day-two.md, run where they are typed: each command finds the installation of the running service,
 * and what it writes is the service's. Where a line is not the right one, the command says so in a sentence.
 *
 * The service is the released program of another user, so only root can try it. systemd, Docker and Kubernetes are not
 * there: what they would set and start is taken from the unit, the Dockerfile and the manifest.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { layOutProgram } from "../tools/release/program.ts";
import { ROOT, SECRETS, read } from "./deployment.ts";
import { parseDockerfile, parseEnv } from "./dockerfile.ts";
import { type Folder, newFolder } from "./kit/folder.ts";
import { type Child, startChild } from "./kit/process/child.ts";
import { freePort } from "./kit/process/running.ts";
import { type SharedCluster, shareCluster } from "./kit/servers/postgres.ts";
import { soon } from "./kit/wait.ts";
import { plain, find, podOf } from "./chart-parts.ts";

const skip = process.getuid?.() === 0 ? false : "a service of another user needs root";
/** The user `nobody`, and its group. */
const [NOBODY, GROUP] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, "nobody"]).stdout.toString()));

/** Neither root nor the service's. */
const OTHER = 1;
/** In its place stands the folder of examples. */
const EVENTS = "EVENTS";

const COLUMNS = ["npm", "systemd", "Docker", "Kubernetes"] as const;
type Column = (typeof COLUMNS)[number];

/** What stands in front of the words that Bellwire itself gets. */
const PREFIXES: Readonly<Record<Column, RegExp>> = {
  npm: /^npx --no bellwire /,
  systemd: /^sudo bellwire /,
  Docker: /^docker (?:exec bellwire node bin\/bellwire\.js|run --rm --volumes-from bellwire bellwire:[\d.]+) /,
  Kubernetes: /^kubectl exec deploy\/bellwire -- node bin\/bellwire\.js /,
};

/** Of other programs, which are not here. */
const OTHERS =
  /^(?:journalctl|sudo systemctl|docker (?:logs|restart)|kubectl (?:logs|rollout|create)|its output|Ctrl-C|\[)/;

/** The page's table: the words behind the prefix, by column. */
function readLines(): Readonly<Record<Column, readonly (readonly string[])[]>> {
  const rows = read("docs/day-two.md")
    .split("\n")
    .filter((line) => /^\| [A-Z]/.test(line))
    .map((line) => line.split("|").slice(2, -1));
  assert.equal(rows.length, 10);
  const entries = COLUMNS.map((column, index) => {
    const cells = rows.map((cellsOf) => (cellsOf[index] ?? "").trim().replaceAll("`", ""));
    const [own, others] = [
      cells.filter((cell) => PREFIXES[column].test(cell)),
      cells.filter((cell) => OTHERS.test(cell)),
    ];
    assert.equal(own.length + others.length, rows.length, `${column}: ${cells.join("\n")}`);
    return [column, own.map((cell) => cell.replace(PREFIXES[column], "").split(" "))] as const;
  });
  return Object.fromEntries(entries) as Record<Column, string[][]>;
}

/** Commands that need an installation, and what they say of a folder that has none. */
const LOST: readonly (readonly [words: readonly string[], message: string])[] = [
  [
    ["doctor"],
    "No service has started here yet; one could. If your service is another one, run this with its settings",
  ],
  [["dashboard-link"], "There is no intake key: ./data/intake-key cannot be read (ENOENT)."],
  [["sessions"], "There is no intake key: ./data/intake-key cannot be read (ENOENT)."],
  [["erase", "--email", "jane@example.com"], "There is no intake key: ./data/intake-key cannot be read (ENOENT)."],
  [["send"], "There is no intake key: ./data/intake-key cannot be read (ENOENT)."],
  [["backup", "--to", "copy.db"], "No backup: there is no database ./data/bellwire.db. If your service is another one"],
  [
    ["migrate-to", "postgres://127.0.0.1:1/x"],
    "There is no database ./data/bellwire.db. If your service is another one",
  ],
  [["shards"], "BELLWIRE_DATABASE names a SQLite database, which is one shard."],
  [
    ["notify-test"],
    "BELLWIRE_OPERATOR_WEBHOOK_URL is not set here: there is nobody to tell. If your service is another",
  ],
  [["events", "check", EVENTS], "Compared with nothing: there is no database ./data/bellwire.db (BELLWIRE_DATABASE"],
];

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** One way of installing, with the service that runs there. */
interface Installation {
  /** Its data folder. */
  readonly data: string;
  /** The page's paths, and what they are here. */
  readonly places: Readonly<Record<string, string>>;
  readonly service: Child;
  readonly port: string;
  /** As the page's line does it; as root, unless `uid` says otherwise. */
  run(words: readonly string[], uid?: number): Ran;
  /** The program by itself, with the service's settings. */
  program(words: readonly string[], uid: number): Ran;
}

describe("the commands of day two", { skip, timeout: 600_000 }, () => {
  const lines = readLines();
  let folder: Folder;
  let app: string;
  let cluster: SharedCluster;

  before(async () => {
    folder = newFolder();
    chmodSync(folder.path, 0o755);
    app = join(folder.path, "app");
    await layOutProgram(app, 1_700_000_000);
    cpSync(join(ROOT, "examples/events"), join(folder.path, EVENTS), { recursive: true });
    cluster = await shareCluster();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  /** A folder of the service's user. */
  function makeFolder(...names: string[]): string {
    const path = join(folder.path, ...names);
    mkdirSync(path, { recursive: true, mode: 0o755 });
    chownSync(path, NOBODY ?? 0, GROUP ?? 0);
    return path;
  }

  /** The service, and the program's commands beside it with these settings. */
  async function install(options: {
    readonly cwd: string;
    readonly data: string;
    readonly env: Readonly<Record<string, string>>;
    readonly places: Readonly<Record<string, string>>;
    readonly run?: Installation["run"];
  }): Promise<Installation> {
    const { cwd, data, places } = options;
    const env = { ...options.env, BELLWIRE_PORT: String(await freePort()) };
    const program = join(app, "bin", "bellwire.js");
    const service = startChild({ args: [program, "serve"], cwd, env, uid: NOBODY ?? 0, gid: GROUP ?? 0 });
    await service.err.match(/^ {2}First account/);
    const runs = (words: readonly string[], uid = 0): Ran =>
      runProgram(process.execPath, [program, ...words], { cwd, uid, env });
    return { data, places, service, port: env.BELLWIRE_PORT, run: options.run ?? runs, program: runs };
  }

  function runProgram(
    file: string,
    args: readonly string[],
    { cwd, uid, env }: { readonly cwd: string; readonly uid: number; readonly env: Readonly<Record<string, string>> },
  ): Ran {
    const user = { uid, gid: uid === 0 ? 0 : (GROUP ?? 0) };
    const whole = { PATH: process.env["PATH"] ?? "", ...env };
    const words = args.map((word) => (word === EVENTS ? join(folder.path, EVENTS) : word));
    const { status, stdout, stderr } = spawnSync(file, words, { cwd, env: whole, encoding: "utf8", ...user });
    return { code: status, out: stdout, err: stderr };
  }

  const byNpm = async (): Promise<Installation> => {
    const cwd = makeFolder("checkout");
    makeFolder("checkout", "backups");
    return await install({ cwd, data: join(cwd, "data"), env: {}, places: { "backups/": "backups/" } });
  };

  const inDocker = async (): Promise<Installation> => {
    const data = makeFolder("volume");
    const env = { ...imageEnv(), BELLWIRE_DATA_DIR: data, SQLITE_TMPDIR: data };
    return await install({ cwd: app, data, env, places: { "/data": data } });
  };

  const inKubernetes = async (): Promise<Installation> => {
    const data = makeFolder("pod");
    const secrets = makeFolder("secrets");
    const values = { ...SECRETS, database: await cluster.createDatabase() };
    for (const [name, text] of Object.entries(values)) writeFileSync(join(secrets, name), text, { mode: 0o444 });
    const [node] = podOf(find(plain, "Deployment")).containers;
    const given = node.env.map(({ name, value }) => [name, value.replace("/run/secrets/bellwire", secrets)]);
    const env = { ...imageEnv(), ...Object.fromEntries(given), BELLWIRE_DATA_DIR: data };
    return await install({ cwd: app, data, env, places: {} });
  };

  const imageEnv = (): Record<string, string> => {
    const program = parseDockerfile(read("Dockerfile")).find(({ image }) => image === "scratch");
    assert.ok(program);
    const { PATH: _path, NODE_COMPILE_CACHE: _cache, ...env } = parseEnv(program);
    return env;
  };

  /** By install.sh into a folder in place of the root, whose unit then names that folder's places and another user. */
  const bySystemd = async (): Promise<Installation> => {
    const root = join(folder.path, "root");
    const unpacked = join(folder.path, "unpacked");
    cpSync(app, unpacked, { recursive: true });
    symlinkSync(process.execPath, join(unpacked, "bin", "node"));
    const ran = spawnSync(join(unpacked, "ops/systemd/install.sh"), {
      env: { ...process.env, DESTDIR: root },
      encoding: "utf8",
    });
    assert.equal(ran.status, 0, ran.stderr);
    const unit = join(root, "etc/systemd/system/bellwire.service");
    const here = (text: string): string => text.replaceAll(/\/(?=(?:var|etc)\/)/g, `${root}/`);
    writeFileSync(unit, here(readFileSync(unit, "utf8")).replaceAll("=bellwire\n", "=nobody\n"));
    const data = makeFolder("root", "var", "lib", "bellwire");
    chmodSync(data, 0o700);
    makeFolder("root", "var", "lib", "bellwire-backups");
    const places = { "/var/lib/": `${root}/var/lib/` };
    const command = join(root, "opt/bellwire/ops/systemd/bellwire");
    const run = (words: readonly string[], uid = 0): Ran => runProgram(command, words, { cwd: root, uid, env: {} });
    const installed = await install({ cwd: root, data, env: { BELLWIRE_DATA_DIR: data }, places, run });
    const settings = join(root, "etc/bellwire.env");
    writeFileSync(settings, `${readFileSync(settings, "utf8")}\n; the port\n BELLWIRE_PORT = "${installed.port}" \n`);
    chmodSync(settings, 0o600);
    return installed;
  };

  const WAYS: Readonly<Record<Column, () => Promise<Installation>>> = {
    npm: byNpm,
    systemd: bySystemd,
    Docker: inDocker,
    Kubernetes: inKubernetes,
  };

  for (const column of COLUMNS) {
    describe(column, () => {
      let at: Installation;
      before(async () => {
        at = await WAYS[column]();
      });
      after(() => at?.service[Symbol.asyncDispose]());

      const localize = (word: string): string =>
        Object.entries(at.places)
          .reduce((text, [from, to]) => (text.startsWith(from) ? to + text.slice(from.length) : text), word)
          .replace("FILE", () => basename(listCopies(at)[0] ?? "none"));

      for (const words of lines[column].filter(([name]) => name !== "restore")) {
        for (const uid of [NOBODY ?? 0, 0]) {
          test(`${words.join(" ")}, as ${uid === 0 ? "root" : "the service's user"}`, () => {
            // They are named after the second.
            if (words[0] === "backup") for (const copy of listCopies(at)) rmSync(copy);
            const ran = at.run(words.map(localize), uid);
            if (column === "systemd" && uid !== 0) return assertOneSentence(ran, /^Run this as root \(sudo bellwire /);
            assert.equal(ran.code, 0, ran.out + ran.err);
            if (words[0] === "doctor") {
              assert.match(ran.out, new RegExp(`^Installation: data folder ${at.data}, database `));
              assert.match(ran.out, new RegExp(`^✓ Port ${at.port} of .* is used by a running Bellwire`, "m"));
              assert.match(ran.out, /\n\nBellwire can run here\.\n$/);
            }
            assertOwned(at);
          });
        }
      }

      if (column === "Kubernetes") return;
      test("another user is told whose the installation is, and makes nothing of his own in it", () => {
        for (const words of [["backup", "--to", "copy.db"], ["sessions"], ["restore", "--from", "copy.db"]]) {
          const { code, err } = at.program(words, OTHER);
          assert.equal(code, 1, err);
          assert.match(
            err,
            new RegExp(`This is uid ${OTHER}, and ${at.data}.* is of uid ${NOBODY}, mode 0[67]00: run it as`),
          );
          assert.equal(err.trimEnd().split("\n").length, 1, err);
        }
        for (const words of [["doctor"], ["events", "check", EVENTS]]) {
          const { code, out, err } = at.program(words, OTHER);
          assert.equal(code, 1, out + err);
          assert.match(out + err, /bellwire\.db is closed to this user/);
          assert.doesNotMatch(out + err, /not there yet|The first start makes|there is no database/);
        }
        assertOwned(at);
      });

      test("after a backup by hand as root the timer's goes on, removes old copies, and its age is told", async () => {
        const copies = makeFolder("copies", column);
        for (const year of [2020, 2021]) writeFileSync(join(copies, `bellwire-${year}0101T000000Z.db`), "");
        const byHand = at.program(["backup", "--to", join(copies, "by-hand.db")], 0);
        assert.equal(byHand.code, 0, byHand.err);
        assert.equal(lstatSync(join(copies, "by-hand.db")).uid, NOBODY);
        assertOwned(at);
        // As 1.0.0 left it.
        const note = join(at.data, "bellwire.db.last-backup");
        rmSync(note);
        writeFileSync(note, "2020-01-01T00:00:00.000Z\n", { mode: 0o600 });
        const timer = at.program(["backup", "--into", copies, "--keep", "1"], NOBODY ?? 0);
        assert.equal(timer.code, 0, timer.err);
        assert.deepEqual(
          readdirSync(copies).filter((name) => /^bellwire-202[01]/.test(name)),
          [],
        );
        assert.equal(readdirSync(copies).length, 2);
        assertOwned(at);
        const metrics = await (await fetch(`http://127.0.0.1:${at.port}/metrics`)).text();
        assert.ok(Number(/^bellwire_backup_age_seconds (\S+)$/m.exec(metrics)?.[1]) < 600, "its age is told");
      });

      test("the service's log has no key of it", () => {
        const key = readFileSync(join(at.data, "intake-key"), "utf8").trim();
        assert.ok(!`${at.service.out.text}${at.service.err.text}`.includes(key));
      });

      test("a restore by root, while the service is stopped, leaves a database that the service opens", async () => {
        for (const copy of listCopies(at)) rmSync(copy);
        const [backup = [], restore = []] = ["backup", "restore"].map((verb) =>
          lines[column].find(([name]) => name === verb),
        );
        at.run(backup.map(localize));
        at.service.kill("SIGTERM");
        await soon(at.service.exited, "the service's end");
        const ran = at.run(restore.map(localize));
        assert.equal(ran.code, 0, ran.err);
        assertOwned(at);
        const doctor = at.program(["doctor"], NOBODY ?? 0);
        assert.match(doctor.out, /^✓ The database .* opens and takes a write/m);
      });
    });
  }

  describe("in a folder where no service was started", () => {
    for (const [words, message] of LOST) {
      for (const uid of [0, NOBODY ?? 0]) {
        test(`${words.join(" ")}, as uid ${uid}, says so and makes nothing`, () => {
          const cwd = makeFolder("empty");
          const ran = runProgram(process.execPath, [join(app, "bin", "bellwire.js"), ...words], { cwd, uid, env: {} });
          assert.equal(ran.code, words[0] === "doctor" || words[0] === "events" ? 0 : 1, ran.out + ran.err);
          assert.ok((ran.out + ran.err).includes(message.replace("./", `${cwd}/`)), ran.out + ran.err);
          assert.doesNotMatch(ran.out + ran.err, /can run here|\n\s+at /);
          assert.deepEqual(readdirSync(cwd), []);
        });
      }
    }
  });

  /** Copies that `backup --into` has made. */
  function listCopies({ data }: Installation): string[] {
    const folders = [data, join(data, "..", "backups"), join(data, "..", "bellwire-backups")];
    return folders
      .filter((path) => existsSync(path))
      .flatMap((path) => readdirSync(path).map((name) => join(path, name)))
      .filter((path) => /bellwire-[^/]*Z\.db$/.test(path));
  }
});

function assertOneSentence({ code, out, err }: Ran, words: RegExp): void {
  assert.deepEqual([code, out], [1, ""], err);
  assert.match(err, words);
  assert.equal(err.trimEnd().split("\n").length, 1, err);
}

/** Everything in the data folder is the service's, and closed to others. */
function assertOwned({ data }: Installation): void {
  for (const name of readdirSync(data)) {
    const { uid, mode } = lstatSync(join(data, name));
    assert.deepEqual([name, uid, (mode & 0o777).toString(8)], [name, NOBODY, "600"]);
  }
}
