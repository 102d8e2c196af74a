/**
 * A backlog of any length in a database whose destinations are set up: by SQL, because ten million accepts would take
 * longer than the benchmark. Rows look as accepts leave them: ids in the order of time, bodies of the usual size, one
 * event for each delivery, everything due when it was accepted.
 *
 * This file alone knows the tables: when they change, it changes.
 */
import { daysMs } from "../../src/lib/duration.ts";
import { overClient } from "../../src/store/postgres/connection/connection.ts";
import { daysFrom, startOfDay } from "../../src/store/postgres/days.ts";
import { loadCalendar, makeDays } from "../../src/store/postgres/schema/partitions.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { bodyText } from "../record.ts";
import { hastily, openSession } from "./server.ts";

export interface Backlog {
  readonly deliveries: number;
  /** The first is accepted then, the last this much later. */
  readonly fromMs: number;
  readonly overMs: number;
  /** The destination that it waits for; all of them in turn unless given. */
  readonly destinationId?: string;
}

/** The tables must be empty, apart from the destinations' own. */
export async function fillBacklog(cluster: Cluster, url: string, backlog: Backlog): Promise<void> {
  await hastily(cluster, async () => {
    await makeHistory(url, backlog);
    await runEach(url, [listTargets(backlog.destinationId)]);
    const indexes = await dropIndexes(url);
    const span = toSpan(backlog);
    // Two sessions for two cores: events are the most of it.
    await Promise.all([
      runEach(url, [filling("events", insertEvents(span))]),
      runEach(url, [filling("deliveries", insertDeliveries(span)), filling("event_keys", insertKeys(span))]),
    ]);
    await runInTurns(url, indexes);
    await runEach(url, END);
    await runInTurns(
      url,
      TABLES.map((table) => `vacuum (analyze) ${table}`),
    );
  });
}

const TABLES = ["events", "deliveries", "deliveries_pending", "event_keys"];

/** As much as retention keeps by default: a query that is not about one day pays for all of them. */
const DAYS_KEPT = 90;

async function makeHistory(url: string, { fromMs }: Backlog): Promise<void> {
  const session = await openSession(url);
  const db = overClient(session, { sql: "begin", keepsStatements: true });
  const { days, todayMs } = await loadCalendar(db);
  const count = Math.max(DAYS_KEPT, Math.ceil((todayMs - startOfDay(fromMs)) / daysMs(1)));
  const isMade = await makeDays(db, days, daysFrom(todayMs - daysMs(count), count));
  await session.query("commit");
  await session.end();
  if (!isMade) throw new Error(`tables for the ${count} days before today cannot be made`);
}

/** A table truncated and filled in one transaction leaves nothing in the log (`wal_level = minimal`). */
const filling = (table: string, insert: string): string => `begin; truncate ${table}; ${insert}; commit`;

async function runEach(url: string, statements: readonly string[]): Promise<void> {
  const session = await openSession(url);
  for (const statement of statements) await session.query(statement);
  await session.end();
}

async function runInTurns(url: string, statements: readonly string[]): Promise<void> {
  const halves = [0, 1].map((half) => statements.filter((_, place) => place % 2 === half));
  await Promise.all(halves.map((half) => runEach(url, half)));
}

/** Those that are no constraints; gives back what makes them again, several times quicker than to keep them. */
async function dropIndexes(url: string): Promise<string[]> {
  const session = await openSession(url);
  const { rows } = await session.query<{ name: string; definition: string }>(LIST_INDEXES, [TABLES]);
  for (const { name } of rows) await session.query(`drop index ${name}`);
  await session.end();
  return rows.map(({ definition }) => definition.replace(" ON ONLY ", " ON "));
}

/** A partitioned table's own indexes, which stand for those of the partitions. */
const LIST_INDEXES = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i
  where i.indrelid = any ($1::regclass[])
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
    and not exists (select from pg_inherits h where h.inhrelid = i.indexrelid)
  order by name`;

/** Numbered, for "in turn". */
const listTargets = (destinationId: string | undefined): string => `
  create unlogged table bench_targets as
  select row_number() over (order by id) - 1 as place, id, account_id
  from destinations
  where state = 'on' ${destinationId === undefined ? "" : `and id = '${destinationId}'`};
  analyze bench_targets`;

/** Events that a group commit takes together have one instant. Guess. */
const BATCH = 100;

interface Span {
  readonly deliveries: number;
  readonly fromMs: number;
  readonly gapMs: number;
}

function toSpan({ deliveries, fromMs, overMs }: Backlog): Span {
  return { deliveries, fromMs, gapMs: Math.max(1, Math.floor((overMs * BATCH) / deliveries)) };
}

/** Every number `n` with its instant `at`, its target `d`, and what ids of that instant begin with. */
const numbers = ({ deliveries, fromMs, gapMs }: Span): string => `
  generate_series(0, ${Math.ceil(deliveries / BATCH) - 1}) batch
  cross join lateral (
    select ${fromMs} + batch::bigint * ${gapMs} as at, ${timeText(`(${fromMs} + batch::bigint * ${gapMs})`)} as text
    offset 0
  ) t
  cross join lateral generate_series(batch * ${BATCH} + 1, least((batch + 1) * ${BATCH}, ${deliveries})) n
  join bench_targets d on d.place = n % (select count(*) from bench_targets)`;

/** As `newId` writes an instant: ten digits of five bits. */
function timeText(instant: string): string {
  const digits = Array.from({ length: 10 }, (_, place) => {
    const bits = `((${instant} >> ${5 * (9 - place)}) & 31)::integer`;
    return `substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ${bits}, 1)`;
  });
  return digits.join(" || ");
}

const toId = (prefix: "evt" | "dlv"): string => `'${prefix}_' || t.text || substr(md5('${prefix}' || n), 1, 16)`;

/** A range of its own, apart from what traffic posts. */
const SOURCE_ID = "00000000-0000-4000-9000-";
const sourceId = `'${SOURCE_ID}' || lpad(n::text, 12, '0')`;

const insertEvents = (span: Span): string => `
  insert into events (seq, id, account_id, type, accepted_at, source_id, body)
  select n, ${toId("evt")}, d.account_id, 'demo_viewed', t.at, (${sourceId})::uuid,
    '{"id":"' || ${sourceId} || '${bodyAfterId()}'
  from ${numbers(span)}`;

const insertDeliveries = (span: Span): string => `
  insert into deliveries (is_ended, id, event_id, account_id, destination_id, state, due_at, created_at)
  select false, ${toId("dlv")}, ${toId("evt")}, d.account_id, d.id, 'pending', t.at, t.at
  from ${numbers(span)}`;

/** In the order of their key: each then comes last in its index, which costs a tenth of any other order. */
const insertKeys = ({ deliveries, ...span }: Span): string => `
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  select d.account_id, 'demo_viewed', (${sourceId})::uuid, ${toId("evt")}, 1
  from (select place, account_id, count(*) over () as targets from bench_targets order by account_id offset 0) d
  cross join lateral generate_series(d.place, ${deliveries}, d.targets) n
  cross join lateral (
    select ${timeText(`(${span.fromMs} + ((n - 1) / ${BATCH})::bigint * ${span.gapMs})`)} as text
  ) t
  where n > 0`;

/** The text behind the id in a body of the usual size, as SQL text. */
function bodyAfterId(): string {
  const body = bodyText(0);
  const end = '{"id":"'.length + SOURCE_ID.length + 12;
  return body.slice(end).replaceAll("'", "''");
}

const END = [
  "select setval(pg_get_serial_sequence('events', 'seq'), greatest(1, (select max(seq) from events)))",
  `update destinations d
   set next_due_at = (select min(due_at) from deliveries where destination_id = d.id and state = 'pending')
   where id in (select id from bench_targets)`,
  "drop table bench_targets",
];
