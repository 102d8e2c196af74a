-- A webhook that succeeds at once is written once: the event names the deliveries that a node took in hand with it, and
-- each gets its row when it ends, with its first attempt in it.

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

-- The deliveries that were taken in hand: a line each, its id, a space, its destination. One without a row is in hand.
-- Never changed: whether a row is there says the rest.
alter table events add column in_hand text;
alter table events add column lease_id bigint;
-- The claim that they are held under.
alter table events add column held_until bigint;
alter table events add column claim_token text;

-- The first attempt of a delivery that ended with it: what `attempts` has of the others, less what the columns of the
-- last attempt say already. A resend moves it to `attempts`.
alter table deliveries
  add column started_at bigint,
  add column phase text,
  add column error_code text,
  add column error_message text,
  add column response_body_cut boolean,
  add column address text,
  add column dns_ms double precision,
  add column connect_ms double precision,
  add column tls_ms double precision,
  add column first_byte_ms double precision,
  add column url text,
  add column request_headers text,
  add column response_headers text,
  add column response_body bytea,
  add constraint deliveries_first_attempt check (started_at is null or state <> 'pending');

create index deliveries_with_answer on deliveries_ended (started_at) where response_headers is not null;

-- Attempts that were counted and are not added to their counters yet: a row for each commit, which only adds. Nodes add
-- them up every few seconds (see `attempt-tallies.ts`), and whoever reads counters reads these too.
create table attempt_tallies (
  -- The accounts in `counts`, so that a reader passes over the others.
  account_ids text[] not null,
  -- [[destination, account, at, kind, result, code, bin, count]]
  counts json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
