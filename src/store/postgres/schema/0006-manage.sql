-- What a key opens: 'read', or 'manage', which reads too.
alter table read_keys add column kind text not null default 'read';

-- The id that a program gave a webhook (`src/programs/manage`); null for those that people make. `applied_at`: when
-- `bellwire apply` has made it; null where it has not. One account has an id once among what is not deleted: the save
-- looks, under the account's lock.
alter table destinations add column caller_id text collate "C";
alter table destinations add column applied_at bigint;
