import { after } from "node:test";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import { describeNodes } from "../conformance/nodes.ts";
import { openPostgresStore } from "./open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

describeNodes("nodes on one PostgreSQL", () => ({
  cluster,
  url,
  openNode: async () => (await openPostgresStore({ url, clock: systemClock })).store,
}));
