/**
 * The shipped Compose file, started by Debian's podman-compose on networks of its own. No registry of images is asked:
 * `postgres` is PostgreSQL out of npm's package and `caddy` is Debian's Caddy, under the names that the file has.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Engine } from "./images.ts";
import { nativeFolder } from "./postgres.ts";

/** What Compose makes of the folder's name. */
const PROJECT = "bellwire";
const PROGRAMS = ["podman-compose", "iptables"];

/** `false` where a Compose file can be started, or else what a skipped test says. */
export const noCompose = (): string | false =>
  PROGRAMS.some((name) => spawnSync("which", [name]).status !== 0) &&
  `the Compose file is not tried: apt-get install ${PROGRAMS.join(" ")}`;

/** What the official image's own script does. */
const RUN_POSTGRES = `#!/bin/bash
set -e
data=/var/lib/postgresql/data
mkdir -p $data && chown -R postgres $data
as() { setpriv --reuid=999 --regid=999 --clear-groups "/native/bin/$@"; }
if [ ! -e $data/PG_VERSION ]; then
  as initdb --no-sync --locale=C --encoding=UTF8 --auth=scram-sha-256 -D $data -U $POSTGRES_USER \\
    --pwfile=$POSTGRES_PASSWORD_FILE
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "create database $POSTGRES_DB" | as postgres --single -D $data postgres
fi
exec setpriv --reuid=999 --regid=999 --clear-groups /native/bin/postgres -D $data \\
  -c listen_addresses='*' -c unix_socket_directories=
`;

const STAND_INS = {
  postgres: [
    "COPY native /native",
    "COPY run /run-postgres",
    "RUN echo 'postgres:x:999:999::/:/bin/sh' >> /etc/passwd",
    'ENTRYPOINT ["/run-postgres"]',
  ],
  caddy: [
    "COPY usr/bin/caddy /usr/bin/caddy",
    "ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data",
    'ENTRYPOINT ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ],
};

interface ComposeFile {
  readonly services: Record<string, { image: string; environment: Record<string, string>; healthcheck?: object }>;
}

export interface Composed extends AsyncDisposable {
  /** One of those that the guide's commands made. */
  secretOf(name: string): string;
  /** Where a container finds this machine. */
  readonly machine: string;
  compose(...args: string[]): Promise<string>;
  /** A service's address in the network that only the containers and this machine are in. */
  addressOf(service: string): Promise<string>;
  logOf(service: string): Promise<string>;
}

/** `script` makes the secrets; webhooks may go to this machine, where the tests' receivers are. */
export async function startComposed(
  engine: Engine,
  { root, base, script }: { readonly root: string; readonly base: string; readonly script: string },
): Promise<Composed> {
  const above = mkdtempSync(join(tmpdir(), "bellwire-compose-"));
  const folder = join(above, PROJECT);
  mkdirSync(folder);
  const file = parse(readFileSync(join(root, "compose.yaml"), "utf8"), { merge: true }) as ComposeFile;
  const compose = (...args: string[]) => engine.exec("podman-compose", args, folder);
  const outside = `${PROJECT}_outside`;
  await engine.exec("podman", ["network", "create", outside]);
  const machine = await engine.exec("podman", ["network", "inspect", "--format", GATEWAY, outside]);
  for (const [name, lines] of Object.entries(STAND_INS)) {
    const context = join(folder, "images", name);
    mkdirSync(context, { recursive: true });
    if (name === "postgres") {
      cpSync(nativeFolder(), join(context, "native"), { recursive: true, verbatimSymlinks: true });
      writeFileSync(join(context, "run"), RUN_POSTGRES, { mode: 0o755 });
    } else {
      await engine.exec("sh", ["-c", "apt-get download -q caddy && dpkg-deb --extract caddy_*.deb ."], context);
    }
    writeFileSync(join(context, "Dockerfile"), [`FROM ${base}`, ...lines].join("\n"));
    const { image = "" } = file.services[name] ?? {};
    await engine.build({ file: join(context, "Dockerfile"), context, tag: `docker.io/library/${image}` });
  }
  for (const [name, service] of Object.entries(file.services)) {
    // Podman leaves health checks to systemd, which no container of a build server has.
    delete service.healthcheck;
    if (name.startsWith("bellwire-")) service.environment["BELLWIRE_EGRESS_ALLOW"] = `${machine}/32`;
  }
  writeFileSync(join(folder, "compose.yaml"), stringify(file));
  cpSync(join(root, "ops/caddy"), join(folder, "ops/caddy"), { recursive: true });
  await engine.exec("sh", ["-euc", script], folder);
  await compose("--podman-run-args=--no-healthcheck", "up", "--detach");
  const container = (service: string): string => `${PROJECT}_${service}_1`;
  return {
    secretOf: (name) => readFileSync(join(folder, "secrets", name), "utf8").trim(),
    machine,
    compose,
    addressOf: (service) => engine.exec("podman", ["inspect", "--format", INSIDE_ADDRESS, container(service)]),
    logOf: (service) => engine.exec("sh", ["-c", `podman logs ${container(service)} 2>&1`]),
    async [Symbol.asyncDispose]() {
      await compose("down", "--volumes", "--timeout", "1");
      rmSync(above, { recursive: true, force: true });
    },
  };
}

const GATEWAY = "{{(index .Subnets 0).Gateway}}";

const INSIDE_ADDRESS = `{{(index .NetworkSettings.Networks "${PROJECT}_inside").IPAddress}}`;
