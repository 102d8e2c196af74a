/**
 * Days of the calendar (UTC) as ranges of ids, because partitions are such ranges: an id begins with its instant, and a
 * delivery's with its event's (`delivery/accept.ts`). A query that names a range is planned for the partitions in it
 * and for no others.
 *
 * Ids that tell no instant, or one that cannot be, are only those of tests. They lie in the default partitions and are
 * looked for beside the newest days.
 */
import { firstIdAt, readInstant } from "../../domain/id.ts";
import { daysMs, hoursMs } from "../../lib/duration.ts";

const DAY_MS = daysMs(1);

export type Dated = "evt" | "dlv";

/** `from <= id < to`, and besides those with `id < below` or `id >= above`, where these are given. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
  readonly below: string | null;
  readonly above: string | null;
}

/** Sorts behind every id. */
const END = "~";

const between = (from: string, to: string): IdRange => ({ from, to, below: null, above: null });

export const EVERY_ID = between("", END);

/** A condition on the column `id`: its range stands at the four placeholders from `$place` on. */
export const isIn = (id: string, place: number): string =>
  `(${id} >= $${place} and ${id} < $${place + 1} or ${id} < $${place + 2} or ${id} >= $${place + 3})`;

/**
 * The same for deliveries `d`: it is planned for the range's days, and for what waits. Partitions go by `is_ended`
 * first, so each of these says both in a breath. Those that wait stand beside them, because PostgreSQL takes out what
 * all of them have in common, and would plan for all days.
 */
export const isInDays = (d: string, place: number): string =>
  `${isIn(`${d}.id`, place)} and (not ${d}.is_ended
        or ${d}.is_ended and ${d}.id >= $${place} and ${d}.id < $${place + 1}
        or ${d}.is_ended and ${d}.id < $${place + 2} or ${d}.is_ended and ${d}.id >= $${place + 3})`;

/** Delivery `d` with the id at the placeholder, whether it waits or has ended. */
export const hasId = (d: string, place: number): string =>
  `${d}.id = $${place} and (not ${d}.is_ended or ${d}.is_ended and ${d}.id = $${place})`;

/** A range that has all of these. */
export const spanOf = (ids: readonly string[]): IdRange => {
  const sorted = ids.toSorted();
  return between(sorted[0] ?? "", `${sorted.at(-1) ?? ""}\u0001`);
};

/** In the order of the placeholders. */
export const toPlaceholders = ({ from, to, below, above }: IdRange): (string | null)[] => [from, to, below, above];

export const startOfDay = (nowMs: number): number => Math.floor(nowMs / DAY_MS) * DAY_MS;

export const endOfDay = (dayMs: number): number => dayMs + DAY_MS;

/** The day itself first. */
export const daysFrom = (dayMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, place) => dayMs + place * DAY_MS);

/** Ids made in that time. */
export const idsBetween = (prefix: Dated, fromMs: number, toMs: number): IdRange =>
  between(firstIdAt(prefix, fromMs), firstIdAt(prefix, toMs));

export const idsOfDay = (prefix: Dated, dayMs: number): IdRange => idsBetween(prefix, dayMs, endOfDay(dayMs));

/**
 * Where deliveries of that event lie: among those of its millisecond, of which there are a handful. So the table's key
 * finds them, and no index by event is kept. Those of an event without an instant may lie anywhere.
 */
export function findDeliveryIds(eventId: string): IdRange {
  const madeMs = readInstant(eventId);
  return madeMs === null ? EVERY_ID : idsBetween("dlv", madeMs, madeMs + 1);
}

/** The same the other way round: where the event of a delivery lies. */
export function findEventIds(deliveryId: string): IdRange {
  const madeMs = readInstant(deliveryId);
  return madeMs === null ? EVERY_ID : idsBetween("evt", madeMs, madeMs + 1);
}

/** What was made since then, give or take the slack, and what tells no instant. */
export const idsSince = (prefix: Dated, fromMs: number): IdRange => ({
  ...between(firstIdAt(prefix, Math.max(fromMs - SLACK_MS, FIRST_MS)), END),
  below: firstIdAt(prefix, FIRST_MS),
});

/** Such as `20261121`, which names the day's tables. */
export const nameOfDay = (dayMs: number): string => new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "");

/** `null` where the name ends in no day. */
export function dayOfName(name: string): number | null {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

/** A day that has tables of its own, or what lies between such days: one partition of each table. */
export interface Part {
  readonly dayMs: number | null;
  readonly events: IdRange;
  readonly deliveries: IdRange;
}

/** Every id is in one of them. `days` are those that have tables, in any order. */
export function toParts(days: readonly number[]): Part[] {
  const parts: Part[] = [];
  let endMs: number | null = null;
  for (const dayMs of days.toSorted((a, b) => a - b)) {
    if (endMs !== dayMs) parts.push(gapBetween(endMs, dayMs));
    parts.push({ dayMs, events: idsOfDay("evt", dayMs), deliveries: idsOfDay("dlv", dayMs) });
    endMs = endOfDay(dayMs);
  }
  return [...parts, gapBetween(endMs, null)];
}

function gapBetween(fromMs: number | null, toMs: number | null): Part {
  const range = (prefix: Dated): IdRange =>
    between(fromMs === null ? "" : firstIdAt(prefix, fromMs), toMs === null ? END : firstIdAt(prefix, toMs));
  return { dayMs: null, events: range("evt"), deliveries: range("dlv") };
}

/**
 * Events by their days, each with where its deliveries lie, or by some days that follow each other. Those without an
 * instant are one day of their own.
 */
export function byDay(eventIds: readonly string[], daysAtOnce = 1): EventsOfDay[] {
  const spans = Map.groupBy(eventIds, (id) => {
    const madeMs = readInstant(id);
    return madeMs === null ? null : Math.floor(madeMs / (daysAtOnce * DAY_MS));
  });
  return [...spans].map(([span, ids]) => ({ ids, day: span === null ? EVERY_ID : daysOf(ids) }));
}

export interface EventsOfDay {
  readonly ids: readonly string[];
  /** The ids of deliveries of that day, or of those days. */
  readonly day: IdRange;
}

/** From the first to the last day of events that have instants. */
function daysOf(eventIds: readonly string[]): IdRange {
  const madeMs = eventIds.map((id) => readInstant(id) ?? 0);
  const [first, last] = [Math.min(...madeMs), Math.max(...madeMs)].map(startOfDay) as [number, number];
  return idsBetween("dlv", first, endOfDay(last));
}

/** As arrays of placeholders: `from` and `to` of each event's deliveries. */
export function toRanges(eventIds: readonly string[]): [from: string[], to: string[]] {
  const ranges = eventIds.map(findDeliveryIds);
  return [ranges.map(({ from }) => from), ranges.map(({ to }) => to)];
}

/** Ids and the instants beside them were taken within this of each other. */
export const SLACK_MS = hoursMs(1);

/** A stretch of days of a list that is read back in time. */
export interface Span {
  /** Older rows lie in the next spans. */
  readonly fromMs: number;
  ids(prefix: Dated): IdRange;
}

/**
 * The days of each span after the first one. Most lists end in the first; a query that is about all days at once would
 * hold hundreds of locks, of which a server has some thousands. Guess.
 */
const SPANS = [6, 24, 32, 32];

/** The first span has the day of its newest row, and the one before where less than this has passed of it. Guess. */
const FIRST_SPAN_MS = hoursMs(6);

/** No row is older. */
const FIRST_MS = Date.UTC(2020, 0, 1);

export interface Stretch {
  readonly newestMs: number;
  readonly oldestMs: number;
  readonly nowMs: number;
  /** Left out: there may be ids that no day has a place for. */
  readonly hasUndated?: boolean;
}

/** Newest first; the last one has all that is left. Those without an instant are in the first one. */
export function spansBack({ newestMs, oldestMs, nowMs, hasUndated = true }: Stretch): Span[] {
  const starts = [startOfDay(newestMs - FIRST_SPAN_MS)];
  for (const days of SPANS) starts.push((starts.at(-1) ?? 0) - days * DAY_MS);
  const bounds = [newestMs + SLACK_MS, ...starts, FIRST_MS].map((atMs) => Math.max(atMs, FIRST_MS));
  return bounds.slice(1).flatMap((fromMs, place) => {
    const toMs = bounds[place] ?? FIRST_MS;
    if (place === 0 && hasUndated) {
      return [{ fromMs, ids: (prefix) => orUndated(prefix, idsBetween(prefix, fromMs, toMs), nowMs) }];
    }
    const isNeeded = place === 0 || toMs > Math.max(oldestMs - SLACK_MS, FIRST_MS);
    return isNeeded ? [{ fromMs, ids: (prefix) => idsBetween(prefix, fromMs, toMs) }] : [];
  });
}

/**
 * Widens a range by the ids that no day's table can hold, whose rows lie in the default partition: those from before
 * `FIRST_MS`, and those further ahead than any table is made.
 */
export function orUndated(prefix: Dated, range: IdRange, nowMs: number): IdRange {
  return { ...range, below: firstIdAt(prefix, FIRST_MS), above: firstIdAt(prefix, Math.max(nowMs + FAR_MS, FIRST_MS)) };
}

/** The same with all that is older, as far as ids tell an instant. */
export const withOlder = (prefix: Dated, range: IdRange): IdRange => ({ ...range, from: firstIdAt(prefix, FIRST_MS) });

/** Where rows of that stretch can lie. */
export function idsAround(prefix: Dated, { oldestMs, newestMs, nowMs, hasUndated = true }: Stretch): IdRange {
  const atLeast = (atMs: number): number => Math.max(atMs, FIRST_MS);
  const range = idsBetween(prefix, atLeast(oldestMs - SLACK_MS), atLeast(newestMs + SLACK_MS));
  return hasUndated ? orUndated(prefix, range, nowMs) : range;
}

/** Further ahead than any day is made. */
const FAR_MS = daysMs(30);

/** Whether no older span can have one of these: `oldestMs` is the last one's own instant. */
export const isBehind = ({ fromMs }: Span, oldestMs: number): boolean => oldestMs >= fromMs + SLACK_MS;
