-- When a destination's client certificate ends, so that its owner is told before: null until a node has read it, 0
-- where there is none. The event's path writes neither column of its index.
alter table destinations add column certificate_ends_at bigint;

-- Up to when a reader was told of such ends, and up to when the message tells that is under way.
alter table mail_addresses add column certificates_told_at bigint not null default 0;
alter table mail_addresses add column certificates_claimed_at bigint not null default 0;
alter table news_channels add column certificates_told_at bigint not null default 0;
alter table news_channels add column certificates_claimed_at bigint not null default 0;
