create index concurrently destinations_certified on bellwire.destinations (certificate_ends_at)
  where authentication is not null;
