-- Each destination's health, resends and replays, and what retention needs in order to find old rows at once.

-- The destinations again, with their health and the owner's limit. Made anew, because a column that is added stands
-- behind the URL and the headers, and what the path reads must never lie on an overflow page.
alter table destinations rename to destinations_before;
drop index destinations_waking;

create table destinations (
  id text primary key,
  account_id text not null,
  state text not null check (state in ('on', 'paused', 'off')),
  off_reason text,
  -- The breaker (see domain/destination-health.ts).
  failing_since_at integer,
  strain integer not null default 0,
  trips integer not null default 0,
  -- Never later than the earliest due time of its pending deliveries; null when it has none. Earlier is harmless: the
  -- claim that finds nothing corrects it. Kept also while the destination is not on.
  next_due_at integer,
  -- Holds the whole destination back with one row. While a probe is out it lies at the end of the probe's claim, so
  -- that nobody else probes meanwhile.
  not_before_at integer not null default 0,
  -- The claim under which the last probe went out, so that one which is given back is known.
  probe_token text,
  -- When a claim last left due deliveries behind here: others go first then, so that large backlogs take turns.
  turn_at integer not null default 0,
  wake_at integer generated always as (max(next_due_at, not_before_at, turn_at)) virtual,
  -- The owner's limit, in deliveries a second.
  rate_per_second real,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  created_at integer not null,
  updated_at integer not null,
  check ((state = 'off') = (off_reason is not null))
) strict;

insert into destinations
  (id, account_id, state, off_reason, failing_since_at, next_due_at, not_before_at, turn_at, url, headers, created_at,
  updated_at)
select id, account_id, state, off_reason, failing_since_at, next_due_at, not_before_at, turn_at, url, headers,
  created_at, updated_at
from destinations_before;

drop table destinations_before;

-- The claim's walk: destinations that may have something to send, the longest waiting first.
create index destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;

-- Destinations that may have something waiting although they are not on, the longest waiting first.
create index destinations_shut on destinations (next_due_at) where state <> 'on' and next_due_at is not null;

-- What happened to a destination and why. `held` is one that is on while its breaker is open.
create table destination_changes (
  seq integer primary key,
  account_id text not null,
  destination_id text not null,
  at integer not null,
  from_state text not null check (from_state in ('on', 'held', 'paused', 'off')),
  to_state text not null check (to_state in ('on', 'held', 'paused', 'off')),
  reason text not null,
  actor text not null
) strict;

create index changes_of_destination on destination_changes (account_id, destination_id);

-- A resend starts the retry schedule again, and attempts are numbered on.
alter table deliveries add column attempts_before integer not null default 0;
-- The last resend, and who asked for it.
alter table deliveries add column resent_at integer;
alter table deliveries add column resent_by text;

-- What belongs to an event, for its purge; what an account has had since when, for its replays. Both grow at their
-- ends while events come in: with the two for retention below they cost 6 % of the path's work (two microseconds of
-- 34 for an event that is accepted and settled).
create index deliveries_of_event on deliveries (event_seq);
create index deliveries_of_account on deliveries (account_id, created_at);

-- Oldest first: events whose body is still there, and those where only the rest is left. A purged body is empty text.
-- Its length stands at the row's head, so that asking for it does not read a large body.
create index events_with_body on events (accepted_at) where octet_length(body) > 0;
create index events_without_body on events (accepted_at) where octet_length(body) = 0;

-- Oldest first: attempts that still have what the receiver answered.
create index attempts_with_answer on attempts (started_at) where response_headers is not null;

-- A bulk resend: who asked for which deliveries, and how far it is. What it still has to do is in `replay_items`.
create table replays (
  id text primary key,
  account_id text not null,
  -- JSON, because it is only ever read and written whole.
  filter text not null,
  rate_per_second real not null check (rate_per_second > 0),
  state text not null check (state in ('running', 'paused', 'cancelled', 'finished')),
  deliveries integer not null,
  moved integer not null default 0,
  skipped integer not null default 0,
  -- Deliveries that its rate had allowed at `stepped_at` and that were not moved then; a fraction below one is usual.
  credit real not null default 0,
  stepped_at integer not null,
  actor text not null,
  -- Who paused, resumed or cancelled it last.
  state_actor text not null,
  created_at integer not null,
  ended_at integer,
  check ((state in ('cancelled', 'finished')) = (ended_at is not null))
) strict, without rowid;

create index replays_running on replays (stepped_at) where state = 'running';
create index replays_ended on replays (ended_at) where ended_at is not null;

-- The deliveries of a replay that are still to be moved. A row goes in the transaction that moves its delivery.
create table replay_items (
  replay_id text not null,
  delivery_id text not null,
  primary key (replay_id, delivery_id)
) strict, without rowid;
