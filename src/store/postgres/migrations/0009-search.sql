-- Search: the texts of events, in blocks of one account's events that were accepted one after another. A block that is
-- full is sealed: from then on its words say whether one of its texts may have what is looked for, and the texts of
-- such blocks are looked at. All of it can be made again from the events.
create table search_blocks (
  id bigint generated always as identity primary key,
  account_id text collate "C" not null,
  oldest_at bigint not null,
  newest_at bigint not null,
  events integer not null,
  -- The length of its texts.
  bytes integer not null,
  -- Each word once, behind its account's mark; null until the block is sealed.
  words tsvector
);

-- Blocks are found by words alone: an index by account would read the words of all blocks of a large one.
create index search_blocks_by_word on search_blocks using gin (words) with (gin_pending_list_limit = 512);

-- Each account has one block at most that still takes events. Its texts are looked at without asking for words.
create unique index search_blocks_open on search_blocks (account_id) where words is null;

create table search_entries (
  event_id text collate "C" primary key,
  block_id bigint not null,
  type text not null,
  is_test boolean not null,
  -- Empty for a session, and where it is not known.
  assistant_id text collate "C" not null,
  accepted_at bigint not null,
  -- Lists show these, so that they need not read the body.
  who text,
  what text,
  intent_level text not null,
  -- Its words as `domain/search-words.ts` has them, a space before each.
  words text collate "C" not null
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000);

create index search_entries_of_block on search_entries (block_id);
create index search_entries_by_age on search_entries (accepted_at);

-- The last event that was taken in, in the order of acceptance. The node that locks this row feeds the index.
create table search_marks (
  id integer primary key check (id = 1),
  accepted_at bigint not null,
  event_id text collate "C" not null
);
