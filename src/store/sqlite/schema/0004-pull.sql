-- Destinations that are asked instead of being called (see domain/pull.ts): a row for each, with the hash of the token
-- that asks. Null until the first one is made. `ends_at`: its owner goes by itself then; null for most.
create table pulls (
  destination_id text primary key,
  account_id text not null,
  token_hash text unique,
  made_at integer,
  ends_at integer
) strict, without rowid;

create index pulls_ending on pulls (ends_at) where ends_at is not null;
