/** Counts the statements that a node sends while nothing is to be done. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import { systemClock } from "../../../lib/clock.ts";
import { T0 } from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { madeUpGroups } from "../buckets/groups.ts";
import { openPostgresStore } from "../open.ts";

let cluster: SharedCluster;
let counted = 0;
const query = Object.getOwnPropertyDescriptor(pg.Client.prototype, "query");

before(async () => {
  cluster = await shareCluster();
  const counting = function (this: pg.Client, ...args: unknown[]): unknown {
    counted += 1;
    return Reflect.apply(query?.value as () => unknown, this, args);
  };
  Object.defineProperty(pg.Client.prototype, "query", { ...query, value: counting });
});
after(async () => {
  Object.defineProperty(pg.Client.prototype, "query", query ?? {});
  await cluster[Symbol.asyncDispose]();
});

const SECONDS = 120;

/** As `delivery/` and `notify/` call it, and a scrape each ten seconds. */
async function idle(store: Store, fromMs: number): Promise<void> {
  for (let second = 0; second < SECONDS; second += 1) {
    const nowMs = fromMs + secondsMs(second);
    const claim = { token: `claim ${second}`, untilMs: nowMs + minutesMs(1) };
    const sizes = { deliveriesMax: 256, perDestinationMax: 4, freeSlots: {}, bodyCharsMax: 1_000_000 };
    await store.claimDueDeliveries({ nowMs, claim, ...sizes });
    await store.findNextDue({ nowMs });
    await store.indexEvents({ nowMs, eventsMax: 32, bytesMax: 100_000 });
    await store.stepReplays({ nowMs, deliveriesMax: 500 });
    if (second % 10 === 0) await everyTenSeconds(store, nowMs);
    if (second % 60 === 0) await everyMinute(store, nowMs);
  }
}

async function everyTenSeconds(store: Store, nowMs: number): Promise<void> {
  const claim = { nowMs, claimToken: "node", messagesMax: 10, linesMax: 10 };
  for (const route of ["email", "channel", "operator"] as const) await store.claimMessages({ ...claim, route });
  await store.countWaiting({ nowMs });
  await store.countDestinations({ nowMs });
}

async function everyMinute(store: Store, nowMs: number): Promise<void> {
  const old = { payloadsBeforeMs: nowMs - 9e9, attemptBodiesBeforeMs: nowMs - 9e9, rowsBeforeMs: nowMs - 9e9 };
  await store.purge({ nowMs, ...old, rowsMax: 500, mayRestMs: minutesMs(10) });
  await store.expireWaiting({ nowMs, dueBeforeMs: nowMs - 9e9, rowsMax: 500 });
}

/** The most in a second. `servers`: made up, with the groups dealt out among them. */
const BOUNDS: readonly { readonly groups: number; readonly servers: number; readonly statementsMax: number }[] = [
  { groups: 1, servers: 1, statementsMax: 18 },
  { groups: 32, servers: 1, statementsMax: 18 },
  { groups: 32, servers: 3, statementsMax: 30 },
];

for (const { groups, servers, statementsMax } of BOUNDS) {
  const where = `${groups} groups of ${servers} servers`;
  test(`an idle node on ${where} sends ${statementsMax} statements a second at most`, async () => {
    const url = await cluster.createStoreDatabase();
    const places = new Map(madeUpGroups(groups).map(([first = 0], at) => [first, `server ${at % servers}`]));
    const spread = groups === 1 ? {} : { groups: madeUpGroups(groups), locate: () => Promise.resolve(places) };
    const { store } = await openPostgresStore({ url, clock: systemClock, ...spread });
    await idle(store, T0);
    counted = 0;
    await idle(store, T0 + secondsMs(SECONDS));
    const inASecond = counted / SECONDS;
    await store[Symbol.asyncDispose]();
    console.log(`${where}: ${inASecond.toFixed(1)} statements a second`);
    assert.ok(inASecond <= statementsMax, `${inASecond}`);
  });
}
