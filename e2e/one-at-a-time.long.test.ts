import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { keepOrder } from "./one-at-a-time.ts";

const EVENTS = 500;

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

test("SQLite: 500 events arrive in the order of posting, through failures and a kill", (t) =>
  keepOrder(t, { events: EVENTS, clocksAheadMs: [0] }));

test("PostgreSQL: the same by two nodes in turn, whose clocks are 500 ms apart", async (t) =>
  keepOrder(t, { events: EVENTS, clocksAheadMs: [0, 500], database: await cluster.createDatabase() }));
