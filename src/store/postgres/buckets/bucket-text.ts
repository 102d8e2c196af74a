/**
 * The buckets of a statement on PostgreSQL: `$buckets`, `$bucket` and `$group` become the placeholders behind the
 * others. On one server no statement asks for buckets (`../../sql/buckets.ts`), so they cost nothing there.
 */
import { assert } from "../../../lib/assert.ts";
import { withoutConditions } from "../../sql/buckets.ts";

/** Where a transaction's statements look. */
export interface Where {
  readonly buckets: readonly number[];
  /** The first bucket of their group, which names it. */
  readonly group: number;
  /**
   * Where rows lie that are about the whole group: on one server bucket 0, and the group's last bucket where there are
   * several. So those of one server stay as they were when its accounts are divided.
   */
  readonly home: number;
  /** Whether there are several groups of buckets, so that statements have to say which. */
  readonly isOneOfSeveral: boolean;
}

type Name = "buckets" | "bucket" | "group";

export interface BucketText {
  readonly text: string;
  /** The meaning of the last placeholders, in their order. */
  readonly takes: readonly Name[];
}

export function toBucketText(sql: string, { isOneOfSeveral }: Where): BucketText {
  const known = isOneOfSeveral ? OF_SEVERAL : OF_ONE;
  const before = known.get(sql);
  if (before !== undefined) return before;
  const made = place(isOneOfSeveral ? inEachTable(sql) : withoutConditions(sql));
  known.set(sql, made);
  return made;
}

/**
 * Citus does not conclude from a join where the joined table's rows lie, when the statement locks rows or is more than
 * a join: each table says it for itself.
 */
const inEachTable = (sql: string): string =>
  sql.replaceAll(
    /\band (\w+)\.bucket = \w+\.bucket\b/g,
    (join, table) => `${join} and ${table}.bucket = any ($buckets)`,
  );

/** Statements are constants, so these do not grow. */
const OF_SEVERAL = new Map<string, BucketText>();
const OF_ONE = new Map<string, BucketText>();

function place(sql: string): BucketText {
  const last = Math.max(0, ...Array.from(sql.matchAll(/\$(\d+)/g), ([, digits]) => Number(digits)));
  const takes: Name[] = [];
  const text = sql.replaceAll(/\$(buckets|bucket|group)\b/g, (_, name: Name) => {
    if (!takes.includes(name)) takes.push(name);
    return `$${last + 1 + takes.indexOf(name)}`;
  });
  return { text, takes };
}

/** The values behind the statement's own. */
export function bucketValues({ takes }: BucketText, { buckets, home }: Where): (number | readonly number[])[] {
  const values = { buckets: () => buckets, bucket: () => onlyBucket(buckets), group: () => home };
  return takes.map((name) => values[name]());
}

function onlyBucket(buckets: readonly number[]): number {
  const [bucket, ...others] = buckets;
  assert(bucket !== undefined && others.length === 0, `a statement of one account runs in ${buckets.length} buckets`);
  return bucket;
}
