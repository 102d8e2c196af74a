/**
 * Groups of buckets: what lies together on one server, so that a transaction can lock and join all of it. A database of
 * one server has one group. Several are those of a database that is spread over servers, or made up for tests.
 */
import { assert } from "../../../lib/assert.ts";
import { bucketOf, BUCKETS } from "../../../lib/bucket.ts";
import type { Where } from "./bucket-text.ts";

/** Its buckets, the lowest first. */
export type Group = readonly number[];

export interface Groups {
  readonly all: readonly Group[];
  of(bucket: number): Group;
  /** For a transaction in some buckets of one group. */
  where(buckets: readonly number[]): Where;
}

/** Every bucket is in one of them. */
export function toGroups(lists: readonly Group[]): Groups {
  const all = lists.map((buckets) => buckets.toSorted((one, other) => one - other));
  const byBucket = new Map(all.flatMap((group) => group.map((bucket) => [bucket, group] as const)));
  assert(byBucket.size === BUCKETS && all.flat().length === BUCKETS, "each bucket is in one group");
  const isOneOfSeveral = all.length > 1;
  const of = (bucket: number): Group => {
    const group = byBucket.get(bucket);
    assert(group !== undefined, `no group has the bucket ${bucket}`);
    return group;
  };
  return {
    all,
    of,
    where(buckets) {
      const [first] = buckets;
      assert(first !== undefined, "a transaction looks into no bucket");
      const group = of(first);
      const [name = first] = group;
      return { buckets, group: name, home: isOneOfSeveral ? (group.at(-1) ?? name) : name, isOneOfSeveral };
    },
  };
}

/** Whether a transaction there is about the account too. */
export const isAbout = ({ isOneOfSeveral, buckets }: Where, accountId: string): boolean =>
  !isOneOfSeveral || buckets.includes(bucketOf(accountId));

const ALL_BUCKETS: Group = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

export const ONE_GROUP = toGroups([ALL_BUCKETS]);

/** For tests: what several servers would have, on one. */
export const madeUpGroups = (count: number): readonly Group[] =>
  Array.from({ length: count }, (_, place) => ALL_BUCKETS.filter((bucket) => bucket % count === place));

/** For the installation's own tables, and for what names no account on one server. */
export const EVERYWHERE: Where = ONE_GROUP.where(ALL_BUCKETS);
