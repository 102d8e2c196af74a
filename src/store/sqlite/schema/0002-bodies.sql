-- What a webhook sends (see domain/body.ts); the template as its owner wrote it, null unless `body` is 'template'.
alter table destinations add column body text not null default 'event';
alter table destinations add column template text;

-- The texts that bodies were made of, each kept for as long as an attempt may name it: from the text, the event's body,
-- the webhook's id and the event's instant the log makes the body again. The id is of the text alone.
create table body_texts (
  account_id text not null,
  id text not null,
  text text not null,
  -- Within a day of the last attempt that was made of it.
  used_at integer not null,
  primary key (account_id, id)
) strict;

create index body_texts_by_use on body_texts (used_at);

-- A channel is of any chat tool (see domain/channel.ts), or a webhook: its kind is no longer one of two.
create table channels_of_any_kind (
  id text primary key,
  account_id text not null,
  kind text not null,
  name text not null,
  origin text not null,
  sealed_url text not null,
  added_at integer not null,
  -- The latest answer, and since when there was none that took a message.
  answered_at integer,
  answer_outcome text,
  answer_status integer,
  is_taken integer not null default 0 check (is_taken in (0, 1)),
  refused_since integer
) strict, without rowid;

insert into channels_of_any_kind
select id, account_id, kind, name, origin, sealed_url, added_at,
  answered_at, answer_outcome, answer_status, is_taken, refused_since
from channels;

drop table channels;

alter table channels_of_any_kind rename to channels;

create index news_channels_of_account on channels (account_id, added_at, id);
