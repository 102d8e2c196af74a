-- A database of this schema as a crash leaves it; see tools/fixtures.ts.
create schema bellwire;
set search_path = bellwire;
create table schema_migrations (version bigint primary key, name text not null, applied_at bigint not null, read_by bigint);
-- Accounts, what they set up, an event's path, each destination's health, replays, and what retention needs: the tables
-- of the SQLite store, in the schema `bellwire`, so that they can stand in the product's own database. Instants are
-- milliseconds since the Unix epoch. Identifiers are time-ordered text; `collate "C"` compares them byte by byte, in
-- the order in which they were made, whatever the database's language is.
--
-- What grows with traffic lies in a partition for each day of the calendar (UTC), which retention drops whole:
-- `events`, `attempts`, and those `deliveries` that have ended. An id begins with its instant, so a day is a range of
-- ids; a delivery has its event's instant, and an attempt lies where its delivery does. Days are made ahead by the
-- nodes (see partitions.ts); what has no day falls into a default partition, so nothing is refused because one is
-- missing. There is one level of partitions: a database that is spread over several servers knows no more.
--
-- A row of an account carries the account's `bucket` (see `lib/bucket.ts`), last in every key, so that these
-- tables can be spread over servers by it, and all of an account lies together. Tables without it belong to the
-- installation: they are small, and stay on one server.
--
-- No foreign keys: what they would guard is locked by the verbs where it matters, and nothing is deleted by hand.

-- One row for each account of the product.
create table accounts (
  id text collate "C" not null,
  name text not null,
  plan text not null,
  app_url text not null,
  -- Grows with every change of the account or of anything it owns: an accept that was decided with an older one is
  -- refused, on whichever node.
  config_version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  bucket integer not null,
  primary key (id, bucket)
) with (fillfactor = 80);

-- The keys of the signatures, sealed. Apart from accounts, because an account can have two while one is rotated.
create table verification_secrets (
  account_id text collate "C" not null,
  role text not null check (role in ('current', 'next')),
  sealed text not null,
  created_at bigint not null,
  -- When the next secret becomes the current one. Signing goes by the clock; the rows follow.
  becomes_current_at bigint,
  bucket integer not null,
  primary key (account_id, role, bucket),
  check ((role = 'next') = (becomes_current_at is not null))
);

create index secrets_switching on verification_secrets (becomes_current_at) where becomes_current_at is not null;

-- Demo alerts. Lists are JSON, because they are only ever read and written whole.
create table alerts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  audience text not null,
  demos text not null,
  intent_levels text not null,
  webhooks_on boolean not null,
  destination_id text collate "C",
  -- Which events its webhook wants, beside what an alert has always asked: JSON, because it is only ever read and
  -- written whole; null for every event.
  conditions text,
  revision integer not null,
  changed_by text,
  created_at bigint not null,
  updated_at bigint not null,
  -- The row stays for the log, which names what a delivery was for.
  deleted_at bigint,
  bucket integer not null,
  primary key (account_id, id, bucket)
);

create index alerts_deleted on alerts (deleted_at) where deleted_at is not null;

create table chat_assistants (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  destination_id text collate "C",
  conditions text,
  revision integer not null default 1,
  changed_by text,
  changed_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  bucket integer not null,
  primary key (account_id, id, bucket)
);

-- Where deliveries go, and each one's queue and health. Rows are updated in place again and again: the free half of
-- each page lets an update stay on its page, and vacuuming is cheap because the table is small.
create table destinations (
  id text collate "C" not null,
  account_id text collate "C" not null,
  state text not null check (state in ('on', 'paused', 'off')),
  off_reason text,
  -- The breaker (see domain/destination-health.ts).
  failing_since_at bigint,
  strain integer not null default 0,
  trips integer not null default 0,
  -- Never later than the earliest due time of its pending deliveries; null when it has none. Earlier is harmless: the
  -- claim that finds nothing corrects it. Kept also while the destination is not on. See destination-now.ts.
  next_due_at bigint,
  -- Holds the whole destination back with one row. While a probe is out it lies at the end of the probe's claim, so
  -- that nobody else probes meanwhile.
  not_before_at bigint not null default 0,
  -- The claim under which the last probe went out, so that one which is given back is known.
  probe_token text,
  -- When a claim last left due deliveries behind here: others go first then, so that large backlogs take turns.
  turn_at bigint not null default 0,
  wake_at bigint generated always as (
    case when next_due_at is not null then greatest(next_due_at, not_before_at, turn_at) end
  ) stored,
  -- The owner's limit, in deliveries a second.
  rate_per_second double precision,
  -- Whose destination it is or was. A deleted one is paused for good; what still waits for it is cancelled.
  owner_kind text not null check (owner_kind in ('alert', 'assistant')),
  owner_id text collate "C" not null,
  deleted_at bigint,
  -- The latest failure of all; written only when an attempt fails, and the row is written then anyway.
  last_failure_at bigint,
  last_failure_outcome text,
  last_failure_status integer,
  -- When its owner was last told that it fails, and whether that outage still lasts.
  told_at bigint,
  is_told boolean not null default false,
  -- Set when the last figure of an attempt goes (see attempt-count-tiers.ts): deliveries of all days would have to be
  -- searched otherwise, to tell whether there ever was one.
  was_attempted boolean not null default false,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  -- How a destination's requests prove who sends them: an access token and a client certificate. JSON of
  -- `domain/authentication.ts` with the client secret and the private key sealed; null for most destinations.
  authentication text,
  created_at bigint not null,
  updated_at bigint not null,
  bucket integer not null,
  primary key (id, bucket),
  check ((state = 'off') = (off_reason is not null)),
  check (deleted_at is null or state <> 'on')
) with (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);

-- The claim's walk: destinations that may have something to send, the longest waiting first.
create index destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;

-- Destinations that may have something waiting although they are not on, the longest waiting first.
create index destinations_shut on destinations (next_due_at) where state <> 'on' and next_due_at is not null;

create index destinations_of_account on destinations (account_id);
create index destinations_left on destinations (id) where deleted_at is not null and next_due_at is not null;
create index destinations_deleted on destinations (deleted_at) where deleted_at is not null;

-- What happened to a destination and why. `held` is one that is on while its breaker is open.
create table destination_changes (
  seq bigint generated always as identity,
  account_id text collate "C" not null,
  destination_id text collate "C" not null,
  at bigint not null,
  from_state text not null check (from_state in ('on', 'held', 'paused', 'off')),
  to_state text not null check (to_state in ('on', 'held', 'paused', 'off')),
  reason text not null,
  actor text not null,
  bucket integer not null,
  primary key (seq, bucket)
);

create index changes_of_destination on destination_changes (account_id, destination_id, seq);

-- What happened, with the exact body. Bodies stand here once, however many deliveries share them.
create table events (
  id text collate "C" not null,
  -- The order of arrival, for lists and their pages. Not unique by itself: partitions have no key without their range.
  seq bigint not null,
  account_id text collate "C" not null,
  type text not null,
  accepted_at bigint not null,
  -- The session's or conversation's own id; null for a test, which is in no list of events. The key's row has it too,
  -- but is found by it alone.
  source_id uuid,
  -- The chat assistant of a conversation; empty where it is not known, and for a session.
  assistant_id text collate "C" not null default '',
  body text not null,
  -- The webhooks that it did not go to, with the reasons, as `domain/not-sent.ts` writes them; null for most.
  not_sent text,
  -- `traceparent` and, after a space, `tracestate`; null for an event that is not traced.
  trace_context text,
  -- The deliveries that a node took in hand with it: a line each, its id, a space, its destination. One without a row
  -- is in hand. Never changed: whether a row is there says the rest.
  in_hand text,
  lease_id bigint,
  -- The claim that they are held under.
  held_until bigint,
  claim_token text,
  bucket integer not null,
  primary key (id, bucket)
) partition by range (id);

create sequence event_seqs as bigint owned by events.seq;
alter table events alter column seq set default nextval('event_seqs');

create index events_listed on events (account_id, type, assistant_id, seq) where source_id is not null;

-- Oldest first: events whose body is still there, and those where only the rest is left. A purged body is empty text.
create index events_with_body on events (accepted_at, id) where body <> '';
create index events_without_body on events (accepted_at, id) where body = '';

create table events_default partition of events default;

-- One event per session or conversation, for ever: this row stays when the event is purged, hence a narrow table of its
-- own.
create table event_keys (
  account_id text collate "C" not null,
  type text not null,
  source_id uuid not null,
  event_id text collate "C" not null,
  deliveries integer not null,
  bucket integer not null,
  primary key (account_id, type, source_id, bucket)
) with (autovacuum_vacuum_insert_scale_factor = 0.5);

-- One event to one destination. What waits and what has ended are tables apart: settling moves a row from one to the
-- other. So the queue is as small as the backlog, whatever the history is; what has ended is added day by day and, but
-- for a resend, never changed. Who writes `state = 'pending'` reads the queue and nothing else.
create table deliveries (
  id text collate "C" not null,
  event_id text collate "C" not null,
  account_id text collate "C" not null,
  -- Null for a test of values that were not saved.
  destination_id text collate "C",
  is_test boolean not null default false,
  state text not null,
  -- While a claim holds the delivery: when the claim runs out.
  due_at bigint,
  claim_token text,
  attempts_made integer not null default 0,
  -- Those that the retry schedule does not count: free ones, and those before the last resend.
  attempts_before integer not null default 0,
  created_at bigint not null,
  settled_at bigint,
  -- The last resend, and who asked for it.
  resent_at bigint,
  resent_by text,
  -- The last attempt, as a row of the log says it. Written by the statement that settles it, which writes the row
  -- anyway. The status is null when no answer came.
  last_outcome text,
  last_status integer,
  last_ms double precision,
  -- The first attempt of a delivery that ended with it: what `attempts` has of the others, less what the columns of the
  -- last attempt say already. A resend moves it to `attempts`.
  started_at bigint,
  phase text,
  error_code text,
  error_message text,
  response_body_cut boolean,
  address text,
  dns_ms double precision,
  connect_ms double precision,
  tls_ms double precision,
  first_byte_ms double precision,
  url text,
  request_headers text,
  response_headers text,
  response_body bytea,
  -- The partitions go by it: a delivery that has ended lies in its day.
  is_ended boolean not null,
  bucket integer not null,
  primary key (id, is_ended, bucket),
  -- Each has a name, by which it is the same on every server.
  constraint deliveries_state_check check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  constraint deliveries_ended check (is_ended = (state <> 'pending')),
  constraint deliveries_due check ((state = 'pending') = (due_at is not null)),
  constraint deliveries_settled check ((state = 'pending') = (settled_at is null)),
  constraint deliveries_claimed check (claim_token is null or state = 'pending'),
  constraint deliveries_tests check (not is_test or state <> 'pending'),
  constraint deliveries_first_attempt check (started_at is null or state <> 'pending')
) partition by range (is_ended, id);

-- The queue. Every row of it is written, claimed or retried, and taken away again: dead rows are what makes a queue
-- slow, so they go early, often and without pauses, at the same small number however long the backlog is. Pages are
-- filled: each update changes what the queue's index is about, so room for one on the same page would save nothing.
--
-- It ends at `(true, minvalue)`: behind `(false, maxvalue)` PostgreSQL leaves the default partition out of plans for
-- ids from before the first day.
create table deliveries_pending partition of deliveries for values from (false, minvalue) to (true, minvalue) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 5000
);

-- A destination's queue, in the order it is sent.
create index deliveries_queue on deliveries_pending (destination_id, due_at, id);
create index deliveries_retrying on deliveries_pending (destination_id, created_at, id)
  where attempts_made > attempts_before;

-- What belongs to an event has no index: it carries the event's instant, so the key leads there (see days.ts). Each
-- index of the queue is written at every accept and every claim.

-- The log is read destination by destination and joined: that costs no more than one list for each account, and serves
-- the filters by destination and, as a destination has events of one type only, by type.
create index deliveries_of_destination on deliveries (destination_id, created_at, id) where not is_test;
create index deliveries_tested on deliveries (account_id, created_at, id) where is_test;

-- What is rare where receivers are well: a delivery that succeeds at once is in none of these.
create index deliveries_unsent on deliveries (destination_id, state, created_at, id)
  where not is_test and state in ('failed', 'cancelled');
-- By the hundreds of the status, 0 for no answer.
create index deliveries_refused on deliveries (destination_id, (coalesce(last_status, 0) / 100), created_at, id)
  where not is_test and (last_outcome <> 'response' or last_status not between 200 and 299);

-- It says that it has nothing that waits: plans for the queue would look into it otherwise.
create table deliveries_default partition of deliveries (
  constraint deliveries_default_ended check (is_ended)
) default;

-- One row for each HTTP request made.
create table attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  started_at bigint not null,
  outcome text not null,
  -- What a timeout was waiting for.
  phase text,
  error_code text,
  error_message text,
  response_status integer,
  response_body_cut boolean,
  address text,
  dns_ms double precision,
  connect_ms double precision,
  tls_ms double precision,
  first_byte_ms double precision,
  total_ms double precision not null,
  url text not null,
  request_headers text not null,
  response_headers text,
  response_body bytea,
  bucket integer not null,
  primary key (delivery_id, number, bucket)
) partition by range (delivery_id);

-- Oldest first: attempts that still have what the receiver answered.
create index attempts_with_answer on attempts (started_at) where response_headers is not null;

create table attempts_default partition of attempts default;

-- How many attempts a destination has had, by what they met and how long they took, and how many deliveries arrived how
-- long after their acceptance. `at` is the start of a minute, of a quarter of an hour once it is some hours old, of an
-- hour once it is a day old (see `attempt-counts.ts`). Each connection counts in rows of its own, by `slot`:
-- settlements of several nodes would otherwise wait for each other at the row of every busy destination.
create table attempt_counts (
  destination_id text collate "C" not null,
  at bigint not null,
  kind text collate "C" not null check (kind in ('attempt', 'delivery')),
  result text collate "C" not null check (result in ('delivered', 'retry', 'failed')),
  -- The answer's status, or the outcome's kind.
  code text collate "C" not null,
  -- Of the histogram in `domain/histogram.ts`.
  bin integer not null,
  slot integer not null,
  count bigint not null,
  bucket integer not null,
  primary key (destination_id, at, kind, result, code, bin, slot, bucket)
) with (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- Oldest first: what is to be joined to quarters, to hours, and what is to go. Each row is in one of them.
create index attempt_counts_of_minutes on attempt_counts (at) where at % 900000 <> 0;
create index attempt_counts_of_quarters on attempt_counts (at) where at % 900000 = 0 and at % 3600000 <> 0;
create index attempt_counts_of_hours on attempt_counts (at) where at % 3600000 = 0;

-- The same of all of an account's destinations together: the charts of a week would read hundreds of thousands of rows
-- to add them up.
create table account_attempt_counts (
  account_id text collate "C" not null,
  at bigint not null,
  kind text collate "C" not null check (kind in ('attempt', 'delivery')),
  result text collate "C" not null check (result in ('delivered', 'retry', 'failed')),
  code text collate "C" not null,
  bin integer not null,
  slot integer not null,
  count bigint not null,
  bucket integer not null,
  primary key (account_id, at, kind, result, code, bin, slot, bucket)
) with (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index account_attempt_counts_of_minutes on account_attempt_counts (at) where at % 900000 <> 0;
create index account_attempt_counts_of_quarters on account_attempt_counts (at)
  where at % 900000 = 0 and at % 3600000 <> 0;
create index account_attempt_counts_of_hours on account_attempt_counts (at) where at % 3600000 = 0;

-- A bulk resend: who asked for which deliveries, and how far it is. What it still has to do is in `replay_items`.
create table replays (
  id text collate "C" not null,
  account_id text collate "C" not null,
  -- JSON, because it is only ever read and written whole.
  filter text not null,
  rate_per_second double precision not null check (rate_per_second > 0),
  state text not null check (state in ('running', 'paused', 'cancelled', 'finished')),
  deliveries integer not null,
  moved integer not null default 0,
  skipped integer not null default 0,
  -- Deliveries that its rate had allowed at `stepped_at` and that were not moved then; a fraction below one is usual.
  credit double precision not null default 0,
  stepped_at bigint not null,
  actor text not null,
  -- Who paused, resumed or cancelled it last.
  state_actor text not null,
  created_at bigint not null,
  ended_at bigint,
  -- Never set to running yet: it waits for its confirmation.
  is_prepared boolean not null default false,
  bucket integer not null,
  primary key (id, bucket),
  check ((state in ('cancelled', 'finished')) = (ended_at is not null))
);

create index replays_running on replays (stepped_at, id) where state = 'running';
create index replays_ended on replays (ended_at) where ended_at is not null;
create index replays_of_account on replays (account_id, id);
create index replays_prepared on replays (created_at) where is_prepared and ended_at is null;

-- The deliveries of a replay that are still to be moved. A row goes in the transaction that moves its delivery.
create table replay_items (
  replay_id text collate "C" not null,
  delivery_id text collate "C" not null,
  bucket integer not null,
  primary key (replay_id, delivery_id, bucket)
);

-- One-time links into the dashboard, each for a person and what they may do. Only a hash of the token is kept. A link
-- stays until it runs out, so that a second use can say what is wrong. It ends with its person's sessions, so that
-- somebody who has just left does not come back by one that was made before.
create table sign_in_links (
  token_hash text collate "C" not null,
  account_id text collate "C" not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  -- A link and its session open one of two: the dashboard, or copies of the account's webhooks for a developer.
  purpose text not null default 'dashboard' check (purpose in ('dashboard', 'forward')),
  expires_at bigint not null,
  used_at bigint,
  ended_at bigint,
  created_at bigint not null,
  bucket integer not null,
  primary key (token_hash, bucket)
);

create index sign_in_links_expiring on sign_in_links (expires_at);
create index sign_in_links_of_account on sign_in_links (account_id, expires_at);

-- Browsers that are signed in. Only a hash of the token is kept; people see a session by its id, which opens nothing.
create table sessions (
  token_hash text collate "C" not null,
  account_id text collate "C" not null,
  -- Begins with the instant of the sign-in: the order of the list.
  id text collate "C" not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  purpose text not null default 'dashboard' check (purpose in ('dashboard', 'forward')),
  expires_at bigint not null,
  -- The last use, to within a minute: a session that is not used ends early.
  seen_at bigint not null,
  created_at bigint not null,
  bucket integer not null,
  primary key (token_hash, bucket)
);

create index sessions_expiring on sessions (expires_at);
create unique index sessions_of_account on sessions (account_id, id, bucket);

-- What people did, and the system for them. Kept as long as the account.
create table audit_entries (
  seq bigint generated always as identity,
  account_id text collate "C" not null,
  at bigint not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer', 'system')),
  action text not null,
  subject text not null,
  bucket integer not null,
  primary key (seq, bucket)
);

create index audit_of_account on audit_entries (account_id, seq);
create index audit_of_action on audit_entries (account_id, action, seq);

-- What is so now and was told to the operator: a destination that fails or is off (its id), the backlog (`backlog`).
-- `raised_at` outlives the end of it, so that what comes and goes is not told each time.
create table operator_conditions (
  subject text collate "C" primary key,
  is_raised boolean not null,
  raised_at bigint not null
);

-- Notices to the operator, written with the change itself, sent by whichever node takes them. Those of one subject go
-- out in their order. `claimed_until` is also when one that could not be sent is tried again.
create table operator_notices (
  seq bigint generated always as identity primary key,
  subject text collate "C" not null,
  at bigint not null,
  -- The exact body, so that every attempt sends the same.
  body text not null,
  attempts integer not null default 0,
  claim_token text,
  claimed_until bigint not null default 0
);

create index operator_notices_of_subject on operator_notices (subject, seq);

-- Who is told about failures, and whether the reader of the mailbox wants it. An address that an owner has removed
-- stays for a while, so that the link which stops letters works on; one that its reader has stopped stays for good.
create table mail_addresses (
  id text collate "C" not null,
  account_id text collate "C" not null,
  address text not null,
  -- One spelling of it.
  address_key text collate "C" not null,
  -- Whom letters reach: by this they are counted.
  mailbox text collate "C" not null,
  added_at bigint not null,
  confirmed_at bigint,
  stopped_at bigint,
  removed_at bigint,
  stop_hash text collate "C" not null,
  sealed_stop text not null,
  -- The latest confirmation letter.
  letter_at bigint not null,
  letter_state text not null check (letter_state in ('waiting', 'sent', 'no_mailbox', 'dropped')),
  -- Who holds its digest; and until when there is no other, whatever became of that one.
  digest_token text,
  quiet_until bigint not null default 0,
  -- When it is reminded of what still fails.
  remind_at bigint,
  bucket integer not null,
  primary key (id, bucket)
);

create index mail_addresses_reminding on mail_addresses (remind_at) where remind_at is not null;
create unique index mail_addresses_of_account on mail_addresses (account_id, address_key, bucket);
create unique index mail_addresses_by_stop on mail_addresses (stop_hash, bucket);
create index mail_addresses_removed on mail_addresses (removed_at) where removed_at is not null and stopped_at is null;

-- Confirmation letters, to be sent and for as long as they are counted; apart from addresses, which come and go. They
-- are counted by mailbox too, whichever accounts write to it, so they stand on one server.
create table confirmation_letters (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  address_id text collate "C" not null,
  mailbox text collate "C" not null,
  at bigint not null,
  is_open boolean not null,
  claim_token text,
  claimed_until bigint not null default 0
);

create index letters_of_account on confirmation_letters (account_id, at);
create index letters_of_mailbox on confirmation_letters (mailbox, at);
create index letters_open on confirmation_letters (claimed_until, id) where is_open;
create index letters_by_age on confirmation_letters (at);

-- Links of confirmation letters, known here by a hash of their token only.
create table mail_links (
  token_hash text collate "C" not null,
  address_id text collate "C" not null,
  expires_at bigint not null,
  used_at bigint,
  bucket integer not null,
  primary key (token_hash, bucket)
);

create index mail_links_expiring on mail_links (expires_at);
create index mail_links_of_address on mail_links (address_id);

-- News for an address that it was not told yet: the latest of each destination, written with the change itself. A claim
-- that is overtaken by newer news loses it.
create table failure_news (
  address_id text collate "C" not null,
  destination_id text collate "C" not null,
  kind text not null check (kind in ('failing', 'turned_off', 'recovered')),
  at bigint not null,
  claim_token text,
  bucket integer not null,
  primary key (address_id, destination_id, bucket)
);

create index failure_news_by_age on failure_news (at);

-- Small values of the installation itself.
create table settings (
  name text primary key,
  value text not null
);

-- The row that shows whether the database still takes writes.
create table probes (
  id integer primary key check (id = 1),
  probed_at bigint not null
);

-- Nodes that have deliveries in hand. A transaction that takes one in hand or writes its row holds the lease by
-- `for key share`; a node that takes an ended lease over locks it `for update` and deletes it. So no delivery ever gets
-- two rows, which lie in partitions without a common key. Numbers are never used again.
create table leases (
  id bigint generated always as identity primary key,
  -- After that other nodes may take over.
  until_at bigint not null,
  -- No event accepted before it has a delivery in hand under this lease.
  mark_at bigint not null
) with (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0);

-- Attempts that were counted and are not added to their counters yet: a row for each commit, which only adds. Nodes add
-- them up every few seconds (see `attempt-tallies.ts`), and a reader of counters reads these too. Tallies take turns:
-- ten seconds go into one table, the next ten into the other. So one that is not written to any more is added up and
-- truncated, and no row is deleted by itself.
create table attempt_tallies (
  -- By the database's clock. It is a hint: a row that comes late waits in its table for the next turn but one.
  turn integer not null default (extract(epoch from clock_timestamp())::bigint / 10 % 2),
  -- The accounts in `counts`, so that a reader passes over the others.
  account_ids text[] not null,
  -- [[destination, account, at, kind, result, code, bin, count]]
  counts json not null,
  -- One of those whose accounts are counted in it: all of them lie together.
  bucket integer not null
) partition by list (turn);

create table attempt_tallies_0 partition of attempt_tallies for values in (0) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

create table attempt_tallies_1 partition of attempt_tallies for values in (1) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- The history of destinations in trouble: from when to when, and what came back (see domain/incident.ts).
create table incidents (
  account_id text collate "C" not null,
  -- Begins with the instant at which it was opened: the order of the lists.
  id text collate "C" not null,
  destination_id text collate "C" not null,
  -- The start of the first attempt that failed.
  from_at bigint not null,
  ended_at bigint,
  end_reason text check (end_reason in ('recovered', 'turned_on', 'url_changed', 'deleted')),
  -- Why its destination was turned off meanwhile.
  off_reason text,
  interruptions integer not null,
  -- JSON: [{code, count}], of all but the run of failures that lasts.
  responses text not null,
  bucket integer not null,
  primary key (account_id, destination_id, id, bucket),
  check ((ended_at is null) = (end_reason is null))
);

create index incidents_lasting on incidents (account_id, destination_id) where ended_at is null;
create index incidents_of_account on incidents (account_id, ended_at) where ended_at is not null;
create index incidents_ended on incidents (ended_at) where ended_at is not null;

-- Answers and failures since a destination began to fail; no rows while it is well.
create table failure_responses (
  account_id text collate "C" not null,
  destination_id text collate "C" not null,
  -- The answer's status, or the outcome's kind.
  code text collate "C" not null,
  count bigint not null,
  bucket integer not null,
  primary key (account_id, destination_id, code, bucket)
);

-- Where owners hear of failures besides their mailboxes. Anyone who knows the URL can write there, so it is sealed as a
-- whole, and pages show its origin.
create table news_channels (
  id text collate "C" not null,
  account_id text collate "C" not null,
  kind text not null check (kind in ('slack', 'webhook')),
  name text not null,
  origin text not null,
  sealed_url text not null,
  added_at bigint not null,
  -- The latest answer, and since when there was none that took a message.
  answered_at bigint,
  answer_outcome text,
  answer_status integer,
  is_taken boolean not null default false,
  refused_since bigint,
  refusals integer not null default 0,
  -- Who holds its digest; until when there is no other; when it is reminded of what still fails.
  digest_token text,
  quiet_until bigint not null default 0,
  remind_at bigint,
  bucket integer not null,
  primary key (id, bucket)
);

create index news_channels_of_account on news_channels (account_id, added_at, id);
create index news_channels_reminding on news_channels (remind_at) where remind_at is not null;

-- Search: the texts of events, in blocks of one account's events that were accepted one after another. A block that is
-- full is sealed: from then on its words say whether one of its texts may have what is looked for, and the texts of
-- such blocks are looked at. All of it can be made again from the events.
create table search_blocks (
  id bigint generated always as identity,
  account_id text collate "C" not null,
  oldest_at bigint not null,
  newest_at bigint not null,
  events integer not null,
  -- The length of its texts.
  bytes integer not null,
  -- Each word once, behind its account's mark; null until the block is sealed.
  words tsvector,
  bucket integer not null,
  primary key (id, bucket)
);

-- Blocks are found by words alone: an index by account would read the words of all blocks of a large one.
create index search_blocks_by_word on search_blocks using gin (words) with (gin_pending_list_limit = 512);

-- Each account has one block at most that still takes events. Its texts are looked at without asking for words.
create unique index search_blocks_open on search_blocks (account_id, bucket) where words is null;

create table search_entries (
  event_id text collate "C" not null,
  block_id bigint not null,
  type text not null,
  is_test boolean not null,
  -- Empty for a session, and where it is not known.
  assistant_id text collate "C" not null,
  accepted_at bigint not null,
  -- Lists show these, so that they need not read the body.
  who text,
  what text,
  intent_level text not null,
  -- Its words as `domain/search-words.ts` has them, a space before each.
  words text collate "C" not null,
  bucket integer not null,
  primary key (event_id, bucket)
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000);

create index search_entries_of_block on search_entries (block_id);
create index search_entries_by_age on search_entries (accepted_at);

-- The last event that was taken in, in the order of acceptance. The node that locks this row feeds the index.
create table search_marks (
  id integer not null check (id = 1),
  accepted_at bigint not null,
  event_id text collate "C" not null,
  bucket integer not null,
  primary key (id, bucket)
);

-- The inbox: what the product tells us inside its own transactions, by `select bellwire.emit_…(account, record)`. If
-- its transaction commits, the row is there and a node turns it into an event; if it rolls back, it never was.
--
-- Nothing here tells a node that there is something: a NOTIFY would take a lock of the whole server at the product's
-- commit, which cost 62 to 70 % of commits. Nodes look every 250 ms (see `intake/inbox.ts`).

create table inbox (
  -- Not in the order of the commits: a row may appear below others that are gone already. So rows are taken by what is
  -- there, never by the last number that was seen.
  seq bigint generated always as identity primary key,
  account_id text collate "C" not null,
  type text collate "C" not null check (type in ('demo_viewed', 'chat_conversation_completed')),
  record text not null,
  emitted_at bigint not null,
  -- While a claim holds the row: when the claim runs out.
  due_at bigint not null,
  claim_token text,
  -- How often it has been claimed, also by a node that died over it.
  tries integer not null default 0
) with (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index inbox_due on inbox (due_at, seq);

-- Records that could not become an event, with the reason, until retention takes it. `seq` is that of the inbox.
create table refused_records (
  seq bigint primary key,
  account_id text collate "C" not null,
  type text collate "C" not null,
  -- Empty once the payload's time is over.
  record text not null,
  emitted_at bigint not null,
  refused_at bigint not null,
  -- A problem's code, its sentence, and JSON: [{path, message}].
  code text not null,
  detail text not null,
  errors text not null
);

create index refused_records_of_account on refused_records (account_id, seq);
create index refused_records_by_age on refused_records (refused_at);
create index refused_records_with_record on refused_records (refused_at) where record <> '';

-- The product's transaction is stopped only by what a programmer must see at once, and what would not fit. All else is
-- judged later, by the code that judges what comes over HTTP: a bad field must not cost the product its own write.
create function put_into_inbox(type text, account text, record jsonb) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- `LIMITS.recordBytesMax`; a test compares them.
  record_bytes_max constant integer := 1048576;
  record_text constant text := record::text;
  emitted_at constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  new_seq bigint;
begin
  if account is null then
    raise null_value_not_allowed using
      message = 'bellwire: the account is null',
      hint = 'Pass the id of the account whose owner is to be told: the one of PUT /v1/accounts/{account_id}.';
  end if;
  if account !~ '^[A-Za-z0-9._:-]{1,128}$' then
    raise invalid_parameter_value using
      message = 'bellwire: the account is not an id',
      hint = 'An account''s id has 1 to 128 characters of A-Z a-z 0-9 . _ : -';
  end if;
  if record is null then
    raise null_value_not_allowed using
      message = 'bellwire: the record is null',
      hint = 'Pass the record as one JSON object; jsonb_build_object() and to_jsonb() of a null row give null.';
  end if;
  if jsonb_typeof(record) <> 'object' then
    raise invalid_parameter_value using
      message = format('bellwire: the record is of type %s, not an object', jsonb_typeof(record)),
      hint = 'Pass one JSON object in each call; for many records call once for each row of a query.';
  end if;
  if octet_length(record_text) > record_bytes_max then
    raise program_limit_exceeded using
      message = format('bellwire: the record has %s bytes as text, %s are taken',
        octet_length(record_text), record_bytes_max),
      hint = 'Shorten the record. To keep the rest of the transaction, call inside a savepoint.';
  end if;
  insert into bellwire.inbox (account_id, type, record, emitted_at, due_at)
  values (account, type, record_text, emitted_at, emitted_at)
  returning seq into new_seq;
  return new_seq;
end
$$;

-- They run with the rights of the schema's owner: whoever may call them can add to the inbox, and read and change
-- nothing.
create function emit_demo_session(account text, record jsonb) returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select bellwire.put_into_inbox('demo_viewed', account, record) $$;

create function emit_chat_conversation(account text, record jsonb) returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select bellwire.put_into_inbox('chat_conversation_completed', account, record) $$;

comment on function emit_demo_session(text, jsonb) is
  'Sends a demo session to the account''s webhooks if this transaction commits. Returns the number in the inbox.';
comment on function emit_chat_conversation(text, jsonb) is
  'Sends a chat conversation to the account''s webhooks if this transaction commits. Returns the number in the inbox.';

-- Functions are everybody's unless somebody says otherwise; the operator grants these to the product's own role.
revoke execute on function put_into_inbox(text, text, jsonb) from public;
revoke execute on function emit_demo_session(text, jsonb) from public;
revoke execute on function emit_chat_conversation(text, jsonb) from public;
-- When a destination's client certificate ends, so that its owner is told before: null until a node has read it, 0
-- where there is none. The event's path writes neither column of its index.
alter table destinations add column certificate_ends_at bigint;

-- Up to when a reader was told of such ends, and up to when the message tells that is under way.
alter table mail_addresses add column certificates_told_at bigint not null default 0;
alter table mail_addresses add column certificates_claimed_at bigint not null default 0;
alter table news_channels add column certificates_told_at bigint not null default 0;
alter table news_channels add column certificates_claimed_at bigint not null default 0;
create index destinations_certified on bellwire.destinations (certificate_ends_at)
  where authentication is not null;
-- A search reads the newest blocks of an account before it asks for words: those that have a frequent word are among
-- them.
create index search_blocks_of_account
  on bellwire.search_blocks (account_id, newest_at, id) include (oldest_at);
-- From here on bodies of events may stand shortened in `events.body` (see store/kept-body.ts). Those that are there
-- stay as they are, and both are read. No table changes: the number of this step keeps an earlier Bellwire out, which
-- would send shortened bodies as they stand.
select 1;
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
-- The newest schema that a lease's node knows, and so the newest form of rows that it reads (see `schema/forms.ts`).
-- Nodes from before say nothing: they read what the first schema had.
alter table leases add column reads bigint not null default 1;
create table attempts_20261120 partition of attempts FOR VALUES FROM ('dlv_01m7v41f00') TO ('dlv_01m7xpe600') with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=200000);
create table deliveries_20261120 partition of deliveries FOR VALUES FROM (true, 'dlv_01m7v41f00') TO (true, 'dlv_01m7xpe600') with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=200000);
create table events_20261120 partition of events FOR VALUES FROM ('evt_01m7v41f00') TO ('evt_01m7xpe600') with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=200000);
delete from account_attempt_counts;
delete from account_hours;
delete from accounts;
delete from alerts;
delete from attempt_counts;
delete from attempt_tallies;
delete from attempts;
delete from audit_entries;
delete from chat_assistants;
delete from confirmation_letters;
delete from deliveries;
delete from destination_changes;
delete from destinations;
delete from event_keys;
delete from events;
delete from failure_news;
delete from failure_responses;
delete from inbox;
delete from incidents;
delete from leases;
delete from mail_addresses;
delete from mail_links;
delete from news_channels;
delete from operator_conditions;
delete from operator_notices;
delete from probes;
delete from refused_records;
delete from replay_items;
delete from replays;
delete from schema_migrations;
delete from search_blocks;
delete from search_entries;
delete from search_marks;
delete from sessions;
delete from settings;
delete from sign_in_links;
delete from verification_secrets;
insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at, bucket) overriding system value values ('acc_1', 'Acme', 'starter', 'https://app.example', '18', '1795176000000', '1795176000000', '38');
insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at, bucket) overriding system value values ('acc_2', E'Ünïcode "quoted" \\ 🔔', 'starter', 'https://app.example', '3', '1795176000000', '1795176000000', '231');
insert into alerts (account_id, id, name, audience, demos, intent_levels, webhooks_on, destination_id, conditions, revision, changed_by, created_at, updated_at, deleted_at, bucket) overriding system value values ('acc_1', 'alr_1', 'Sales', 'known_lead', E'["Tour","A \\"quoted\\" name"]', '["high"]', 'true', 'dst_alert', E'{"join":"any","list":[{"field":"utm_params.utm_source","operator":"is","value":"linked\\"in"},{"field":"lead.client_tracking_id","operator":"known"}]}', '1', 'ada', '1795176000000', '1795176000000', NULL, '38');
insert into alerts (account_id, id, name, audience, demos, intent_levels, webhooks_on, destination_id, conditions, revision, changed_by, created_at, updated_at, deleted_at, bucket) overriding system value values ('acc_1', 'alr_2', 'Sales', 'known_lead', E'["Tour","A \\"quoted\\" name"]', '["high"]', 'true', 'dst_gone', E'{"join":"any","list":[{"field":"utm_params.utm_source","operator":"is","value":"linked\\"in"},{"field":"lead.client_tracking_id","operator":"known"}]}', '1', 'ada', '1795176000000', '1795176600000', '1795176600000', '38');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_1}', '[["dst_a","acc_1",1795176000000,"attempt","delivered","503",7,1],["dst_a","acc_1",1795176000000,"delivery","delivered","503",4,1]]', '0');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_1}', '[["dst_a","acc_1",1795176000000,"attempt","failed","timeout",7,1]]', '0');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_1}', '[["dst_a","acc_1",1795176000000,"attempt","retry","tls_error",7,1]]', '0');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_1}', '[["dst_a","acc_1",1795177200000,"attempt","retry","timeout",7,1],["dst_off","acc_1",1795177200000,"attempt","failed","410",7,1],["dst_a","acc_1",1795177200000,"attempt","delivered","200",7,1],["dst_a","acc_1",1795177200000,"delivery","delivered","200",7,1]]', '0');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_1}', '[["dst_c","acc_1",1795176000000,"attempt","failed","200",7,8]]', '0');
insert into attempt_tallies (turn, account_ids, counts, bucket) overriding system value values ('0', '{acc_2}', '[["dst_other","acc_2",1795176180000,"attempt","delivered","200",7,1],["dst_other","acc_2",1795176180000,"delivery","delivered","200",55,1]]', '0');
insert into attempts (delivery_id, number, started_at, outcome, phase, error_code, error_message, response_status, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, url, request_headers, response_headers, response_body, bucket) overriding system value values ('dlv_01m7wecec0r8rvgx65zryw29tj', '1', '1795177200000', 'timeout', 'connect', NULL, NULL, NULL, NULL, '203.0.113.7', '1.5', '2', NULL, '3.25', '4', 'https://dst_a.example/hook', 'J
idlv_1
', NULL, NULL, '38');
insert into attempts (delivery_id, number, started_at, outcome, phase, error_code, error_message, response_status, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, url, request_headers, response_headers, response_body, bucket) overriding system value values ('dlv_2_a', '1', '1795176000000', 'tls_error', NULL, 'ERR_TLS', E'a \\ b', NULL, NULL, '203.0.113.7', '1.5', '2', NULL, '3.25', '4', 'https://dst_a.example/hook', 'J
idlv_1
', NULL, NULL, '38');
insert into attempts (delivery_id, number, started_at, outcome, phase, error_code, error_message, response_status, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, url, request_headers, response_headers, response_body, bucket) overriding system value values ('dlv_3_a', '1', '1795176000000', 'timeout', 'headers', NULL, NULL, NULL, NULL, '203.0.113.7', '1.5', '2', NULL, '3.25', '4', 'https://dst_a.example/hook', 'J
idlv_1
', NULL, NULL, '38');
insert into attempts (delivery_id, number, started_at, outcome, phase, error_code, error_message, response_status, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, url, request_headers, response_headers, response_body, bucket) overriding system value values ('dlv_900', '1', '1795176000000', 'response', NULL, NULL, NULL, '200', 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', '4', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', '38');
insert into attempts (delivery_id, number, started_at, outcome, phase, error_code, error_message, response_status, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, url, request_headers, response_headers, response_body, bucket) overriding system value values ('dlv_test', '1', '1795176000000', 'timeout', 'connect', NULL, NULL, NULL, NULL, '203.0.113.7', '1.5', '2', NULL, '3.25', '4', 'https://dst_a.example/hook', 'J
idlv_1
', NULL, NULL, '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('1', 'acc_1', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('10', 'acc_1', '1795176000000', 'ada', 'owner', 'alert_created', 'Sales', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('11', 'acc_1', '1795176600000', 'eve', 'owner', 'alert_deleted', 'Sales', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('12', 'acc_1', '1795176600000', 'ada', 'owner', 'secret_rotated', 'with both for 24 hours', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('13', 'acc_1', '1795176600000', 'ada', 'owner', 'destination_paused', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('14', 'acc_1', '1795176600000', 'ada', 'owner', 'delivery_resent', 'dlv_3_a', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('15', 'acc_1', '1795176600000', 'ada', 'owner', 'replay_started', 'rpl_1', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('16', 'acc_1', '1795176600000', 'ada', 'owner', 'replay_prepared', 'rpl_2', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('17', 'acc_1', '1795176000001', 'ada', 'owner', 'person_signed_out', 'eve', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('18', 'acc_1', '1795176000001', 'ana@example.com', 'viewer', 'signed_in', '', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('19', 'acc_1', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('2', 'acc_1', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('20', 'acc_1', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('3', 'acc_1', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('4', 'acc_2', '1795176000000', 'ada', 'owner', 'assistant_webhook_changed', 'Ada', '231');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('5', 'acc_1', '1795176000000', 'ada', 'owner', 'mail_address_added', 'ops@acme.example', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('6', 'acc_1', '1795176000000', 'ops@acme.example', 'system', 'mail_address_confirmed', 'ops@acme.example', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('7', 'acc_1', '1795176000000', 'ada', 'owner', 'mail_address_added', 'waiting@acme.example', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('8', 'acc_1', '1795176000000', 'ada', 'owner', 'news_channel_added', 'ops (https://hooks.example)', '38');
insert into audit_entries (seq, account_id, at, person, role, action, subject, bucket) overriding system value values ('9', 'acc_1', '1795176000000', 'ada', 'owner', 'alert_created', 'Sales', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_1', 'assistant of dst_a', 'Ada', 'dst_a', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_1', 'assistant of dst_b', 'Ada', 'dst_b', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_1', 'assistant of dst_c', 'Ada', 'dst_c', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_1', 'assistant of dst_emptied', 'Ada', 'dst_emptied', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_1', 'assistant of dst_off', 'Ada', 'dst_off', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '38');
insert into chat_assistants (account_id, id, name, destination_id, conditions, revision, changed_by, changed_at, created_at, updated_at, bucket) overriding system value values ('acc_2', 'assistant of dst_other', 'Ada', 'dst_other', NULL, '2', 'ada', '1795176000000', '1795176000000', '1795176000000', '231');
insert into confirmation_letters (id, account_id, address_id, mailbox, at, is_open, claim_token, claimed_until) overriding system value values ('ltr of ops@acme.example', 'acc_1', 'adr of ops@acme.example', 'ops@acme.example', '1795176000000', 'false', NULL, '1795176000001');
insert into confirmation_letters (id, account_id, address_id, mailbox, at, is_open, claim_token, claimed_until) overriding system value values ('ltr of waiting@acme.example', 'acc_1', 'adr of waiting@acme.example', 'waiting@acme.example', '1795176000000', 'true', NULL, '0');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_01m7wecec05apz48ft55hhwsjk', 'evt_01m7wecec0tqqht2py9fgr5vxm', 'acc_1', 'dst_off', 'false', 'failed', NULL, NULL, '1', '0', '1795177200000', '1795177200005', NULL, NULL, 'response', '410', '4', '1795177200000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', '', E'\\x', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_01m7wecec07qyvesjdnqsyscfb', 'evt_01m7wecec0d4zjdeck411gs7yx', 'acc_1', 'dst_emptied', 'false', 'cancelled', NULL, NULL, '0', '0', '1795177200000', '1795177200000', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_01m7wecec098jaf32k3rj12kdc', 'evt_01m7wecec0n218g4yev92jmkf4', 'acc_1', 'dst_a', 'false', 'pending', '1795177200000', NULL, '0', '0', '1795177200000', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_01m7wecec0ehyj6ssz4xyh2se4', 'evt_01m7wecec0m008fyzq8yebgvfy', 'acc_1', 'dst_a', 'false', 'delivered', NULL, NULL, '1', '0', '1795177200000', '1795177200005', NULL, NULL, 'response', '200', '4', '1795177200000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_01m7wecec0r8rvgx65zryw29tj', 'evt_01m7wecec094r0mvcqsh5k9a4b', 'acc_1', 'dst_a', 'false', 'pending', '1795177260000', NULL, '1', '0', '1795177200000', NULL, NULL, NULL, 'timeout', NULL, '4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_1_a', 'evt_1', 'acc_1', 'dst_a', 'false', 'delivered', NULL, NULL, '1', '0', '1795176000002', '1795176000050', NULL, NULL, 'response', '503', '4', '1795176000000', NULL, NULL, NULL, 'true', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', ':x-a:1
', E'\\x00ff0a5c', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_1_b', 'evt_1', 'acc_1', 'dst_b', 'false', 'pending', '1795176000002', NULL, '0', '0', '1795176000002', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_2_a', 'evt_2', 'acc_1', 'dst_a', 'false', 'pending', '1795176605000', NULL, '1', '0', '1795176000002', NULL, NULL, NULL, 'tls_error', NULL, '4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_2_b', 'evt_2', 'acc_1', 'dst_b', 'false', 'pending', '1795176000002', NULL, '0', '0', '1795176000002', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_3_a', 'evt_3', 'acc_1', 'dst_a', 'false', 'pending', '1795176030001', NULL, '1', '1', '1795176000002', NULL, '1795176600000', 'ada', 'timeout', NULL, '4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_3_b', 'evt_3', 'acc_1', 'dst_b', 'false', 'pending', '1795176000002', NULL, '0', '0', '1795176000002', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_4_a', 'evt_4', 'acc_1', 'dst_a', 'false', 'pending', '1795176030002', 'token', '0', '0', '1795176000002', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_4_b', 'evt_4', 'acc_1', 'dst_b', 'false', 'pending', '1795176000002', NULL, '0', '0', '1795176000002', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_5', 'evt_5', 'acc_1', 'dst_b', 'false', 'pending', '1795176000003', NULL, '0', '0', '1795176000003', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_6', 'evt_6', 'acc_2', 'dst_other', 'false', 'delivered', NULL, NULL, '1', '0', '1795176000004', '1795176000050', NULL, NULL, 'response', '200', '4', '1795176180000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', '', E'\\x', 'true', '231');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_900', 'evt_900', 'acc_1', 'dst_c', 'false', 'pending', '1795176610000', NULL, '1', '1', '1795176000000', NULL, '1795176610000', 'ada', 'response', '200', '4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'false', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_901', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_902', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_903', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_904', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_905', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_906', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_907', 'evt_900', 'acc_1', 'dst_c', 'false', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'response', '200', '4', '1795176000000', NULL, NULL, NULL, 'false', '203.0.113.7', '1.5', '2', NULL, '3.25', 'https://dst_a.example/hook', 'J
idlv_1
', 'ttext/plain
', E'\\x6f6b', 'true', '38');
insert into deliveries (id, event_id, account_id, destination_id, is_test, state, due_at, claim_token, attempts_made, attempts_before, created_at, settled_at, resent_at, resent_by, last_outcome, last_status, last_ms, started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms, first_byte_ms, url, request_headers, response_headers, response_body, is_ended, bucket) overriding system value values ('dlv_test', 'evt_test', 'acc_1', 'dst_a', 'true', 'failed', NULL, NULL, '1', '0', '1795176000000', '1795176000000', NULL, NULL, 'timeout', NULL, '4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'true', '38');
insert into destination_changes (seq, account_id, destination_id, at, from_state, to_state, reason, actor, bucket) overriding system value values ('1', 'acc_1', 'dst_gone', '1795176600000', 'on', 'paused', 'deleted', 'eve', '38');
insert into destination_changes (seq, account_id, destination_id, at, from_state, to_state, reason, actor, bucket) overriding system value values ('2', 'acc_1', 'dst_c', '1795176000000', 'on', 'held', 'breaker_opened', 'system', '38');
insert into destination_changes (seq, account_id, destination_id, at, from_state, to_state, reason, actor, bucket) overriding system value values ('3', 'acc_1', 'dst_b', '1795176600000', 'on', 'paused', E'a \\ reason', 'ada', '38');
insert into destination_changes (seq, account_id, destination_id, at, from_state, to_state, reason, actor, bucket) overriding system value values ('4', 'acc_1', 'dst_off', '1795177200005', 'on', 'off', 'gone', 'system', '38');
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_a', 'acc_1', 'on', NULL, NULL, '2', '0', '1795176030001', '0', NULL, '0', NULL, 'assistant', 'assistant of dst_a', NULL, '1795177200000', 'timeout', NULL, NULL, 'false', 'false', 'https://dst_a.example/hook', '[]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_alert', 'acc_1', 'on', NULL, NULL, '0', '0', NULL, '0', NULL, '0', NULL, 'alert', 'alr_1', NULL, NULL, NULL, NULL, NULL, 'false', 'false', 'https://receiver.example/hook', '[{"name":"Authorization","value":"sealed","secret":true}]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_b', 'acc_1', 'paused', NULL, NULL, '0', '0', '1795176000002', '0', NULL, '0', NULL, 'assistant', 'assistant of dst_b', NULL, NULL, NULL, NULL, NULL, 'false', 'false', 'https://dst_b.example/hook', '[]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_c', 'acc_1', 'on', NULL, '1795176000000', '8', '1', '1795176610000', '1795176030000', NULL, '0', NULL, 'assistant', 'assistant of dst_c', NULL, '1795176000000', 'response', '200', '1795176000000', 'true', 'false', 'https://dst_c.example/hook', '[]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_emptied', 'acc_1', 'on', NULL, NULL, '0', '0', NULL, '0', NULL, '0', NULL, 'assistant', 'assistant of dst_emptied', NULL, NULL, NULL, NULL, NULL, 'false', 'false', 'https://dst_emptied.example/hook', '[]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_gone', 'acc_1', 'paused', NULL, NULL, '0', '0', NULL, '0', NULL, '0', NULL, 'alert', 'alr_2', '1795176600000', NULL, NULL, NULL, NULL, 'false', 'false', 'https://receiver.example/hook', '[]', NULL, '1795176000000', '1795176600000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_off', 'acc_1', 'off', 'gone', '1795177200000', '1', '0', NULL, '0', NULL, '0', NULL, 'assistant', 'assistant of dst_off', NULL, '1795177200000', 'response', '410', NULL, 'false', 'false', 'https://dst_off.example/hook', '[]', NULL, '1795176000000', '1795176000000', '38', NULL);
insert into destinations (id, account_id, state, off_reason, failing_since_at, strain, trips, next_due_at, not_before_at, probe_token, turn_at, rate_per_second, owner_kind, owner_id, deleted_at, last_failure_at, last_failure_outcome, last_failure_status, told_at, is_told, was_attempted, url, headers, authentication, created_at, updated_at, bucket, certificate_ends_at) overriding system value values ('dst_other', 'acc_2', 'on', NULL, NULL, '0', '0', NULL, '0', NULL, '0', NULL, 'assistant', 'assistant of dst_other', NULL, NULL, NULL, NULL, NULL, 'false', 'false', 'https://dst_other.example/hook', '[]', NULL, '1795176000000', '1795176000000', '231', NULL);
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'chat_conversation_completed', '00000000-0000-4000-8000-000000000005', 'evt_5', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000001', 'evt_1', '2', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000002', 'evt_2', '2', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000003', 'evt_3', '2', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000004', 'evt_4', '2', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-00000000001f', 'evt_01m7wecec0m008fyzq8yebgvfy', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000020', 'evt_01m7wecec094r0mvcqsh5k9a4b', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000021', 'evt_01m7wecec0d4zjdeck411gs7yx', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000022', 'evt_01m7wecec0tqqht2py9fgr5vxm', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000023', 'evt_01m7wecec0n218g4yev92jmkf4', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000024', 'evt_01m7wecec0mrer519ps90fvx6y', '1', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000000384', 'evt_900', '8', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002710', 'evt_10000', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002711', 'evt_10001', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002712', 'evt_10002', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002713', 'evt_10003', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002714', 'evt_10004', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002715', 'evt_10005', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002716', 'evt_10006', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002717', 'evt_10007', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002718', 'evt_10008', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_1', 'demo_viewed', '00000000-0000-4000-8000-000000002719', 'evt_10009', '0', '38');
insert into event_keys (account_id, type, source_id, event_id, deliveries, bucket) overriding system value values ('acc_2', 'demo_viewed', '00000000-0000-4000-8000-000000000006', 'evt_6', '1', '231');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec094r0mvcqsh5k9a4b', '21', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-000000000020', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_01m7wecec0r8rvgx65zryw29tj dst_a', '1', '1795177230000', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec0d4zjdeck411gs7yx', '19', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-000000000021', '', '{"event":"demo_viewed"}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec0m008fyzq8yebgvfy', '20', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-00000000001f', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_01m7wecec0ehyj6ssz4xyh2se4 dst_a', '1', '1795177230000', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec0mrer519ps90fvx6y', '24', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-000000000024', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_01m7wecec000q0fytmq3ehgg6y dst_a', '1', '1795177230000', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec0n218g4yev92jmkf4', '23', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-000000000023', '', '{"event":"demo_viewed"}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_01m7wecec0tqqht2py9fgr5vxm', '22', 'acc_1', 'demo_viewed', '1795177200000', '00000000-0000-4000-8000-000000000022', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_01m7wecec05apz48ft55hhwsjk dst_off', '1', '1795177230000', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_1', '12', 'acc_1', 'demo_viewed', '1795176000002', '00000000-0000-4000-8000-000000000001', '', E'{"t":"é 漢字 🔔 \\u0000 \\"quoted\\" \\\\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', 'dlv_1_a dst_a', '1', '1795176030002', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10000', '2', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002710', '', '{"n":0}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10001', '3', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002711', '', '{"n":1}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10002', '4', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002712', '', '{"n":2}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10003', '5', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002713', '', '{"n":3}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10004', '6', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002714', '', '{"n":4}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10005', '7', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002715', '', '{"n":5}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10006', '8', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002716', '', '{"n":6}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10007', '9', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002717', '', '{"n":7}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10008', '10', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002718', '', '{"n":8}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_10009', '11', 'acc_1', 'demo_viewed', '1795176000001', '00000000-0000-4000-8000-000000002719', '', '{"n":9}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_2', '13', 'acc_1', 'demo_viewed', '1795176000002', '00000000-0000-4000-8000-000000000002', '', E'{"t":"é 漢字 🔔 \\u0000 \\"quoted\\" \\\\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', 'dlv_2_a dst_a', '1', '1795176030002', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_3', '14', 'acc_1', 'demo_viewed', '1795176000002', '00000000-0000-4000-8000-000000000003', '', E'{"t":"é 漢字 🔔 \\u0000 \\"quoted\\" \\\\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', 'dlv_3_a dst_a', '1', '1795176030002', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_4', '15', 'acc_1', 'demo_viewed', '1795176000002', '00000000-0000-4000-8000-000000000004', '', E'{"t":"é 漢字 🔔 \\u0000 \\"quoted\\" \\\\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', 'dlv_4_a dst_a', '1', '1795176030002', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_5', '16', 'acc_1', 'chat_conversation_completed', '1795176000003', '00000000-0000-4000-8000-000000000005', 'assistant of dst_b', '{"event":"demo_viewed"}', '[0,["dst_alert","plan"]]', NULL, NULL, NULL, NULL, NULL, '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_6', '17', 'acc_2', 'demo_viewed', '1795176000004', '00000000-0000-4000-8000-000000000006', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_6 dst_other', '1', '1795176030004', 'token', '231');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_900', '1', 'acc_1', 'demo_viewed', '1795176000000', '00000000-0000-4000-8000-000000000384', '', '{"event":"demo_viewed"}', NULL, NULL, 'dlv_900 dst_c
dlv_901 dst_c
dlv_902 dst_c
dlv_903 dst_c
dlv_904 dst_c
dlv_905 dst_c
dlv_906 dst_c
dlv_907 dst_c', '1', '1795176030000', 'token', '38');
insert into events (id, seq, account_id, type, accepted_at, source_id, assistant_id, body, not_sent, trace_context, in_hand, lease_id, held_until, claim_token, bucket) overriding system value values ('evt_test', '18', 'acc_1', 'demo_viewed', '1795176000000', NULL, '', '{"event":"demo_viewed"}', NULL, NULL, NULL, NULL, NULL, NULL, '38');
insert into failure_news (address_id, destination_id, kind, at, claim_token, bucket) overriding system value values ('adr of ops@acme.example', 'dst_c', 'failing', '1795176000000', NULL, '38');
insert into failure_news (address_id, destination_id, kind, at, claim_token, bucket) overriding system value values ('adr of ops@acme.example', 'dst_off', 'turned_off', '1795177200005', NULL, '38');
insert into failure_news (address_id, destination_id, kind, at, claim_token, bucket) overriding system value values ('chn_ops', 'dst_c', 'failing', '1795176000000', NULL, '38');
insert into failure_news (address_id, destination_id, kind, at, claim_token, bucket) overriding system value values ('chn_ops', 'dst_off', 'turned_off', '1795177200005', NULL, '38');
insert into failure_responses (account_id, destination_id, code, count, bucket) overriding system value values ('acc_1', 'dst_c', '200', '8', '38');
insert into failure_responses (account_id, destination_id, code, count, bucket) overriding system value values ('acc_1', 'dst_off', '410', '1', '38');
insert into inbox (seq, account_id, type, record, emitted_at, due_at, claim_token, tries) overriding system value values ('1', 'acc_1', 'demo_viewed', '{"id": "in the inbox"}', '1795176000000', '1795176000000', NULL, '0');
insert into incidents (account_id, id, destination_id, from_at, ended_at, end_reason, off_reason, interruptions, responses, bucket) overriding system value values ('acc_1', 'inc_01m7wd7tg0c', 'dst_c', '1795176000000', NULL, NULL, NULL, '0', '[]', '38');
insert into incidents (account_id, id, destination_id, from_at, ended_at, end_reason, off_reason, interruptions, responses, bucket) overriding system value values ('acc_1', 'inc_01m7wecec5off', 'dst_off', '1795177200000', NULL, NULL, 'gone', '0', '[]', '38');
insert into leases (id, until_at, mark_at, reads) overriding system value values ('1', '1795177215000', '1795177199000', '7');
insert into mail_addresses (id, account_id, address, address_key, mailbox, added_at, confirmed_at, stopped_at, removed_at, stop_hash, sealed_stop, letter_at, letter_state, digest_token, quiet_until, remind_at, bucket, certificates_told_at, certificates_claimed_at) overriding system value values ('adr of ops@acme.example', 'acc_1', 'ops@acme.example', 'ops@acme.example', 'ops@acme.example', '1795176000000', '1795176000000', NULL, NULL, 'stop of ops@acme.example', 'sealed ops@acme.example', '1795176000000', 'sent', NULL, '0', NULL, '38', '0', '0');
insert into mail_addresses (id, account_id, address, address_key, mailbox, added_at, confirmed_at, stopped_at, removed_at, stop_hash, sealed_stop, letter_at, letter_state, digest_token, quiet_until, remind_at, bucket, certificates_told_at, certificates_claimed_at) overriding system value values ('adr of waiting@acme.example', 'acc_1', 'waiting@acme.example', 'waiting@acme.example', 'waiting@acme.example', '1795176000000', NULL, NULL, NULL, 'stop of waiting@acme.example', 'sealed waiting@acme.example', '1795176000000', 'waiting', NULL, '0', NULL, '38', '0', '0');
insert into mail_links (token_hash, address_id, expires_at, used_at, bucket) overriding system value values ('link of ops@acme.example', 'adr of ops@acme.example', '1795435200000', '1795176000000', '38');
insert into news_channels (id, account_id, kind, name, origin, sealed_url, added_at, answered_at, answer_outcome, answer_status, is_taken, refused_since, refusals, digest_token, quiet_until, remind_at, bucket, certificates_told_at, certificates_claimed_at) overriding system value values ('chn_ops', 'acc_1', 'slack', 'ops', 'https://hooks.example', 'sealed ops', '1795176000000', NULL, NULL, NULL, 'false', NULL, '0', NULL, '0', '1795262400000', '38', '0', '0');
insert into operator_conditions (subject, is_raised, raised_at) overriding system value values ('backlog', 'true', '1795177200000');
insert into operator_conditions (subject, is_raised, raised_at) overriding system value values ('dst_c', 'true', '1795176000000');
insert into operator_conditions (subject, is_raised, raised_at) overriding system value values ('dst_off', 'true', '1795177200005');
insert into operator_notices (seq, subject, at, body, attempts, claim_token, claimed_until) overriding system value values ('1', 'dst_c', '1795176000000', '{"event":"destination_failing","occurred_at":"2026-11-20T12:00:00.000+00:00","account":{"id":"acc_1","name":"Acme"},"destination":{"id":"dst_c","owner":{"kind":"assistant","id":"assistant of dst_c","name":"Ada"},"origin":"https://dst_c.example","failing_since":"2026-11-20T12:00:00.000+00:00","last_failure":{"at":"2026-11-20T12:00:00.000+00:00","outcome":"response","status":200}}}', '0', NULL, '0');
insert into operator_notices (seq, subject, at, body, attempts, claim_token, claimed_until) overriding system value values ('2', 'backlog', '1795177200000', '{}', '0', NULL, '0');
insert into operator_notices (seq, subject, at, body, attempts, claim_token, claimed_until) overriding system value values ('3', 'dst_off', '1795177200005', '{"event":"destination_turned_off","occurred_at":"2026-11-20T12:20:00.005+00:00","account":{"id":"acc_1","name":"Acme"},"destination":{"id":"dst_off","owner":{"kind":"assistant","id":"assistant of dst_off","name":"Ada"},"origin":"https://dst_off.example","failing_since":"2026-11-20T12:20:00.000+00:00","last_failure":{"at":"2026-11-20T12:20:00.000+00:00","outcome":"response","status":410}},"reason":"gone"}', '0', NULL, '0');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_901', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_902', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_903', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_904', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_905', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_906', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_1', 'dlv_907', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_900', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_901', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_902', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_903', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_904', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_905', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_906', '38');
insert into replay_items (replay_id, delivery_id, bucket) overriding system value values ('rpl_2', 'dlv_907', '38');
insert into replays (id, account_id, filter, rate_per_second, state, deliveries, moved, skipped, credit, stepped_at, actor, state_actor, created_at, ended_at, is_prepared, bucket) overriding system value values ('rpl_1', 'acc_1', '{"states":["failed"]}', '0.125', 'running', '8', '1', '0', '0', '1795176610000', 'ada', 'ada', '1795176600000', NULL, 'false', '38');
insert into replays (id, account_id, filter, rate_per_second, state, deliveries, moved, skipped, credit, stepped_at, actor, state_actor, created_at, ended_at, is_prepared, bucket) overriding system value values ('rpl_2', 'acc_1', '{"states":["failed"]}', '0.125', 'paused', '8', '0', '0', '0', '1795176600000', 'ada', 'ada', '1795176600000', NULL, 'true', '38');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('1', 'schema', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('2', 'certificate-ends', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('3', 'certificate-ends-index', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('4', 'search-blocks', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('5', 'shorter-bodies', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('6', 'account-hours', '1795176000000', '1');
insert into schema_migrations (version, name, applied_at, read_by) overriding system value values ('7', 'lease-reads', '1795176000000', '5');
insert into sessions (token_hash, account_id, id, person, role, purpose, expires_at, seen_at, created_at, bucket) overriding system value values ('session', 'acc_1', 'ses_1', 'ana@example.com', 'viewer', 'dashboard', '1795180200000', '1795176000001', '1795176000001', '38');
insert into settings (name, value) overriding system value values ('first_start_at', '2026-11-20T12:00:00.000Z');
insert into sign_in_links (token_hash, account_id, person, role, purpose, expires_at, used_at, ended_at, created_at, bucket) overriding system value values ('ended', 'acc_1', 'eve', 'viewer', 'dashboard', '1795176600000', NULL, '1795176000001', '1795176000000', '38');
insert into sign_in_links (token_hash, account_id, person, role, purpose, expires_at, used_at, ended_at, created_at, bucket) overriding system value values ('fresh', 'acc_1', 'ana@example.com', 'viewer', 'dashboard', '1795176600000', NULL, NULL, '1795176000000', '38');
insert into sign_in_links (token_hash, account_id, person, role, purpose, expires_at, used_at, ended_at, created_at, bucket) overriding system value values ('used', 'acc_1', 'ana@example.com', 'viewer', 'dashboard', '1795176600000', '1795176000001', NULL, '1795176000000', '38');
insert into verification_secrets (account_id, role, sealed, created_at, becomes_current_at, bucket) overriding system value values ('acc_1', 'current', 'sealed secret of acc_1', '1795176000000', NULL, '38');
insert into verification_secrets (account_id, role, sealed, created_at, becomes_current_at, bucket) overriding system value values ('acc_1', 'next', 'sealed next', '1795176600000', '1795180200000', '38');
insert into verification_secrets (account_id, role, sealed, created_at, becomes_current_at, bucket) overriding system value values ('acc_2', 'current', 'sealed secret of acc_2', '1795176000000', NULL, '231');
select setval('bellwire.audit_entries_seq_seq', 20);
select setval('bellwire.destination_changes_seq_seq', 4);
select setval('bellwire.event_seqs', 24);
select setval('bellwire.inbox_seq_seq', 1);
select setval('bellwire.leases_id_seq', 1);
select setval('bellwire.operator_notices_seq_seq', 3);
reset search_path;
