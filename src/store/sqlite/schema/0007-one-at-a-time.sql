-- Whether the next request starts only when the delivery before it has ended (see sql/path/order-rows.ts).
alter table destinations add column one_at_a_time integer not null default 0 check (one_at_a_time in (0, 1));

-- What waits for destinations that get one at a time: a row for each such delivery, from its accept or resend to its
-- end. The number is drawn in that transaction, and is the order in which they are sent.
create table ordered_deliveries (
  seq integer primary key,
  destination_id text not null,
  delivery_id text not null unique,
  account_id text not null
) strict;

create index ordered_deliveries_queue on ordered_deliveries (destination_id, seq);
