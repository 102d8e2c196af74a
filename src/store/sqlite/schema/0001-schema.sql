-- Accounts, what they set up, an event's path, the log, the people who sign in, and news for them. Instants are
-- milliseconds since the Unix epoch; identifiers are time-ordered text, so that every table of the path grows at its
-- end. No foreign keys: they cost 6 % of the path's speed, nothing here is deleted by hand, and the verbs check the
-- rows they refer to.

-- One row for each account of the product.
create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  app_url text not null,
  -- Grows with every change of the account or of anything it owns: an accept that was decided with an older one is
  -- refused, which closes the gap between deciding and committing.
  config_version integer not null,
  created_at integer not null,
  updated_at integer not null
) strict, without rowid;

-- The keys of the signatures, sealed: secrets (HMAC), and where the owner wants it a key pair's private half (Ed25519).
-- Apart from accounts, because an account has two of a kind while one is rotated.
create table verification_secrets (
  account_id text not null,
  kind text not null check (kind in ('secret', 'key')),
  role text not null check (role in ('current', 'previous')),
  sealed text not null,
  created_at integer not null,
  -- When the previous one stops signing. Signing goes by the clock; the rows follow.
  stops_at integer check ((role = 'previous') = (stops_at is not null)),
  primary key (account_id, kind, role)
) strict, without rowid;

create index secrets_stopping on verification_secrets (stops_at) where stops_at is not null;

-- Demo alerts. Lists are JSON, because they are only ever read and written whole.
create table alerts (
  account_id text not null,
  id text not null,
  name text not null,
  audience text not null,
  demos text not null,
  intent_levels text not null,
  webhooks_on integer not null check (webhooks_on in (0, 1)),
  destination_id text,
  -- Which events its webhook wants, beside what an alert has always asked: JSON, because it is only ever read and
  -- written whole; null for every event.
  conditions text,
  revision integer not null,
  changed_by text,
  created_at integer not null,
  updated_at integer not null,
  -- The row stays for the log, which names what a delivery was for.
  deleted_at integer,
  primary key (account_id, id)
) strict, without rowid;

create index alerts_deleted on alerts (deleted_at) where deleted_at is not null;

create table chat_assistants (
  account_id text not null,
  id text not null,
  name text not null,
  destination_id text,
  conditions text,
  revision integer not null default 1,
  changed_by text,
  changed_at integer,
  created_at integer not null,
  updated_at integer not null,
  primary key (account_id, id)
) strict, without rowid;

-- Webhooks of their own.
create table webhooks (
  account_id text not null,
  id text not null,
  name text not null,
  -- The event types that it wants, each with its conditions, or all: JSON of `domain/webhook.ts`.
  events text not null,
  destination_id text not null,
  revision integer not null,
  changed_by text not null,
  created_at integer not null,
  updated_at integer not null,
  -- As of an alert.
  deleted_at integer,
  primary key (account_id, id)
) strict, without rowid;

create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

-- Where deliveries go, and each one's queue and health. What the event's path reads stands before the URL and the
-- headers, so that reading it never touches an overflow page.
create table destinations (
  id text primary key,
  account_id text not null,
  state text not null check (state in ('on', 'paused', 'off')),
  off_reason text,
  -- The breaker (see domain/destination-health.ts).
  failing_since_at integer,
  failure_score integer not null default 0,
  consecutive_opens integer not null default 0,
  -- Never later than the earliest due time of its pending deliveries; null when it has none. Earlier is harmless: the
  -- claim that finds nothing corrects it. Kept also while the destination is not on.
  next_due_at integer,
  -- Holds the whole destination back with one row. While a trial is out it lies at the end of the trial's claim, so
  -- that nobody else sends one meanwhile.
  not_before_at integer not null default 0,
  -- The claim under which the last trial went out, so that one which is given back is known.
  trial_token text,
  -- When a claim last left due deliveries behind here: others go first then, so that large backlogs take turns.
  served_at integer not null default 0,
  wake_at integer generated always as (max(next_due_at, not_before_at, served_at)) virtual,
  -- The owner's limit, in deliveries a second.
  rate_per_second real,
  -- The latest failure that was the receiver's; written with the health that it changes.
  last_failure_at integer,
  last_failure_outcome text,
  last_failure_status integer,
  -- When its owner was last told that it fails, and whether that outage still lasts.
  notified_at integer,
  is_notified integer not null default 0 check (is_notified in (0, 1)),
  owner_kind text not null check (owner_kind in ('alert', 'assistant', 'webhook')),
  owner_id text not null,
  -- A deleted one is never on again; what still waits for it is cancelled.
  deleted_at integer,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  -- How a destination's requests prove who sends them: an access token and a client certificate. JSON of
  -- `domain/authentication.ts` with the client secret and the private key sealed; null for most destinations.
  authentication text,
  -- When its client certificate ends, so that its owner is notified before: null where there is none.
  certificate_ends_at integer,
  created_at integer not null,
  updated_at integer not null,
  check ((state = 'off') = (off_reason is not null)),
  check (deleted_at is null or state <> 'on')
) strict;

-- The claim's walk: destinations that may have something to send, the longest waiting first.
create index destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;

-- Destinations that may have something waiting although they are not on, the longest waiting first.
create index destinations_shut on destinations (next_due_at) where state <> 'on' and next_due_at is not null;

create index destinations_of_account on destinations (account_id);

-- Deleted: those that still have something to cancel, and all, oldest first, until the log forgets them.
create index destinations_left on destinations (id) where deleted_at is not null and next_due_at is not null;
create index destinations_deleted on destinations (deleted_at) where deleted_at is not null;
create index destinations_certified on destinations (account_id) where certificate_ends_at is not null;

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

create index changes_of_destination on destination_changes (account_id, destination_id, at);

-- What happened, with the exact body. Bodies stand here once, however many deliveries share them.
create table events (
  seq integer primary key,
  id text not null unique,
  account_id text not null,
  type text not null,
  accepted_at integer not null,
  -- JSON: the destination of each of its deliveries, by the delivery's id. An in-memory delivery has no row yet: here
  -- the next start finds it (see in-memory-deliveries.ts).
  deliveries text not null,
  -- The JSON text that is sent, to the byte; empty when it is purged.
  body text not null,
  -- The session's or conversation's own id; null for a test, which is in no list of events. The key's row has it too,
  -- but is found by it alone.
  source_id text,
  -- The chat assistant of a conversation, empty where there is none.
  assistant_id text not null,
  -- The place in a trace that the event was accepted in, as `traceparent` and, after a space, `tracestate`: its
  -- attempts belong there too, whenever and wherever they are made. Null when it is not traced.
  trace_context text,
  -- JSON: the webhooks that it did not go to, with the reasons, as `domain/not-sent.ts` writes them; null for most.
  not_sent text
) strict;

create index events_listed on events (account_id, type, assistant_id) where source_id is not null;

-- Oldest first: events whose body is still there, and those where only the rest is left. A purged body is empty text.
-- Its length stands at the row's head, so that asking for it does not read a large body.
create index events_with_body on events (accepted_at) where octet_length(body) > 0;
create index events_without_body on events (accepted_at) where octet_length(body) = 0;

-- One event per session or conversation, always: this row stays when the event is purged, hence a narrow table of its
-- own. It says what a repeat is answered.
create table event_keys (
  account_id text not null,
  type text not null,
  source_id text not null,
  event_id text not null,
  deliveries integer not null,
  primary key (account_id, type, source_id)
) strict, without rowid;

-- One event to one destination. Most succeed at once and are written once, in their final state, with their attempt.
-- The others wait here from their first failure on, or from the start where no lane had room for them.
create table deliveries (
  id text primary key,
  event_seq integer not null,
  account_id text not null,
  -- Null for a test of values that were not saved.
  destination_id text,
  is_test integer not null default 0 check (is_test in (0, 1)),
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  -- PostgreSQL keeps what has ended apart, and statements of both databases say which of the two they mean.
  is_ended integer generated always as (state <> 'pending') virtual,
  -- While a claim holds the delivery: when the claim runs out.
  due_at integer,
  claim_token text,
  attempts_made integer not null default 0,
  created_at integer not null,
  settled_at integer,
  -- Those that the retry schedule does not count: free ones, and those before the last resend.
  attempts_before integer not null default 0,
  -- The last resend, and who asked for it.
  resent_at integer,
  resent_by text,
  -- The last attempt, as a row of the log says it. Written by the statement that settles it, which writes the row
  -- anyway. The status is null when no answer came.
  last_outcome text,
  last_status integer,
  last_ms real,
  -- The only attempt of a delivery that ended with its first one: when it started, its other columns as `attempts` has
  -- them, and the answer. Null where `attempts` has a row.
  attempted_at integer,
  attempt_detail text,
  answer_headers text,
  answer_body blob,
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'pending') = (settled_at is null)),
  check (claim_token is null or state = 'pending'),
  check (is_test = 0 or state <> 'pending'),
  check (state <> 'pending' or attempted_at is null)
) strict, without rowid;

-- A destination's queue, in the order it is sent. Only what waits is in it, so its size follows the backlog and not the
-- history. The token lets a start find the claims of a dead process without reading the rows.
create index deliveries_pending on deliveries (destination_id, due_at, claim_token) where state = 'pending';

-- The log is read destination by destination and joined: that costs no more than one list for each account, and serves
-- the filter by destination. A type's few deliveries are read along its events, and many are looked for in here.
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

-- What was sent again after a 2xx and has not arrived since: it waits, or it ended before its next attempt. Without it,
-- one that looks for such a delivery would read all that waits or failed.
create index deliveries_recalled on deliveries (destination_id, state, created_at)
  where is_test = 0 and state <> 'delivered' and last_outcome = 'response' and last_status between 200 and 299;

-- One row for each HTTP request of a delivery that needed more than one, or that waited before its first.
create table attempts (
  seq integer primary key,
  delivery_id text not null,
  number integer not null,
  started_at integer not null,
  outcome text not null,
  response_status integer,
  total_ms real not null,
  -- JSON: [url, request's headers, address, ms of DNS, of connecting, of TLS, to the first byte, phase, error's code,
  -- its message, whether the body was cut]; nulls at the end are left out.
  detail text not null,
  response_headers text,
  response_body blob
) strict;

create unique index attempts_of_delivery on attempts (delivery_id, number);

-- Oldest first: attempts that still have what the receiver answered.
create index attempts_with_answer on attempts (started_at) where response_headers is not null;

-- Each attempt once, wherever it stands.
create view every_attempt (
  delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body
) as
  select id, attempts_made, attempted_at, last_outcome, last_status, last_ms, attempt_detail, answer_headers,
    answer_body
  from deliveries
  where attempted_at is not null
  union all
  select delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body
  from attempts;

-- What a start need not read, and retention need not read again. One row.
create table low_water_marks (
  id integer primary key check (id = 1),
  -- No event before this one has a delivery in memory.
  in_memory_from integer not null,
  -- No event before this one has an answer in `deliveries`.
  answers_from integer not null
) strict;

insert into low_water_marks (id, in_memory_from, answers_from) values (1, 0, 0);

-- Attempts that were counted and are not in their counters yet: the commit that settles them only adds rows here. Many
-- are rolled up together later, and a reader of counters reads these too (see `attempt-counts.ts`).
create table attempt_deltas (
  seq integer primary key,
  account_id text not null,
  destination_id text not null,
  at integer not null,
  kind text not null,
  result text not null,
  code text not null,
  count integer not null,
  -- As in `attempt_counts`.
  bins text not null
) strict;

-- How many attempts a destination has had, by what they met and how long they took, and how many deliveries arrived how
-- long after their acceptance. `at` is the start of a minute, of a quarter of an hour once it is some hours old, of an
-- hour once it is a day old (see `attempt-counts.ts`).
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
  -- Never set to running yet: it waits for its confirmation.
  is_prepared integer not null default 0 check (is_prepared in (0, 1)),
  check ((state in ('cancelled', 'finished')) = (ended_at is not null))
) strict, without rowid;

create index replays_running on replays (stepped_at) where state = 'running';
create index replays_ended on replays (ended_at) where ended_at is not null;
create index replays_of_account on replays (account_id, id);
create index replays_prepared on replays (created_at) where is_prepared and ended_at is null;

-- The deliveries of a replay that are still to be moved. A row goes in the transaction that moves its delivery.
create table replay_items (
  replay_id text not null,
  delivery_id text not null,
  primary key (replay_id, delivery_id)
) strict, without rowid;

-- One-time links into the dashboard, each for a person and what they may do. Only a hash of the token is kept. A link
-- stays until it runs out, so that a second use can say what is wrong. It ends with its person's sessions, so that
-- somebody who has just left does not come back by one that was made before.
create table sign_in_links (
  token_hash text primary key,
  account_id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  -- A link and its session open one of two: the dashboard, or copies of the account's webhooks for a developer.
  purpose text not null default 'dashboard' check (purpose in ('dashboard', 'forward')),
  expires_at integer not null,
  used_at integer,
  ended_at integer,
  created_at integer not null
) strict, without rowid;

create index sign_in_links_expiring on sign_in_links (expires_at);
create index sign_in_links_of_account on sign_in_links (account_id, expires_at);

-- Browsers that are signed in. Only a hash of the token is kept; people see a session by its id, which opens nothing.
create table sessions (
  token_hash text primary key,
  account_id text not null,
  -- Begins with the instant of the sign-in: the order of the list.
  id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  purpose text not null default 'dashboard' check (purpose in ('dashboard', 'forward')),
  expires_at integer not null,
  -- The last use, to within a minute: a session that is not used ends early.
  seen_at integer not null,
  created_at integer not null
) strict, without rowid;

create index sessions_expiring on sessions (expires_at);
create unique index sessions_of_account on sessions (account_id, id);

-- What people did, and the system for them. Kept as long as the account.
create table audit_entries (
  seq integer primary key,
  account_id text not null,
  at integer not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer', 'system')),
  -- Of the call's sender; null where no call asked for it.
  address text,
  action text not null,
  subject text not null
) strict;

create index audit_of_account on audit_entries (account_id);
create index audit_of_action on audit_entries (account_id, action);

-- What is so now and was told to the operator: a destination that fails or is off (its id), the backlog (`backlog`).
-- `raised_at` outlives the end of it, so that what comes and goes is not told each time.
create table operator_conditions (
  subject text primary key,
  is_raised integer not null check (is_raised in (0, 1)),
  raised_at integer not null
) strict, without rowid;

-- Messages that wait to be sent, written with the change that they are about and sent by whichever node claims them:
-- what an address is asked, what it or a channel is notified of, what the operator is alerted to. A recipient has one
-- message in flight; its rows that are due go out as one. A recipient of notifications always has a `reminder`.
create table messages (
  seq integer primary key autoincrement,
  -- Empty for an alert that is about no account.
  account_id text not null,
  route text not null check (route in ('email', 'channel', 'operator')),
  -- An address, a channel, or `operator/` and the alert's subject.
  recipient text not null,
  kind text not null check (kind in (
    'confirmation', 'failing', 'turned_off', 'recovered', 'certificate_ends', 'reminder', 'operator_alert'
  )),
  -- The destination; an alert's subject.
  subject text not null,
  -- An alert's exact body, so that every attempt sends the same; the link of a confirmation email.
  body text not null,
  -- When it became news, from when on it goes out, and from when on it is news no more: null is never.
  at integer not null,
  due_at integer not null,
  expires_at integer,
  claim_token text,
  -- The recipient gets nothing until then: of its rows the latest counts.
  held_until integer not null default 0,
  -- How often the recipient took nothing since it took something.
  refusals integer not null default 0
) strict;

create index messages_due on messages (route, due_at);
create index messages_of_recipient on messages (recipient, seq);
create index messages_expiring on messages (expires_at);
create index messages_reminding on messages (account_id) where kind = 'reminder';

-- Addresses that are notified of failures, and whether the recipient wants it. An address that an owner has removed
-- stays for a while, so that the link which stops email works on; one that its recipient has stopped stays for good.
create table mail_addresses (
  id text primary key,
  account_id text not null,
  address text not null,
  -- One spelling of it.
  address_key text not null,
  -- Whom email reaches: by this confirmation emails are counted.
  mailbox text not null,
  added_at integer not null,
  confirmed_at integer,
  stopped_at integer,
  removed_at integer,
  stop_hash text not null,
  sealed_stop text not null,
  -- The latest confirmation email.
  asked_at integer not null,
  asked_state text not null check (asked_state in ('waiting', 'sent', 'no_mailbox', 'dropped'))
) strict, without rowid;

create unique index mail_addresses_of_account on mail_addresses (account_id, address_key);
create unique index mail_addresses_by_stop on mail_addresses (stop_hash);
create index mail_addresses_removed on mail_addresses (removed_at) where removed_at is not null and stopped_at is null;

-- Confirmation emails that were asked for, for as long as they are counted; apart from addresses, which come and go.
-- They are counted by mailbox too, whichever accounts write to it.
create table confirmation_requests (
  seq integer primary key autoincrement,
  account_id text not null,
  mailbox text not null,
  at integer not null
) strict;

create index confirmation_requests_of_account on confirmation_requests (account_id, at);
create index confirmation_requests_of_mailbox on confirmation_requests (mailbox, at);
create index confirmation_requests_by_age on confirmation_requests (at);

-- Links of confirmation emails, known here by a hash of their token only.
create table mail_links (
  token_hash text primary key,
  address_id text not null,
  expires_at integer not null,
  used_at integer
) strict, without rowid;

create index mail_links_expiring on mail_links (expires_at);
create index mail_links_of_address on mail_links (address_id);

-- Small values of the installation itself.
create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

-- What the event types of an operator's own are declared as since the last start: `events check` compares with it.
create table event_types (
  type text primary key,
  -- JSON.
  declaration text not null,
  changed_at integer not null
) strict, without rowid;

-- The row that shows whether the disk still takes writes.
create table probes (
  id integer primary key check (id = 1),
  probed_at integer not null
) strict;

-- The history of destinations in trouble: from when to when, and what came back (see domain/incident.ts).
create table incidents (
  account_id text not null,
  -- Begins with the instant at which it was opened: the order of the lists.
  id text not null,
  destination_id text not null,
  -- The start of the first attempt that failed.
  from_at integer not null,
  ended_at integer,
  end_reason text check (end_reason in ('recovered', 'turned_on', 'url_changed', 'deleted')),
  -- Why its destination was turned off meanwhile.
  off_reason text,
  interruptions integer not null,
  -- JSON: [{code, count}], of all but the run of failures that lasts.
  responses text not null,
  primary key (account_id, destination_id, id),
  check ((ended_at is null) = (end_reason is null))
) strict, without rowid;

create index incidents_lasting on incidents (account_id, destination_id) where ended_at is null;
create index incidents_of_account on incidents (account_id, ended_at) where ended_at is not null;
create index incidents_ended on incidents (ended_at) where ended_at is not null;

-- Answers and failures since a destination began to fail; no rows while it is well.
create table failure_responses (
  account_id text not null,
  destination_id text not null,
  -- The answer's status, or the outcome's kind.
  code text not null,
  count integer not null,
  primary key (account_id, destination_id, code)
) strict, without rowid;

-- Where owners hear of failures besides their mailboxes. Anyone who knows the URL can write there, so it is sealed as a
-- whole, and pages show its origin.
create table channels (
  id text primary key,
  account_id text not null,
  kind text not null check (kind in ('slack', 'webhook')),
  name text not null,
  origin text not null,
  sealed_url text not null,
  added_at integer not null,
  -- The latest answer, and since when there was none that took a message.
  answered_at integer,
  answer_outcome text,
  answer_status integer,
  is_taken integer not null default 0 check (is_taken in (0, 1)),
  refused_since integer
) strict, without rowid;

create index news_channels_of_account on channels (account_id, added_at, id);

-- Search: the texts of events, in blocks of one account's events that were accepted one after another. A block that is
-- full is sealed: from then on `search_words` says which blocks may have a word, and the texts of those are looked at.
-- All of it can be made again from the events.
create table search_blocks (
  -- Also the row of `search_words`.
  id integer primary key autoincrement,
  account_id text not null,
  oldest_at integer not null,
  newest_at integer not null,
  events integer not null,
  -- The length of its texts.
  bytes integer not null,
  is_sealed integer not null default 0 check (is_sealed in (0, 1))
) strict;

-- Each account has one block at most that still takes events. Its texts are looked at without asking for words.
create unique index search_blocks_open on search_blocks (account_id) where is_sealed = 0;

-- A search reads the newest blocks of an account before it asks for words: those that have a frequent word are among
-- them.
create index search_blocks_of_account on search_blocks (account_id, newest_at, id, oldest_at);

create table search_entries (
  event_id text not null,
  block_id integer not null,
  type text not null,
  is_test integer not null,
  -- Empty for a session, and where it is not known.
  assistant_id text not null,
  accepted_at integer not null,
  -- Lists show these, so that they need not read the body.
  who text,
  what text,
  intent_level text not null,
  -- Its words as `domain/search-words.ts` has them, a space before each.
  words text not null
) strict;

create unique index search_entries_by_event on search_entries (event_id);
create index search_entries_of_block on search_entries (block_id);
create index search_entries_by_age on search_entries (accepted_at);

-- Each word of a sealed block once, behind its account's mark. Neither places nor texts are kept.
create virtual table search_words using fts5(
  words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);

-- The last event that was taken in.
create table search_cursors (
  id integer primary key check (id = 1),
  event_seq integer not null
) strict;
