/** The whole contract over four shards of one PostgreSQL, which a caller cannot tell from one. */
import { after, before } from "node:test";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { openInShards } from "../../../../test/kit/servers/shards.ts";
import { storeConformance } from "../../conformance/suite.ts";
import type { Store } from "../../contract/store.ts";

let cluster: SharedCluster;
let url: string;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
});
after(() => cluster[Symbol.asyncDispose]());

const open = (): Promise<Store> => openInShards(cluster, url);
storeConformance("PostgreSQL, four shards", Object.assign(open, { shards: 4 }));
