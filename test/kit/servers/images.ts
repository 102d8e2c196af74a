/**
 * Images, built and run for a test by Podman, from nothing but packages: no registry of images is asked. The base that
 * the Dockerfile names is made here: Debian's smallest system by debootstrap, with the Node that npm brings and npm.
 * Needs root and Debian's packages; `NO_IMAGES` says what is missing.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { appendFileSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { type Child, startChild } from "../process/child.ts";
import { installForBuild } from "../process/debian-packages.ts";

const PROGRAMS = ["podman", "buildah", "runc", "debootstrap"];
const PACKAGES = [...PROGRAMS, "catatonit", "netavark", "aardvark-dns", "iptables", "podman-compose"];
const execute = promisify(execFile);
/** Whatever hangs ends the test, not the build server's patience. */
const EXEC_MS_MAX = 300_000;
const PULL_MS_MAX = 60_000;
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** `false` where images can be built, or else what a skipped test says. */
export const NO_IMAGES: string | false = findMissing();

export interface BuildParams {
  readonly file: string;
  readonly tag: string;
  /** The repository, unless given. */
  readonly context?: string;
  readonly args?: Readonly<Record<string, string>>;
}

export interface RunParams {
  readonly tag: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: readonly string[];
}

export interface Engine extends Disposable {
  /** Where the base came from. */
  readonly baseFrom: "a registry" | "Debian's packages";
  /** Rejects with the engine's words. */
  build(params: BuildParams): Promise<void>;
  /** Any program with the engine's settings; gives what it prints. */
  exec(program: string, args: readonly string[], cwd?: string): Promise<string>;
  /** On the machine's own network, with a read-only root, no capability, and 512 MB. */
  run(params: RunParams): Child;
  /** Runs another program of the image and gives what it prints. */
  output(tag: string, program: readonly string[]): string;
  /** SIGKILL to what runs in the container that `--name` names. */
  kill(name: string): void;
  bytesOf(tag: string): number;
  labelsOf(tag: string): Readonly<Record<string, string>>;
}

/** Makes the base under the name that the Dockerfile asks for, unless a registry that may be asked has it. */
export function openEngine(root: string, base: string, { asksRegistry = false } = {}): Engine {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-images-"));
  const env = { ...process.env, ...writeSettings(folder) };
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const exec = async (program: string, args: readonly string[], cwd = root): Promise<string> =>
    (await execute(program, [...args], { env, cwd, timeout: EXEC_MS_MAX, maxBuffer: 2 ** 26 })).stdout.trim();
  const fullName = `docker.io/library/${base}`;
  const isPulled =
    asksRegistry && spawnSync("podman", ["pull", "--quiet", fullName], { env, timeout: PULL_MS_MAX }).status === 0;
  const engine: Engine = {
    baseFrom: isPulled ? "a registry" : "Debian's packages",
    exec,
    build: async ({ file, tag, context = root, args = {} }) => {
      const values = Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
      const mounts = [
        `${folder}/npmrc:/root/.npmrc:ro`,
        `${CERTIFICATES}:${CERTIFICATES}:ro`,
        `${npmCache()}:/root/.npm`,
      ];
      const flags = ["--isolation=chroot", "--network=host", "--pull=never", "--format=docker", "--quiet"];
      const volumes = mounts.flatMap((mount) => ["--volume", mount]);
      await exec("podman", ["build", ...flags, ...volumes, ...values, "--tag", tag, "--file", file, context]);
    },
    run: ({ tag, args = [], env: given = {}, options = [] }) => {
      const settings = Object.entries(given).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
      const command = ["run", ...LIMITS, ...options, ...settings, tag, ...args];
      return startChild({ node: "podman", args: command, env: env as Record<string, string> });
    },
    output: (tag, [program = "", ...args]) => run("podman", ["run", ...LIMITS, "--entrypoint", program, tag, ...args]),
    kill: (name) => void run("podman", ["kill", "--signal=KILL", name]),
    bytesOf: (tag) => Number(run("podman", ["image", "inspect", "--format", "{{.Size}}", tag])),
    labelsOf(tag) {
      const labels = JSON.parse(run("podman", ["image", "inspect", "--format", "{{json .Labels}}", tag])) as Record<
        string,
        string
      >;
      // The builder's own name and version.
      return Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith("io.buildah")));
    },
    [Symbol.dispose]() {
      spawnSync("podman", ["system", "reset", "--force"], { env });
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    if (!isPulled) makeBase(folder, { base, run });
  } catch (error) {
    engine[Symbol.dispose]();
    throw error;
  }
  return engine;
}

/** Podman would ask systemd for health checks. */
const LIMITS = [
  "--rm",
  "--no-healthcheck",
  "--network=host",
  "--read-only",
  "--cap-drop=all",
  "--security-opt=no-new-privileges",
  "--memory=512m",
];

/** Podman's own settings, apart from the machine's, so that nothing of it is seen or left behind. */
function writeSettings(folder: string): Record<string, string> {
  const containers = [
    "[containers]",
    // Its own limits are higher than some machines allow.
    'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]',
    "[network]",
    'network_backend = "netavark"',
    `network_config_dir = "${folder}/networks"`,
    "[engine]",
    'runtime = "runc"',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "none"',
  ];
  const storage = ["[storage]", 'driver = "overlay"', `graphroot = "${folder}/graph"`, `runroot = "${folder}/run"`];
  const files = {
    CONTAINERS_CONF: join(folder, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(folder, "storage.conf"),
  };
  writeFileSync(files.CONTAINERS_CONF, containers.join("\n"));
  writeFileSync(files.CONTAINERS_STORAGE_CONF, storage.join("\n"));
  const own = join(homedir(), ".npmrc");
  const npmrc = existsSync(own) ? readFileSync(own, "utf8") : "";
  writeFileSync(join(folder, "npmrc"), `${npmrc}\ncafile=${CERTIFICATES}\nprefer-offline=true\n`);
  return files;
}

function makeBase(
  folder: string,
  { base, run }: { base: string; run: (program: string, args: string[]) => string },
): void {
  const system = join(folder, "system");
  mkdirSync(system);
  execFileSync("tar", ["-xf", systemArchive(base, run), "-C", system]);
  const npm = join(system, "usr/local/lib/node_modules/npm");
  copyFileSync(process.execPath, join(system, "usr/local/bin/node"));
  mkdirSync(dirname(npm), { recursive: true });
  // …/npm/bin/npm-cli.js, wherever this machine has it.
  cpSync(dirname(dirname(realpathSync(run("which", ["npm"])))), npm, { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(system, "usr/local/bin/npm"));
  appendFileSync(join(system, "etc/passwd"), "node:x:1000:1000::/:/bin/sh\n");
  const container = run("buildah", ["from", "scratch"]);
  run("buildah", ["add", "--quiet", container, system, "/"]);
  run("buildah", ["config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container]);
  run("buildah", ["commit", "--quiet", container, `docker.io/library/${base}`]);
  run("buildah", ["rm", container]);
  rmSync(system, { recursive: true, force: true });
}

/** Debian's smallest system as an archive, made once for all runs: half a minute. */
function systemArchive(base: string, run: (program: string, args: string[]) => string): string {
  const [, release = ""] = /-(\w+)$/.exec(base) ?? [];
  const archive = join(TOOLS_CACHE, `debian-${release}-binutils.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(TOOLS_CACHE, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "bellwire-debian-"));
  try {
    const mirror = run("apt-get", ["indextargets", "--format", "$(REPO_URI)"]).split("\n")[0] ?? "";
    run("debootstrap", ["--variant=minbase", "--include=libatomic1,ca-certificates,binutils", release, folder, mirror]);
    run("tar", ["-cf", `${archive}.part`, "--exclude=./var/cache/apt/archives/*.deb", "-C", folder, "."]);
    run("mv", [`${archive}.part`, archive]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return archive;
}

const npmCache = (): string => process.env["npm_config_cache"] ?? join(homedir(), ".npm");

function findMissing(): string | false {
  const isMissing = (): boolean => PROGRAMS.some((name) => spawnSync("which", [name]).status !== 0);
  if (process.getuid?.() !== 0) return "building images takes root here";
  if (!existsSync("/usr/bin/apt-get")) return "building images takes Debian's packages";
  if (isMissing()) installForBuild(PACKAGES);
  return isMissing() && `there is no ${PROGRAMS.join(", ")}: apt-get install ${PACKAGES.join(" ")}`;
}
