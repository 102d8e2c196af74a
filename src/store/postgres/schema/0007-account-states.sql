-- Accounts that are not active: suspended, or deleted with an id that stays taken. What there is of a
-- deleted one goes in steps, until `gone_at`; its row in `accounts` stays, without name and secret.
create table account_states (
  account_id text collate "C" not null,
  state text not null check (state in ('suspended', 'deleted')),
  at bigint not null,
  -- What the account is to become, while some of its webhooks are still as they were.
  becoming text check (becoming in ('active', 'suspended')),
  -- JSON: ids of the destinations that its suspension paused.
  paused text not null,
  gone_at bigint,
  primary key (account_id)
);

create index account_states_leaving on account_states (account_id) where state = 'deleted' and gone_at is null;
create index account_states_becoming on account_states (at) where becoming is not null;
