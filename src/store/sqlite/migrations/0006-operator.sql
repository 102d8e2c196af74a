-- What is so now and was told to the operator: a destination that fails or is off (its id), the backlog (`backlog`).
-- `raised_at` outlives the end of it, so that what comes and goes is not told each time.
create table operator_conditions (
  subject text primary key,
  is_raised integer not null check (is_raised in (0, 1)),
  raised_at integer not null
) strict, without rowid;

-- Notices to the operator, written with the change itself, sent by whichever node takes them. Those of one subject go
-- out in their order. `claimed_until` is also when one that could not be sent is tried again.
create table operator_notices (
  seq integer primary key autoincrement,
  subject text not null,
  at integer not null,
  -- The exact body, so that every attempt sends the same.
  body text not null,
  attempts integer not null default 0,
  claim_token text,
  claimed_until integer not null default 0
) strict;

create index operator_notices_of_subject on operator_notices (subject, seq);
