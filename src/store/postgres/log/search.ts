/**
 * Search's own steps on PostgreSQL: a block has its words in a text-search column with an index over all of them.
 * Words are made by us and compared as they are, so no dictionary, no extension and no language of the server's has a
 * say. How far the index has come is told by `search-cursor.ts`.
 */
import type { SearchReads } from "../../sql/log/search.ts";
import { type Block, type FilledBlock, prefixOf, type SearchSteps } from "../../sql/log/search-blocks.ts";
import type { BodyBytes } from "../../sql/log/search-bodies.ts";
import type { SmallBody } from "../../sql/log/search-matches.ts";
import type { FoundBlock, FoundEvent, WantedBlocks, WantedEntries } from "../../sql/log/search-walk.ts";
import { hasId } from "../days.ts";
import { findInMemory } from "../path/in-memory.ts";
import { prepareRows } from "./list-deliveries.ts";
import { listEventsOf, listIdsOfSource } from "./list-events.ts";
import { findMissing, takeUnindexed } from "./search-cursor.ts";
import type { Transaction } from "../transaction.ts";

const openBlocks = (tx: Transaction, accountIds: readonly string[]): Promise<Block[]> =>
  tx.db.all<Block>(OPEN_BLOCKS, accountIds, Number.MAX_SAFE_INTEGER);

/** In one statement: one for each cost three times as much. */
async function insertEntries(tx: Transaction, blocks: readonly FilledBlock[]): Promise<void> {
  const rows = blocks.flatMap(({ id, entries }) =>
    entries.map(({ event, who, what, intentLevel, words }) => ({
      event_id: event.id,
      block_id: id,
      type: event.type,
      is_test: event.isTest,
      assistant_id: event.assistantId,
      accepted_at: event.acceptedAtMs,
      who: who ?? undefined,
      what: what ?? undefined,
      intent_level: intentLevel,
      words,
    })),
  );
  await tx.db.run(INSERT_ENTRIES, JSON.stringify(rows));
}

const updateBlocks = (tx: Transaction, blocks: readonly Block[]): Promise<number> =>
  tx.db.run(
    UPDATE_BLOCKS,
    blocks.map(({ id }) => id),
    blocks.map(({ events }) => events),
    blocks.map(({ bytes }) => bytes),
    blocks.map(({ oldestMs }) => oldestMs),
    blocks.map(({ newestMs }) => newestMs),
  );

async function writeWords(tx: Transaction, blockId: number, words: readonly string[]): Promise<void> {
  await tx.db.run(WRITE_WORDS, blockId, words);
}

/** In one statement: retention takes hundreds at once. */
async function deleteEntries(tx: Transaction, eventIds: readonly string[]): Promise<void> {
  await tx.db.run(DELETE_ENTRIES, eventIds);
}

async function deleteBlock(tx: Transaction, blockId: number): Promise<void> {
  await tx.db.run(DELETE_BLOCK, blockId);
}

/** The index of words is always the way: the server does not know that words are large and lie apart. */
async function listBlocks(tx: Transaction, wanted: WantedBlocks): Promise<FoundBlock[]> {
  const { accountId, words, from, newestMs, oldestMs, limit } = wanted;
  const place = [accountId, newestMs, oldestMs, from.newestMs, from.id, limit] as const;
  if (words.length === 0) return await tx.db.all<FoundBlock>(LIST_BLOCKS, ...place);
  const prefix = prefixOf(accountId);
  const query = words.map(({ word, isBeginning }) => `'${prefix}_${word}'${isBeginning ? ":*" : ""}`).join(" & ");
  const [, blocks] = await Promise.all([
    tx.db.exec("set local enable_seqscan = off"),
    tx.db.all<FoundBlock>(LIST_BLOCKS_WITH, ...place, query),
    tx.db.exec("set local enable_seqscan = on"),
  ]);
  return blocks;
}

/**
 * By a bitmap: texts of a block lie together, and so the server reads the pages of all blocks in their order and ahead,
 * which takes two thirds of the time where they are not in its memory (2,048 texts: 29 and 20 ms).
 */
async function listEntries(tx: Transaction, blockIds: readonly number[], wanted: WantedEntries): Promise<FoundEvent[]> {
  const { phrases, newestMs, oldestMs, type, assistantId, withTests } = wanted;
  const texts = phrases.map((phrase) => ` ${phrase.join(" ")}`);
  const filter = [blockIds, oldestMs, newestMs, type, assistantId, withTests] as const;
  const [, found] = await Promise.all([
    tx.db.exec(READ_AHEAD),
    tx.db.all<FoundEvent>(listEntriesWith(phrases.length), ...filter, ...texts),
    tx.db.exec("set local enable_indexscan = on"),
  ]);
  return found;
}

async function countBlocksWith(
  tx: Transaction,
  blockIds: readonly number[],
  beginnings: readonly string[],
): Promise<number[]> {
  const texts = beginnings.map((beginning) => ` ${beginning}`);
  const counted = await tx.db.all<{ blocks: number }>(COUNT_BLOCKS_WITH, blockIds, texts);
  return counted.map(({ blocks }) => blocks);
}

const listBodies = (tx: Transaction, eventIds: readonly string[], bytesMax: number): Promise<SmallBody[]> =>
  tx.db.all<SmallBody>(LIST_BODIES, eventIds, bytesMax);

const listBodyBytes = (tx: Transaction, eventIds: readonly string[]): Promise<BodyBytes[]> =>
  tx.db.all<BodyBytes>(LIST_BODY_BYTES, eventIds);

const listLike = (tx: Transaction, eventIds: readonly string[], patterns: readonly string[]) =>
  tx.db.all<{ id: string }>(listLikeWith(patterns.length), eventIds, ...patterns);

async function listNamed(tx: Transaction, accountId: string, id: string): Promise<string[]> {
  const [inMemory, ofSource, ofDelivery] = await Promise.all([
    findInMemory(tx, { accountId, deliveryId: id }),
    listIdsOfSource(tx, accountId, id),
    tx.db.all<{ id: string }>(LIST_EVENTS_OF_DELIVERY, accountId, id),
  ]);
  const ids = [id, inMemory?.eventId ?? id, ...ofSource, ...ofDelivery.map((event) => event.id)];
  const found = await tx.db.all<{ id: string }>(LIST_OF_ACCOUNT, [...new Set(ids)], accountId);
  return found.map((event) => event.id);
}

export const SEARCH_STEPS: SearchSteps<Transaction> = {
  takeUnindexed,
  openBlocks,
  insertEntries,
  updateBlocks,
  writeWords,
  deleteEntries,
  deleteBlock,
};

export const SEARCH_READS: SearchReads<Transaction> = {
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

const LIST_EVENTS_OF_DELIVERY = `-- name: list event of delivery
  select event_id as id
  from deliveries d
  where d.account_id = $1 and ${hasId("d", 2)}`;

const LIST_OF_ACCOUNT = `-- name: list events of account by their ids
  select id
  from events e
  where e.id = any ($1::text[]) and e.account_id = $2 and e.source_id is not null`;

/** Exported for the test that reads its plan, like `UPDATE_BLOCKS`. */
export const OPEN_BLOCKS = `-- name: open blocks of accounts
  with open as (
    select b.id, b.account_id, b.events, b.bytes, b.oldest_at, b.newest_at
    from search_blocks b
    where b.account_id = any ($1::text[]) and b.words is null
    order by b.id
    for update
  ), made as (
    insert into search_blocks (account_id, oldest_at, newest_at, events, bytes)
    select account_id, $2, 0, 0, 0
    from unnest($1::text[]) as wanted (account_id)
    where not exists (select 1 from open where open.account_id = wanted.account_id)
    returning id, account_id, events, bytes, oldest_at, newest_at
  )
  select id, account_id as "accountId", events, bytes, oldest_at as "oldestMs", newest_at as "newestMs"
  from (
    select id, account_id, events, bytes, oldest_at, newest_at from open
    union all
    select id, account_id, events, bytes, oldest_at, newest_at from made
  ) block`;

const INSERT_ENTRIES = `-- name: insert entries of search
  insert into search_entries
    (event_id, block_id, type, is_test, assistant_id, accepted_at, who, what, intent_level, words)
  select event_id, block_id, type, is_test, assistant_id, accepted_at, who, what, intent_level, words
  from json_to_recordset($1::json) as given (
    event_id text, block_id bigint, type text, is_test boolean, assistant_id text, accepted_at bigint, who text,
    what text, intent_level text, words text
  )
  on conflict (event_id) do nothing`;

export const UPDATE_BLOCKS = `-- name: update blocks of search
  update search_blocks b
  set events = given.events, bytes = given.bytes, oldest_at = given.oldest_at, newest_at = given.newest_at
  from unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[])
    as given (id, events, bytes, oldest_at, newest_at)
  where b.id = given.id`;

const WRITE_WORDS = `-- name: write words of block
  update search_blocks b
  set words = array_to_tsvector($2::text[])
  where b.id = $1`;

const DELETE_ENTRIES = `-- name: delete entries of search
  delete from search_entries s
  where s.event_id = any ($1::text[])`;

const DELETE_BLOCK = `-- name: delete block of search
  delete from search_blocks b
  where b.id = $1`;

const IN_TIME = `b.account_id = $1 and b.oldest_at <= $2 and b.newest_at >= $3
      and (b.newest_at, b.id) <= ($4::bigint, $5::bigint)`;

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_BLOCKS = `-- name: list newest blocks of account
  select b.id, b.newest_at as "newestMs"
  from search_blocks b
  where ${IN_TIME}
  order by b.newest_at desc, b.id desc
  limit $6`;

export const LIST_BLOCKS_WITH = `-- name: list blocks with words
  select id, newest_at as "newestMs"
  from (
    select b.id, b.newest_at
    from search_blocks b
    where b.words @@ $7::tsquery and ${IN_TIME}
    union all
    select b.id, b.newest_at
    from search_blocks b
    where b.words is null and ${IN_TIME}
  ) block
  order by newest_at desc, id desc
  limit $6`;

/** Exported for the test that reads the plan, like the next one. */
export const READ_AHEAD = "set local enable_indexscan = off";

/** A statement for each number of phrases, of which there are 16 at most. */
export function listEntriesWith(phrases: number): string {
  const hasAll = Array.from({ length: phrases }, (_, place) => `    and strpos(s.words, $${7 + place}) > 0`).join("\n");
  return `-- name: list entries of blocks with ${phrases} phrases
  select s.event_id as "eventId", s.block_id as "blockId", s.accepted_at as "acceptedAtMs"
  from search_entries s
  where s.block_id = any ($1::bigint[]) and s.accepted_at >= $2 and s.accepted_at <= $3
    and ($4::text is null or s.type = $4) and ($5::text is null or s.assistant_id = $5) and ($6 or not s.is_test)
${hasAll}`;
}

const LIST_BODY_BYTES = `-- name: list sizes of bodies of events
  select e.id, octet_length(e.body) as bytes
  from events e
  where e.id = any ($1::text[])`;

/**
 * A statement for each number of patterns, of which there are 4 at most. "C" folds ASCII letters alone, and fast; each
 * body is unpacked once.
 */
function listLikeWith(patterns: number): string {
  const fits = Array.from({ length: patterns }, (_, place) => `body like $${2 + place}::text`);
  return `-- name: list events by ${patterns} patterns of their bodies
  select id
  from (
    select e.id, lower(e.body collate "C") as body
    from events e
    where e.id = any ($1::text[])
    offset 0
  ) event
  where ${[...fits, "true"].join(" and ")} or strpos(body, '\\u00') > 0`;
}

const COUNT_BLOCKS_WITH = `-- name: count blocks with beginnings of words
  select (
      select count(*)
      from unnest($1::bigint[]) as wanted (id)
      where exists (
        select 1
        from search_entries s
        where s.block_id = wanted.id and s.block_id = any ($1::bigint[]) and strpos(s.words, beginning.word) > 0
      )
    ) as blocks
  from unnest($2::text[]) with ordinality as beginning (word, place)
  order by beginning.place`;

const LIST_BODIES = `-- name: list bodies of events unless they are large
  select e.id, e.type, case when octet_length(e.body) <= $2 then e.body end as body
  from events e
  where e.id = any ($1::text[])`;
