/**
 * What all files of a run share, started before the first one by `node --test --test-global-setup`: one PostgreSQL with
 * a database that holds the store's schema, for others to be copied from.
 */
import pg from "pg";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Cluster, SHARED_FOLDER, STORE_DATABASE, startCluster } from "./servers/postgres.ts";

let cluster: Cluster;

export async function globalSetup(): Promise<void> {
  cluster = await startCluster({ settings: ["max_connections=400"] });
  const root = cluster.toUrl("postgres");
  await cluster.query(root, `create database ${STORE_DATABASE} template template0`);
  const { store } = await openPostgresStore({ url: cluster.toUrl(STORE_DATABASE), clock: systemClock });
  await store[Symbol.asyncDispose]();
  // A copy of it is to begin as a new one.
  const client = new pg.Client({ connectionString: cluster.toUrl(STORE_DATABASE) });
  await client.connect();
  await client.query("delete from bellwire.settings");
  await client.end();
  // Nobody may have a session in a database that is copied.
  await cluster.query(root, `alter database ${STORE_DATABASE} allow_connections false`);
  process.env[SHARED_FOLDER] = new URL(root).searchParams.get("host") ?? "";
}

export async function globalTeardown(): Promise<void> {
  await cluster[Symbol.asyncDispose]();
}
