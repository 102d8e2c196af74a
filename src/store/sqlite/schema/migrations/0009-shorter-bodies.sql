-- From here on bodies of events may stand shortened in `events.body` (see store/kept-body.ts). Those that are there
-- stay as they are, and both are read. No table changes: the number of this step keeps an earlier Bellwire out, which
-- would send shortened bodies as they stand.
select 1;
