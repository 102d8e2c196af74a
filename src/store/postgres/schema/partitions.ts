/**
 * The tables of days: made ahead by whichever node keeps house first, dropped whole when retention has come to them.
 *
 * Making and dropping lock tables that traffic uses, and a transaction that waits for such a lock holds up everybody
 * behind it. So they wait for 200 ms at most, give up, and try again later: until then rows fall into the default
 * partition, or a day stays longer. Parents are attached to and not created from, because that lets traffic go on.
 *
 * Invariant: a day is dropped only when nothing of it is pending, its events first. With its event a delivery cannot be
 * resent, so what follows needs no looking at.
 */
import type { Connection } from "../connection/connection.ts";
import { dayOfName, daysFrom, endOfDay, idsOfDay, nameOfDay, startOfDay } from "../days.ts";
import { withoutQueueing } from "../connection/without-queueing.ts";

/** Today and a week: so long an operator has to repair what keeps days from being made. */
export const DAYS_AHEAD = 7;

/** Any number of our own: that of migrations, and one. */
const LOCK_TABLES = 1_113_943_149;

interface DayTable {
  readonly name: string;
  readonly parent: string;
  readonly prefix: "evt" | "dlv";
  /** Storage parameters are each partition's own: the parent's would say nothing. */
  readonly storage: string;
}

/**
 * Rows here are mostly only added, so vacuuming has nothing to tidy; it freezes rows and notes which pages
 * need no second look, at an even pace, instead of a fifth of the table at a time. Events and attempts are written once
 * more when a payload or an answer goes, a day at a time.
 */
const ADDED_TO = "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000";

/** In the order in which a day is dropped. */
const DAY_TABLES: readonly DayTable[] = [
  { name: "events", parent: "events", prefix: "evt", storage: ADDED_TO },
  { name: "deliveries", parent: "deliveries", prefix: "dlv", storage: ADDED_TO },
  { name: "attempts", parent: "attempts", prefix: "dlv", storage: ADDED_TO },
];

/** The days that each table has tables for. */
export type Days = ReadonlyMap<string, ReadonlySet<number>>;

export interface Calendar {
  readonly days: Days;
  /** The database's. */
  readonly todayMs: number;
}

export async function loadCalendar(db: Connection): Promise<Calendar> {
  const [tables, now] = await Promise.all([
    db.all<{ parent: string; name: string }>(LIST_DAY_TABLES),
    db.get<{ nowMs: number }>(FIND_NOW),
  ]);
  const days = new Map(DAY_TABLES.map(({ parent }) => [parent, new Set<number>()]));
  for (const { parent, name } of tables) {
    const dayMs = dayOfName(name);
    if (dayMs !== null) days.get(parent)?.add(dayMs);
  }
  return { days, todayMs: startOfDay(now?.nowMs ?? 0) };
}

/** Those that any of the tables has. */
export const allDays = (days: Days): number[] => [...new Set([...days.values()].flatMap((each) => [...each]))];

/** Days from today on that have all of their tables, without a gap. */
export function daysReady({ days, todayMs }: Calendar): number {
  const ahead = daysFrom(todayMs, DAYS_AHEAD + 1);
  const gap = ahead.findIndex((dayMs) => [...days.values()].some((each) => !each.has(dayMs)));
  return gap === -1 ? ahead.length : gap;
}

/** Makes what is missing of today and the days after it. False: not all of it, this time. */
export async function makeDaysAhead(db: Connection, calendar: Calendar): Promise<boolean> {
  if (daysReady(calendar) > DAYS_AHEAD) return true;
  return await makeDays(db, calendar.days, daysFrom(calendar.todayMs, DAYS_AHEAD + 1));
}

/** A day at a time: one that cannot be made does not keep the others from it. */
export async function makeDays(db: Connection, made: Days, wanted: readonly number[]): Promise<boolean> {
  if (!(await isOurs(db))) return false;
  let isComplete = true;
  for (const dayMs of wanted) {
    const missing = DAY_TABLES.filter(({ parent }) => made.get(parent)?.has(dayMs) !== true);
    if (missing.length > 0)
      isComplete = (await withoutQueueing(db, () => makeTables(db, missing, dayMs))) && isComplete;
  }
  return isComplete;
}

async function makeTables(db: Connection, tables: readonly DayTable[], dayMs: number): Promise<true> {
  for (const { name, parent, prefix, storage } of tables) {
    const table = `${name}_${nameOfDay(dayMs)}`;
    const { from, to } = idsOfDay(prefix, dayMs);
    // Those that have ended; what waits is not by days.
    const first = name === "deliveries" ? "true, " : "";
    await db.exec(`create table ${table} (like ${parent} including defaults including constraints) with (${storage})`);
    await db.exec(
      `alter table ${parent} attach partition ${table} for values from (${first}'${from}') to (${first}'${to}')`,
    );
  }
  return true;
}

export interface OldDays {
  /** `later`: what could be dropped is in use. */
  readonly drop: "dropped" | "none" | "later";
  /** Those before it that stay for now, because something of them is pending. */
  readonly waiting: readonly number[];
}

/** Drops the next table of the oldest day that has ended before `beforeMs` and has nothing pending. */
export async function dropOldTable(db: Connection, days: Days, beforeMs: number): Promise<OldDays> {
  const waiting: number[] = [];
  const old = allDays(days).filter((dayMs) => endOfDay(dayMs) <= beforeMs);
  for (const dayMs of old.toSorted((a, b) => a - b)) {
    const table = DAY_TABLES.find(({ parent }) => days.get(parent)?.has(dayMs) === true);
    if (table === undefined) continue;
    if (await hasPending(db, dayMs)) waiting.push(dayMs);
    else {
      const isDropped = (await isOurs(db)) && (await withoutQueueing(db, () => dropTable(db, table, dayMs)));
      return { drop: isDropped ? "dropped" : "later", waiting };
    }
  }
  return { drop: "none", waiting };
}

/** Looked at again under the lock, which a resend that began before has let go of, and no other one gets. */
async function dropTable(db: Connection, { name, parent }: DayTable, dayMs: number): Promise<boolean> {
  await db.exec(`lock table only ${parent} in access exclusive mode`);
  if (await hasPending(db, dayMs)) return false;
  await db.exec(`drop table ${name}_${nameOfDay(dayMs)}`);
  return true;
}

async function hasPending(db: Connection, dayMs: number): Promise<boolean> {
  const { from, to } = idsOfDay("dlv", dayMs);
  return (await db.get(FIND_PENDING, from, to)) !== undefined;
}

/** One node at a time, until the transaction's end. */
async function isOurs(db: Connection): Promise<boolean> {
  return (await db.get<{ isOurs: boolean }>(TRY_LOCK, LOCK_TABLES))?.isOurs === true;
}

const LIST_DAY_TABLES = `-- name: list tables of days
  select p.relname as parent, c.relname as name
  from pg_inherits i
  join pg_class p on p.oid = i.inhparent
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent in
    ('events'::regclass, 'deliveries'::regclass, 'attempts'::regclass)
    and not i.inhdetachpending`;

const FIND_NOW = `-- name: find now for days
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs"`;

const FIND_PENDING = `-- name: find anything pending of day
  select 1
  from deliveries
  where state = 'pending' and not is_ended and id >= $1 and id < $2
  order by id
  limit 1`;

const TRY_LOCK = `-- name: try lock of tables
  select pg_try_advisory_xact_lock($1, hashtext(current_schema())) as "isOurs"`;
