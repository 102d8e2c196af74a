/**
 * A page of what was found, newest first: events whose texts have the words (`search-walk.ts`), then the rows of the
 * page. A search for words that stand often, but hardly ever together or under this filter, says how far back it came,
 * and the next page goes on there.
 */
import { assert } from "../../../lib/assert.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { DeliveryCursor, ListedDelivery, ListedEvent } from "../../contract/log.ts";
import {
  type FoundDeliveries,
  type FoundEvents,
  PHRASES_MAX,
  type SearchDeliveries,
  type SearchEvents,
} from "../../contract/search.ts";
import { findStart } from "./log-rows.ts";
import { findMatches } from "./search-matches.ts";
import { type BodyReads, lookIntoBodies } from "./search-bodies.ts";
import { type BlockReads, type FoundEvent, walkBlocks } from "./search-walk.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** The index follows within a second or two; more than this is worth saying. */
const BEHIND_MS = secondsMs(5);

/** Events that rows are asked for at once. More would be read in vain by a page that is full before. */
const EVENTS_AT_ONCE = 512;

export interface SearchReads<Tx> extends BlockReads<Tx>, BodyReads<Tx> {
  /** Asked before the first event is found, so that what it reads beforehand comes with the first blocks. */
  prepareRows(tx: Tx, params: SearchDeliveries): Answer<ListRows>;
  /** Ids of the account's events that this id is of, or belongs to. Tests are not among them. */
  listNamed(tx: Tx, accountId: string, id: string): Answer<readonly string[]>;
  listEventsOf(tx: Tx, eventIds: readonly string[]): Answer<readonly ListedEvent[]>;
  /** When the oldest event was accepted that the index does not have; `null` when it has all. */
  findMissing(tx: Tx, nowMs: number): Answer<number | null>;
}

/** Rows of these events that the filter lets through, in any order. */
export type ListRows = (eventIds: readonly string[]) => Answer<readonly ListedDelivery[]>;

export async function searchDeliveries<Tx extends SqlTransaction>(
  tx: Tx,
  params: SearchDeliveries,
  reads: SearchReads<Tx>,
): Promise<FoundDeliveries> {
  const { accountId, phrases, values = [], createdFromMs: oldestMs = 0, type = null, withTests, limit, nowMs } = params;
  assert(phrases.length <= PHRASES_MAX, `a search has ${PHRASES_MAX} phrases at most`);
  const list = Promise.resolve(reads.prepareRows(tx, params));
  const rows = createRows(async (ids) => await (await list)(ids), limit + 1);
  const wanted = { phrases, oldestMs, newestMs: findStart(params).createdAtMs, type, assistantId: null, withTests };
  const look = lookIntoBodies(tx, params, reads);
  const [reached, missingMs] = await Promise.all([
    walkBlocks(tx, { accountId, reads, look, ...wanted }, rows.take),
    reads.findMissing(tx, nowMs),
    list,
  ]);
  const found = await rows.end();
  const sorted = found.toSorted((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1));
  const page = toPage(sorted, { limit, reached, toCursor: ({ createdAtMs, id }) => ({ createdAtMs, id }) });
  const eventIds = page.rows.map(({ eventId }) => eventId);
  const matches = await findMatches(tx, { eventIds, phrases, values }, reads.listBodies);
  const deliveries = page.rows.map((row) => ({ ...row, match: matches.get(row.eventId) ?? null }));
  const lookedAt = look?.count() ?? null;
  return { deliveries, next: page.next, lookedAt, ...describeReach({ page, reached, missingMs, nowMs }) };
}

export async function searchEvents<Tx extends SqlTransaction>(
  tx: Tx,
  params: SearchEvents,
  reads: SearchReads<Tx>,
): Promise<FoundEvents> {
  const { accountId, type, assistantId = null, phrases, values = [], limit, before, nowMs } = params;
  assert(phrases.length <= PHRASES_MAX, `a search has ${PHRASES_MAX} phrases at most`);
  if (params.id !== undefined) return await findNamed(tx, { ...params, id: params.id }, reads);
  const { createdAtMs: newestMs, id: behind } = before ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: "" };
  const wanted = { phrases, oldestMs: 0, newestMs, type, assistantId, withTests: false };
  const found: FoundEvent[] = [];
  const take = async (events: readonly FoundEvent[]): Promise<boolean> => {
    found.push(...events.filter((event) => event.acceptedAtMs < newestMs || event.eventId < behind));
    return found.length > limit;
  };
  const look = lookIntoBodies(tx, params, reads);
  const [reached, missingMs] = await Promise.all([
    walkBlocks(tx, { accountId, reads, look, ...wanted }, take),
    reads.findMissing(tx, nowMs),
  ]);
  const sorted = found.toSorted(
    (one, other) => other.acceptedAtMs - one.acceptedAtMs || (one.eventId < other.eventId ? 1 : -1),
  );
  const toCursor = ({ acceptedAtMs, eventId }: FoundEvent) => ({ createdAtMs: acceptedAtMs, id: eventId });
  const page = toPage(sorted, { limit, reached, toCursor });
  const ids = page.rows.map(({ eventId }) => eventId);
  const [listed, matches] = await Promise.all([
    reads.listEventsOf(tx, ids),
    findMatches(tx, { eventIds: ids, phrases, values }, reads.listBodies),
  ]);
  const byId = new Map(listed.map((event) => [event.id, event]));
  const events = ids.flatMap((id) => {
    const event = byId.get(id);
    return event === undefined ? [] : [{ ...event, match: matches.get(id) ?? null }];
  });
  const lookedAt = look?.count() ?? null;
  return { events, next: page.next, lookedAt, ...describeReach({ page, reached, missingMs, nowMs }) };
}

async function findNamed<Tx>(
  tx: Tx,
  { accountId, type, assistantId, id }: SearchEvents & { readonly id: string },
  reads: SearchReads<Tx>,
): Promise<FoundEvents> {
  const listed = await reads.listEventsOf(tx, await reads.listNamed(tx, accountId, id));
  const wanted = listed.filter(
    (event) =>
      (type === null || event.type === type) && (assistantId === undefined || event.assistantId === assistantId),
  );
  const events = wanted.map((event) => ({ ...event, match: null }));
  return { events, next: null, searchedBackToMs: null, missingFromMs: null, lookedAt: null };
}

interface Rows {
  /** True: there are enough rows. */
  take(events: readonly FoundEvent[]): Promise<boolean>;
  /** All rows, also those of events that were not asked for yet. */
  end(): Promise<readonly ListedDelivery[]>;
}

/**
 * Rows of the events that a walk finds. They are asked for when there are events enough to fill the page; where the
 * filter leaves out most of them, for as many as it seems to take.
 */
function createRows(list: ListRows, wanted: number): Rows {
  const rows: ListedDelivery[] = [];
  let waiting: string[] = [];
  let asked = 0;
  const ask = async (): Promise<void> => {
    const ids = waiting;
    waiting = [];
    asked += ids.length;
    if (ids.length > 0) rows.push(...(await list(ids)));
  };
  return {
    async take(events) {
      waiting.push(...events.map(({ eventId }) => eventId));
      const eventsOfRow = asked / Math.max(1, rows.length);
      const missing = (wanted - rows.length) * Math.max(1, eventsOfRow);
      if (waiting.length < Math.min(missing, Math.max(wanted, EVENTS_AT_ONCE))) return false;
      await ask();
      return rows.length >= wanted;
    },
    async end() {
      await ask();
      return rows;
    },
  };
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: DeliveryCursor | null;
  readonly isFull: boolean;
}

interface Paging<Row> {
  readonly limit: number;
  readonly reached: number | null;
  readonly toCursor: (row: Row) => DeliveryCursor;
}

/** Ends at its last row, or where the search came to; no id comes before "0". */
function toPage<Row>(sorted: readonly Row[], { limit, reached, toCursor }: Paging<Row>): Page<Row> {
  const rows = sorted.slice(0, limit);
  const last = rows.at(-1);
  if (sorted.length > limit && last !== undefined) return { rows, next: toCursor(last), isFull: true };
  return { rows, next: reached === null ? null : { createdAtMs: reached + 1, id: "0" }, isFull: false };
}

interface Reach {
  readonly page: Pick<Page<unknown>, "isFull">;
  readonly reached: number | null;
  readonly missingMs: number | null;
  readonly nowMs: number;
}

const describeReach = ({ page, reached, missingMs, nowMs }: Reach) => ({
  searchedBackToMs: page.isFull ? null : reached,
  missingFromMs: missingMs !== null && missingMs < nowMs - BEHIND_MS ? missingMs : null,
});
