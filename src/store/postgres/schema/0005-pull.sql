-- Destinations that are asked instead of being called (see domain/pull.ts): a row for each, with the hash of the token
-- that asks. Null until the first one is made. `ends_at`: its owner goes by itself then; null for most.
create table pulls (
  destination_id text collate "C" not null,
  account_id text collate "C" not null,
  token_hash text collate "C",
  made_at bigint,
  ends_at bigint,
  primary key (destination_id)
);

create unique index pulls_by_token on pulls (token_hash);
create index pulls_ending on pulls (ends_at) where ends_at is not null;
