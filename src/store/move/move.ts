/**
 * The move of an installation from SQLite to PostgreSQL, as a list of steps. Each may be the last before a crash: the
 * next run finds by the marks (`marks.ts`) how far this one came.
 *
 *     mark the source ──► mark the target ──► copy, table by table ──► compare ──► open the target ──► close the source
 *
 * Invariant: from the first step on no service starts on the source, and until the last but one none on the target.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { StoreUnusable } from "../contract/store.ts";
import { compareTable, type ComparedTable, type Difference } from "./compare.ts";
import { type Arrived, type Arriving, type Away, parseMark } from "./marks.ts";
import type { Source } from "./source.ts";
import { MARKS } from "./tables.ts";
import type { Target } from "./target.ts";
import { assert } from "../../lib/assert.ts";
import type { MovedTable } from "./cells.ts";

export interface MoveContext {
  readonly source: Source;
  readonly target: Target;
  readonly clock: Clock;
  readonly random: Random;
  /** After each batch. */
  readonly onProgress: (progress: Progress) => void;
  /** Asked between batches: a move that is stopped goes on where it was. */
  readonly isStopping: () => boolean;
}

export interface Progress {
  readonly step: "copied" | "compared";
  readonly table: string;
  /** Rows of all tables; `ofStep` counts those of earlier runs too, `here` those of this one. */
  readonly rows: { readonly ofStep: number; readonly here: number; readonly all: number };
}

export type Moved =
  | { readonly kind: "moved"; readonly tables: readonly ComparedTable[] }
  /** An earlier run had done everything but the last step. */
  | { readonly kind: "moved_before" }
  | { readonly kind: "differs"; readonly difference: Difference }
  | { readonly kind: "stopped" };

/** Rejects with `StoreUnusable` for a target that is not this move's, and with `StoreUnavailable` when one is gone. */
export async function moveInstallation(ctx: MoveContext): Promise<Moved> {
  const away = await markSource(ctx);
  const arriving = await markTarget(ctx, away);
  if (arriving === null) return await closeSource(ctx, away, { kind: "moved_before" });
  const all = new Map(ctx.target.tables.map((table) => [table.name, ctx.source.countRows(table)]));
  const total = [...all.values()].reduce((sum, rows) => sum + rows, 0);
  const copied = await copyTables(ctx, arriving, total);
  if (copied === null) return { kind: "stopped" };
  const compared = await compareTables(ctx, total);
  if (compared.kind !== "moved") return compared;
  await completeTarget(ctx, copied);
  return await closeSource(ctx, away, compared);
}

/** Takes the mark off the source and gives it; `null` when there was none. Rows that have arrived stay there. */
export async function goBack({ settings }: Pick<Source, "settings">): Promise<Away | null> {
  const away = parseMark<Away>(await settings.loadSetting({ name: MARKS.away }));
  if (away !== null) await settings.deleteSetting({ name: MARKS.away });
  return away;
}

async function markSource(ctx: MoveContext): Promise<Away> {
  const { source, target, clock, random } = ctx;
  const known = parseMark<Away>(await source.settings.loadSetting({ name: MARKS.away }));
  if (known !== null) return await goOn(ctx, known);
  await assertIsFree(target);
  const move = Buffer.from(random.bytes(9)).toString("base64url");
  const away = { move, to: target.place, startedAt: new Date(clock.nowMs()).toISOString(), endedAt: null };
  await source.settings.saveSetting({ name: MARKS.away, value: JSON.stringify(away) });
  return away;
}

/** A target has nothing of the move yet when the first run ended between the two marks. */
async function goOn({ source, target }: MoveContext, away: Away): Promise<Away> {
  const marks = await Promise.all([target.loadSetting(MARKS.arriving), target.loadSetting(MARKS.arrived)]);
  if (marks.some((text) => parseMark<Arrived>(text)?.move === away.move)) return away;
  if (away.to === target.place && away.endedAt === null) return away;
  const what = away.endedAt === null ? "is being moved" : "has moved";
  throw new StoreUnusable(
    `${source.path} ${what} to ${away.to}, and ${target.place} has nothing of that; name that one, or give it up ` +
      "first: bellwire migrate-to --go-back",
  );
}

/** How far it is; `null` when everything has arrived already. */
async function markTarget({ source, target }: MoveContext, { move, startedAt }: Away): Promise<Arriving | null> {
  const arriving = parseMark<Arriving>(await target.loadSetting(MARKS.arriving));
  if (arriving?.move === move) return arriving;
  const arrived = parseMark<Arrived>(await target.loadSetting(MARKS.arrived));
  if (arrived?.move === move) return null;
  await assertIsFree(target);
  const fresh: Arriving = { move, from: source.path, startedAt, tables: {} };
  await target.begin(fresh);
  return fresh;
}

async function assertIsFree(target: Target): Promise<void> {
  const arriving = parseMark<Arriving>(await target.loadSetting(MARKS.arriving));
  const empty = "empty it (drop schema bellwire cascade) or name another";
  if (arriving !== null) {
    const { from, startedAt } = arriving;
    throw new StoreUnusable(
      `${target.place} has a part of another move, from ${from}, begun at ${startedAt}: ${empty}`,
    );
  }
  const filled = await target.firstFilledTable();
  if (filled === null) return;
  throw new StoreUnusable(`${target.place} has an installation already: there are rows in ${filled}; ${empty}`);
}

async function copyTables(ctx: MoveContext, arriving: Arriving, all: number): Promise<Arriving | null> {
  const span = ctx.source.eventSpan();
  if (span !== null) await ctx.target.makeDays(span);
  const rowsIn = ({ tables }: Arriving): number => Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
  const before = rowsIn(arriving);
  let mark = arriving;
  for (const table of ctx.target.tables) {
    for await (const moved of copyTable(ctx, table, mark)) {
      mark = moved;
      const ofStep = rowsIn(mark);
      ctx.onProgress({ step: "copied", table: table.name, rows: { ofStep, here: ofStep - before, all } });
      if (ctx.isStopping()) return null;
    }
  }
  return mark;
}

async function compareTables(ctx: MoveContext, all: number): Promise<Moved> {
  const tables: ComparedTable[] = [];
  let rows = 0;
  for (const table of ctx.target.tables) {
    const compared = await compareTable(ctx, table, (count) => {
      rows += count;
      ctx.onProgress({ step: "compared", table: table.name, rows: { ofStep: rows, here: rows, all } });
      return !ctx.isStopping();
    });
    if (compared === "stopped") return { kind: "stopped" };
    if (!compared.ok) return { kind: "differs", difference: compared.error };
    tables.push(compared.value);
  }
  return { kind: "moved", tables };
}

async function completeTarget({ source, target, clock }: MoveContext, before: Arriving): Promise<void> {
  // PostgreSQL numbers their rows by itself: it must go on behind the last number.
  const numbered = target.tables.filter(({ columns }) => columns.some(({ name }) => name === "seq"));
  const lastNumbers = new Map(numbered.map((table) => [table.name, source.lastNumber(table)]));
  const { move, from, startedAt } = before;
  const arrived: Arrived = { move, from, startedAt, endedAt: new Date(clock.nowMs()).toISOString() };
  await target.complete(lastNumbers, { before, after: JSON.stringify(arrived) });
}

async function closeSource({ source, target, clock }: MoveContext, away: Away, moved: Moved): Promise<Moved> {
  const ended: Away = { ...away, to: target.place, endedAt: new Date(clock.nowMs()).toISOString() };
  await source.settings.saveSetting({ name: MARKS.away, value: JSON.stringify(ended) });
  return moved;
}

/* Copying one table: batch by batch in the order of its key, each with its place. */

/** Gives how far the move is after each batch that was committed. */
export async function* copyTable(
  { source, target }: { readonly source: Source; readonly target: Target },
  table: MovedTable,
  arriving: Arriving,
): AsyncGenerator<Arriving> {
  let before = arriving;
  for (;;) {
    const done = before.tables[table.name];
    const batch = source.readBatch(table, done?.place ?? null);
    if (batch === null) return await target.analyze(table);
    assert(batch.place.length > 0, `a batch of ${table.name} ends nowhere`);
    const rows = (done?.rows ?? 0) + batch.rows.length;
    const mark = { ...before, tables: { ...before.tables, [table.name]: { rows, place: batch.place } } };
    await target.insert(table, batch.rows, { before, mark });
    before = mark;
    yield mark;
  }
}
