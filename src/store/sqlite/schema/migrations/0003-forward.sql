-- A sign-in link and its session open one of two: the dashboard, or copies of the account's webhooks for a developer.
alter table sign_in_links add column purpose text not null default 'dashboard'
  check (purpose in ('dashboard', 'forward'));
alter table sessions add column purpose text not null default 'dashboard'
  check (purpose in ('dashboard', 'forward'));
