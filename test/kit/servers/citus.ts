/**
 * A Citus that stands already, for tests: `BELLWIRE_TEST_CITUS=postgres://…` names a database on its coordinator.
 * Without it the tests that need one are passed over, and say so. Each test gets databases of its own there, on the
 * coordinator and on each worker, which are dropped at its end.
 */
import pg from "pg";
import { systemClock } from "../../../src/lib/clock.ts";
import { openDistribution } from "../../../src/store/postgres/citus/open.ts";
import { eventually } from "../wait.ts";
import type { Cluster } from "./postgres.ts";
import { untilEmptied } from "./until-emptied.ts";

export const CITUS: string | null = process.env["BELLWIRE_TEST_CITUS"] ?? null;

/** For `node:test`: why such a test is passed over. */
export const withoutCitus: string | false =
  CITUS === null ? "BELLWIRE_TEST_CITUS names no Citus: this was not tried on one" : false;

export interface CitusCluster extends Pick<Cluster, "createDatabase" | "query" | "emptyStore">, AsyncDisposable {
  /** The coordinator first. */
  listServers(): Promise<CitusServer[]>;
}

export function openCitus(): CitusCluster {
  const made: string[] = [];
  const sessions = new Map<string, pg.Client>();

  async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const known = sessions.get(url);
    if (known !== undefined) return (await known.query<Record<string, unknown>>(sql)).rows;
    const session = await openSession(url);
    // A worker that was killed: the next question opens another.
    session.once("end", () => sessions.delete(url));
    sessions.set(url, session);
    return (await session.query<Record<string, unknown>>(sql)).rows;
  }

  /** What Citus had begun there may still be ending. */
  async function drop(url: string, name: string): Promise<void> {
    const isDropped = () =>
      query(url, `drop database if exists ${name} (force)`).then(
        () => true,
        () => false,
      );
    await eventually(`the database ${name} to be dropped`, isDropped, DROPPED_MS_MAX);
  }

  return {
    query,
    listServers: () => listNodes(query),
    async createDatabase() {
      const name = `test_${process.pid}_${made.length + 1}`;
      made.push(name);
      const nodes = await listNodes(query);
      for (const { url } of nodes) {
        await query(url, `create database ${name}`);
        await query(inDatabase(url, name), "create extension citus");
      }
      const [coordinator, ...workers] = nodes;
      const url = inDatabase(coordinator?.url ?? "", name);
      await query(url, `select citus_set_coordinator_host('${coordinator?.host}', ${coordinator?.port})`);
      for (const { host, port } of workers) await query(url, `select citus_add_node('${host}', ${port})`);
      return url;
    },
    emptyStore: (url) => untilEmptied(() => query(url, EMPTY_STORE)),
    async [Symbol.asyncDispose]() {
      const nodes = made.length === 0 ? [] : await listNodes(query);
      for (const { url } of nodes) for (const name of made) await drop(url, name);
      await Promise.allSettled([...sessions.values()].map((session) => session.end()));
    },
  };
}

interface CitusServer {
  readonly host: string;
  readonly port: number;
  /** The same database as the variable names, there. */
  readonly url: string;
}

/** The coordinator first. All are reached as the same user, with the same password. */
async function listNodes(query: CitusCluster["query"]): Promise<CitusServer[]> {
  if (CITUS === null) throw new Error(String(withoutCitus));
  const rows = await query(CITUS, LIST_NODES);
  return rows.map(({ host, port }) => {
    const url = new URL(CITUS ?? "");
    url.hostname = String(host);
    url.port = String(port);
    return { host: String(host), port: Number(port), url: url.href };
  });
}

/** A fresh database's tables, while nothing runs on it. */
export async function distributeAtOnce(database: string): Promise<void> {
  await using distribution = await openDistribution(database, systemClock);
  await distribution.run({ isOnline: false, tell: () => {}, isStopping: () => false });
}

export function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function openSession(url: string): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url });
  session.on("error", () => {});
  await session.connect();
  return session;
}

const DROPPED_MS_MAX = 60_000;

const LIST_NODES = `
  select nodename as host, nodeport as port
  from pg_dist_node
  where isactive and noderole = 'primary'
  order by groupid`;

/** Partitions are emptied with their parents. */
const EMPTY_STORE = `
  do $$
  declare
    name text;
  begin
    for name in
      select relname from pg_class
      where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'schema_migrations'
    loop
      execute format('delete from bellwire.%I', name);
    end loop;
  end $$`;
