-- Who is signed in, as people see it: each session has a name that opens nothing. A link ends with its person's
-- sessions, so that somebody who has just left does not come back by one that was made before.

alter table sessions rename to sessions_before;
drop index sessions_expiring;

create table sessions (
  token_hash text primary key,
  account_id text not null,
  -- Begins with the instant of the sign-in: the order of the list.
  id text not null,
  person text not null,
  role text not null check (role in ('owner', 'viewer')),
  expires_at integer not null,
  -- The last use, to within a minute: a session that nobody uses ends early.
  seen_at integer not null,
  created_at integer not null
) strict, without rowid;

insert into sessions (token_hash, account_id, id, person, role, expires_at, seen_at, created_at)
select token_hash, account_id, 'ses_' || lower(hex(randomblob(13))), person, role, expires_at, seen_at, created_at
from sessions_before;

drop table sessions_before;

create index sessions_expiring on sessions (expires_at);
create unique index sessions_of_account on sessions (account_id, id);

alter table sign_in_links add column ended_at integer;
create index sign_in_links_of_account on sign_in_links (account_id, expires_at);
