-- Tags of a webhook, as people give them: a JSON list of texts. Nothing is sent by them.
alter table destinations add column tags text not null default '[]';
