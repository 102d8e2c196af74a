-- Tallies take turns: ten seconds go into one table, the next ten into the other. So what is not written to any more is
-- added up and truncated, and no row is deleted by itself.
alter table attempt_tallies rename to attempt_tallies_before;

create table attempt_tallies (
  -- By the database's clock. It is a hint: a row that comes late waits in its table for the next turn but one.
  turn integer not null default (extract(epoch from clock_timestamp())::bigint / 10 % 2),
  -- The accounts in `counts`, so that a reader passes over the others.
  account_ids text[] not null,
  -- [[destination, account, at, kind, result, code, bin, count]]
  counts json not null
) partition by list (turn);

create table attempt_tallies_0 partition of attempt_tallies for values in (0) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

create table attempt_tallies_1 partition of attempt_tallies for values in (1) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

insert into attempt_tallies (turn, account_ids, counts)
select 0, account_ids, counts
from attempt_tallies_before;

drop table attempt_tallies_before;
