-- Who signs in and what they did; two secrets while one is rotated; who changed what; what was deleted; whom to tell.

-- A link names the person and what they may do. It stays until it runs out, so that a second use can say what is wrong.
alter table sign_in_links add column person text not null default 'Account owner';
alter table sign_in_links add column role text not null default 'owner' check (role in ('owner', 'viewer'));
alter table sign_in_links add column used_at integer;
create index sign_in_links_expiring on sign_in_links (expires_at);

-- Browsers that are signed in. Only a hash of the token is kept.
create table sessions (
  token_hash text primary key,
  account_id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  expires_at integer not null,
  -- The last use, to within five minutes: a session that nobody uses ends early.
  seen_at integer not null,
  created_at integer not null
) strict, without rowid;

create index sessions_expiring on sessions (expires_at);

-- What people did, and the system for them. Kept as long as the account.
create table audit_entries (
  seq integer primary key,
  account_id text not null,
  at integer not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer', 'system')),
  action text not null,
  subject text not null
) strict;

create index audit_of_account on audit_entries (account_id);
create index audit_of_action on audit_entries (account_id, action);

-- When the next secret becomes the current one. Signing goes by the clock; the rows follow.
alter table verification_secrets add column becomes_current_at integer
  check ((role = 'next') = (becomes_current_at is not null));
create index secrets_switching on verification_secrets (becomes_current_at) where becomes_current_at is not null;

alter table alerts add column changed_by text;
-- The row stays for the log, which names what a delivery was for.
alter table alerts add column deleted_at integer;

alter table chat_assistants add column revision integer not null default 1;
alter table chat_assistants add column changed_by text;
alter table chat_assistants add column changed_at integer;

-- The destinations again, with whose they are or were, their latest failure, and what their owner was told of it. Made
-- anew, because a column that is added stands behind the URL and the headers, and what the path reads must never lie on
-- an overflow page.
alter table destinations rename to destinations_before;
drop index destinations_waking;
drop index destinations_shut;

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
  -- The latest failure that was the receiver's; written with the health that it changes.
  last_failure_at integer,
  last_failure_outcome text,
  last_failure_status integer,
  -- When its owner was last told that it fails, and whether that outage still lasts.
  told_at integer,
  is_told integer not null default 0 check (is_told in (0, 1)),
  owner_kind text not null check (owner_kind in ('alert', 'assistant')),
  owner_id text not null,
  -- A deleted one is never on again; what still waits for it is cancelled.
  deleted_at integer,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  created_at integer not null,
  updated_at integer not null,
  check ((state = 'off') = (off_reason is not null)),
  check (deleted_at is null or state <> 'on')
) strict;

insert into destinations
  (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at,
  rate_per_second, owner_kind, owner_id, url, headers, created_at, updated_at)
select d.id, d.account_id, d.state, d.off_reason, d.failing_since_at, d.strain, d.trips, d.next_due_at,
  d.not_before_at, d.probe_token, d.turn_at, d.rate_per_second,
  case when c.id is null then 'alert' else 'assistant' end, coalesce(c.id, l.id, ''), d.url, d.headers, d.created_at,
  d.updated_at
from destinations_before d
left join alerts l on l.account_id = d.account_id and l.destination_id = d.id
left join chat_assistants c on c.account_id = d.account_id and c.destination_id = d.id;

drop table destinations_before;

-- The claim's walk: destinations that may have something to send, the longest waiting first.
create index destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;

-- Destinations that may have something waiting although they are not on, the longest waiting first.
create index destinations_shut on destinations (next_due_at) where state <> 'on' and next_due_at is not null;

create index destinations_of_account on destinations (account_id);

-- Deleted: those that still have something to cancel, and all, oldest first, until the log forgets them.
create index destinations_left on destinations (id) where deleted_at is not null and next_due_at is not null;
create index destinations_deleted on destinations (deleted_at) where deleted_at is not null;
create index alerts_deleted on alerts (deleted_at) where deleted_at is not null;

-- Never set to running yet: it waits for its confirmation.
alter table replays add column is_prepared integer not null default 0 check (is_prepared in (0, 1));
create index replays_of_account on replays (account_id, id);
create index replays_prepared on replays (created_at) where is_prepared = 1 and ended_at is null;

-- Who is told about failures: JSON, because it is only ever read and written whole.
alter table accounts add column failure_mail text not null default '[]';

-- News for owners, written with the change itself, taken by whichever node sends them. Numbers are never used twice:
-- a letter's id is made of one, and a mail program shows only one letter of an id.
create table notices (
  seq integer primary key autoincrement,
  account_id text not null,
  destination_id text not null,
  kind text not null check (kind in ('failing', 'turned_off', 'recovered')),
  at integer not null,
  claim_token text,
  claimed_until integer not null default 0
) strict;
