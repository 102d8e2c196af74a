-- Whether the next request starts only when the delivery before it has ended (see sql/path/order-rows.ts).
alter table destinations add column one_at_a_time boolean not null default false;

-- What waits for destinations that get one at a time: a row for each such delivery, from its accept or resend to its
-- end. The number is drawn in that transaction, and is the order in which they are sent. A sequence takes no lock, so
-- accepts of several nodes do not wait for each other. As in the queue, dead rows go early.
create table ordered_deliveries (
  seq bigint generated always as identity,
  destination_id text collate "C" not null,
  delivery_id text collate "C" not null,
  account_id text collate "C" not null,
  primary key (delivery_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0.2
);

create index ordered_deliveries_queue on ordered_deliveries (destination_id, seq);
