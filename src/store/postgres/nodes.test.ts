import { after, before } from "node:test";
import { type SharedCluster, shareCluster } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import { describeNodes } from "../conformance/nodes.ts";
import { openPostgresStore } from "./open.ts";

let cluster: SharedCluster;
let url: string;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
});
after(() => cluster[Symbol.asyncDispose]());

describeNodes("nodes on one PostgreSQL", () => ({
  cluster,
  url,
  openNode: async () => (await openPostgresStore({ url, clock: systemClock })).store,
}));
