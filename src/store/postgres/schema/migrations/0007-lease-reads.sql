-- The newest schema that a lease's node knows, and so the newest form of rows that it reads (see `schema/forms.ts`).
-- Nodes from before say nothing: they read what the first schema had.
alter table leases add column reads bigint not null default 1;
