/** The databases that are compared: one plain server, two of them, a Citus. */
import pg from "pg";
import { HOME_SCHEMA } from "../../src/store/postgres/connection/connections.ts";
import { cpuSecondsOfFamily } from "../conditions.ts";
import { cpuOfServer, describeServer, startServer } from "../postgres-server.ts";

export interface Databases extends AsyncDisposable {
  readonly name: string;
  /** `BELLWIRE_DATABASE`. */
  readonly home: string;
  /** Accounts stay in the home shard too. */
  readonly isHomeUsed: boolean;
  /** Those beside the home shard. */
  readonly shards: readonly { readonly address: string; readonly schema: string }[];
  readonly conditions: readonly string[];
  /** Of all servers so far. */
  readonly cpuSeconds: () => number;
}

export async function startOne(): Promise<Databases> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startServer());
  const started = stack.move();
  return {
    name: "one plain",
    home: await cluster.createDatabase(),
    isHomeUsed: true,
    shards: [],
    conditions: await describeServer(cluster),
    cpuSeconds: await cpuOfServer(cluster),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export async function startTwo(): Promise<Databases> {
  await using stack = new AsyncDisposableStack();
  const clusters = [stack.use(await startServer()), stack.use(await startServer())] as const;
  const [first, second] = clusters;
  const cpus = await Promise.all(clusters.map(cpuOfServer));
  const started = stack.move();
  return {
    name: "two plain",
    home: await first.createDatabase(),
    isHomeUsed: true,
    shards: [{ address: await second.createDatabase(), schema: HOME_SCHEMA }],
    conditions: ["each as the one"],
    cpuSeconds: () => cpus.reduce((sum, cpu) => sum + cpu(), 0),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A shard for each of its workers. */
export async function startCitus(address: string): Promise<Databases> {
  const coordinator = await connect(address);
  const { rows: nodes } = await coordinator.query<CitusNode>(LIST_NODES);
  const workers = nodes.filter(({ isWorker }) => isWorker);
  const schemas = workers.map((_, place) => `bench_${place + 1}`);
  const [about] = (await coordinator.query<{ version: string; citus: string; fsync: string }>(DESCRIBE)).rows;
  const pids = await Promise.all(nodes.map((node) => findPostmaster(address, node)));
  const versions = `${about?.citus}, PostgreSQL ${about?.version}, fsync = ${about?.fsync}`;
  return {
    name: "Citus",
    home: address,
    isHomeUsed: false,
    shards: schemas.map((schema) => ({ address, schema })),
    conditions: [`${versions}, coordinator and ${workers.length} workers`],
    cpuSeconds: () => pids.reduce((sum, pid) => sum + cpuSecondsOfFamily(pid), 0),
    async [Symbol.asyncDispose]() {
      const made = [...schemas, HOME_SCHEMA];
      for (const schema of made) await coordinator.query(`drop schema if exists ${schema} cascade`);
      await coordinator.end();
    },
  };
}

interface CitusNode {
  readonly host: string;
  readonly port: number;
  readonly isWorker: boolean;
}

const LIST_NODES = `
  select nodename as host, nodeport as port, groupid > 0 as "isWorker"
  from pg_dist_node
  where noderole = 'primary'
  order by groupid`;

const DESCRIBE = `
  select current_setting('server_version') as version, split_part(citus_version(), ' on ', 1) as citus,
    current_setting('fsync') as fsync`;

async function findPostmaster(address: string, { host, port }: CitusNode): Promise<number> {
  const url = new URL(address);
  url.hostname = host;
  url.port = String(port);
  const client = await connect(url.href);
  const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  await client.end();
  return Number(rows[0]?.text.split("\n")[0]);
}

async function connect(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return client;
}
