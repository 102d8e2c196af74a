-- What is so now and was told to the operator: a destination that fails or is off (its id), the backlog (`backlog`).
-- `raised_at` outlives the end of it, so that what comes and goes is not told each time.
create table operator_conditions (
  subject text collate "C" primary key,
  is_raised boolean not null,
  raised_at bigint not null
);

-- Notices to the operator, written with the change itself, sent by whichever node takes them. Those of one subject go
-- out in their order. `claimed_until` is also when one that could not be sent is tried again.
create table operator_notices (
  seq bigint generated always as identity primary key,
  subject text collate "C" not null,
  at bigint not null,
  -- The exact body, so that every attempt sends the same.
  body text not null,
  attempts integer not null default 0,
  claim_token text,
  claimed_until bigint not null default 0
);

create index operator_notices_of_subject on operator_notices (subject, seq);
