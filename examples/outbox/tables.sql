-- A table of the product's own, beside the schema "bellwire" in the same database.
create table demo_views (
  id uuid primary key,
  demo text not null,
  seconds_spent integer not null,
  viewed_at timestamptz not null default now()
);
