/**
 * Images, built and run for a test by Podman, from nothing but packages: no registry of images is asked. The base that
 * the Dockerfile names is made here: Debian's smallest system by debootstrap, with the Node that npm brings and npm.
 * Needs root and Debian's packages; `NO_IMAGES` says what is missing.
 */
import { execFileSync, spawnSync } from "node:child_process";
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
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { type Child, startChild } from "../process/child.ts";

const PROGRAMS = ["podman", "buildah", "runc", "debootstrap"];
const PACKAGES = [...PROGRAMS, "catatonit", "netavark", "aardvark-dns"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** `false` where images can be built, or else what a skipped test says. */
export const NO_IMAGES: string | false = findMissing();

export interface BuildParams {
  readonly file: string;
  readonly tag: string;
  readonly args?: Readonly<Record<string, string>>;
}

export interface RunParams {
  readonly tag: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: readonly string[];
}

export interface Engine extends Disposable {
  /** Builds from the repository. Throws with the engine's words. */
  build(params: BuildParams): void;
  /** On the machine's own network, with a read-only root, no capability, and 512 MB. */
  run(params: RunParams): Child;
  /** Runs another program of the image and gives what it prints. */
  output(tag: string, program: readonly string[]): string;
  /** SIGKILL to what runs in the container that `--name` names. */
  kill(name: string): void;
  bytesOf(tag: string): number;
  labelsOf(tag: string): Readonly<Record<string, string>>;
}

/** Makes the base under the name that the Dockerfile asks for. */
export function openEngine(root: string, base: string): Engine {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-images-"));
  const env = { ...process.env, ...writeSettings(folder) };
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const engine: Engine = {
    build: ({ file, tag, args = {} }) => {
      const values = Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
      const mounts = [
        `${folder}/npmrc:/root/.npmrc:ro`,
        `${CERTIFICATES}:${CERTIFICATES}:ro`,
        `${npmCache()}:/root/.npm`,
      ];
      const flags = ["--isolation=chroot", "--network=host", "--pull=never", "--format=docker", "--quiet"];
      const volumes = mounts.flatMap((mount) => ["--volume", mount]);
      run("podman", ["build", ...flags, ...volumes, ...values, "--tag", tag, "--file", join(root, file), root]);
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
    makeBase(folder, { base, run });
  } catch (error) {
    engine[Symbol.dispose]();
    throw error;
  }
  return engine;
}

/** Podman would ask systemd for health checks, and set limits that are higher than some machines allow. */
const LIMITS = [
  "--rm",
  "--no-healthcheck",
  "--network=host",
  "--read-only",
  "--cap-drop=all",
  "--security-opt=no-new-privileges",
  "--memory=512m",
  "--ulimit=nofile=4096:4096",
  "--ulimit=nproc=4096:4096",
];

/** Podman's own settings, apart from the machine's, so that nothing of it is seen or left behind. */
function writeSettings(folder: string): Record<string, string> {
  const containers = [
    "[containers]",
    'netns = "host"',
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

/** As with PgBouncer: only a machine that says it is there for builds gets packages. */
function findMissing(): string | false {
  const isMissing = (): boolean => PROGRAMS.some((name) => spawnSync("which", [name]).status !== 0);
  if (process.getuid?.() !== 0) return "building images takes root here";
  if (!existsSync("/usr/bin/apt-get")) return "building images takes Debian's packages";
  if (isMissing() && process.env["CI"] === "true") {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const options = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
    spawnSync("apt-get", ["update", "-q"], { env, timeout: 90_000 });
    spawnSync("apt-get", ["install", ...options, ...PACKAGES], { env, timeout: 180_000 });
  }
  return isMissing() && `there is no ${PROGRAMS.join(", ")}: apt-get install ${PACKAGES.join(" ")}`;
}
