/** Search's own steps on SQLite: its words lie in an index of FTS5, whose rows are blocks. */
import { searchedBytes } from "../../../events/search-fields.ts";
import type { IndexEvents } from "../../contract/search.ts";
import type { SearchReads } from "../../sql/log/search.ts";
import {
  type Block,
  type FilledBlock,
  prefixOf,
  type SearchSteps,
  type TakenEvents,
  type UnindexedEvent,
} from "../../sql/log/search-blocks.ts";
import type { BodyBytes } from "../../sql/log/search-bodies.ts";
import type { SmallBody } from "../../sql/log/search-matches.ts";
import type { FoundBlock, FoundEvent, WantedBlocks, WantedEntries } from "../../sql/log/search-walk.ts";
import { prepareRows } from "./list-deliveries.ts";
import { listEventsOf, listSeqsOfSource } from "./list-events.ts";
import { findInMemory } from "./list-in-memory.ts";
import type { ReadTransaction, Transaction } from "../transaction.ts";

/** Events get their `seq` in the order of their commits, so no event can appear later with a `seq` below the cursor. */
function takeUnindexed(tx: Transaction, { eventsMax, bytesMax }: IndexEvents): TakenEvents {
  const events: UnindexedEvent[] = [];
  let seen = 0;
  let bytes = 0;
  let lastSeq: number | null = null;
  for (const { seq, ...event } of tx.db.each<UnindexedRow>(LIST_UNINDEXED, eventsMax)) {
    seen += 1;
    lastSeq = seq;
    bytes += searchedBytes(event.body.length);
    if (event.body !== "") events.push({ ...event, isTest: event.isTest === 1 });
    if (bytes >= bytesMax) break;
  }
  if (lastSeq === null) return { events, hasMore: false };
  tx.db.run(MOVE_CURSOR, lastSeq);
  return { events, hasMore: seen === eventsMax || bytes >= bytesMax };
}

type UnindexedRow = Omit<UnindexedEvent, "isTest"> & { readonly seq: number; readonly isTest: 0 | 1 };

const openBlocks = (tx: Transaction, accountIds: readonly string[]): Block[] =>
  accountIds.flatMap(
    (accountId) =>
      tx.db.get<Block>(FIND_OPEN_BLOCK, accountId) ??
      tx.db.get<Block>(INSERT_BLOCK, accountId, Number.MAX_SAFE_INTEGER) ??
      [],
  );

function insertEntries(tx: Transaction, blocks: readonly FilledBlock[]): void {
  for (const block of blocks) {
    for (const { event, who, what, intentLevel, words } of block.entries) {
      const { id, type, isTest, assistantId, acceptedAtMs } = event;
      const kept = [who, what, intentLevel, words] as const;
      tx.db.run(INSERT_ENTRY, id, block.id, type, Number(isTest), assistantId, acceptedAtMs, ...kept);
    }
  }
}

function updateBlocks(tx: Transaction, blocks: readonly Block[]): void {
  for (const { id, events, bytes, oldestMs, newestMs } of blocks)
    tx.db.run(UPDATE_BLOCK, events, bytes, oldestMs, newestMs, id);
}

function writeWords(tx: Transaction, blockId: number, words: readonly string[]): void {
  tx.db.run(DELETE_WORDS, blockId);
  tx.db.run(INSERT_WORDS, blockId, words.join(" "));
  tx.db.run(SEAL_BLOCK, blockId);
}

function deleteEntries(tx: Transaction, eventIds: readonly string[]): void {
  for (const eventId of eventIds) tx.db.run(DELETE_ENTRY, eventId);
}

function deleteBlock(tx: Transaction, blockId: number): void {
  tx.db.run(DELETE_WORDS, blockId);
  tx.db.run(DELETE_BLOCK, blockId);
}

function listBlocks(tx: ReadTransaction, wanted: WantedBlocks): FoundBlock[] {
  const { accountId, words, from, newestMs, oldestMs, limit } = wanted;
  const place = [accountId, newestMs, oldestMs, from.newestMs, from.id, limit] as const;
  if (words.length === 0) return tx.db.all<FoundBlock>(LIST_BLOCKS, ...place);
  const prefix = prefixOf(accountId);
  const query = words.map(({ word, isBeginning }) => `"${prefix}_${word}"${isBeginning ? " *" : ""}`).join(" AND ");
  return tx.db.all<FoundBlock>(LIST_BLOCKS_WITH, ...place, query);
}

function listEntries(tx: ReadTransaction, blockIds: readonly number[], wanted: WantedEntries): FoundEvent[] {
  const { phrases, newestMs, oldestMs, type, assistantId, withTests } = wanted;
  const filter = [JSON.stringify(blockIds), oldestMs, newestMs, type, assistantId, Number(withTests)];
  const texts = phrases.map((phrase) => ` ${phrase.join(" ")}`);
  return tx.db.all<FoundEvent>(listEntriesWith(phrases.length), ...filter, ...texts);
}

function countBlocksWith(tx: ReadTransaction, blockIds: readonly number[], beginnings: readonly string[]): number[] {
  const texts = beginnings.map((beginning) => ` ${beginning}`);
  const counted = tx.db.all<{ blocks: number }>(COUNT_BLOCKS_WITH, JSON.stringify(blockIds), JSON.stringify(texts));
  return counted.map(({ blocks }) => blocks);
}

const listBodies = (tx: ReadTransaction, eventIds: readonly string[], bytesMax: number): SmallBody[] =>
  tx.db.all<SmallBody>(LIST_BODIES, JSON.stringify(eventIds), bytesMax);

function listNamed(tx: ReadTransaction, accountId: string, id: string): string[] {
  const inMemory = findInMemory(tx, accountId, id)?.eventId ?? null;
  const seqs = JSON.stringify(listSeqsOfSource(tx, accountId, id));
  const found = tx.db.all<{ id: string }>(LIST_NAMED, id, inMemory, id, seqs, accountId);
  return found.map((event) => event.id);
}

const findMissing = (tx: ReadTransaction): number | null => tx.db.get<{ atMs: number }>(FIND_MISSING)?.atMs ?? null;

export const SEARCH_STEPS: SearchSteps<Transaction> = {
  takeUnindexed,
  openBlocks,
  insertEntries,
  updateBlocks,
  writeWords,
  deleteEntries,
  deleteBlock,
};

const listBodyBytes = (tx: ReadTransaction, eventIds: readonly string[]): BodyBytes[] =>
  tx.db.all<BodyBytes>(LIST_BODY_BYTES, JSON.stringify(eventIds));

const listLike = (tx: ReadTransaction, eventIds: readonly string[], patterns: readonly string[]): { id: string }[] =>
  tx.db.all<{ id: string }>(listLikeWith(patterns.length), JSON.stringify(eventIds), ...patterns);

export const SEARCH_READS: SearchReads<ReadTransaction> = {
  listBlocks,
  listEntries,
  countBlocksWith,
  listBodyBytes,
  listLike,
  listBodies,
  prepareRows,
  listNamed,
  listEventsOf,
  findMissing,
};

/** A test has no source. */
const LIST_UNINDEXED = `-- name: list events behind the cursor of search
  select seq, id, account_id as "accountId", type, source_id is null as "isTest",
    coalesce(assistant_id, '') as "assistantId", accepted_at as "acceptedAtMs", body
  from events
  where seq > coalesce((select event_seq from search_cursors where id = 1), 0)
  order by seq
  limit ?`;

const MOVE_CURSOR = `-- name: move cursor of search
  insert into search_cursors (id, event_seq)
  values (1, ?)
  on conflict (id) do update set event_seq = excluded.event_seq`;

const FIND_MISSING = `-- name: find first event behind the cursor of search
  select accepted_at as "atMs"
  from events
  where seq > coalesce((select event_seq from search_cursors where id = 1), 0)
  order by seq
  limit 1`;

const LIST_NAMED = `-- name: list events by the id of anything
  select e.id
  from (
    select seq from events where id in (?, ?)
    union
    select event_seq from deliveries where id = ?
    union
    select value from json_each(?)
  ) named
  cross join events e on e.seq = named.seq
  where e.account_id = ? and e.source_id is not null`;

const BLOCK = `id, account_id as "accountId", events, bytes, oldest_at as "oldestMs", newest_at as "newestMs"`;

const FIND_OPEN_BLOCK = `-- name: find open block of account
  select ${BLOCK}
  from search_blocks indexed by search_blocks_open
  where account_id = ? and is_sealed = 0`;

const INSERT_BLOCK = `-- name: insert block of search
  insert into search_blocks (account_id, oldest_at, newest_at, events, bytes)
  values (?, ?, 0, 0, 0)
  returning ${BLOCK}`;

const UPDATE_BLOCK = `-- name: update block of search
  update search_blocks
  set events = ?, bytes = ?, oldest_at = ?, newest_at = ?
  where id = ?`;

const INSERT_ENTRY = `-- name: insert entry of search
  insert into search_entries
    (event_id, block_id, type, is_test, assistant_id, accepted_at, who, what, intent_level, words)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (event_id) do nothing`;

const DELETE_ENTRY = `-- name: delete entry of search
  delete from search_entries
  where event_id = ?`;

const DELETE_WORDS = `-- name: delete words of block
  delete from search_words
  where rowid = ?`;

const INSERT_WORDS = `-- name: insert words of block
  insert into search_words (rowid, words)
  values (?, ?)`;

const SEAL_BLOCK = `-- name: seal block of search
  update search_blocks
  set is_sealed = 1
  where id = ?`;

const DELETE_BLOCK = `-- name: delete block of search
  delete from search_blocks
  where id = ?`;

const IN_TIME = "oldest_at <= ?2 and newest_at >= ?3 and (newest_at, id) <= (?4, ?5)";

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_BLOCKS = `-- name: list newest blocks of account
  select id, newest_at as "newestMs"
  from search_blocks indexed by search_blocks_of_account
  where account_id = ?1 and ${IN_TIME}
  order by newest_at desc, id desc
  limit ?6`;

export const LIST_BLOCKS_WITH = `-- name: list blocks with words
  select id, newest_at as "newestMs"
  from (
    select b.id, b.newest_at
    from search_words w
    cross join search_blocks b on b.id = w.rowid
    where w.search_words match ?7 and b.account_id = ?1 and ${IN_TIME}
    union all
    select id, newest_at
    from search_blocks indexed by search_blocks_open
    where account_id = ?1 and is_sealed = 0 and ${IN_TIME}
  )
  order by newest_at desc, id desc
  limit ?6`;

/** A statement for each number of phrases, of which there are 16 at most. */
const listEntriesWith = (phrases: number): string => `-- name: list entries of blocks with ${phrases} phrases
  select s.event_id as "eventId", s.block_id as "blockId", s.accepted_at as "acceptedAtMs"
  from json_each(?1) wanted
  cross join search_entries s indexed by search_entries_of_block on s.block_id = wanted.value
  where s.accepted_at >= ?2 and s.accepted_at <= ?3 and (?4 is null or s.type = ?4)
    and (?5 is null or s.assistant_id = ?5) and (?6 or not s.is_test)
${Array.from({ length: phrases }, (_, place) => `    and instr(s.words, ?${7 + place})`).join("\n")}`;

const LIST_BODY_BYTES = `-- name: list sizes of bodies of events
  select e.id, octet_length(e.body) as bytes
  from json_each(?1) wanted
  cross join events e on e.id = wanted.value`;

/** A statement for each number of patterns, of which there are 4 at most. `like` compares ASCII letters of any case. */
const listLikeWith = (patterns: number): string => `-- name: list events by ${patterns} patterns of their bodies
  select e.id
  from json_each(?1) wanted
  cross join events e on e.id = wanted.value
  where ${[...Array.from({ length: patterns }, (_, place) => `e.body like ?${2 + place}`), "1"].join(" and ")}
    or instr(e.body, '\\u00') > 0`;

const COUNT_BLOCKS_WITH = `-- name: count blocks with beginnings of words
  select sum(exists (
      select 1
      from search_entries s indexed by search_entries_of_block
      where s.block_id = wanted.value and instr(s.words, beginning.value)
    )) as blocks
  from json_each(?2) beginning
  cross join json_each(?1) wanted
  group by beginning.key
  order by beginning.key`;

const LIST_BODIES = `-- name: list bodies of events unless they are large
  select e.id, e.type, case when octet_length(e.body) <= ?2 then e.body end as body
  from json_each(?1) wanted
  cross join events e on e.id = wanted.value`;
