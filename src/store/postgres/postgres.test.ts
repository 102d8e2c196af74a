import { after, before } from "node:test";
import { type SharedCluster, shareCluster } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import { storeConformance } from "../conformance/suite.ts";
import { openPostgresStore } from "./open.ts";

let cluster: SharedCluster;
let url: string;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
});
after(() => cluster[Symbol.asyncDispose]());

storeConformance("PostgreSQL", async () => {
  const { store } = await openPostgresStore({ url, clock: systemClock });
  // After the opening, which has made the tables the first time. The suite has closed the store before this one.
  await cluster.emptyStore(url);
  return store;
});
