-- Who is told about failures, and whether the reader of the mailbox wants it. An address that an owner has removed
-- stays for a while, so that the link which stops letters works on; one that its reader has stopped stays for good.
create table mail_addresses (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  address text not null,
  -- One spelling of it.
  address_key text collate "C" not null,
  -- Whom letters reach: by this they are counted.
  mailbox text collate "C" not null,
  added_at bigint not null,
  confirmed_at bigint,
  stopped_at bigint,
  removed_at bigint,
  stop_hash text collate "C" not null,
  sealed_stop text not null,
  -- The latest confirmation letter.
  letter_at bigint not null,
  letter_state text not null check (letter_state in ('waiting', 'sent', 'no_mailbox', 'dropped')),
  -- Who holds its digest; and until when there is no other, whatever became of that one.
  digest_token text,
  quiet_until bigint not null default 0
);

create unique index mail_addresses_of_account on mail_addresses (account_id, address_key);
create unique index mail_addresses_by_stop on mail_addresses (stop_hash);
create index mail_addresses_removed on mail_addresses (removed_at) where removed_at is not null and stopped_at is null;

-- Confirmation letters, to be sent and for as long as they are counted; apart from addresses, which come and go.
create table confirmation_letters (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  address_id text collate "C" not null,
  mailbox text collate "C" not null,
  at bigint not null,
  is_open boolean not null,
  claim_token text,
  claimed_until bigint not null default 0
);

create index letters_of_account on confirmation_letters (account_id, at);
create index letters_of_mailbox on confirmation_letters (mailbox, at);
create index letters_open on confirmation_letters (claimed_until, id) where is_open;
create index letters_by_age on confirmation_letters (at);

-- Links of confirmation letters, known here by a hash of their token only.
create table mail_links (
  token_hash text collate "C" primary key,
  address_id text collate "C" not null,
  expires_at bigint not null,
  used_at bigint
);

create index mail_links_expiring on mail_links (expires_at);
create index mail_links_of_address on mail_links (address_id);

-- News for an address that it was not told yet: the latest of each destination, written with the change itself. A claim
-- that is overtaken by newer news loses it.
create table failure_news (
  address_id text collate "C" not null,
  destination_id text collate "C" not null,
  kind text not null check (kind in ('failing', 'turned_off', 'recovered')),
  at bigint not null,
  claim_token text,
  primary key (address_id, destination_id)
);

create index failure_news_by_age on failure_news (at);

-- Nobody of these was ever asked.
drop table notices;
alter table accounts drop column failure_mail;
