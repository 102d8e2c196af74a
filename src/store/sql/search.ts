/**
 * A page of what was found, newest first: blocks that may have it, then the texts in them, then the rows of the page.
 * A block is asked for by its newest event, so whatever is newer than the next block's is complete.
 *
 * Invariant: a page looks at 128 blocks at most. A search for words that stand often, but hardly ever together or
 * under this filter, says how far back it came, and the next page goes on there.
 */
import { type Phrase } from "../../domain/search-words.ts";
import { findMatch, type Match } from "../../events/find-match.ts";
import { readSearched, type SearchedText } from "../../events/search-fields.ts";
import { readBody } from "../kept-body.ts";
import type { DeliveryCursor, ListedDelivery, ListedEvent } from "../contract/log.ts";
import {
  type FoundDeliveries,
  type FoundEvents,
  PHRASES_MAX,
  type SearchDeliveries,
  type SearchEvents,
} from "../contract/search.ts";
import { assert } from "../../lib/assert.ts";
import { secondsMs } from "../../lib/duration.ts";
import { findStart } from "./log-rows.ts";
import type { Answer, SqlTransaction } from "./transaction.ts";

const BLOCKS_MAX = 128;
/** A frequent word fills the page with the first of them. */
const BLOCKS_AT_FIRST = 2;
const BLOCKS_AT_ONCE = 16;
/** So many are found in a few blocks, and no page needs more unless its filter leaves out most of them. */
const EVENTS_MAX = 2_000;

/** The index follows within a second or two; more than this is worth saying. */
const BEHIND_MS = secondsMs(5);

/** A larger body is not read for a line of its text: its words stand in for it. */
const BODY_BYTES_MAX = 256 * 1024;

export interface WantedBlocks {
  readonly accountId: string;
  readonly phrases: readonly Phrase[];
  /** Blocks with anything accepted in this time, both ends included. */
  readonly newestMs: number;
  readonly oldestMs: number;
  readonly limit: number;
}

export interface FoundBlock {
  readonly id: number;
  readonly newestMs: number;
}

export interface FoundEvent {
  readonly eventId: string;
  readonly acceptedAtMs: number;
}

export interface SearchReads<Tx> {
  /** The newest first. */
  listBlocks(tx: Tx, wanted: WantedBlocks): Answer<readonly FoundBlock[]>;
  /** Rows of these events that the filter lets through, in any order. */
  listDeliveriesOf(tx: Tx, params: SearchDeliveries, eventIds: readonly string[]): Answer<readonly ListedDelivery[]>;
  /** Ids of the account's events that this id is of, or belongs to. Tests are not among them. */
  listNamed(tx: Tx, accountId: string, id: string): Answer<readonly string[]>;
  listEventsOf(tx: Tx, eventIds: readonly string[]): Answer<readonly ListedEvent[]>;
  /** When the oldest event was accepted that the index does not have; `null` when it has all. */
  findMissing(tx: Tx, nowMs: number): Answer<number | null>;
}

export async function searchDeliveries<Tx extends SqlTransaction>(
  tx: Tx,
  params: SearchDeliveries,
  reads: SearchReads<Tx>,
): Promise<FoundDeliveries> {
  const { accountId, phrases, createdFromMs: oldestMs = 0, limit, nowMs } = params;
  const start = findStart(params);
  const wanted = { accountId, phrases, oldestMs, newestMs: start.createdAtMs, kind: kindOf(params) };
  const rows: ListedDelivery[] = [];
  const reached = await walkBlocks(tx, { ...wanted, reads }, async (events) => {
    const ids = events.map(({ eventId }) => eventId);
    rows.push(...(await reads.listDeliveriesOf(tx, params, ids)));
    return rows.length > limit;
  });
  const sorted = rows.toSorted((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1));
  const page = toPage(sorted, { limit, reached, toCursor: ({ createdAtMs, id }) => ({ createdAtMs, id }) });
  const matches = await findMatches(
    tx,
    page.rows.map(({ eventId }) => eventId),
    phrases,
  );
  const deliveries = page.rows.map((row) => ({ ...row, match: matches.get(row.eventId) ?? null }));
  return { deliveries, next: page.next, ...(await describeReach(tx, { page, reached, nowMs, reads })) };
}

export async function searchEvents<Tx extends SqlTransaction>(
  tx: Tx,
  params: SearchEvents,
  reads: SearchReads<Tx>,
): Promise<FoundEvents> {
  const { accountId, phrases, limit, before, nowMs } = params;
  if (params.id !== undefined) return await findNamed(tx, { ...params, id: params.id }, reads);
  const { createdAtMs: newestMs, id: behind } = before ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: "" };
  const wanted = { accountId, phrases, oldestMs: 0, newestMs, kind: kindOf({ ...params, withTests: false }) };
  const found: FoundEvent[] = [];
  const reached = await walkBlocks(tx, { ...wanted, reads }, async (events) => {
    found.push(...events.filter((event) => event.acceptedAtMs < newestMs || event.eventId < behind));
    return found.length > limit;
  });
  const sorted = found.toSorted(
    (one, other) => other.acceptedAtMs - one.acceptedAtMs || (one.eventId < other.eventId ? 1 : -1),
  );
  const toCursor = ({ acceptedAtMs, eventId }: FoundEvent) => ({ createdAtMs: acceptedAtMs, id: eventId });
  const page = toPage(sorted, { limit, reached, toCursor });
  const ids = page.rows.map(({ eventId }) => eventId);
  const listed = new Map((await reads.listEventsOf(tx, ids)).map((event) => [event.id, event]));
  const matches = await findMatches(tx, ids, phrases);
  const events = ids.flatMap((id) => {
    const event = listed.get(id);
    return event === undefined ? [] : [{ ...event, match: matches.get(id) ?? null }];
  });
  return { events, next: page.next, ...(await describeReach(tx, { page, reached, nowMs, reads })) };
}

async function findNamed<Tx>(
  tx: Tx,
  { accountId, type, assistantId, id }: SearchEvents & { readonly id: string },
  reads: SearchReads<Tx>,
): Promise<FoundEvents> {
  const listed = await reads.listEventsOf(tx, await reads.listNamed(tx, accountId, id));
  const wanted = listed.filter(
    (event) => event.type === type && (assistantId === undefined || event.assistantId === assistantId),
  );
  const events = wanted.map((event) => ({ ...event, match: null }));
  return { events, next: null, searchedBackToMs: null, missingFromMs: null };
}

interface Kind {
  readonly type: string | null;
  readonly assistantId: string | null;
  readonly withTests: boolean;
}

const kindOf = ({
  type = null,
  assistantId = null,
  withTests,
}: {
  readonly type?: string | null;
  readonly assistantId?: string | null;
  readonly withTests: boolean;
}): Kind => ({ type, assistantId, withTests });

interface Walk<Tx> extends Omit<WantedBlocks, "limit"> {
  readonly kind: Kind;
  readonly reads: SearchReads<Tx>;
}

/**
 * Gives `take` the events that are found, the newest first and each once, until it says that it has enough. Returns the
 * instant up to which all has been looked at; `null` when that is everything.
 */
async function walkBlocks<Tx extends SqlTransaction>(
  tx: Tx,
  { kind, reads, ...wanted }: Walk<Tx>,
  take: (events: readonly FoundEvent[]) => Promise<boolean>,
): Promise<number | null> {
  const blocks = await reads.listBlocks(tx, { ...wanted, limit: BLOCKS_MAX + 1 });
  let waiting: FoundEvent[] = [];
  let seen = 0;
  const end = Math.min(blocks.length, BLOCKS_MAX);
  for (let place = 0, step = BLOCKS_AT_FIRST; place < end; place += step, step = Math.min(2 * step, BLOCKS_AT_ONCE)) {
    const behind = Math.min(place + step, end);
    const found = await listEntries(tx, blocks.slice(place, behind), { ...wanted, kind });
    const next = blocks[behind];
    const nextMs = next?.newestMs ?? -1;
    const all = [...waiting, ...found];
    const complete = all.filter(({ acceptedAtMs }) => acceptedAtMs > nextMs);
    waiting = all.filter(({ acceptedAtMs }) => acceptedAtMs <= nextMs);
    seen += complete.length;
    const isEnough = complete.length > 0 && (await take(complete));
    if (next !== undefined && (isEnough || seen >= EVENTS_MAX)) return nextMs;
  }
  return blocks[BLOCKS_MAX]?.newestMs ?? null;
}

async function listEntries(
  tx: SqlTransaction,
  blocks: readonly FoundBlock[],
  { phrases, newestMs, oldestMs, kind }: Pick<WantedBlocks, "phrases" | "newestMs" | "oldestMs"> & { kind: Kind },
): Promise<FoundEvent[]> {
  assert(phrases.length <= PHRASES_MAX, `a search has ${PHRASES_MAX} phrases at most`);
  const ids = Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => blocks[place]?.id ?? null);
  // Words have letters and digits only, so that nothing in them is a wild card.
  const patterns = Array.from({ length: PHRASES_MAX }, (_, place) => `%${toPattern(phrases[place])}`);
  const { type, assistantId, withTests } = kind;
  const values = [oldestMs, newestMs, type, assistantId, withTests, ...ids, ...patterns];
  return await tx.db.all<FoundEvent>(LIST_ENTRIES, ...values);
}

const toPattern = (phrase: Phrase | undefined): string => (phrase === undefined ? "" : ` ${phrase.join(" ")}%`);

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

interface Reach<Tx> {
  readonly page: Pick<Page<unknown>, "isFull">;
  readonly reached: number | null;
  readonly nowMs: number;
  readonly reads: SearchReads<Tx>;
}

async function describeReach<Tx>(tx: Tx, { page, reached, nowMs, reads }: Reach<Tx>) {
  const missingMs = await reads.findMissing(tx, nowMs);
  return {
    searchedBackToMs: page.isFull ? null : reached,
    missingFromMs: missingMs !== null && missingMs < nowMs - BEHIND_MS ? missingMs : null,
  };
}

async function findMatches(
  tx: SqlTransaction,
  eventIds: readonly string[],
  phrases: readonly Phrase[],
): Promise<ReadonlyMap<string, Match | null>> {
  const ids = [...new Set(eventIds)];
  const matches = await Promise.all(
    ids.map(async (id) => {
      const texts = await loadTexts(tx, id);
      return [id, findMatch(texts, phrases)] as const;
    }),
  );
  return new Map(matches);
}

async function loadTexts(tx: SqlTransaction, eventId: string): Promise<readonly SearchedText[]> {
  const found = await tx.db.get<{ body: string | null }>(FIND_SMALL_BODY, eventId, BODY_BYTES_MAX);
  if (found === undefined || found.body === "") return [];
  if (found.body !== null) return readSearched(readBody(found.body)).texts;
  const entry = await tx.db.get<{ words: string }>(FIND_WORDS, eventId);
  return entry === undefined ? [] : entry.words.split(" | ").map((text) => ({ field: "transcript" as const, text }));
}

const places = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, place) => `$${from + place}`);

/** Exported for the test that reads its plan. */
export const LIST_ENTRIES = `-- name: list entries of blocks with phrases
  select event_id as "eventId", accepted_at as "acceptedAtMs"
  from search_entries
  where block_id in (${places(6, BLOCKS_AT_ONCE).join(", ")}) and bucket = any ($buckets)
    and accepted_at >= $1 and accepted_at <= $2 and (cast($3 as text) is null or type = $3)
    and (cast($4 as text) is null or assistant_id = $4) and ($5 or not is_test)
    and ${places(6 + BLOCKS_AT_ONCE, PHRASES_MAX)
      .map((place) => `words like ${place}`)
      .join(" and ")}`;

const FIND_SMALL_BODY = `-- name: find body of event unless it is large
  select case when octet_length(body) <= $2 then body end as body
  from events
  where id = $1 and bucket = any ($buckets)`;

const FIND_WORDS = `-- name: find words of event
  select words
  from search_entries
  where event_id = $1 and bucket = any ($buckets)`;
