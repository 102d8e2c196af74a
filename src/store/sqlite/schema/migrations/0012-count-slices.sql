-- Counts of the path are written in slices of their destinations, each at the end of an epoch (see
-- `figures/count-slices.ts`). This is the number of slices that the epochs go by: 1 was a slice of all.
alter table path_marks add column slices integer not null default 1;
