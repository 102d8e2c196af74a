-- Search: the texts of events, in blocks of one account's events that were accepted one after another. A block that is
-- full is sealed: from then on `search_words` says which blocks may have a word, and the texts of those are looked at.
-- All of it can be made again from the events.
create table search_blocks (
  -- Also the row of `search_words`.
  id integer primary key autoincrement,
  account_id text not null,
  oldest_at integer not null,
  newest_at integer not null,
  events integer not null,
  -- The length of its texts.
  bytes integer not null,
  is_sealed integer not null default 0 check (is_sealed in (0, 1))
) strict;

-- Each account has one block at most that still takes events. Its texts are looked at without asking for words.
create unique index search_blocks_open on search_blocks (account_id) where is_sealed = 0;

create table search_entries (
  event_id text not null,
  block_id integer not null,
  type text not null,
  is_test integer not null,
  -- Empty for a session, and where it is not known.
  assistant_id text not null,
  accepted_at integer not null,
  -- Lists show these, so that they need not read the body.
  who text,
  what text,
  intent_level text not null,
  -- Its words as `domain/search-words.ts` has them, a space before each.
  words text not null
) strict;

create unique index search_entries_by_event on search_entries (event_id);
create index search_entries_of_block on search_entries (block_id);
create index search_entries_by_age on search_entries (accepted_at);

-- Each word of a sealed block once, behind its account's mark. Neither places nor texts are kept.
create virtual table search_words using fts5(
  words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);

-- The last event that was taken in.
create table search_marks (
  id integer primary key check (id = 1),
  event_seq integer not null
) strict;
