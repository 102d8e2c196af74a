import { after } from "node:test";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../lib/clock.ts";
import { storeConformance } from "../conformance/suite.ts";
import { openPostgresStore } from "./open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

storeConformance("PostgreSQL", async () => {
  const { store } = await openPostgresStore({ url, clock: systemClock });
  // After the opening, which has made the tables the first time. The suite has closed the store before this one.
  await cluster.emptyStore(url);
  return store;
});
