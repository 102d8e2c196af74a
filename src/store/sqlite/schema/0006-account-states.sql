-- Accounts that are not active: suspended, or deleted with an id that stays taken. What there is of a
-- deleted one goes in steps, until `gone_at`; its row in `accounts` stays, without name and secret.
create table account_states (
  account_id text primary key,
  state text not null check (state in ('suspended', 'deleted')),
  at integer not null,
  -- JSON: ids of the destinations that its suspension paused; `{"to": state, "ids": …}` while that is under way.
  paused text not null,
  gone_at integer
) strict, without rowid;

create index account_states_leaving on account_states (account_id) where state = 'deleted' and gone_at is null;
