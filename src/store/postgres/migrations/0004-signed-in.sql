-- Who is signed in, as people see it: each session has a name that opens nothing. A link ends with its person's
-- sessions, so that somebody who has just left does not come back by one that was made before.

-- Begins with the instant of the sign-in: the order of the list. The default is for sessions from before, and for those
-- of nodes that do not give one yet. The tables are small, so their indexes are made here.
alter table sessions
  add column id text collate "C" not null default 'ses_' || left(replace(gen_random_uuid()::text, '-', ''), 26);

create unique index sessions_of_account on sessions (account_id, id);

alter table sign_in_links add column ended_at bigint;
create index sign_in_links_of_account on sign_in_links (account_id, expires_at);
