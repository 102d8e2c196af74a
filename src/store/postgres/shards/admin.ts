/** What an operator does with shards from the command line: looks at them, and adds one. */
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
import { NEWEST_VERSION } from "../schema/migrations.ts";
import { prepareShard } from "../shard.ts";
import { HOME_SHARD, LIST_SHARDS, type ShardRow } from "./directory.ts";
import { loadMark, writeMark } from "./mark.ts";
import { type OpenMoves, type ShardAddress, toAddress } from "./moves.ts";

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
export async function listShards(options: OpenMoves): Promise<ListedShard[]> {
  const { url } = options;
  const { rows, home } = await inSession(options, { url, schema: HOME_SCHEMA }, (session) =>
    session.transaction(async (db) => ({ rows: await loadRows(db, url), home: await look(db, url) })),
  );
  const others = rows.map(async ({ name, place, takesAccounts, ...row }): Promise<ListedShard> => {
    try {
      const address = toAddress(options, row);
      const found = await inSession(options, address, (session) => session.transaction((db) => look(db, address.url)));
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

async function loadRows(db: Connection, url: string): Promise<readonly ShardRow[]> {
  const version = await loadVersion(db, describeUrl(url));
  return version === 0 ? [] : await db.all<ShardRow>(LIST_SHARDS);
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
 * seconds. Added again, a shard gets the address that is given now. Started again after it was killed, it goes on.
 * Returns its name. Throws `StoreUnusable` for a database that cannot be one, and for one that is used otherwise.
 */
export async function addShard(options: Administration, added: AddShard): Promise<string> {
  const { url, pooler, clock } = options;
  const { schema } = added;
  return await inSession(options, { url, schema: HOME_SCHEMA }, async (home) => {
    await home.transaction((db) => assertIsCurrent(db, url));
    const installation = await home.transaction(findInstallation);
    const connections = { url: added.url, schema, pooler, forcesSync: false };
    const measure = (): Promise<void> => Promise.resolve();
    await prepareShard(connections, { clock, isHome: false, forms: newForms(), measure });
    return await inSession(options, added, async (shard) => {
      const marked = await shard.transaction((db) => assertIsFree(db, { installation, place: describeUrl(added.url) }));
      const row = {
        place: describeUrl(added.url),
        sealed: added.url === url ? null : options.seal(added.url),
        schema,
        marked,
        nowMs: clock.nowMs(),
      };
      const name = await home.transaction((db) => writeRow(db, row));
      await shard.transaction((db) => writeMark(db, { installation, name }));
      await home.transaction((db) => db.run(OPEN_SHARD, name, added.takesAccounts, clock.nowMs()));
      return name;
    });
  });
}

async function assertIsCurrent(db: Connection, url: string): Promise<void> {
  const version = await loadVersion(db, describeUrl(url));
  if (version === NEWEST_VERSION) return;
  const what =
    version === 0 ? "no tables of Bellwire yet" : `schema version ${version}, this Bellwire ${NEWEST_VERSION}`;
  throw new StoreUnusable(
    `${describeUrl(url)} has ${what}: start a node of this version on it once, then run this again`,
  );
}

/** Which installation a shard belongs to. */
async function findInstallation(db: Connection): Promise<string> {
  await db.run(INSERT_INSTALLATION, INSTALLATION_SETTING);
  return (await db.get<{ value: string }>(FIND_SETTING, INSTALLATION_SETTING))?.value ?? "";
}

/** Returns the name of the shard that this is already; `null`: it is none. */
async function assertIsFree(
  db: Connection,
  { installation, place }: { readonly installation: string; readonly place: string },
): Promise<string | null> {
  const mark = await loadMark(db);
  if (mark !== null && mark.installation === installation) return mark.name;
  if (mark !== null) throw new StoreUnusable(`${place} has a shard of another installation; name another schema`);
  if ((await db.get(FIND_ANYTHING)) === undefined) return null;
  throw new StoreUnusable(`${place} is used by an installation of its own; name an empty schema, by --schema`);
}

interface WriteRow {
  readonly place: string;
  readonly sealed: string | null;
  readonly schema: string;
  readonly marked: string | null;
  readonly nowMs: number;
}

async function writeRow(db: Connection, { place, sealed, schema, marked, nowMs }: WriteRow): Promise<string> {
  const known = await db.get<{ name: string }>(UPDATE_SHARD, marked, place, sealed, schema);
  if (known !== undefined) return known.name;
  const made = await db.get<{ name: string }>(INSERT_SHARD, place, sealed, schema, nowMs);
  return made?.name ?? "";
}

const INSTALLATION_SETTING = "installation";

/** A session of its own for `work`. Rejects with `StoreUnusable` or `StoreUnavailable`. */
export async function inSession<Value>(
  { pooler }: Pick<Administration, "pooler">,
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
    throw openingError(describeUrl(url), error);
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
  from (select 1 from accounts union all select 1 from settings) used
  limit 1`;

const UPDATE_SHARD = `-- name: change address of shard
  update shards
  set place = $2, sealed_address = $3
  where name = $1 or ($1 is null and place = $2 and schema = $4)
  returning name`;

/** Nothing begins there before it is marked. */
const INSERT_SHARD = `-- name: insert shard
  insert into shards (name, place, sealed_address, schema, takes_accounts, added_at)
  select coalesce(max(name::integer), 0) + 1, $1, $2, $3, false, $4
  from shards
  returning name`;

const OPEN_SHARD = `-- name: let accounts begin in shard
  update shards
  set takes_accounts = $2, added_at = case when takes_accounts then added_at else $3 end
  where name = $1`;
