-- A search reads the newest blocks of an account before it asks for words: those that have a frequent word are among
-- them.
create index concurrently search_blocks_of_account
  on bellwire.search_blocks (account_id, newest_at, id) include (oldest_at);
