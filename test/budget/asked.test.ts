/**
 * What an event costs more where a webhook that is asked gets it too, and what handing it out and acknowledging it
 * cost: rows, counted exactly.
 */
import { after, before, test } from "node:test";
import { isPulled, newHandOut, PULL_URL } from "../../src/domain/pull.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { ACCOUNT, ADA, makeEvent, T0 } from "../../src/store/conformance/world.ts";
import { settleMessage } from "../../src/store/contract/pull.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { type Answer, type Call, storeOver } from "../../src/store/calls.ts";
import type { AttemptRecord } from "../../src/domain/attempt.ts";
import { packAttempt as packForPostgres } from "../../src/store/postgres/attempts.ts";
import { commitCalls as commitOnPostgres } from "../../src/store/postgres/commit-calls.ts";
import { PATH_POOL } from "../../src/store/postgres/connection/connections.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { packAttempt as packForSqlite } from "../../src/store/sqlite/attempts.ts";
import { commitCalls as commitOnSqlite } from "../../src/store/sqlite/commit.ts";
import { openMemory } from "../../src/store/sqlite/writer/database-file.ts";
import { makeDestinationSetup, makeNewDelivery } from "../kit/make.ts";
import { type Cluster, startCluster } from "../kit/servers/postgres.ts";
import { openDatabase } from "../kit/servers/store-database.ts";
import { createSeededRandom } from "../kit/world/seeded-random.ts";
import { createVirtualClock } from "../kit/world/virtual-clock.ts";
import { holdBudget } from "./hold.ts";

const EVENTS = 100;
const accountId = ACCOUNT.id;
const DESTINATIONS = { called: "https://receiver.example/hook", asked: PULL_URL };
const ASKED = { accountId, destinationId: "asked" };
const random = createSeededRandom(1);

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ settings: ["autovacuum=off"] });
});
after(() => cluster[Symbol.asyncDispose]());

async function setUp(store: Store): Promise<number> {
  await store.putAccount({ account: ACCOUNT, newSealedSecret: "sealed", nowMs: T0 });
  for (const [id, url] of Object.entries(DESTINATIONS)) {
    const webhook = { id: `whk_${id}`, name: id, events: "all" } as const;
    const destination = makeDestinationSetup({ id, url });
    const limits = { expectedRevision: null, webhooksMax: 9 };
    await store.saveWebhook({ accountId, webhook, destination, ...limits, by: ADA, nowMs: T0 });
  }
  await store.putPullToken({ ...ASKED, tokenHash: "hash", by: ADA, nowMs: T0 });
  return (await store.loadAccount({ accountId }))?.configVersion ?? 0;
}

interface Accepting {
  readonly first: number;
  readonly names: readonly (keyof typeof DESTINATIONS)[];
  readonly configVersion: number;
}

async function accept(store: Store, { first, names, configVersion }: Accepting): Promise<void> {
  const claim = { token: "node", untilMs: T0 + secondsMs(60) };
  const events = Array.from({ length: EVENTS }, (_, place) => {
    const n = first + place;
    const deliveries = names.map((destinationId) =>
      makeNewDelivery({
        id: `dlv_${n}_${destinationId}`,
        destinationId,
        claimed: !isPulled({ url: DESTINATIONS[destinationId] }),
      }),
    );
    return makeEvent(n, { configVersion, deliveries });
  });
  await store.acceptEvents({ nowMs: T0, claim, events });
}

/** `countRows` gives all rows that were ever written. */
async function countCosts(store: Store, countRows: () => Promise<number>) {
  const configVersion = await setUp(store);
  const rowsOf = async (run: () => Promise<unknown>): Promise<number> => {
    const earlier = await countRows();
    await run();
    return ((await countRows()) - earlier) / EVENTS;
  };
  // The first of each kind makes what the others find there.
  await accept(store, { first: 1, names: ["called", "asked"], configVersion });
  const alone = await rowsOf(() => accept(store, { first: 1_001, names: ["called"], configVersion }));
  const both = await rowsOf(() => accept(store, { first: 2_001, names: ["called", "asked"], configVersion }));
  const claim = newHandOut(random, { nowMs: T0, holdMs: secondsMs(60) });
  const limits = { deliveriesMax: EVENTS, bodyCharsMax: 10 ** 6 };
  const handed = await rowsOf(() => store.handOut({ ...ASKED, tokenHash: "hash", claim, nowMs: T0, ...limits }));
  const held = await store.listHandedOut({ ...ASKED, claim });
  const end = {
    accountId,
    claimToken: claim.token,
    handedOutAtMs: T0,
    nowMs: T0,
    outcome: { kind: "pulled" },
  } as const;
  const settlements = held.map((message) => settleMessage(message, end));
  const acknowledged = await rowsOf(() => store.settleAttemptsIfClaimed({ nowMs: T0, settlements }));
  return {
    "rows of an accept more": both - alone,
    "rows of handing out": handed,
    "rows of acknowledging": acknowledged,
  };
}

/** A store over calls that are committed one by one, on a connection that can be asked what it wrote. */
function toStore<Columns>(
  commit: (call: Call<Columns>) => Promise<readonly Answer[]>,
  packAttempt: (attempt: AttemptRecord) => Columns,
): Store {
  return storeOver<Columns>({
    async call(call) {
      const [answer] = await commit(call);
      if (answer?.kind !== "done") throw new Error(`${call.verb} failed`, { cause: answer });
      return answer.value as never;
    },
    close: () => Promise.resolve(),
    packAttempt,
  });
}

test("SQLite: an event costs a webhook that is asked one row more", async () => {
  using file = openMemory({ nowMs: T0 });
  const countRows = async (): Promise<number> =>
    file.db.get<{ rows: number }>("select total_changes() as rows")?.rows ?? 0;
  const store = toStore((call) => commitOnSqlite(file.db, [call]), packForSqlite);
  holdBudget("SQLite, a webhook that is asked", await countCosts(store, countRows));
});

const READ = `
  select sum(n_tup_ins + n_tup_upd + n_tup_del)::float as written
  from pg_stat_user_tables
  where schemaname = 'bellwire'`;

test("PostgreSQL: an event costs a webhook that is asked one row more", async () => {
  const url = await cluster.createDatabase();
  const { store: opened } = await openPostgresStore({ url, clock: createVirtualClock(T0) });
  await opened[Symbol.asyncDispose]();
  // One connection, so that it can be told to report what it did.
  const database = openDatabase(url, { ...PATH_POOL, connectionsMax: 1 });
  const countRows = async (): Promise<number> => {
    await database.pool.query("select pg_stat_force_next_flush()");
    await database.pool.query("select 1");
    const [counts] = await cluster.query(url, READ);
    return (counts as unknown as { readonly written: number }).written;
  };
  const store = toStore((call) => commitOnPostgres(database, [{ ...call, mayBeMissing: true }]), packForPostgres);
  holdBudget("PostgreSQL, a webhook that is asked", await countCosts(store, countRows));
  await database.pool.end();
});
