-- Which events a webhook wants, beside what an alert has always asked: JSON, because it is only ever read and written
-- whole; null for every event.
alter table alerts add column conditions text;
alter table chat_assistants add column conditions text;

-- The webhooks that an event did not go to, with the reasons, as `domain/not-sent.ts` writes them; null for most.
alter table events add column not_sent text;
