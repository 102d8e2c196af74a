/**
 * The buckets of a statement, in a spelling that is easy to take out again. A statement is written once, as a database
 * of several servers takes it:
 *
 * - conditions, always behind another one: `and d.bucket = any ($buckets)`, and in a join `and a.bucket = d.bucket`;
 * - `bucket` first among the columns of an insert and `$bucket` (or a table's own `x.bucket`) first among its values;
 * - `bucket` last in `on conflict (…, bucket)`.
 *
 * A statement about deliveries says whether it means the queue or the days, always behind another condition too:
 * `and not d.is_ended`, `and d.is_ended`; and where it sets a state, `, is_ended = true`.
 */

const CONDITIONS = /\s+and (?:\w+\.)?bucket = (?:any \(\$buckets\)|\$bucket\b|\$group\b|(?:\w+\.)?bucket\b)/g;

/** For one server: the keys keep their bucket, and no statement asks for it. */
export const withoutConditions = (sql: string): string => sql.replaceAll(CONDITIONS, "");

/** For a database that has no buckets and no days. */
export function withoutBuckets(sql: string): string {
  return withoutConditions(sql)
    .replaceAll(/\s+and (?:not )?(?:\w+\.)?is_ended\b/g, "")
    .replaceAll(/, is_ended = (?:true|false)/g, "")
    .replaceAll(/\((?:\$bucket|bucket), /g, "(")
    .replaceAll(/(?<=\bselect )(?:\$bucket|(?:\w+\.)?bucket), /g, "")
    .replaceAll(", bucket)", ")");
}
