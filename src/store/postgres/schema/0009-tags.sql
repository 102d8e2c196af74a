-- Tags of a webhook, as people give them: a JSON list of texts. Nothing is sent by them.
-- From this number on a webhook may want a group of event types (see domain/webhook.ts).
alter table destinations add column tags text not null default '[]';
