-- Counts of the path are written in slices of their destinations, each at the end of an epoch (see
-- `figures/count-slices.ts`). This is how many slices the epochs go by. Before, the end of an
-- epoch wrote all counts, as if there were one slice.
alter table path_marks add column slices integer not null default 1;
