/** A store whose accounts lie in four schemas of one database, each in another one than the account before. */
import { systemClock } from "../../../src/lib/clock.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import type { SharedCluster } from "./postgres.ts";

const SCHEMAS = ["shard_1", "shard_2", "shard_3"];

/** Empty, also of what a store before this one has left. The caller ends it. */
export async function openInShards(cluster: SharedCluster, url: string): Promise<Store> {
  const open = async (): Promise<Store> => (await openPostgresStore({ url, clock: systemClock })).store;
  if (!PREPARED.has(url)) await prepare(cluster, url, open);
  for (const schema of [...SCHEMAS, "bellwire"]) await cluster.emptyStore(url, schema);
  return await open();
}

const PREPARED = new Set<string>();

async function prepare(cluster: SharedCluster, url: string, open: () => Promise<Store>): Promise<void> {
  // It makes the tables of the home shard.
  await (await open())[Symbol.asyncDispose]();
  const rows = SCHEMAS.map((schema, place) => `('${place + 1}', '${schema}', null, '${schema}', true, 0)`);
  await cluster.query(
    url,
    `insert into bellwire.shards (name, place, sealed_address, schema, takes_accounts, added_at)
     values ${rows.join(", ")}
     on conflict do nothing`,
  );
  PREPARED.add(url);
}
