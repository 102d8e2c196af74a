-- A database of this schema as a crash leaves it; see tools/fixtures.ts.
pragma application_id = 1113943148;
begin;
CREATE TABLE schema_migrations (
    version integer primary key,
    name text not null,
    applied_at integer not null
  ) strict;
CREATE TABLE accounts (
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
CREATE TABLE verification_secrets (
  account_id text not null,
  role text not null check (role in ('current', 'next')),
  sealed text not null,
  created_at integer not null,
  -- When the next secret becomes the current one. Signing goes by the clock; the rows follow.
  becomes_current_at integer check ((role = 'next') = (becomes_current_at is not null)),
  primary key (account_id, role)
) strict, without rowid;
CREATE INDEX secrets_switching on verification_secrets (becomes_current_at) where becomes_current_at is not null;
CREATE TABLE alerts (
  account_id text not null,
  id text not null,
  name text not null,
  audience text not null,
  demos text not null,
  intent_levels text not null,
  webhooks_on integer not null check (webhooks_on in (0, 1)),
  destination_id text,
  revision integer not null,
  changed_by text,
  created_at integer not null,
  updated_at integer not null,
  -- The row stays for the log, which names what a delivery was for.
  deleted_at integer, conditions text,
  primary key (account_id, id)
) strict, without rowid;
CREATE INDEX alerts_deleted on alerts (deleted_at) where deleted_at is not null;
CREATE TABLE chat_assistants (
  account_id text not null,
  id text not null,
  name text not null,
  destination_id text,
  revision integer not null default 1,
  changed_by text,
  changed_at integer,
  created_at integer not null,
  updated_at integer not null, conditions text,
  primary key (account_id, id)
) strict, without rowid;
CREATE TABLE destinations (
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
  updated_at integer not null, authentication text, certificate_ends_at integer,
  check ((state = 'off') = (off_reason is not null)),
  check (deleted_at is null or state <> 'on')
) strict;
CREATE INDEX destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;
CREATE INDEX destinations_shut on destinations (next_due_at) where state <> 'on' and next_due_at is not null;
CREATE INDEX destinations_of_account on destinations (account_id);
CREATE INDEX destinations_left on destinations (id) where deleted_at is not null and next_due_at is not null;
CREATE INDEX destinations_deleted on destinations (deleted_at) where deleted_at is not null;
CREATE TABLE destination_changes (
  seq integer primary key,
  account_id text not null,
  destination_id text not null,
  at integer not null,
  from_state text not null check (from_state in ('on', 'held', 'paused', 'off')),
  to_state text not null check (to_state in ('on', 'held', 'paused', 'off')),
  reason text not null,
  actor text not null
) strict;
CREATE INDEX changes_of_destination on destination_changes (account_id, destination_id);
CREATE TABLE events (
  seq integer primary key,
  id text not null unique,
  account_id text not null,
  type text not null,
  accepted_at integer not null,
  -- JSON: the destination of each of its deliveries, by the delivery's id. A delivery that a node has had in hand since
  -- it was accepted has no row yet: here the next start finds it (see open-deliveries.ts).
  deliveries text not null,
  body text not null,
  -- The session's or conversation's own id; null for a test, which is in no list of events. The key's row has it too,
  -- but is found by it alone.
  source_id blob check (length(source_id) = 16),
  -- The chat assistant of a conversation, empty where it is not known; null for a session.
  assistant_id text,
  -- The place in a trace that the event was accepted in, as `traceparent` and, after a space, `tracestate`: its
  -- attempts belong there too, whenever and wherever they are made. Null when it is not traced.
  trace_context text
, not_sent text) strict;
CREATE INDEX events_listed on events (account_id, assistant_id) where source_id is not null;
CREATE INDEX events_with_body on events (accepted_at) where octet_length(body) > 0;
CREATE INDEX events_without_body on events (accepted_at) where octet_length(body) = 0;
CREATE TABLE event_keys (
  account_id text not null,
  type text not null,
  source_id blob not null check (length(source_id) = 16),
  event_seq integer not null,
  -- What a repeat is answered once the event itself is purged; null until then.
  event_id text,
  deliveries integer,
  primary key (account_id, type, source_id)
) strict, without rowid;
CREATE TABLE deliveries (
  id text primary key,
  event_seq integer not null,
  account_id text not null,
  -- Null for a test of values that were not saved.
  destination_id text,
  is_test integer not null default 0 check (is_test in (0, 1)),
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
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
  -- The only attempt of a delivery that ended with its first one: when it started, the period in which it was counted
  -- (see count-epochs.ts), its other columns as `attempts` has them, and the answer. Null where `attempts` has a row.
  attempted_at integer,
  epoch integer,
  attempt_detail text,
  answer_headers text,
  answer_body blob,
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'pending') = (settled_at is null)),
  check (claim_token is null or state = 'pending'),
  check (is_test = 0 or state <> 'pending'),
  check (state <> 'pending' or attempted_at is null)
) strict, without rowid;
CREATE INDEX deliveries_pending on deliveries (destination_id, due_at, claim_token) where state = 'pending';
CREATE INDEX deliveries_of_destination on deliveries (destination_id, created_at) where is_test = 0;
CREATE INDEX deliveries_tested on deliveries (account_id, created_at) where is_test = 1;
CREATE INDEX deliveries_unsent on deliveries (destination_id, state, created_at)
  where is_test = 0 and state in ('failed', 'cancelled');
CREATE INDEX deliveries_retrying on deliveries (destination_id, created_at)
  where is_test = 0 and state = 'pending' and attempts_made > attempts_before;
CREATE INDEX deliveries_refused on deliveries
  (destination_id, coalesce(last_status, 0) / 100, created_at, id, last_status)
  where is_test = 0 and (last_outcome <> 'response' or last_status not between 200 and 299);
CREATE TABLE attempts (
  seq integer primary key,
  delivery_id text not null,
  number integer not null,
  started_at integer not null,
  outcome text not null,
  response_status integer,
  total_ms real not null,
  -- JSON: what is only ever read whole (see attempt-detail.ts).
  detail text not null,
  response_headers text,
  response_body blob
) strict;
CREATE UNIQUE INDEX attempts_of_delivery on attempts (delivery_id, number);
CREATE INDEX attempts_with_answer on attempts (started_at) where response_headers is not null;
CREATE VIEW every_attempt (
  delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body
) as
  select id, attempts_made, attempted_at, last_outcome, last_status, last_ms, attempt_detail, answer_headers,
    answer_body
  from deliveries
  where attempted_at is not null
  union all
  select delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body
  from attempts;
CREATE TABLE path_marks (
  id integer primary key check (id = 1),
  -- No event before this one has a delivery in hand.
  open_from integer not null,
  -- Deliveries with this epoch are counted in memory only: a start counts them again.
  epoch integer not null,
  -- Answers in `deliveries` are purged up to this event.
  answers_from integer not null,
  -- The keys of all events before this one are in `event_keys`.
  keys_from integer not null
, slices integer not null default 1) strict;
CREATE TABLE attempt_counts (
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
CREATE INDEX attempt_counts_of_minutes on attempt_counts (at) where at % 900000 <> 0;
CREATE INDEX attempt_counts_of_quarters on attempt_counts (at) where at % 900000 = 0 and at % 3600000 <> 0;
CREATE INDEX attempt_counts_of_hours on attempt_counts (at) where at % 3600000 = 0;
CREATE TABLE account_attempt_counts (
  account_id text not null,
  at integer not null,
  kind text not null check (kind in ('attempt', 'delivery')),
  result text not null check (result in ('delivered', 'retry', 'failed')),
  code text not null,
  count integer not null,
  bins text not null,
  primary key (account_id, at, kind, result, code)
) strict, without rowid;
CREATE INDEX account_attempt_counts_of_minutes on account_attempt_counts (at) where at % 900000 <> 0;
CREATE INDEX account_attempt_counts_of_quarters on account_attempt_counts (at)
  where at % 900000 = 0 and at % 3600000 <> 0;
CREATE INDEX account_attempt_counts_of_hours on account_attempt_counts (at) where at % 3600000 = 0;
CREATE TABLE replays (
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
CREATE INDEX replays_running on replays (stepped_at) where state = 'running';
CREATE INDEX replays_ended on replays (ended_at) where ended_at is not null;
CREATE INDEX replays_of_account on replays (account_id, id);
CREATE INDEX replays_prepared on replays (created_at) where is_prepared and ended_at is null;
CREATE TABLE replay_items (
  replay_id text not null,
  delivery_id text not null,
  primary key (replay_id, delivery_id)
) strict, without rowid;
CREATE TABLE sign_in_links (
  token_hash text primary key,
  account_id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  expires_at integer not null,
  used_at integer,
  ended_at integer,
  created_at integer not null
, purpose text not null default 'dashboard'
  check (purpose in ('dashboard', 'forward'))) strict, without rowid;
CREATE INDEX sign_in_links_expiring on sign_in_links (expires_at);
CREATE INDEX sign_in_links_of_account on sign_in_links (account_id, expires_at);
CREATE TABLE sessions (
  token_hash text primary key,
  account_id text not null,
  -- Begins with the instant of the sign-in: the order of the list.
  id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  expires_at integer not null,
  -- The last use, to within a minute: a session that is not used ends early.
  seen_at integer not null,
  created_at integer not null
, purpose text not null default 'dashboard'
  check (purpose in ('dashboard', 'forward'))) strict, without rowid;
CREATE INDEX sessions_expiring on sessions (expires_at);
CREATE UNIQUE INDEX sessions_of_account on sessions (account_id, id);
CREATE TABLE audit_entries (
  seq integer primary key,
  account_id text not null,
  at integer not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer', 'system')),
  action text not null,
  subject text not null
) strict;
CREATE INDEX audit_of_account on audit_entries (account_id);
CREATE INDEX audit_of_action on audit_entries (account_id, action);
CREATE TABLE operator_conditions (
  subject text primary key,
  is_raised integer not null check (is_raised in (0, 1)),
  raised_at integer not null
) strict, without rowid;
CREATE TABLE operator_notices (
  seq integer primary key autoincrement,
  subject text not null,
  at integer not null,
  -- The exact body, so that every attempt sends the same.
  body text not null,
  attempts integer not null default 0,
  claim_token text,
  claimed_until integer not null default 0
) strict;
CREATE INDEX operator_notices_of_subject on operator_notices (subject, seq);
CREATE TABLE mail_addresses (
  id text primary key,
  account_id text not null,
  address text not null,
  -- One spelling of it.
  address_key text not null,
  -- Whom letters reach: by this they are counted.
  mailbox text not null,
  added_at integer not null,
  confirmed_at integer,
  stopped_at integer,
  removed_at integer,
  stop_hash text not null,
  sealed_stop text not null,
  -- The latest confirmation letter.
  letter_at integer not null,
  letter_state text not null check (letter_state in ('waiting', 'sent', 'no_mailbox', 'dropped')),
  -- Who holds its digest; and until when there is no other, whatever became of that one.
  digest_token text,
  quiet_until integer not null default 0
, remind_at integer, certificates_told_at integer not null default 0, certificates_claimed_at integer not null default 0) strict, without rowid;
CREATE UNIQUE INDEX mail_addresses_of_account on mail_addresses (account_id, address_key);
CREATE UNIQUE INDEX mail_addresses_by_stop on mail_addresses (stop_hash);
CREATE INDEX mail_addresses_removed on mail_addresses (removed_at) where removed_at is not null and stopped_at is null;
CREATE TABLE confirmation_letters (
  id text primary key,
  account_id text not null,
  address_id text not null,
  mailbox text not null,
  at integer not null,
  is_open integer not null check (is_open in (0, 1)),
  claim_token text,
  claimed_until integer not null default 0
) strict, without rowid;
CREATE INDEX letters_of_account on confirmation_letters (account_id, at);
CREATE INDEX letters_of_mailbox on confirmation_letters (mailbox, at);
CREATE INDEX letters_open on confirmation_letters (claimed_until, id) where is_open;
CREATE INDEX letters_by_age on confirmation_letters (at);
CREATE TABLE mail_links (
  token_hash text primary key,
  address_id text not null,
  expires_at integer not null,
  used_at integer
) strict, without rowid;
CREATE INDEX mail_links_expiring on mail_links (expires_at);
CREATE INDEX mail_links_of_address on mail_links (address_id);
CREATE TABLE failure_news (
  address_id text not null,
  destination_id text not null,
  kind text not null check (kind in ('failing', 'turned_off', 'recovered')),
  at integer not null,
  claim_token text,
  primary key (address_id, destination_id)
) strict, without rowid;
CREATE INDEX failure_news_by_age on failure_news (at);
CREATE TABLE settings (
  name text primary key,
  value text not null
) strict, without rowid;
CREATE TABLE probes (
  id integer primary key check (id = 1),
  probed_at integer not null
) strict;
CREATE TABLE incidents (
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
CREATE INDEX incidents_lasting on incidents (account_id, destination_id) where ended_at is null;
CREATE INDEX incidents_of_account on incidents (account_id, ended_at) where ended_at is not null;
CREATE INDEX incidents_ended on incidents (ended_at) where ended_at is not null;
CREATE TABLE failure_responses (
  account_id text not null,
  destination_id text not null,
  -- The answer's status, or the outcome's kind.
  code text not null,
  count integer not null,
  primary key (account_id, destination_id, code)
) strict, without rowid;
CREATE TABLE news_channels (
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
  refused_since integer,
  refusals integer not null default 0,
  -- Who holds its digest; until when there is no other; when it is reminded of what still fails.
  digest_token text,
  quiet_until integer not null default 0,
  remind_at integer
, certificates_told_at integer not null default 0, certificates_claimed_at integer not null default 0) strict, without rowid;
CREATE INDEX news_channels_of_account on news_channels (account_id, added_at, id);
CREATE INDEX news_channels_reminding on news_channels (remind_at) where remind_at is not null;
CREATE INDEX mail_addresses_reminding on mail_addresses (remind_at) where remind_at is not null;
CREATE TABLE search_blocks (
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
CREATE UNIQUE INDEX search_blocks_open on search_blocks (account_id) where is_sealed = 0;
CREATE TABLE search_entries (
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
CREATE UNIQUE INDEX search_entries_by_event on search_entries (event_id);
CREATE INDEX search_entries_of_block on search_entries (block_id);
CREATE INDEX search_entries_by_age on search_entries (accepted_at);
CREATE VIRTUAL TABLE search_words using fts5(
  words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE search_marks (
  id integer primary key check (id = 1),
  event_seq integer not null
) strict;
CREATE INDEX deliveries_recalled on deliveries (destination_id, state, created_at)
  where is_test = 0 and state <> 'delivered' and last_outcome = 'response' and last_status between 200 and 299;
CREATE INDEX destinations_certified on destinations (certificate_ends_at) where authentication is not null;
CREATE INDEX search_blocks_of_account on search_blocks (account_id, newest_at, id, oldest_at);
insert into schema_migrations ("version", "name", "applied_at") values (1, 'schema', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (10, 'certificate-ends', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (11, 'search-blocks', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (12, 'count-slices', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (2, 'incidents', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (3, 'forward', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (4, 'authentication', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (5, 'news-channels', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (6, 'search', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (7, 'conditions', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (8, 'recalled', 1795176000000);
insert into schema_migrations ("version", "name", "applied_at") values (9, 'shorter-bodies', 1795176000000);
insert into accounts ("id", "name", "plan", "app_url", "config_version", "created_at", "updated_at") values ('acc_1', 'Acme', 'starter', 'https://app.example', 18, 1795176000000, 1795176000000);
insert into accounts ("id", "name", "plan", "app_url", "config_version", "created_at", "updated_at") values ('acc_2', 'Ünïcode "quoted" \ 🔔', 'starter', 'https://app.example', 3, 1795176000000, 1795176000000);
insert into verification_secrets ("account_id", "role", "sealed", "created_at", "becomes_current_at") values ('acc_1', 'current', 'sealed secret of acc_1', 1795176000000, NULL);
insert into verification_secrets ("account_id", "role", "sealed", "created_at", "becomes_current_at") values ('acc_1', 'next', 'sealed next', 1795176600000, 1795180200000);
insert into verification_secrets ("account_id", "role", "sealed", "created_at", "becomes_current_at") values ('acc_2', 'current', 'sealed secret of acc_2', 1795176000000, NULL);
insert into alerts ("account_id", "id", "name", "audience", "demos", "intent_levels", "webhooks_on", "destination_id", "revision", "changed_by", "created_at", "updated_at", "deleted_at", "conditions") values ('acc_1', 'alr_1', 'Sales', 'known_lead', '["Tour","A \"quoted\" name"]', '["high"]', 1, 'dst_alert', 1, 'ada', 1795176000000, 1795176000000, NULL, '{"join":"any","list":[{"field":"utm_params.utm_source","operator":"is","value":"linked\"in"},{"field":"lead.client_tracking_id","operator":"known"}]}');
insert into alerts ("account_id", "id", "name", "audience", "demos", "intent_levels", "webhooks_on", "destination_id", "revision", "changed_by", "created_at", "updated_at", "deleted_at", "conditions") values ('acc_1', 'alr_2', 'Sales', 'known_lead', '["Tour","A \"quoted\" name"]', '["high"]', 1, 'dst_gone', 1, 'ada', 1795176000000, 1795176600000, 1795176600000, '{"join":"any","list":[{"field":"utm_params.utm_source","operator":"is","value":"linked\"in"},{"field":"lead.client_tracking_id","operator":"known"}]}');
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_1', 'assistant of dst_a', 'Ada', 'dst_a', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_1', 'assistant of dst_b', 'Ada', 'dst_b', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_1', 'assistant of dst_c', 'Ada', 'dst_c', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_1', 'assistant of dst_emptied', 'Ada', 'dst_emptied', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_1', 'assistant of dst_off', 'Ada', 'dst_off', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into chat_assistants ("account_id", "id", "name", "destination_id", "revision", "changed_by", "changed_at", "created_at", "updated_at", "conditions") values ('acc_2', 'assistant of dst_other', 'Ada', 'dst_other', 2, 'ada', 1795176000000, 1795176000000, 1795176000000, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_a', 'acc_1', 'on', NULL, NULL, 2, 0, 1795176030001, 0, NULL, 0, NULL, 1795177200000, 'timeout', NULL, NULL, 0, 'assistant', 'assistant of dst_a', NULL, 'https://dst_a.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_alert', 'acc_1', 'on', NULL, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 'alert', 'alr_1', NULL, 'https://receiver.example/hook', '[{"name":"Authorization","value":"sealed","secret":true}]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_b', 'acc_1', 'paused', NULL, NULL, 0, 0, 1795176000002, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 'assistant', 'assistant of dst_b', NULL, 'https://dst_b.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_c', 'acc_1', 'on', NULL, 1795176000000, 8, 1, 1795176610000, 1795176030000, NULL, 0, NULL, 1795176000000, 'response', 200, 1795176000000, 1, 'assistant', 'assistant of dst_c', NULL, 'https://dst_c.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_emptied', 'acc_1', 'on', NULL, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 'assistant', 'assistant of dst_emptied', NULL, 'https://dst_emptied.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_gone', 'acc_1', 'paused', NULL, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 'alert', 'alr_2', 1795176600000, 'https://receiver.example/hook', '[]', 1795176000000, 1795176600000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_off', 'acc_1', 'off', 'gone', 1795177200000, 1, 0, NULL, 0, NULL, 0, NULL, 1795177200000, 'response', 410, NULL, 0, 'assistant', 'assistant of dst_off', NULL, 'https://dst_off.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destinations ("id", "account_id", "state", "off_reason", "failing_since_at", "strain", "trips", "next_due_at", "not_before_at", "probe_token", "turn_at", "rate_per_second", "last_failure_at", "last_failure_outcome", "last_failure_status", "told_at", "is_told", "owner_kind", "owner_id", "deleted_at", "url", "headers", "created_at", "updated_at", "authentication", "certificate_ends_at") values ('dst_other', 'acc_2', 'on', NULL, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 'assistant', 'assistant of dst_other', NULL, 'https://dst_other.example/hook', '[]', 1795176000000, 1795176000000, NULL, NULL);
insert into destination_changes ("seq", "account_id", "destination_id", "at", "from_state", "to_state", "reason", "actor") values (1, 'acc_1', 'dst_gone', 1795176600000, 'on', 'paused', 'deleted', 'eve');
insert into destination_changes ("seq", "account_id", "destination_id", "at", "from_state", "to_state", "reason", "actor") values (2, 'acc_1', 'dst_c', 1795176000000, 'on', 'held', 'breaker_opened', 'system');
insert into destination_changes ("seq", "account_id", "destination_id", "at", "from_state", "to_state", "reason", "actor") values (3, 'acc_1', 'dst_b', 1795176600000, 'on', 'paused', 'a \ reason', 'ada');
insert into destination_changes ("seq", "account_id", "destination_id", "at", "from_state", "to_state", "reason", "actor") values (4, 'acc_1', 'dst_off', 1795177200005, 'on', 'off', 'gone', 'system');
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (1, 'evt_900', 'acc_1', 'demo_viewed', 1795176000000, '{"dlv_900":"dst_c","dlv_901":"dst_c","dlv_902":"dst_c","dlv_903":"dst_c","dlv_904":"dst_c","dlv_905":"dst_c","dlv_906":"dst_c","dlv_907":"dst_c"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000384', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (10, 'evt_10008', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":8}', X'00000000000040008000000000002718', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (11, 'evt_10009', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":9}', X'00000000000040008000000000002719', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (12, 'evt_1', 'acc_1', 'demo_viewed', 1795176000002, '{"dlv_1_a":"dst_a","dlv_1_b":"dst_b"}', '{"t":"é 漢字 🔔 \u0000 \"quoted\" \\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', X'00000000000040008000000000000001', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (13, 'evt_2', 'acc_1', 'demo_viewed', 1795176000002, '{"dlv_2_a":"dst_a","dlv_2_b":"dst_b"}', '{"t":"é 漢字 🔔 \u0000 \"quoted\" \\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', X'00000000000040008000000000000002', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (14, 'evt_3', 'acc_1', 'demo_viewed', 1795176000002, '{"dlv_3_a":"dst_a","dlv_3_b":"dst_b"}', '{"t":"é 漢字 🔔 \u0000 \"quoted\" \\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', X'00000000000040008000000000000003', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (15, 'evt_4', 'acc_1', 'demo_viewed', 1795176000002, '{"dlv_4_a":"dst_a","dlv_4_b":"dst_b"}', '{"t":"é 漢字 🔔 \u0000 \"quoted\" \\  ","x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}', X'00000000000040008000000000000004', NULL, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value', NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (16, 'evt_5', 'acc_1', 'chat_conversation_completed', 1795176000003, '{"dlv_5":"dst_b"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000005', 'assistant of dst_b', NULL, '[0,["dst_alert","plan"]]');
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (17, 'evt_6', 'acc_2', 'demo_viewed', 1795176000004, '{"dlv_6":"dst_other"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000006', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (18, 'evt_test', 'acc_1', 'demo_viewed', 1795176000000, '{"dlv_test":"dst_a"}', '{"event":"demo_viewed"}', NULL, NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (19, 'evt_01m7wecec0d4zjdeck411gs7yx', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec07qyvesjdnqsyscfb":"dst_emptied"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000021', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (2, 'evt_10000', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":0}', X'00000000000040008000000000002710', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (20, 'evt_01m7wecec0m008fyzq8yebgvfy', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec0ehyj6ssz4xyh2se4":"dst_a"}', '{"event":"demo_viewed"}', X'0000000000004000800000000000001F', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (21, 'evt_01m7wecec094r0mvcqsh5k9a4b', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec0r8rvgx65zryw29tj":"dst_a"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000020', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (22, 'evt_01m7wecec0tqqht2py9fgr5vxm', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec05apz48ft55hhwsjk":"dst_off"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000022', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (23, 'evt_01m7wecec0n218g4yev92jmkf4', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec098jaf32k3rj12kdc":"dst_a"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000023', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (24, 'evt_01m7wecec0mrer519ps90fvx6y', 'acc_1', 'demo_viewed', 1795177200000, '{"dlv_01m7wecec000q0fytmq3ehgg6y":"dst_a"}', '{"event":"demo_viewed"}', X'00000000000040008000000000000024', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (3, 'evt_10001', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":1}', X'00000000000040008000000000002711', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (4, 'evt_10002', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":2}', X'00000000000040008000000000002712', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (5, 'evt_10003', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":3}', X'00000000000040008000000000002713', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (6, 'evt_10004', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":4}', X'00000000000040008000000000002714', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (7, 'evt_10005', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":5}', X'00000000000040008000000000002715', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (8, 'evt_10006', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":6}', X'00000000000040008000000000002716', NULL, NULL, NULL);
insert into events ("seq", "id", "account_id", "type", "accepted_at", "deliveries", "body", "source_id", "assistant_id", "trace_context", "not_sent") values (9, 'evt_10007', 'acc_1', 'demo_viewed', 1795176000001, '{}', '{"n":7}', X'00000000000040008000000000002717', NULL, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'chat_conversation_completed', X'00000000000040008000000000000005', 16, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000001', 12, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000002', 13, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000003', 14, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000004', 15, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'0000000000004000800000000000001F', 20, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000021', 19, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000000384', 1, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002710', 2, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002711', 3, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002712', 4, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002713', 5, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002714', 6, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002715', 7, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002716', 8, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002717', 9, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002718', 10, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_1', 'demo_viewed', X'00000000000040008000000000002719', 11, NULL, NULL);
insert into event_keys ("account_id", "type", "source_id", "event_seq", "event_id", "deliveries") values ('acc_2', 'demo_viewed', X'00000000000040008000000000000006', 17, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_01m7wecec05apz48ft55hhwsjk', 22, 'acc_1', 'dst_off', 0, 'failed', NULL, NULL, 1, 1795177200000, 1795177200005, 0, NULL, NULL, 'response', 410, 4.0, 1795177200000, 129, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', '', X'');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_01m7wecec07qyvesjdnqsyscfb', 19, 'acc_1', 'dst_emptied', 0, 'cancelled', NULL, NULL, 0, 1795177200000, 1795177200000, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_01m7wecec098jaf32k3rj12kdc', 23, 'acc_1', 'dst_a', 0, 'pending', 1795177200000, NULL, 0, 1795177200000, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_01m7wecec0ehyj6ssz4xyh2se4', 20, 'acc_1', 'dst_a', 0, 'delivered', NULL, NULL, 1, 1795177200000, 1795177200005, 0, NULL, NULL, 'response', 200, 4.0, 1795177200000, 129, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_01m7wecec0r8rvgx65zryw29tj', 21, 'acc_1', 'dst_a', 0, 'pending', 1795177260000, NULL, 1, 1795177200000, NULL, 0, NULL, NULL, 'timeout', NULL, 4.0, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_1_a', 12, 'acc_1', 'dst_a', 0, 'delivered', NULL, NULL, 1, 1795176000002, 1795176000050, 0, NULL, NULL, 'response', 503, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25,null,null,null,1]', ':x-a:1
', X'00FF0A5C');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_1_b', 12, 'acc_1', 'dst_b', 0, 'pending', 1795176000002, NULL, 0, 1795176000002, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_2_a', 13, 'acc_1', 'dst_a', 0, 'pending', 1795176605000, NULL, 1, 1795176000002, NULL, 0, NULL, NULL, 'tls_error', NULL, 4.0, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_2_b', 13, 'acc_1', 'dst_b', 0, 'pending', 1795176000002, NULL, 0, 1795176000002, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_3_a', 14, 'acc_1', 'dst_a', 0, 'pending', 1795176030001, NULL, 1, 1795176000002, NULL, 1, 1795176600000, 'ada', 'timeout', NULL, 4.0, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_3_b', 14, 'acc_1', 'dst_b', 0, 'pending', 1795176000002, NULL, 0, 1795176000002, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_4_a', 15, 'acc_1', 'dst_a', 0, 'pending', 1795176030002, 'token', 0, 1795176000002, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_4_b', 15, 'acc_1', 'dst_b', 0, 'pending', 1795176000002, NULL, 0, 1795176000002, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_5', 16, 'acc_1', 'dst_b', 0, 'pending', 1795176000003, NULL, 0, 1795176000003, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_6', 17, 'acc_2', 'dst_other', 0, 'delivered', NULL, NULL, 1, 1795176000004, 1795176000050, 0, NULL, NULL, 'response', 200, 4.0, 1795176180000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', '', X'');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_900', 1, 'acc_1', 'dst_c', 0, 'pending', 1795176610000, NULL, 1, 1795176000000, NULL, 1, 1795176610000, 'ada', 'response', 200, 4.0, NULL, NULL, NULL, NULL, NULL);
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_901', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_902', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_903', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_904', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_905', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_906', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_907', 1, 'acc_1', 'dst_c', 0, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'response', 200, 4.0, 1795176000000, 1, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into deliveries ("id", "event_seq", "account_id", "destination_id", "is_test", "state", "due_at", "claim_token", "attempts_made", "created_at", "settled_at", "attempts_before", "resent_at", "resent_by", "last_outcome", "last_status", "last_ms", "attempted_at", "epoch", "attempt_detail", "answer_headers", "answer_body") values ('dlv_test', 18, 'acc_1', 'dst_a', 1, 'failed', NULL, NULL, 1, 1795176000000, 1795176000000, 0, NULL, NULL, 'timeout', NULL, 4.0, 1795176000000, NULL, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25,"connect"]', NULL, NULL);
insert into attempts ("seq", "delivery_id", "number", "started_at", "outcome", "response_status", "total_ms", "detail", "response_headers", "response_body") values (1, 'dlv_2_a', 1, 1795176000000, 'tls_error', NULL, 4.0, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25,null,"ERR_TLS","a \\ b"]', NULL, NULL);
insert into attempts ("seq", "delivery_id", "number", "started_at", "outcome", "response_status", "total_ms", "detail", "response_headers", "response_body") values (2, 'dlv_3_a', 1, 1795176000000, 'timeout', NULL, 4.0, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25,"headers"]', NULL, NULL);
insert into attempts ("seq", "delivery_id", "number", "started_at", "outcome", "response_status", "total_ms", "detail", "response_headers", "response_body") values (3, 'dlv_900', 1, 1795176000000, 'response', 200, 4.0, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25]', 'ttext/plain
', X'6F6B');
insert into attempts ("seq", "delivery_id", "number", "started_at", "outcome", "response_status", "total_ms", "detail", "response_headers", "response_body") values (4, 'dlv_01m7wecec0r8rvgx65zryw29tj', 1, 1795177200000, 'timeout', NULL, 4.0, '["https://dst_a.example/hook","J\nidlv_1\n","203.0.113.7",1.5,2,null,3.25,"connect"]', NULL, NULL);
insert into path_marks ("id", "open_from", "epoch", "answers_from", "keys_from", "slices") values (1, 19, 129, 0, 21, 128);
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_a', 1795176000000, 'attempt', 'delivered', '503', 1, '{"7":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_a', 1795176000000, 'attempt', 'failed', 'timeout', 1, '{"7":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_a', 1795176000000, 'attempt', 'retry', 'tls_error', 1, '{"7":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_a', 1795176000000, 'delivery', 'delivered', '503', 1, '{"4":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_a', 1795177200000, 'attempt', 'retry', 'timeout', 1, '{"7":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_c', 1795176000000, 'attempt', 'failed', '200', 8, '{"7":8}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_other', 1795176180000, 'attempt', 'delivered', '200', 1, '{"7":1}');
insert into attempt_counts ("destination_id", "at", "kind", "result", "code", "count", "bins") values ('dst_other', 1795176180000, 'delivery', 'delivered', '200', 1, '{"55":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795176000000, 'attempt', 'delivered', '503', 1, '{"7":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795176000000, 'attempt', 'failed', '200', 8, '{"7":8}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795176000000, 'attempt', 'failed', 'timeout', 1, '{"7":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795176000000, 'attempt', 'retry', 'tls_error', 1, '{"7":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795176000000, 'delivery', 'delivered', '503', 1, '{"4":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_1', 1795177200000, 'attempt', 'retry', 'timeout', 1, '{"7":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_2', 1795176180000, 'attempt', 'delivered', '200', 1, '{"7":1}');
insert into account_attempt_counts ("account_id", "at", "kind", "result", "code", "count", "bins") values ('acc_2', 1795176180000, 'delivery', 'delivered', '200', 1, '{"55":1}');
insert into replays ("id", "account_id", "filter", "rate_per_second", "state", "deliveries", "moved", "skipped", "credit", "stepped_at", "actor", "state_actor", "created_at", "ended_at", "is_prepared") values ('rpl_1', 'acc_1', '{"states":["failed"]}', 0.125, 'running', 8, 1, 0, 0.0, 1795176610000, 'ada', 'ada', 1795176600000, NULL, 0);
insert into replays ("id", "account_id", "filter", "rate_per_second", "state", "deliveries", "moved", "skipped", "credit", "stepped_at", "actor", "state_actor", "created_at", "ended_at", "is_prepared") values ('rpl_2', 'acc_1', '{"states":["failed"]}', 0.125, 'paused', 8, 0, 0, 0.0, 1795176600000, 'ada', 'ada', 1795176600000, NULL, 1);
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_901');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_902');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_903');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_904');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_905');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_906');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_1', 'dlv_907');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_900');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_901');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_902');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_903');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_904');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_905');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_906');
insert into replay_items ("replay_id", "delivery_id") values ('rpl_2', 'dlv_907');
insert into sign_in_links ("token_hash", "account_id", "person", "role", "expires_at", "used_at", "ended_at", "created_at", "purpose") values ('ended', 'acc_1', 'eve', 'viewer', 1795176600000, NULL, 1795176000001, 1795176000000, 'dashboard');
insert into sign_in_links ("token_hash", "account_id", "person", "role", "expires_at", "used_at", "ended_at", "created_at", "purpose") values ('fresh', 'acc_1', 'ana@example.com', 'viewer', 1795176600000, NULL, NULL, 1795176000000, 'dashboard');
insert into sign_in_links ("token_hash", "account_id", "person", "role", "expires_at", "used_at", "ended_at", "created_at", "purpose") values ('used', 'acc_1', 'ana@example.com', 'viewer', 1795176600000, 1795176000001, NULL, 1795176000000, 'dashboard');
insert into sessions ("token_hash", "account_id", "id", "person", "role", "expires_at", "seen_at", "created_at", "purpose") values ('session', 'acc_1', 'ses_1', 'ana@example.com', 'viewer', 1795180200000, 1795176000001, 1795176000001, 'dashboard');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (1, 'acc_1', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (10, 'acc_1', 1795176000000, 'ada', 'owner', 'alert_created', 'Sales');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (11, 'acc_1', 1795176600000, 'eve', 'owner', 'alert_deleted', 'Sales');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (12, 'acc_1', 1795176600000, 'ada', 'owner', 'secret_rotated', 'with both for 24 hours');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (13, 'acc_1', 1795176600000, 'ada', 'owner', 'destination_paused', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (14, 'acc_1', 1795176600000, 'ada', 'owner', 'delivery_resent', 'dlv_3_a');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (15, 'acc_1', 1795176600000, 'ada', 'owner', 'replay_started', 'rpl_1');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (16, 'acc_1', 1795176600000, 'ada', 'owner', 'replay_prepared', 'rpl_2');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (17, 'acc_1', 1795176000001, 'ada', 'owner', 'person_signed_out', 'eve');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (18, 'acc_1', 1795176000001, 'ana@example.com', 'viewer', 'signed_in', '');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (19, 'acc_1', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (2, 'acc_1', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (20, 'acc_1', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (3, 'acc_1', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (4, 'acc_2', 1795176000000, 'ada', 'owner', 'assistant_webhook_changed', 'Ada');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (5, 'acc_1', 1795176000000, 'ada', 'owner', 'mail_address_added', 'ops@acme.example');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (6, 'acc_1', 1795176000000, 'ops@acme.example', 'system', 'mail_address_confirmed', 'ops@acme.example');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (7, 'acc_1', 1795176000000, 'ada', 'owner', 'mail_address_added', 'waiting@acme.example');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (8, 'acc_1', 1795176000000, 'ada', 'owner', 'news_channel_added', 'ops (https://hooks.example)');
insert into audit_entries ("seq", "account_id", "at", "person", "role", "action", "subject") values (9, 'acc_1', 1795176000000, 'ada', 'owner', 'alert_created', 'Sales');
insert into operator_conditions ("subject", "is_raised", "raised_at") values ('backlog', 1, 1795177200000);
insert into operator_conditions ("subject", "is_raised", "raised_at") values ('dst_c', 1, 1795176000000);
insert into operator_conditions ("subject", "is_raised", "raised_at") values ('dst_off', 1, 1795177200005);
insert into operator_notices ("seq", "subject", "at", "body", "attempts", "claim_token", "claimed_until") values (1, 'dst_c', 1795176000000, '{"event":"destination_failing","occurred_at":"2026-11-20T12:00:00.000+00:00","account":{"id":"acc_1","name":"Acme"},"destination":{"id":"dst_c","owner":{"kind":"assistant","id":"assistant of dst_c","name":"Ada"},"origin":"https://dst_c.example","failing_since":"2026-11-20T12:00:00.000+00:00","last_failure":{"at":"2026-11-20T12:00:00.000+00:00","outcome":"response","status":200}}}', 0, NULL, 0);
insert into operator_notices ("seq", "subject", "at", "body", "attempts", "claim_token", "claimed_until") values (2, 'backlog', 1795177200000, '{}', 0, NULL, 0);
insert into operator_notices ("seq", "subject", "at", "body", "attempts", "claim_token", "claimed_until") values (3, 'dst_off', 1795177200005, '{"event":"destination_turned_off","occurred_at":"2026-11-20T12:20:00.005+00:00","account":{"id":"acc_1","name":"Acme"},"destination":{"id":"dst_off","owner":{"kind":"assistant","id":"assistant of dst_off","name":"Ada"},"origin":"https://dst_off.example","failing_since":"2026-11-20T12:20:00.000+00:00","last_failure":{"at":"2026-11-20T12:20:00.000+00:00","outcome":"response","status":410}},"reason":"gone"}', 0, NULL, 0);
insert into mail_addresses ("id", "account_id", "address", "address_key", "mailbox", "added_at", "confirmed_at", "stopped_at", "removed_at", "stop_hash", "sealed_stop", "letter_at", "letter_state", "digest_token", "quiet_until", "remind_at", "certificates_told_at", "certificates_claimed_at") values ('adr of ops@acme.example', 'acc_1', 'ops@acme.example', 'ops@acme.example', 'ops@acme.example', 1795176000000, 1795176000000, NULL, NULL, 'stop of ops@acme.example', 'sealed ops@acme.example', 1795176000000, 'sent', NULL, 0, NULL, 0, 0);
insert into mail_addresses ("id", "account_id", "address", "address_key", "mailbox", "added_at", "confirmed_at", "stopped_at", "removed_at", "stop_hash", "sealed_stop", "letter_at", "letter_state", "digest_token", "quiet_until", "remind_at", "certificates_told_at", "certificates_claimed_at") values ('adr of waiting@acme.example', 'acc_1', 'waiting@acme.example', 'waiting@acme.example', 'waiting@acme.example', 1795176000000, NULL, NULL, NULL, 'stop of waiting@acme.example', 'sealed waiting@acme.example', 1795176000000, 'waiting', NULL, 0, NULL, 0, 0);
insert into confirmation_letters ("id", "account_id", "address_id", "mailbox", "at", "is_open", "claim_token", "claimed_until") values ('ltr of ops@acme.example', 'acc_1', 'adr of ops@acme.example', 'ops@acme.example', 1795176000000, 0, NULL, 1795176000001);
insert into confirmation_letters ("id", "account_id", "address_id", "mailbox", "at", "is_open", "claim_token", "claimed_until") values ('ltr of waiting@acme.example', 'acc_1', 'adr of waiting@acme.example', 'waiting@acme.example', 1795176000000, 1, NULL, 0);
insert into mail_links ("token_hash", "address_id", "expires_at", "used_at") values ('link of ops@acme.example', 'adr of ops@acme.example', 1795435200000, 1795176000000);
insert into failure_news ("address_id", "destination_id", "kind", "at", "claim_token") values ('adr of ops@acme.example', 'dst_c', 'failing', 1795176000000, NULL);
insert into failure_news ("address_id", "destination_id", "kind", "at", "claim_token") values ('adr of ops@acme.example', 'dst_off', 'turned_off', 1795177200005, NULL);
insert into failure_news ("address_id", "destination_id", "kind", "at", "claim_token") values ('chn_ops', 'dst_c', 'failing', 1795176000000, NULL);
insert into failure_news ("address_id", "destination_id", "kind", "at", "claim_token") values ('chn_ops', 'dst_off', 'turned_off', 1795177200005, NULL);
insert into settings ("name", "value") values ('first_start_at', '2026-11-20T12:00:00.000Z');
insert into incidents ("account_id", "id", "destination_id", "from_at", "ended_at", "end_reason", "off_reason", "interruptions", "responses") values ('acc_1', 'inc_01m7wd7tg0c', 'dst_c', 1795176000000, NULL, NULL, NULL, 0, '[]');
insert into incidents ("account_id", "id", "destination_id", "from_at", "ended_at", "end_reason", "off_reason", "interruptions", "responses") values ('acc_1', 'inc_01m7wecec5off', 'dst_off', 1795177200000, NULL, NULL, 'gone', 0, '[]');
insert into failure_responses ("account_id", "destination_id", "code", "count") values ('acc_1', 'dst_c', '200', 8);
insert into failure_responses ("account_id", "destination_id", "code", "count") values ('acc_1', 'dst_off', '410', 1);
insert into news_channels ("id", "account_id", "kind", "name", "origin", "sealed_url", "added_at", "answered_at", "answer_outcome", "answer_status", "is_taken", "refused_since", "refusals", "digest_token", "quiet_until", "remind_at", "certificates_told_at", "certificates_claimed_at") values ('chn_ops', 'acc_1', 'slack', 'ops', 'https://hooks.example', 'sealed ops', 1795176000000, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, 1795262400000, 0, 0);
delete from sqlite_sequence;
insert into sqlite_sequence ("name", "seq") values ('operator_notices', 3);
commit;
