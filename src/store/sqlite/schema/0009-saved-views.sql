-- Filters of the log under a name, for everybody of the account.
create table saved_views (
  account_id text not null,
  name text not null,
  -- As it stands in the address.
  search text not null,
  primary key (account_id, name)
) strict, without rowid;
