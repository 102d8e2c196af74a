/** Installations of several shards: as an operator adds them, and a store over four whose accounts lie in each. */
import { systemClock } from "../../../src/lib/clock.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import { addShard, type Administration } from "../../../src/store/postgres/shards/admin.ts";
import type { SharedCluster } from "./postgres.ts";

/** Addresses are not sealed. */
export const administer = (url: string): Administration => ({
  url,
  pooler: "none",
  clock: systemClock,
  seal: (address) => address,
  openAddress: (sealed) => sealed,
});

/** A node of such an installation. */
export const openNode = async (url: string): Promise<Store> => {
  const { openAddress } = administer(url);
  return (await openPostgresStore({ url, clock: systemClock, openAddress })).store;
};

const SCHEMAS = ["shard_1", "shard_2", "shard_3"];

/** Four, each with accounts. Empty, also of what a store before this one has left. The caller ends it. */
export async function openInShards(cluster: SharedCluster, url: string): Promise<Store> {
  if (!PREPARED.has(url)) await prepare(cluster, url);
  for (const schema of [...SCHEMAS, "bellwire"]) await cluster.emptyStore(url, schema);
  return await openNode(url);
}

const PREPARED = new Set<string>();

async function prepare(cluster: SharedCluster, url: string): Promise<void> {
  // It makes the tables of the home shard.
  await (await openNode(url))[Symbol.asyncDispose]();
  for (const schema of SCHEMAS) await addShard(administer(url), { url, schema, takesAccounts: true });
  await cluster.query(url, "update bellwire.shards set added_at = 0");
  PREPARED.add(url);
}
