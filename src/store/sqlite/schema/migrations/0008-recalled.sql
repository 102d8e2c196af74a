-- What was sent again after a 2xx and has not arrived since: it waits, or it ended before its next attempt. Without it,
-- one that looks for such a delivery would read all that waits or failed.
create index deliveries_recalled on deliveries (destination_id, state, created_at)
  where is_test = 0 and state <> 'delivered' and last_outcome = 'response' and last_status between 200 and 299;
