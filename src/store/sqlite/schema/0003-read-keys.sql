-- Keys by which programs read: of one account, or of all when `account_id` is empty. Only a hash of the key is kept;
-- people see it by its id, which opens nothing.
create table read_keys (
  token_hash text primary key,
  account_id text not null,
  -- Begins with the instant at which it was made: the order of the list.
  id text not null,
  name text not null,
  made_by text not null,
  created_at integer not null,
  -- The last use, to within a minute; null before the first.
  used_at integer
) strict, without rowid;

create unique index read_keys_of_account on read_keys (account_id, id);
