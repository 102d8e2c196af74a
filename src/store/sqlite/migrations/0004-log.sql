-- What the log shows of each delivery and event, the orders in which it is read, and the figures of the charts.

-- The last attempt, as a row of the log says it. Written by the statement that settles it, which writes the row anyway.
alter table deliveries add column last_outcome text;
-- Null when no answer came.
alter table deliveries add column last_status integer;
alter table deliveries add column last_ms real;

update deliveries
set (last_outcome, last_status, last_ms) = (
  select outcome, response_status, total_ms from attempts where delivery_id = deliveries.id order by number desc limit 1
)
where attempts_made > 0;

-- The log is read destination by destination and joined: that costs no more than one list for each account, and serves
-- the filters by destination and, as a destination has events of one type only, by type.
drop index deliveries_of_account;
create index deliveries_of_destination on deliveries (destination_id, created_at) where is_test = 0;
create index deliveries_tested on deliveries (account_id, created_at) where is_test = 1;

-- What is rare where receivers are well: a delivery that succeeds at once is in none of these.
create index deliveries_unsent on deliveries (destination_id, state, created_at)
  where is_test = 0 and state in ('failed', 'cancelled');
create index deliveries_retrying on deliveries (destination_id, created_at)
  where is_test = 0 and state = 'pending' and attempts_made > attempts_before;
-- By the hundreds of the status, 0 for no answer.
create index deliveries_refused on deliveries
  (destination_id, coalesce(last_status, 0) / 100, created_at, id, last_status)
  where is_test = 0 and (last_outcome <> 'response' or last_status not between 200 and 299);

-- The session's or conversation's own id; null for a test, which is in no list of events. The key's row has it too, but
-- is found by it alone.
alter table events add column source_id blob check (length(source_id) = 16);
-- The chat assistant of a conversation, empty where it is not known; null for a session.
alter table events add column assistant_id text;

update events
set source_id = event_keys.source_id
from event_keys
where event_keys.event_id = events.id;

update events
set assistant_id = ''
where type = 'chat_conversation_completed';

create index events_listed on events (account_id, assistant_id) where source_id is not null;

-- How many attempts a destination has had, by what they met and how long they took, and how many deliveries arrived how
-- long after their acceptance. `at` is the start of a minute, of a quarter of an hour once it is some hours old, of an
-- hour once it is a day old (see `attempt-counts.ts`). Figures begin with this table: what was before is not counted.
create table attempt_counts (
  destination_id text not null,
  at integer not null,
  kind text not null check (kind in ('attempt', 'delivery')),
  result text not null check (result in ('delivered', 'retry', 'failed')),
  -- The answer's status, or the outcome's kind.
  code text not null,
  count integer not null,
  -- JSON: how many of them are in which bin of the histogram in `domain/histogram.ts`. A row for each bin would cost
  -- ten times the writes of a commit.
  bins text not null,
  primary key (destination_id, at, kind, result, code)
) strict, without rowid;

-- Oldest first: what is to be joined to quarters, to hours, and what is to go. Each row is in one of them.
create index attempt_counts_of_minutes on attempt_counts (at) where at % 900000 <> 0;
create index attempt_counts_of_quarters on attempt_counts (at) where at % 900000 = 0 and at % 3600000 <> 0;
create index attempt_counts_of_hours on attempt_counts (at) where at % 3600000 = 0;

-- The same of all of an account's destinations together: to add them up, the charts of a week would read hundreds of
-- thousands of rows.
create table account_attempt_counts (
  account_id text not null,
  at integer not null,
  kind text not null check (kind in ('attempt', 'delivery')),
  result text not null check (result in ('delivered', 'retry', 'failed')),
  code text not null,
  count integer not null,
  bins text not null,
  primary key (account_id, at, kind, result, code)
) strict, without rowid;

create index account_attempt_counts_of_minutes on account_attempt_counts (at) where at % 900000 <> 0;
create index account_attempt_counts_of_quarters on account_attempt_counts (at)
  where at % 900000 = 0 and at % 3600000 <> 0;
create index account_attempt_counts_of_hours on account_attempt_counts (at) where at % 3600000 = 0;
