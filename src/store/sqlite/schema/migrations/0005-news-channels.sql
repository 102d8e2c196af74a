-- Where owners hear of failures besides their mailboxes. Anyone who knows the URL can write there, so it is sealed as a
-- whole, and pages show its origin.
create table news_channels (
  id text primary key,
  account_id text not null,
  kind text not null check (kind in ('slack', 'webhook')),
  name text not null,
  origin text not null,
  sealed_url text not null,
  added_at integer not null,
  -- The latest answer, and since when there was none that took a message.
  answered_at integer,
  answer_outcome text,
  answer_status integer,
  is_taken integer not null default 0 check (is_taken in (0, 1)),
  refused_since integer,
  refusals integer not null default 0,
  -- Who holds its digest; until when there is no other; when it is reminded of what still fails.
  digest_token text,
  quiet_until integer not null default 0,
  remind_at integer
) strict, without rowid;

create index news_channels_of_account on news_channels (account_id, added_at, id);
create index news_channels_reminding on news_channels (remind_at) where remind_at is not null;

alter table mail_addresses add column remind_at integer;
create index mail_addresses_reminding on mail_addresses (remind_at) where remind_at is not null;
