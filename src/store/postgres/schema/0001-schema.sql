-- Accounts, what they set up, an event's path, each destination's health, replays, and what retention needs: the tables
-- of the SQLite store, in a schema of their own, so that they can stand in the product's own database. Instants are
-- milliseconds since the Unix epoch. Identifiers are time-ordered text; `collate "C"` compares them byte by byte, in
-- the order in which they were made, whatever the database's language is.
--
-- What grows with traffic lies in a partition for each day of the calendar (UTC), which retention drops whole:
-- `events`, `attempts`, and those `deliveries` that have ended. An id begins with its instant, so a day is a range of
-- ids; a delivery has its event's instant, and an attempt lies where its delivery does. Days are made ahead by the
-- nodes (see partitions.ts); what has no day falls into a default partition, so nothing is refused because one is
-- missing. There is one level of partitions: Citus knows no more.
--
-- Each shard has all of these tables in its schema, and all of an account is in one shard. Tables of the installation
-- itself (the inbox, the directory, settings) have rows in the home shard alone.
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
  -- Grows when the account moves to another shard. A node that has a delivery in memory knows by it that the account
  -- has left since, with a row for that delivery, also where it has come back.
  moves integer not null default 0,
  -- A move waits for whoever writes anything of the account. Until then nobody else begins to: there would always be
  -- somebody where several nodes are busy with it. It ends by itself, in case the move does.
  closed_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (id)
) with (fillfactor = 80);

-- The keys of the signatures, sealed: secrets (HMAC), and where the owner wants it a key pair's private half (Ed25519).
-- Apart from accounts, because an account has two of a kind while one is rotated.
create table verification_secrets (
  account_id text collate "C" not null,
  kind text not null check (kind in ('secret', 'key')),
  role text not null check (role in ('current', 'previous')),
  sealed text not null,
  created_at bigint not null,
  -- When the previous one stops signing. Signing goes by the clock; the rows follow.
  stops_at bigint,
  primary key (account_id, kind, role),
  check ((role = 'previous') = (stops_at is not null))
);

create index secrets_stopping on verification_secrets (stops_at) where stops_at is not null;

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
  primary key (account_id, id)
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
  primary key (account_id, id)
);

-- Webhooks of their own.
create table webhooks (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  -- The event types that it wants, each with its conditions, or all: JSON of `domain/webhook.ts`.
  events text not null,
  destination_id text collate "C" not null,
  revision integer not null,
  changed_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  -- As of an alert.
  deleted_at bigint,
  primary key (account_id, id)
);

create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

-- Where deliveries go, and each one's queue and health. Rows are updated in place again and again: the free half of
-- each page lets an update stay on its page, and vacuuming is cheap because the table is small.
create table destinations (
  id text collate "C" not null,
  account_id text collate "C" not null,
  state text not null check (state in ('on', 'paused', 'off')),
  off_reason text,
  -- The breaker (see domain/destination-health.ts).
  failing_since_at bigint,
  failure_score integer not null default 0,
  consecutive_opens integer not null default 0,
  -- Never later than the earliest due time of its pending deliveries; null when it has none. Earlier is harmless: the
  -- claim that finds nothing corrects it. Kept also while the destination is not on. See destination-now.ts.
  next_due_at bigint,
  -- Holds the whole destination back with one row. While a trial is out it lies at the end of the trial's claim, so
  -- that nobody else sends one meanwhile.
  not_before_at bigint not null default 0,
  -- The claim under which the last trial went out, so that one which is given back is known.
  trial_token text,
  -- When a claim last left due deliveries behind here: others go first then, so that large backlogs take turns.
  served_at bigint not null default 0,
  wake_at bigint generated always as (
    case when next_due_at is not null then greatest(next_due_at, not_before_at, served_at) end
  ) stored,
  -- The owner's limit, in deliveries a second.
  rate_per_second double precision,
  -- Whose destination it is or was. A deleted one is paused for good; what still waits for it is cancelled.
  owner_kind text not null check (owner_kind in ('alert', 'assistant', 'webhook')),
  owner_id text collate "C" not null,
  deleted_at bigint,
  -- The latest failure of all; written only when an attempt fails, and the row is written then anyway.
  last_failure_at bigint,
  last_failure_outcome text,
  last_failure_status integer,
  -- When its owner was last told that it fails, and whether that outage still lasts.
  notified_at bigint,
  is_notified boolean not null default false,
  -- Set when the last figure of an attempt goes (see attempt-count-tiers.ts): deliveries of all days would have to be
  -- searched otherwise, to tell whether there ever was one.
  was_attempted boolean not null default false,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  -- How a destination's requests prove who sends them: an access token and a client certificate. JSON of
  -- `domain/authentication.ts` with the client secret and the private key sealed; null for most destinations.
  authentication text,
  -- When its client certificate ends, so that its owner is notified before: null where there is none.
  certificate_ends_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (id),
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
create index destinations_certified on destinations (account_id) where certificate_ends_at is not null;

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
  primary key (seq)
);

create index changes_of_destination on destination_changes (account_id, destination_id, at, seq);

-- What happened, with the exact body. Bodies stand here once, however many deliveries share them.
create table events (
  id text collate "C" not null,
  -- The order of arrival, for lists and their pages. Not unique by itself: partitions have no key without their range.
  seq bigint not null,
  account_id text collate "C" not null,
  type text collate "C" not null,
  accepted_at bigint not null,
  -- The session's or conversation's own id; null for a test, which is in no list of events. The key's row has it too,
  -- but is found by it alone.
  source_id text collate "C",
  -- The chat assistant of a conversation; empty where it is not known, and for a session.
  assistant_id text collate "C" not null default '',
  -- The JSON text that is sent, to the byte; empty when it is purged.
  body text not null,
  -- JSON: the webhooks that it did not go to, with the reasons, as `domain/not-sent.ts` writes them; null for most.
  not_sent text,
  -- `traceparent` and, after a space, `tracestate`; null for an event that is not traced.
  trace_context text,
  -- The deliveries that a node took into memory with it: a line each, its id, a space, its destination. One without a
  -- row is in memory. Never changed: whether a row is there says the rest.
  in_memory text,
  lease_id bigint,
  -- The claim that they are held under.
  held_until bigint,
  claim_token text,
  primary key (id)
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
  type text collate "C" not null,
  source_id text collate "C" not null,
  event_id text collate "C" not null,
  deliveries integer not null,
  primary key (account_id, type, source_id)
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
  primary key (id, is_ended),
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
-- the filter by destination. A type's few deliveries are read along its events, and many are looked for in here.
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
  -- JSON: values by names.
  request_headers text not null,
  response_headers text,
  response_body bytea,
  primary key (delivery_id, number)
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
  primary key (destination_id, at, kind, result, code, bin, slot)
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
  primary key (account_id, at, kind, result, code, bin, slot)
) with (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index account_attempt_counts_of_minutes on account_attempt_counts (at) where at % 900000 <> 0;
create index account_attempt_counts_of_quarters on account_attempt_counts (at)
  where at % 900000 = 0 and at % 3600000 <> 0;
create index account_attempt_counts_of_hours on account_attempt_counts (at) where at % 3600000 = 0;

-- The results of a whole hour of all of an account's destinations, so that the bars of a day are read in some twenty
-- rows (see `figures/account-hours.ts`). They are made of `attempt_counts`, and one that is missing only costs time.
create table account_hours (
  account_id text collate "C" not null,
  -- The start of the hour.
  at bigint not null,
  -- A list of destination, result and count.
  results json not null,
  -- Housekeeping looks for the oldest ones, readers for an account's of a day.
  primary key (at, account_id)
);

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
  primary key (id),
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
  primary key (replay_id, delivery_id)
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
  primary key (token_hash)
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
  primary key (token_hash)
);

create index sessions_expiring on sessions (expires_at);
create unique index sessions_of_account on sessions (account_id, id);

-- What people did, and the system for them. Kept as long as the account.
create table audit_entries (
  seq bigint generated always as identity,
  account_id text collate "C" not null,
  at bigint not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer', 'system')),
  -- Of the call's sender; null where no call asked for it.
  address text,
  action text not null,
  subject text not null,
  primary key (seq)
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

-- Messages that wait to be sent, written with the change that they are about and sent by whichever node claims them:
-- what an address is asked, what it or a channel is notified of, what the operator is alerted to. A recipient has one
-- message in flight; its rows that are due go out as one. A recipient of notifications always has a `reminder`.
create table messages (
  seq bigint generated always as identity,
  -- Empty for an alert that is about no account.
  account_id text collate "C" not null,
  route text not null check (route in ('email', 'channel', 'operator')),
  -- An address, a channel, or `operator/` and the alert's subject.
  recipient text collate "C" not null,
  kind text not null check (kind in (
    'confirmation', 'failing', 'turned_off', 'recovered', 'certificate_ends', 'reminder', 'operator_alert'
  )),
  -- The destination; an alert's subject.
  subject text collate "C" not null,
  -- An alert's exact body, so that every attempt sends the same; the link of a confirmation email.
  body text not null,
  -- When it became news, from when on it goes out, and from when on it is news no more: null is never.
  at bigint not null,
  due_at bigint not null,
  expires_at bigint,
  claim_token text,
  -- The recipient gets nothing until then: of its rows the latest counts.
  held_until bigint not null default 0,
  -- How often the recipient took nothing since it took something.
  refusals integer not null default 0,
  primary key (seq)
);

create index messages_due on messages (route, due_at);
create index messages_of_recipient on messages (recipient, seq);
create index messages_expiring on messages (expires_at);
create index messages_reminding on messages (account_id) where kind = 'reminder';

-- Addresses that are notified of failures, and whether the recipient wants it. An address that an owner has removed
-- stays for a while, so that the link which stops email works on; one that its recipient has stopped stays for good.
create table mail_addresses (
  id text collate "C" not null,
  account_id text collate "C" not null,
  address text not null,
  -- One spelling of it.
  address_key text collate "C" not null,
  -- Whom email reaches: by this confirmation emails are counted.
  mailbox text collate "C" not null,
  added_at bigint not null,
  confirmed_at bigint,
  stopped_at bigint,
  removed_at bigint,
  stop_hash text collate "C" not null,
  sealed_stop text not null,
  -- The latest confirmation email.
  asked_at bigint not null,
  asked_state text not null check (asked_state in ('waiting', 'sent', 'no_mailbox', 'dropped')),
  primary key (id)
);

create unique index mail_addresses_of_account on mail_addresses (account_id, address_key);
create unique index mail_addresses_by_stop on mail_addresses (stop_hash);
create index mail_addresses_removed on mail_addresses (removed_at) where removed_at is not null and stopped_at is null;

-- Confirmation emails that were asked for, for as long as they are counted; apart from addresses, which come and go.
-- They are counted by mailbox too, whichever accounts write to it, so they stand on one server.
create table confirmation_requests (
  seq bigint generated always as identity primary key,
  account_id text collate "C" not null,
  mailbox text collate "C" not null,
  at bigint not null
);

create index confirmation_requests_of_account on confirmation_requests (account_id, at);
create index confirmation_requests_of_mailbox on confirmation_requests (mailbox, at);
create index confirmation_requests_by_age on confirmation_requests (at);

-- Links of confirmation emails, known here by a hash of their token only.
create table mail_links (
  token_hash text collate "C" not null,
  address_id text collate "C" not null,
  expires_at bigint not null,
  used_at bigint,
  primary key (token_hash)
);

create index mail_links_expiring on mail_links (expires_at);
create index mail_links_of_address on mail_links (address_id);

-- Small values of the installation itself.
create table settings (
  name text primary key,
  value text not null
);

-- What the event types of an operator's own are declared as since the last start: `events check` compares with it.
create table event_types (
  type text collate "C" primary key,
  -- JSON.
  declaration text not null,
  changed_at bigint not null
);

-- The row that shows whether the database still takes writes.
create table probes (
  id integer primary key check (id = 1),
  probed_at bigint not null
);

-- Nodes that have deliveries in memory. A transaction that takes one into memory or writes its row holds the lease by
-- `for key share`; a node that takes an ended lease over locks it `for update` and deletes it. So no delivery ever gets
-- two rows, which lie in partitions without a common key. Numbers are never used again.
create table leases (
  id bigint generated always as identity primary key,
  -- After that other nodes may take over.
  until_at bigint not null,
  -- No event accepted before it has a delivery in memory under this lease.
  low_water_at bigint not null,
  -- The newest schema that its node knows, and so the newest form of rows that it reads (see `schema/forms.ts`).
  reads bigint not null
) with (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0);

-- Shards: an address and a schema each, which has these tables too. `0` is this one, home, where it has no row; the
-- directory stands at home alone.
create table shards (
  -- A number as text, never used again.
  name text collate "C" primary key,
  -- Such as `the database bellwire of app at db:5432`: for people, without a password.
  place text not null,
  -- The whole address, sealed; null for another schema of the home database.
  sealed_address text,
  schema text not null,
  -- New accounts may begin there.
  takes_accounts boolean not null,
  added_at bigint not null
);

-- Which shard has which account; one without a row is at home. A move notes here where it is (see `shards/move/`).
create table accounts_at (
  account_id text collate "C" primary key,
  shard text collate "C" not null,
  -- A move is copying it there. It is still at `shard`, unless the move has got past its point of no return.
  moving_to text collate "C",
  -- It has moved away from there, where its history is not deleted yet.
  leaving text collate "C",
  -- Grows with each change of the row: who has seen an older one changes nothing.
  changes bigint not null default 0
) with (fillfactor = 80);

create index accounts_moving on accounts_at (account_id) where moving_to is not null or leaving is not null;

-- One row. Work about the whole shard (claims, retention, takeovers, sums) holds it by `for key share`, work about
-- accounts holds their rows in `accounts`. A move of an account locks both `for update`, so that nobody writes anything
-- of that account meanwhile.
create table fences (
  id integer primary key check (id = 1)
) with (fillfactor = 50);

insert into fences (id) values (1);

-- Accounts whose history arrives and that do not live here yet, with the rows that will make them live. Nothing that
-- works on the shard finds the rest without these. They are put into their tables when the shard that the account comes
-- from has let go of it.
create table arriving_accounts (
  account_id text collate "C" primary key,
  -- JSON: {destinations, replays}, the ids that lead to what has been copied.
  owners json not null,
  -- JSON: {table: [row]}; null until all else has arrived.
  rows json,
  -- Another one with each change of the row. A process that stood still while its locks elsewhere were taken from it
  -- finds another one than it knows.
  run text not null
);

-- Accounts that live on another shard by now and whose history is not deleted here yet.
create table departed_accounts (
  account_id text collate "C" primary key,
  -- JSON: {destinations, replays}, the ids that lead to the rest.
  owners json not null,
  -- Which departure it was: an account comes back and leaves again.
  run text not null default gen_random_uuid()::text
);

-- Attempts that were counted and are not added to their counters yet: a row for each commit, which only adds. Nodes add
-- them up every few seconds (see `figures/attempt-deltas.ts`), and a reader of counters reads these too. Ten seconds go
-- into one table, the next ten into the other. So one that is not written to any more is added up and truncated, and no
-- row is deleted by itself.
create table attempt_deltas (
  -- By the database's clock. It is a hint: a row that comes late waits in its table for the next turn but one.
  turn integer not null default (extract(epoch from clock_timestamp())::bigint / 10 % 2),
  -- The accounts in `counts`, so that a reader passes over the others.
  account_ids text[] not null,
  -- JSON: [[destination, account, at, kind, result, code, bin, count]]. Text, so that a commit does not pay for reading
  -- it: that is checked when it is added up.
  counts text not null
) partition by list (turn);

create table attempt_deltas_0 partition of attempt_deltas for values in (0) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

create table attempt_deltas_1 partition of attempt_deltas for values in (1) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- Without a key, it is how Citus copies what is written while it moves them.
alter table attempt_deltas_0 replica identity full;
alter table attempt_deltas_1 replica identity full;

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
  primary key (account_id, destination_id, id),
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
  primary key (account_id, destination_id, code)
);

-- Where owners hear of failures besides their mailboxes. Anyone who knows the URL can write there, so it is sealed as a
-- whole, and pages show its origin.
create table channels (
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
  primary key (id)
);

create index news_channels_of_account on channels (account_id, added_at, id);

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
  primary key (id)
);

-- Blocks are found by words alone: an index by account would read the words of all blocks of a large one.
create index search_blocks_by_word on search_blocks using gin (words) with (gin_pending_list_limit = 512);

-- Each account has one block at most that still takes events. Its texts are looked at without asking for words.
create unique index search_blocks_open on search_blocks (account_id) where words is null;

-- A search reads the newest blocks of an account before it asks for words: those that have a frequent word are among
-- them.
create index search_blocks_of_account on search_blocks (account_id, newest_at, id) include (oldest_at);

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
  primary key (event_id)
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000);

create index search_entries_of_block on search_entries (block_id);
create index search_entries_by_age on search_entries (accepted_at);

-- The last event that was taken in, in the order of acceptance. The node that locks this row feeds the index.
create table search_cursors (
  id integer not null check (id = 1),
  accepted_at bigint not null,
  event_id text collate "C" not null,
  primary key (id)
);

-- The inbox: what the product tells us inside its own transactions (`0002-emit.sql`). If its transaction commits, the
-- row is there and a node turns it into an event; if it rolls back, it never was.
--
-- Nothing here tells a node that there is something: a NOTIFY would take a lock of the whole server at the product's
-- commit, which cost 62 to 70 % of commits. Nodes look every 250 ms (see `intake/inbox.ts`).

create table inbox (
  -- Not in the order of the commits: a row may appear below others that are gone already. So rows are taken by what is
  -- there, never by the last number that was seen.
  seq bigint generated always as identity primary key,
  account_id text collate "C" not null,
  type text collate "C" not null,
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
