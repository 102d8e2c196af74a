/**
 * The index of search, kept in blocks: up to 64 events of one account that were taken in one after another. The block
 * that still takes events is searched text by text. A sealed one has its words in the engine's own text index, each
 * word once for all of its events: that makes the index small, and a search reads only the texts of blocks that have
 * all of the words.
 *
 * Invariant: the words of a sealed block are those of the texts that it has now. So a text that is deleted leaves the
 * text index in the same transaction.
 */
import { readSearched, splitSearchText, toSearchText } from "../../../events/search-fields.ts";
import type { IndexedEvents, IndexEvents } from "../../contract/search.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** Guesses. More make a smaller index, of which a search reads more texts in vain. */
const BLOCK_EVENTS = 64;
/** PostgreSQL takes 1 MB of words for a block. */
const BLOCK_BYTES = 64 * 1024;

export interface UnindexedEvent {
  readonly id: string;
  readonly accountId: string;
  readonly type: string;
  readonly isTest: boolean;
  readonly assistantId: string;
  readonly acceptedAtMs: number;
  readonly body: string;
}

export interface SearchSteps<Tx> {
  /** The next events behind the cursor, which moves behind them. */
  takeUnindexed(tx: Tx, params: IndexEvents): Answer<TakenEvents>;
  /** The open block of each account, made where there is none. It is not sealed by others until the commit. */
  openBlocks(tx: Tx, accountIds: readonly string[]): Answer<readonly Block[]>;
  /** Puts texts into their blocks. An event that is taken in again stays where it is. */
  insertEntries(tx: Tx, blocks: readonly FilledBlock[]): Answer<void>;
  /** Writes what the blocks have in them now. */
  updateBlocks(tx: Tx, blocks: readonly Block[]): Answer<unknown>;
  /** Seals a block with these words, or puts them in place of those that it has. */
  writeWords(tx: Tx, blockId: number, words: readonly string[]): Answer<void>;
  deleteEntries(tx: Tx, eventIds: readonly string[]): Answer<void>;
  /** Deletes a block that has no text any more. */
  deleteBlock(tx: Tx, blockId: number): Answer<void>;
}

export interface Block {
  readonly id: number;
  readonly accountId: string;
  readonly events: number;
  readonly bytes: number;
  /** Above every instant while it has no event. */
  readonly oldestMs: number;
  readonly newestMs: number;
}

/** With what is put into it. */
export interface FilledBlock extends Block {
  readonly entries: readonly SearchEntry[];
}

export interface TakenEvents {
  readonly events: readonly UnindexedEvent[];
  readonly hasMore: boolean;
}

export async function indexEvents<Tx extends SqlTransaction>(
  tx: Tx,
  params: IndexEvents,
  steps: SearchSteps<Tx>,
): Promise<IndexedEvents> {
  const { events, hasMore } = await steps.takeUnindexed(tx, params);
  let left: readonly SearchEntry[] = events.map((event) => toEntry(tx, event));
  while (left.length > 0) left = await fillBlocks(tx, left, steps);
  return { indexed: events.length, hasMore };
}

/** An event as search keeps it. */
export interface SearchEntry {
  readonly event: UnindexedEvent;
  readonly who: string | null;
  readonly what: string | null;
  readonly intentLevel: string;
  readonly words: string;
  readonly bytes: number;
}

function toEntry({ types }: SqlTransaction, event: UnindexedEvent): SearchEntry {
  const { summary, texts } = readSearched(types.read(event.type), event.body);
  const words = toSearchText(texts);
  return {
    event,
    who: toStorable(summary.about.who),
    what: toStorable(summary.about.what),
    intentLevel: toStorable(summary.intentLevel) ?? "",
    words,
    bytes: Buffer.byteLength(words),
  };
}

/** Without the two things that PostgreSQL's text cannot hold: one visitor's name would stop the index for everybody. */
const toStorable = (text: string | null): string | null => text?.toWellFormed().replaceAll("\0", "\ufffd") ?? null;

/**
 * Fills the open block of each account, all by the same few statements: an account's own would cost several times what
 * its event does. Returns what has no room in them.
 */
async function fillBlocks<Tx extends SqlTransaction>(
  tx: Tx,
  entries: readonly SearchEntry[],
  steps: SearchSteps<Tx>,
): Promise<readonly SearchEntry[]> {
  const byAccount = Map.groupBy(entries, ({ event }) => event.accountId);
  const blocks = await steps.openBlocks(tx, [...byAccount.keys()]);
  const filled = blocks.map((block) => fill(block, byAccount.get(block.accountId) ?? []));
  await Promise.all([steps.insertEntries(tx, filled), steps.updateBlocks(tx, filled)]);
  for (const block of filled.filter(isFull)) await sealBlock(tx, block, steps);
  const put = new Set(filled.flatMap((block) => block.entries));
  return entries.filter((entry) => !put.has(entry));
}

const isFull = ({ events, bytes }: Pick<Block, "events" | "bytes">): boolean =>
  events >= BLOCK_EVENTS || bytes >= BLOCK_BYTES;

function fill(block: Block, entries: readonly SearchEntry[]): FilledBlock {
  let { events, bytes, oldestMs, newestMs } = block;
  const taken: SearchEntry[] = [];
  for (const entry of entries) {
    if (isFull({ events, bytes })) break;
    taken.push(entry);
    events += 1;
    bytes += entry.bytes;
    oldestMs = Math.min(oldestMs, entry.event.acceptedAtMs);
    newestMs = Math.max(newestMs, entry.event.acceptedAtMs);
  }
  return { ...block, events, bytes, oldestMs, newestMs, entries: taken };
}

async function sealBlock<Tx extends SqlTransaction>(
  tx: Tx,
  { id, accountId }: Pick<Block, "id" | "accountId">,
  steps: SearchSteps<Tx>,
): Promise<void> {
  const texts = await tx.db.all<{ words: string }>(LIST_WORDS, id);
  const words = new Set(texts.flatMap((text) => splitSearchText(text.words)));
  const prefix = prefixOf(accountId);
  await steps.writeWords(
    tx,
    id,
    Array.from(words, (word) => `${prefix}_${word}`),
  );
}

/**
 * Stands before each word of an account, so that a search reads nothing of the words of others. Two accounts may share
 * one: blocks are compared by their account too.
 */
export function prefixOf(accountId: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(accountId)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36);
}

export interface ForgetEntries {
  readonly payloadsBeforeMs: number;
  readonly limit: number;
}

/**
 * Deletes texts of events with a payload that is gone, whichever way it went, with their words. Returns how many rows
 * changed.
 */
export async function forgetEntries<Tx extends SqlTransaction>(
  tx: Tx,
  { payloadsBeforeMs, limit }: ForgetEntries,
  steps: SearchSteps<Tx>,
): Promise<number> {
  if (limit <= 0) return 0;
  const old = await tx.db.all<OldEntry>(LIST_OLD_ENTRIES, payloadsBeforeMs, limit);
  if (old.length === 0) return 0;
  const ids = old.map(({ eventId }) => eventId);
  await steps.deleteEntries(tx, ids);
  // In the order in which a step of the index locks them.
  const blockIds = [...new Set(old.map(({ blockId }) => blockId))].toSorted((one, other) => one - other);
  for (const blockId of blockIds) await tidyBlock(tx, blockId, steps);
  return old.length;
}

/** The same of one event that was erased. */
export async function forgetEntriesOf<Tx extends SqlTransaction>(
  tx: Tx,
  eventId: string,
  steps: SearchSteps<Tx>,
): Promise<void> {
  const entry = await tx.db.get<OldEntry>(FIND_ENTRY, eventId);
  if (entry === undefined) return;
  await steps.deleteEntries(tx, [eventId]);
  await tidyBlock(tx, entry.blockId, steps);
}

interface OldEntry {
  readonly eventId: string;
  readonly blockId: number;
}

async function tidyBlock<Tx extends SqlTransaction>(tx: Tx, blockId: number, steps: SearchSteps<Tx>) {
  const block = await tx.db.get<{ accountId: string }>(FIND_BLOCK, blockId);
  if (block === undefined) return;
  const isEmpty = (await tx.db.get(FIND_ENTRY_OF_BLOCK, blockId)) === undefined;
  if (isEmpty) return await steps.deleteBlock(tx, blockId);
  await sealBlock(tx, { ...block, id: blockId }, steps);
}

const LIST_WORDS = `-- name: list words of block
  select words
  from search_entries
  where block_id = $1`;

/** A block that still takes events is sealed when a text leaves it: nothing is put into it meanwhile. */
const FIND_BLOCK = `-- name: find block of search
  select account_id as "accountId"
  from search_blocks
  where id = $1
  for update`;

const FIND_ENTRY_OF_BLOCK = `-- name: find any entry of block
  select 1 as one
  from search_entries
  where block_id = $1
  limit 1`;

const FIND_ENTRY = `-- name: find entry of erased event
  select event_id as "eventId", block_id as "blockId"
  from search_entries
  where event_id = $1`;

/** Exported for the test that reads its plan. What still waits keeps its payload, and there is little of it so old. */
export const LIST_OLD_ENTRIES = `-- name: list entries of search without a payload
  select s.event_id as "eventId", s.block_id as "blockId"
  from search_entries s
  where s.accepted_at < $1
    and coalesce((
      select octet_length(e.body)
      from events e
      where e.id = s.event_id
    ), 0) = 0
  order by s.accepted_at
  limit $2`;
