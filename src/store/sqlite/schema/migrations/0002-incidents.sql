-- The history of destinations in trouble: from when to when, and what came back (see domain/incident.ts).
create table incidents (
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

create index incidents_lasting on incidents (account_id, destination_id) where ended_at is null;
create index incidents_of_account on incidents (account_id, ended_at) where ended_at is not null;
create index incidents_ended on incidents (ended_at) where ended_at is not null;

-- Answers and failures since a destination began to fail; no rows while it is well.
create table failure_responses (
  account_id text not null,
  destination_id text not null,
  -- The answer's status, or the outcome's kind.
  code text not null,
  count integer not null,
  primary key (account_id, destination_id, code)
) strict, without rowid;
