/** The store's promises on a real Citus, where one is given (`BELLWIRE_TEST_CITUS`). */
import { after, before, describe } from "node:test";
import { type CitusCluster, openCitus, withoutCitus } from "../../../../test/kit/servers/citus.ts";
import { systemClock } from "../../../lib/clock.ts";
import { describeNodes } from "../../conformance/nodes.ts";
import { storeConformance } from "../../conformance/suite.ts";
import { openPostgresStore } from "../open.ts";
import { openDistribution } from "./open.ts";

let citus: CitusCluster;
let url: string;

/** A few shards: tests empty their tables again and again. */
async function createDistributed(): Promise<string> {
  const made = await citus.createDatabase();
  await (await openPostgresStore({ url: made, clock: systemClock })).store[Symbol.asyncDispose]();
  await using distribution = await openDistribution(made, systemClock);
  await distribution.run({ isOnline: false, shards: 4, tell: () => {}, isStopping: () => false });
  return made;
}

describe("on a Citus", { skip: withoutCitus }, () => {
  before(async () => {
    citus = openCitus();
    url = await createDistributed();
  });
  after(() => citus[Symbol.asyncDispose]());

  storeConformance("Citus", async () => {
    const { store } = await openPostgresStore({ url, clock: systemClock });
    await citus.emptyStore(url);
    return store;
  });

  describeNodes("nodes on one Citus", () => ({
    cluster: citus,
    url,
    openNode: async () => (await openPostgresStore({ url, clock: systemClock })).store,
  }));
});
