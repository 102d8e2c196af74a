/**
 * The whole contract over four shards of one PostgreSQL, which a caller cannot tell from one; or of the Citus whose
 * address `TEST_CITUS` has.
 */
import { after, before } from "node:test";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { CITUS_ADDRESS, openInShards } from "../../../../test/kit/servers/shards.ts";
import { storeConformance } from "../../conformance/suite.ts";
import type { Store } from "../../contract/store.ts";

const citus = process.env[CITUS_ADDRESS];

let cluster: SharedCluster;
let url: string;

before(async () => {
  cluster = await shareCluster();
  url = citus ?? (await cluster.createStoreDatabase());
});
after(() => cluster[Symbol.asyncDispose]());

const open = (): Promise<Store> => openInShards(cluster, url);
const name = `${citus === undefined ? "PostgreSQL" : "Citus"}, four shards`;
storeConformance(name, Object.assign(open, { shards: 4 }));
