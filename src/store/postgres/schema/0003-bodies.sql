-- What a webhook sends (see domain/body.ts); the template as its owner wrote it, null unless `body` is 'template'.
alter table destinations add column body text not null default 'event';
alter table destinations add column template text;

-- What an attempt has sent, where that was not the event: the id of a text, a colon, and the SHA-256 of the body.
alter table attempts add column sent text;
alter table deliveries add column sent text;

-- The texts that bodies were made of, each kept for as long as an attempt may name it: from the text, the event's body,
-- the webhook's id and the event's instant the log makes the body again. The id is of the text alone.
create table body_texts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  text text not null,
  -- Within a day of the last attempt that was made of it.
  used_at bigint not null,
  primary key (account_id, id)
);

create index body_texts_by_use on body_texts (used_at);

-- A channel is of any chat tool (see domain/channel.ts), or a webhook.
alter table channels drop constraint channels_kind_check;
