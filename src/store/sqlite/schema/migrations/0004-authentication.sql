-- How a destination's requests prove who sends them: an access token and a client certificate. JSON of
-- `domain/authentication.ts` with the client secret and the private key sealed; null for most destinations.
alter table destinations add column authentication text;
