/**
 * The whole contract over four shards of one PostgreSQL, which a caller cannot tell from one; or of the Citus whose
 * address `TEST_CITUS` has.
 */
import { after } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { CITUS_ADDRESS, openInShards } from "../../../../test/kit/servers/shards.ts";
import { storeConformance } from "../../conformance/suite.ts";
import type { Store } from "../../contract/store.ts";

const citus = process.env[CITUS_ADDRESS];

const cluster = await shareCluster();
const url = citus ?? (await cluster.createStoreDatabase());
after(() => cluster[Symbol.asyncDispose]());

const open = (): Promise<Store> => openInShards(cluster, url);
const name = `${citus === undefined ? "PostgreSQL" : "Citus"}, four shards`;
storeConformance(name, Object.assign(open, { shards: 4 }));
