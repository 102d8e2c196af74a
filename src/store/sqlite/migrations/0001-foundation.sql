-- Accounts, what they set up, and an event's path. Instants are milliseconds since the Unix epoch; identifiers are
-- time-ordered text, so that every table of the path grows at its end. No foreign keys: they cost 6 % of the path's
-- speed, nothing here is deleted by hand, and the verbs check the rows they refer to.

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

-- The keys of the signatures, sealed. Apart from accounts, because an account can have two while one is rotated.
create table verification_secrets (
  account_id text not null,
  role text not null check (role in ('current', 'next')),
  sealed text not null,
  created_at integer not null,
  primary key (account_id, role)
) strict, without rowid;

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
  revision integer not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (account_id, id)
) strict, without rowid;

create table chat_assistants (
  account_id text not null,
  id text not null,
  name text not null,
  destination_id text,
  created_at integer not null,
  updated_at integer not null,
  primary key (account_id, id)
) strict, without rowid;

-- Where deliveries go, and each one's queue. The queue's columns stand before the URL and the headers, so that
-- reading them never touches an overflow page.
create table destinations (
  id text primary key,
  account_id text not null,
  state text not null check (state in ('on', 'paused', 'off')),
  off_reason text,
  failing_since_at integer,
  -- Never later than the earliest due time of its pending deliveries; null when it has none. Earlier is harmless: the
  -- claim that finds nothing corrects it. Kept also while the destination is not on.
  next_due_at integer,
  -- Holds the whole destination back with one row.
  not_before_at integer not null default 0,
  -- When a claim last left due deliveries behind here: others go first then, so that large backlogs take turns.
  turn_at integer not null default 0,
  wake_at integer generated always as (max(next_due_at, not_before_at, turn_at)) virtual,
  url text not null,
  -- JSON: [{name, value, secret}], values sealed where secret.
  headers text not null,
  created_at integer not null,
  updated_at integer not null,
  check ((state = 'off') = (off_reason is not null))
) strict;

-- The claim's walk: destinations that may have something to send, the longest waiting first.
create index destinations_waking on destinations (wake_at, id) where state = 'on' and wake_at is not null;

-- What happened, with the exact body. Bodies stand here once, however many deliveries share them.
create table events (
  seq integer primary key,
  id text not null unique,
  account_id text not null,
  type text not null,
  accepted_at integer not null,
  body text not null
) strict;

-- One event per session or conversation, for ever: this row stays when the event is purged, hence a narrow table of its
-- own. Its keys are random; 16 bytes instead of a UUID's 36 characters keep more of it in memory.
create table event_keys (
  account_id text not null,
  type text not null,
  source_id blob not null check (length(source_id) = 16),
  event_id text not null,
  deliveries integer not null,
  primary key (account_id, type, source_id)
) strict, without rowid;

-- One event to one destination. Rows are small because each is written twice or more.
create table deliveries (
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
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'pending') = (settled_at is null)),
  check (claim_token is null or state = 'pending'),
  check (is_test = 0 or state <> 'pending')
) strict, without rowid;

-- A destination's queue, in the order it is sent. Only what waits is in it, so its size follows the backlog and not the
-- history. The token lets a start find the claims of a dead process without reading the rows.
create index deliveries_pending on deliveries (destination_id, due_at, claim_token) where state = 'pending';

-- One row for each HTTP request made. By integer key, because a receiver's answer can take 16 KiB.
create table attempts (
  seq integer primary key,
  delivery_id text not null,
  number integer not null,
  started_at integer not null,
  outcome text not null,
  -- What a timeout was waiting for.
  phase text,
  error_code text,
  error_message text,
  response_status integer,
  response_body_cut integer,
  address text,
  dns_ms real,
  connect_ms real,
  tls_ms real,
  first_byte_ms real,
  total_ms real not null,
  url text not null,
  request_headers text not null,
  response_headers text,
  response_body blob
) strict;

create unique index attempts_of_delivery on attempts (delivery_id, number);

-- One-time links into the dashboard. Only a hash of the token is kept.
create table sign_in_links (
  token_hash text primary key,
  account_id text not null,
  expires_at integer not null,
  created_at integer not null
) strict, without rowid;

-- Small values of the installation itself.
create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

-- The row that shows whether the disk still takes writes.
create table probes (
  id integer primary key check (id = 1),
  probed_at integer not null
) strict;
