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

/** The environment's variable that names an empty database of a Citus, for the tests that run on one too. */
export const CITUS_ADDRESS = "TEST_CITUS";

/** Four, each with accounts. Empty, also of what a store before this one has left. The caller ends it. */
export async function openInShards(cluster: SharedCluster, url: string): Promise<Store> {
  if (!PREPARED.has(url)) await prepare(cluster, url);
  for (const schema of [...SCHEMAS, "bellwire"]) await cluster.emptyStore(url, schema);
  if (process.env[CITUS_ADDRESS] === url) await cluster.query(url, LEAVE_HOME);
  return await openNode(url);
}

/** The home shard of a Citus is a schema like any other: the contract's first accounts begin beside it. */
const LEAVE_HOME = `
  insert into bellwire.accounts_at (account_id, shard)
  values ('acc_1', '1'), ('acc_2', '2'), ('acc_3', '3')`;

const PREPARED = new Set<string>();

async function prepare(cluster: SharedCluster, url: string): Promise<void> {
  // It makes the tables of the home shard.
  await (await openNode(url))[Symbol.asyncDispose]();
  for (const schema of SCHEMAS) await addShard(administer(url), { url, schema, takesAccounts: true });
  await cluster.query(url, "update bellwire.shards set added_at = 0");
  PREPARED.add(url);
}
