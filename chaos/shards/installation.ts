/** An installation with several shards: on schemas of one PostgreSQL, on two servers, or on a Citus that is given. */
import assert from "node:assert/strict";
import pg from "pg";
import { shards as shardsCommand } from "../../src/commands/shards.ts";
import { HOME_SCHEMA } from "../../src/store/postgres/connection/connections.ts";
import { setUpAccounts, type SetUp } from "../../test/kit/process/account.ts";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { findCitusServers, type Server } from "./servers.ts";

export interface PlacedShard {
  /** As the directory names it. */
  readonly name: string;
  readonly schema: string;
  readonly url: string;
  /** Whoever can ask it. */
  readonly cluster: Pick<Cluster, "query">;
}

export interface Installation extends AsyncDisposable {
  readonly place: string;
  /** `BELLWIRE_DATABASE`. */
  readonly database: string;
  /** Home first. */
  readonly servers: readonly [Server, ...Server[]];
  /** Home first. */
  readonly shards: readonly [PlacedShard, ...PlacedShard[]];
  readonly hasTriggers: boolean;
}

export type OpenInstallation = (setUp: SetUpAll) => Promise<Installation>;

/** The accounts that there are before shards are added: all of them begin at home. */
export interface SetUpAll extends Pick<SetUp, "dataDir" | "alerts" | "assistants"> {
  readonly accounts: readonly string[];
}

const SYNCED = { syncs: true, settings: ["max_connections=200"] };

export const onOneServer: OpenInstallation = async (setUp) => {
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await startCluster(SYNCED));
  const database = await cluster.createDatabase();
  await setUpAll(setUp, database);
  const home = { name: "0", schema: HOME_SCHEMA, url: database, cluster };
  const others = [];
  for (const schema of ["shard_1", "shard_2"]) {
    others.push({ ...home, name: await addShard(setUp.dataDir, { database, url: database, schema }), schema });
  }
  const open = opening.move();
  return {
    place: "one PostgreSQL with three schemas",
    database,
    servers: [cluster],
    shards: [home, ...others],
    hasTriggers: true,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
};

export const onTwoServers: OpenInstallation = async (setUp) => {
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await startCluster(SYNCED));
  const second = opening.use(await startCluster(SYNCED));
  const [database, url] = [await cluster.createDatabase(), await second.createDatabase()];
  await setUpAll(setUp, database);
  const home = { name: "0", schema: HOME_SCHEMA, url: database, cluster };
  const name = await addShard(setUp.dataDir, { database, url, schema: HOME_SCHEMA });
  const open = opening.move();
  return {
    place: "two servers",
    database,
    servers: [cluster, second],
    shards: [home, { name, schema: HOME_SCHEMA, url, cluster: second }],
    hasTriggers: true,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
};

/**
 * `database`: one of a coordinator, for its superuser, without a schema of ours. All of its servers are on this machine
 * and are killed: it is a Citus for this run alone. Schemas of shards are placed by Citus; home is on the coordinator.
 */
export const onCitus =
  (database: string): OpenInstallation =>
  async (setUp) => {
    const cluster = { query: queryOf };
    const servers = await findCitusServers(database);
    await setUpAll(setUp, database);
    const home = { name: "0", schema: HOME_SCHEMA, url: database, cluster };
    const others = [];
    for (const schema of ["shard_1", "shard_2"]) {
      others.push({ ...home, name: await addShard(setUp.dataDir, { database, url: database, schema }), schema });
    }
    const [placed] = await queryOf(database, "select count(1)::integer as count from citus_schemas");
    assert.equal(placed?.["count"], others.length, "schemas that Citus has placed");
    return {
      place: `Citus with ${servers.length - 1} workers, ${others.length} schemas on them and home`,
      database,
      servers,
      shards: [home, ...others],
      hasTriggers: false,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  };

/** A session each: a server may have died meanwhile. */
async function queryOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

const setUpAll = ({ accounts, ...each }: SetUpAll, database: string): Promise<void> =>
  setUpAccounts({ ...each, database }, accounts);

interface Added {
  readonly database: string;
  readonly url: string;
  readonly schema: string;
}

/** Returns its name. */
async function addShard(dataDir: string, { database, url, schema }: Added): Promise<string> {
  const [said = ""] = await runShards({ dataDir, database }, "add", url, "--schema", schema);
  return /^Shard (\d+) is there\./.exec(said)?.[1] ?? assert.fail(said);
}

/** `bellwire shards`, as an operator runs it where a node runs. Returns what it printed. */
export async function runShards(
  { dataDir, database }: { readonly dataDir: string; readonly database: string },
  ...args: string[]
): Promise<readonly string[]> {
  const { io, out, err } = createFakeIo(args, { BELLWIRE_DATA_DIR: dataDir, BELLWIRE_DATABASE: database });
  const code = await shardsCommand(io);
  assert.equal(code, 0, err.join("\n"));
  return out;
}
