-- The results of a whole hour of all of an account's destinations, so that the bars of a day are read in some twenty
-- rows (see `figures/account-hours.ts`). They are made of `attempt_counts`, and one that is missing only costs time.
create table account_hours (
  account_id text collate "C" not null,
  -- The start of the hour.
  at bigint not null,
  -- A list of destination, result and count.
  results json not null,
  bucket integer not null,
  -- Housekeeping looks for the oldest ones, readers for an account's of a day.
  primary key (at, account_id, bucket)
);
