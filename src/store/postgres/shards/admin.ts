/** What an operator does with shards from the command line: looks at them, adds one, changes one, removes one. */
import type pg from "pg";
import type { Clock } from "../../../lib/clock.ts";
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { type ConnectionOptions, describeUrl, HOME_SCHEMA, newSession } from "../connection/connections.ts";
import { openingError } from "../connection/server.ts";
import { newForms } from "../schema/forms.ts";
import { loadVersion } from "../schema/migrate.ts";
import type { MigratingSession } from "../schema/migrate.ts";
import { migratingSession } from "../schema/migrating-session.ts";
import { prepareShard } from "../shard.ts";
import { placeOnWorker } from "./citus.ts";
import { changeShard, deleteShard, HOME_SHARD, insertShard, listShards, type ShardRow } from "./directory.ts";
import { assertIsOurs, assertMayTake, giveMark, keepHome, loadHomeMark } from "./home-mark.ts";
import { deleteMark, loadMark, type ShardMark, writeMark } from "./mark.ts";
import { assertIsCurrent, noSuchShard, type OpenMoves, type ShardAddress, toAddress } from "./moves.ts";
import { SCHEMA_BUILD } from "../../sql/schema-history.ts";

export interface Administration extends OpenMoves {
  readonly clock: Clock;
  readonly seal: (address: string) => string;
}

export interface ListedShard {
  readonly name: string;
  readonly place: string;
  readonly takesAccounts: boolean;
  /** As it was found; a sentence where it cannot be asked. */
  readonly found: FoundShard | string;
}

export interface FoundShard {
  readonly accounts: number;
  /** Deliveries that wait, up to `WAITING_SHOWN_MAX`. */
  readonly waiting: number;
  /** Its tables with their indexes. */
  readonly bytes: number;
  /** 0: nothing of ours is there. */
  readonly schemaVersion: number;
}

/** More are shown as this number and a plus. */
export const WAITING_SHOWN_MAX = 100_000;

/** The home shard first. Rejects with `StoreUnusable` or `StoreUnavailable` where that cannot be asked. */
export async function lookAtShards(options: OpenMoves): Promise<ListedShard[]> {
  const { url } = options;
  const { rows, home, ours } = await inSession(options, { url, schema: HOME_SCHEMA }, (session) =>
    session.transaction(async (db) => {
      const found = await look(db, url);
      if (found.schemaVersion === 0) return { rows: [], home: found, ours: null };
      return { rows: await listShards(db), home: found, ours: await loadHomeMark(db) };
    }),
  );
  const others = rows.map(async ({ name, takesAccounts, ...row }): Promise<ListedShard> => {
    const place = row.schema === HOME_SCHEMA ? row.place : `${row.place}, schema ${row.schema}`;
    try {
      const address = toAddress(options, row);
      const found = await inSession(options, address, (session) =>
        session.transaction(async (db) => {
          await assertIsOurs(db, { ours, name });
          return await look(db, address.url);
        }),
      );
      return { name, place, takesAccounts, found };
    } catch (error) {
      return { name, place, takesAccounts, found: error instanceof Error ? error.message : String(error) };
    }
  });
  return [
    { name: HOME_SHARD, place: describeUrl(url), takesAccounts: true, found: home },
    ...(await Promise.all(others)),
  ];
}

async function look(db: Connection, url: string): Promise<FoundShard> {
  const schemaVersion = await loadVersion(db, describeUrl(url));
  if (schemaVersion === 0) return { accounts: 0, waiting: 0, bytes: 0, schemaVersion };
  const counts = await db.get<Omit<FoundShard, "schemaVersion">>(COUNT_SHARD, WAITING_SHOWN_MAX);
  return { accounts: 0, waiting: 0, bytes: 0, ...counts, schemaVersion };
}

export interface AddShard extends ShardAddress {
  /** New accounts begin there too. */
  readonly takesAccounts: boolean;
}

/**
 * Makes the schema there, or brings it to this version, and writes it into the directory; nodes know of it within
 * seconds. Started again after it was killed, it goes on. Returns its name, which is the one that it had before where
 * the directory has lost it. Throws `StoreUnusable` for a database that cannot be one, for one that is used otherwise,
 * and for a shard that the directory has at another address.
 */
export async function addShard(options: Administration, added: AddShard): Promise<string> {
  const { url, pooler, clock } = options;
  const { schema, takesAccounts } = added;
  const place = describeUrl(added.url);
  const sealedAddress = added.url === url ? null : options.seal(added.url);
  return await inSession(options, { url, schema: HOME_SCHEMA }, async (home) => {
    await home.transaction((db) => assertIsCurrent(db, describeUrl(url)));
    const installation = await home.transaction(findInstallation);
    const ours = await home.transaction(keepHome);
    const marked = await inSession(options, added, (shard) =>
      shard.transaction(async (db) => {
        const name = await findOwnMark(db, { installation, place });
        if (name !== null) await assertMayTake(db, { ours, name });
        return name;
      }),
    );
    const connections = { url: added.url, schema, pooler, forcesSync: false };
    const measure = (): Promise<void> => Promise.resolve();
    await prepareShard(connections, { clock, isHome: false, forms: newForms(), measure });
    await inSession(options, added, (shard) => shard.transaction((db) => placeOnWorker(db, schema)));
    return await home.transaction(async (db) => {
      const rows = await listShards(db);
      const known = rows.find(({ name }) => name === marked);
      if (known !== undefined && known.place !== place) throw isElsewhere(known);
      const row = { name: marked, place, sealedAddress, schema, takesAccounts, nowMs: clock.nowMs() };
      if (known !== undefined) {
        await changeShard(db, known.name, { place, sealedAddress, nowMs: row.nowMs });
        await inSession(options, added, (shard) => shard.transaction((there) => giveMark(there, ours)));
        return known.name;
      }
      const name = await insertShard(db, row);
      // Marked before the directory has it: nothing begins in a shard that somebody could take for something else.
      await inSession(options, added, (shard) =>
        shard.transaction(async (there) => {
          await writeMark(there, { installation, name });
          await giveMark(there, ours);
        }),
      );
      return name;
    });
  });
}

const isElsewhere = ({ name, place }: ShardRow): StoreUnusable =>
  new StoreUnusable(
    `this is shard ${name}, which the directory has as ${place}; ` +
      `where it has moved, run: bellwire shards change ${name} --address-file path`,
  );

export interface ChangedShard {
  readonly name: string;
  /** Where it is now, or how it is reached now. */
  readonly url?: string;
  /** Whether new accounts begin there. */
  readonly takesAccounts?: boolean;
}

/**
 * What is left out stays. Nodes go by it within seconds. Throws `StoreUnusable` for the home shard, for one that is not
 * there, and for an address that does not lead to this shard.
 */
export async function changeShardOf(
  options: Administration,
  { name, url, takesAccounts }: ChangedShard,
): Promise<void> {
  await inSession(options, { url: options.url, schema: HOME_SCHEMA }, async (home) => {
    const installation = await home.transaction(findInstallation);
    const ours = await home.transaction(keepHome);
    const { schema } = await home.transaction((db) => findRow(db, name));
    const nowMs = options.clock.nowMs();
    const address = url === undefined ? {} : { place: describeUrl(url), sealedAddress: options.seal(url) };
    if (url !== undefined) {
      await inSession(options, { url, schema }, (shard) =>
        shard.transaction(async (db) => {
          await assertIsShard(db, { installation, name, place: describeUrl(url), schema });
          await assertMayTake(db, { ours, name });
          await giveMark(db, ours);
        }),
      );
    }
    const change = { ...address, nowMs, ...(takesAccounts === undefined ? {} : { takesAccounts }) };
    await home.transaction((db) => changeShard(db, name, change));
  });
}

interface WhichShard {
  readonly installation: string;
  readonly name: string;
  readonly place: string;
  readonly schema: string;
}

/** Throws `StoreUnusable` for any other database than that shard's. */
export async function assertIsShard(db: Connection, { installation, name, place, schema }: WhichShard): Promise<void> {
  const found = await loadMarkIfAny(db);
  if (found?.installation === installation && found.name === name) return;
  throw new StoreUnusable(`${place} does not have shard ${name} in its schema ${schema}; nothing was changed`);
}

export interface RemoveShard {
  readonly name: string;
  /** Its server will not be back: what the shard had is given up. */
  readonly isLost: boolean;
}

/**
 * Takes a shard without accounts out of the directory; its empty tables stay where they are. Throws `StoreUnusable`
 * while it has accounts, may get some, or has a part in a move.
 */
export async function removeShard(options: Administration, { name, isLost }: RemoveShard): Promise<ShardRow> {
  return await inSession(options, { url: options.url, schema: HOME_SCHEMA }, (home) =>
    home.transaction(async (db) => {
      const row = await findRow(db, name);
      if (!isLost) {
        if (row.takesAccounts)
          throw mayNot(name, `takes new accounts; first run: bellwire shards move --all-from ${name}`);
        const ours = await loadHomeMark(db);
        await inSession(options, toAddress(options, row), (shard) =>
          shard.transaction(async (there) => {
            await assertIsOurs(there, { ours, name });
            await letShardGo(there, db, name);
          }),
        );
      }
      await deleteShard(db, name);
      return row;
    }),
  );
}

async function letShardGo(shard: Connection, directory: Connection, name: string): Promise<void> {
  const { accounts = 0 } = (await shard.get<{ accounts: number }>(COUNT_ACCOUNTS)) ?? {};
  if (accounts > 0)
    throw mayNot(name, `has accounts (${accounts}); move them first: bellwire shards move --all-from ${name}`);
  const moving = await directory.get<{ accountId: string }>(FIND_MOVE, name);
  if (moving !== undefined) {
    throw mayNot(name, `has a part in the move of ${moving.accountId}; run that again, or take it back by --back`);
  }
  await deleteMark(shard);
}

const mayNot = (name: string, why: string): StoreUnusable => new StoreUnusable(`shard ${name} stays: it ${why}`);

async function findRow(db: Connection, name: string): Promise<ShardRow> {
  if (name === HOME_SHARD) {
    throw new StoreUnusable("shard 0 is the home shard: BELLWIRE_DATABASE says where it is, and it takes new accounts");
  }
  const row = (await listShards(db)).find((one) => one.name === name);
  if (row === undefined) throw noSuchShard(name);
  return row;
}

/** Which installation a shard belongs to. */
export async function findInstallation(db: Connection): Promise<string> {
  await db.run(INSERT_INSTALLATION, INSTALLATION_SETTING);
  return (await db.get<{ value: string }>(FIND_SETTING, INSTALLATION_SETTING))?.value ?? "";
}

/** The name of the shard that this is already; `null`: nothing of Bellwire is there. Throws for what is used. */
async function findOwnMark(
  db: Connection,
  { installation, place }: { readonly installation: string; readonly place: string },
): Promise<string | null> {
  const mark = await loadMarkIfAny(db);
  if (mark !== null && mark.installation === installation) return mark.name;
  if (mark !== null) throw new StoreUnusable(`${place} has a shard of another installation; name another schema`);
  if ((await loadVersion(db, place)) === 0 || (await db.get(FIND_ANYTHING)) === undefined) return null;
  throw new StoreUnusable(`${place} is used by an installation of its own; name an empty schema, by --schema`);
}

const loadMarkIfAny = async (db: Connection): Promise<ShardMark | null> =>
  (await loadVersion(db, "")) === 0 ? null : await loadMark(db);

const INSTALLATION_SETTING = "installation";

/** A session of its own for `work`. Rejects with `StoreUnusable` or `StoreUnavailable`. */
export async function inSession<Value>(
  { url: homeUrl, pooler }: Pick<Administration, "url" | "pooler">,
  { url, schema }: ShardAddress,
  work: (session: MigratingSession) => Promise<Value>,
): Promise<Value> {
  const connections: ConnectionOptions = { url, schema, pooler, forcesSync: false, name: "bellwire shards" };
  const client: pg.Client = newSession(connections, { pipeline: true });
  // The running query reports connection errors.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(migratingSession(client, connections));
  } catch (error) {
    throw openingError(describeUrl(url), error, url === homeUrl ? "BELLWIRE_DATABASE" : "its address");
  } finally {
    await client.end().catch(() => {});
  }
}

const COUNT_SHARD = `-- name: count what is in shard
  select (select count(1) from accounts) as accounts, (
    select count(1)
    from (select 1 from deliveries where state = 'pending' and not is_ended limit $1) waiting
  ) as waiting, (
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  ) as bytes`;

const FIND_SETTING = `-- name: find setting of shards
  select value
  from settings
  where name = $1`;

const INSERT_INSTALLATION = `-- name: name installation
  insert into settings (name, value)
  values ($1, gen_random_uuid()::text)
  on conflict do nothing`;

const FIND_ANYTHING = `-- name: find anything of an installation
  select 1
  from (select 1 from accounts union all select 1 from settings where name <> '${SCHEMA_BUILD}') used
  limit 1`;

const COUNT_ACCOUNTS = `-- name: count accounts of shard that goes
  select count(1) as accounts
  from accounts`;

const FIND_MOVE = `-- name: find move of shard
  select account_id as "accountId"
  from accounts_at
  where moving_to = $1 or leaving = $1
  limit 1`;
