/**
 * Whose a shard is, as a row of the settings of home and of each shard. Home's row knows the transaction, table and
 * database that it was written in: a dump that is restored writes it anew, so the copy knows that it is one. A physical
 * copy has the same; it is told by its age:
 *
 *     home      mark n ──each minute──► mark n + 1, which it has had as its next one for a minute
 *     a shard   mark n ──after home───► mark n + 1
 *
 * Invariant: no call reaches a shard whose mark is ahead of home's, or of another line of marks: its home is another
 * one. A standby of home that lags less than a minute knows the next mark, and a shard that is behind is ours.
 */
import { assert } from "../../../lib/assert.ts";
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import { ASKED_TO_HOLD, HELD_SETTING } from "../../contract/installation.ts";
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { commit, type Database, readOnce } from "../transaction.ts";
import { loadVersion } from "../schema/migrate.ts";

export interface HomeMark {
  /** The line of marks: drawn once, and anew where an installation is held or adopted. */
  readonly home: string;
  readonly generation: number;
  readonly mark: string;
  readonly next: string;
  /** When it was written, by the clock of the database that it is in. */
  readonly atMs: number;
  /** The transaction that wrote it. */
  readonly xid: string;
  /** Table and database that it was written in. */
  readonly place: string;
}

export const HOME_MARK = "home_mark";

const DRAWN_EVERY_MS = minutesMs(1);
/** A mark of a running installation is never older: nodes look every 15 s whether it is time. */
const ALIVE_MS = secondsMs(90);

const RESTORED = "it was restored from a dump, or its database was copied";

/**
 * At each start of a node, and before a command gives a shard home's mark: holds a copy, and one that is `asked` to be
 * held, apart from all shards. Throws `StoreUnusable` where it is asked so and nodes are at work.
 */
export async function keepHome(db: Connection, asked = false): Promise<HomeMark> {
  // Of two first ones at once, each would draw a line: there is no row yet that could be locked.
  await db.run(LOCK_HOME);
  const kept = await db.get<Kept & Origin>(LOCK_MARK);
  const mark = kept === undefined ? null : parseMark(kept);
  const isCopy = kept !== undefined && mark !== null && !isOf(mark, kept);
  if (isCopy) await db.run(HOLD, HELD_SETTING, RESTORED);
  const isAskedFirst = asked && (await db.run(HOLD, HELD_SETTING, ASKED_TO_HOLD)) === 1;
  if (isAskedFirst) await assertNobodyWorks(db);
  return mark === null || isCopy || isAskedFirst ? await beginMarks(db) : mark;
}

/** A copy of its files has the leases of what it was copied from, until they end. */
async function assertNobodyWorks(db: Connection): Promise<void> {
  const { nodes = 0, seconds } = (await db.get<{ nodes: number; seconds: number }>(COUNT_NODES)) ?? {};
  if (nodes === 0) return;
  throw new StoreUnusable(
    `--hold is for a copy, and ${nodes === 1 ? "a node is" : `${nodes} nodes are`} at work in this database, ` +
      `which is not held. Name the copy in BELLWIRE_DATABASE; if this is it, start again in ${seconds} s`,
  );
}

/** A new line of marks, which no shard has. */
export async function beginMarks(db: Connection): Promise<HomeMark> {
  const { token, other, ...written } = await ask(db);
  return await writeMark(db, { home: token, generation: 1, mark: token, next: other, ...written });
}

/** The mark that shards are to have from now on; `null` where home has none of its own. */
export async function renewHome(home: Database): Promise<HomeMark | null> {
  const found = await readOnce(home, ({ db }) => findOwn(db));
  if (found === null || found.here.atMs < found.mark.atMs + DRAWN_EVERY_MS) return found?.mark ?? null;
  return await commit(home, "nothing", ({ db }) => drawMark(db));
}

async function drawMark(db: Connection): Promise<HomeMark | null> {
  const kept = await db.get<Kept>(LOCK_MARK);
  if (kept === undefined) return null;
  const before = parseMark(kept);
  const { token, other: _, ...written } = await ask(db);
  // Another node was first.
  if (written.atMs < before.atMs + DRAWN_EVERY_MS) return before;
  const { home, generation, next } = before;
  return await writeMark(db, { home, generation: generation + 1, mark: next, next: token, ...written });
}

/** `null`: no shard is this home's: it is a copy that nothing has kept yet, or there was no start by this version. */
export async function loadHomeMark(home: Connection): Promise<HomeMark | null> {
  return (await findOwn(home))?.mark ?? null;
}

interface WhoseShard {
  readonly ours: HomeMark | null;
  readonly name: string;
}

/** Throws `StoreUnusable` for a shard of another home. */
export async function assertIsOurs(shard: Connection, { ours, name }: WhoseShard): Promise<void> {
  if ((await loadVersion(shard, name)) === 0) return;
  const found = await find(shard);
  if (found !== null && !isOurs(found.mark, ours)) throw new StoreUnusable(`shard ${name} ${foreignWords(found)}`);
}

/** Brings its mark to home's. False: it belongs to another home. */
export async function renewMark(shard: Connection, ours: HomeMark): Promise<boolean> {
  const found = await find(shard);
  if (found !== null && !isOurs(found.mark, ours)) return false;
  if (found?.mark.mark !== ours.mark) await giveMark(shard, ours);
  return true;
}

/** Throws `StoreUnusable` for one that another home was at work in. */
export async function assertMayTake(shard: Connection, whose: WhoseShard): Promise<void> {
  const refusal = await whyMayNotTake(shard, whose);
  if (refusal !== null) throw new StoreUnusable(`${refusal}; the shard was not taken`);
}

/** `null`: no other home was at work there. */
export async function whyMayNotTake(shard: Connection, { ours, name }: WhoseShard): Promise<string | null> {
  const found = await find(shard);
  if (found === null || isOurs(found.mark, ours) || !isAlive(found)) return null;
  return `shard ${name} ${foreignWords(found)}`;
}

export async function giveMark(shard: Connection, ours: HomeMark): Promise<void> {
  const { token: _, other: __, ...written } = await ask(shard);
  await writeMark(shard, { ...ours, ...written });
}

function isOurs(theirs: HomeMark, ours: HomeMark | null): boolean {
  if (ours === null || theirs.home !== ours.home) return false;
  return theirs.generation < ours.generation || theirs.mark === ours.mark || theirs.mark === ours.next;
}

type Origin = Pick<HomeMark, "xid" | "place">;

/** False: its row was written anew since, in another transaction or elsewhere. */
const isOf = (mark: HomeMark, { xid, place }: Origin): boolean => mark.xid === xid && mark.place === place;

interface Kept {
  readonly value: string;
}

interface Found {
  readonly mark: HomeMark;
  /** Where it is now, and when. */
  readonly here: Pick<HomeMark, "atMs" | "place">;
}

/** Of a shard that Citus has placed on a worker, only the coordinator knows table and database. */
async function find(db: Connection): Promise<Found | null> {
  const kept = await db.get<Kept>(FIND_MARK);
  const here = await db.get<Found["here"]>(ASK_PLACE);
  return kept === undefined || here === undefined ? null : { mark: parseMark(kept), here };
}

/** Of home; `null` where it has none of its own. */
async function findOwn(home: Connection): Promise<Found | null> {
  const kept = await home.get<Kept & Origin & Found["here"]>(FIND_OWN_MARK);
  if (kept === undefined) return null;
  const mark = parseMark(kept);
  return isOf(mark, kept) ? { mark, here: kept } : null;
}

const parseMark = ({ value }: Kept): HomeMark => JSON.parse(value) as HomeMark;

/** Not where it was restored from a dump: then the mark tells of another place. */
const isAlive = ({ mark, here }: Found): boolean => mark.place === here.place && here.atMs < mark.atMs + ALIVE_MS;

function foreignWords(found: Found): string {
  const { mark, here } = found;
  if (isAlive(found)) {
    const seconds = Math.max(0, Math.round((here.atMs - mark.atMs) / 1000));
    return `belongs to another home, which renewed its mark ${seconds} s ago: production is alive`;
  }
  return (
    `belongs to another home, which renewed its mark last at ${new Date(mark.atMs).toISOString()}. Where this ` +
    "installation takes the other's place, run bellwire adopt; for a drill restore the shard elsewhere, then run " +
    "bellwire shards change"
  );
}

async function writeMark(db: Connection, mark: HomeMark): Promise<HomeMark> {
  await db.run(PUT_MARK, HOME_MARK, JSON.stringify(mark));
  return mark;
}

interface Asked extends Pick<HomeMark, "atMs" | "xid" | "place"> {
  readonly token: string;
  readonly other: string;
}

async function ask(db: Connection): Promise<Asked> {
  const asked = await db.get<Asked>(ASK_ORIGIN);
  assert(asked !== undefined, "a query without a table has no row");
  return asked;
}

/** `pg_upgrade` and standbys keep them, and no address is in them. */
const PLACE = `concat_ws('/', 'settings'::regclass::oid,
    (select oid from pg_database where datname = current_database()))`;
const HERE = `(extract(epoch from clock_timestamp()) * 1000)::bigint as "atMs", ${PLACE} as place`;

const ASK_PLACE = `-- name: ask where this is
  select ${HERE}`;

const ASK_ORIGIN = `-- name: ask where this is written
  select gen_random_uuid()::text as token, gen_random_uuid()::text as other,
    pg_current_xact_id()::xid::text as xid, ${HERE}`;

/** Beside the key of migrations. */
const LOCK_HOME = `-- name: lock home
  select pg_advisory_xact_lock(1113943149, hashtext(current_setting('search_path')))`;

const LOCK_MARK = `-- name: lock mark of home
  select value, xmin::text as xid, ${PLACE} as place
  from settings
  where name = '${HOME_MARK}'
  for update`;

const FIND_OWN_MARK = `-- name: find mark of home, where it is
  select value, xmin::text as xid, ${HERE}
  from settings
  where name = '${HOME_MARK}'`;

const FIND_MARK = `-- name: find mark of home
  select value
  from settings
  where name = '${HOME_MARK}'`;

const PUT_MARK = `-- name: put mark of home
  insert into settings (name, value)
  values ($1, $2)
  on conflict (name) do update
  set value = excluded.value`;

const HOLD = `-- name: hold installation
  insert into settings (name, value)
  values ($1, $2)
  on conflict do nothing`;

/** A node that works has a lease there until it ends, and one that died for up to 15 s. */
const COUNT_NODES = `-- name: count nodes at work
  select count(1) as nodes, ceil((max(until_at) - extract(epoch from clock_timestamp()) * 1000) / 1000)::int as seconds
  from leases
  where until_at > extract(epoch from clock_timestamp()) * 1000`;
