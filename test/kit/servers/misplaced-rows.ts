/**
 * Rows that lie in another bucket than their account: on a database of several servers no statement would find them.
 * Asked of a PostgreSQL store after a test, whatever the test was about.
 */
import { assert } from "../../../src/lib/assert.ts";
import { readTables } from "../statements/bucket-faults.ts";
import { readSchema } from "../statements/read-schema.ts";
import type { SharedCluster } from "./postgres.ts";

/** As `lib/bucket.ts` says it. */
const bucketOf = (column: string): string => `('x' || left(md5(${column}), 4))::bit(16)::integer & 255`;

/** For tables that name no account: whose bucket they have. */
const PARENTS: Readonly<Record<string, { readonly column: string; readonly parent: string }>> = {
  attempts: { column: "delivery_id", parent: "deliveries" },
  attempt_counts: { column: "destination_id", parent: "destinations" },
  mail_links: { column: "address_id", parent: "mail_addresses" },
  replay_items: { column: "replay_id", parent: "replays" },
  search_entries: { column: "block_id", parent: "search_blocks" },
};

/** One row for each group of buckets and not for an account: their bucket is the group's first. */
const OF_GROUPS = new Set(["attempt_deltas", "search_cursors"]);

const SCHEMA = readSchema();
const SQL = [...readTables(SCHEMA).ofAccounts].flatMap(toQuestion).join("\nunion all ");

function toQuestion(table: string): string[] {
  // A partition's rows are its table's.
  if (!SCHEMA.includes(`create table ${table} (`) || OF_GROUPS.has(table)) return [];
  return [`select '${table}' as "table", count(*) as rows from bellwire.${table} r where ${isMisplaced(table)}`];
}

function isMisplaced(table: string): string {
  const parent = PARENTS[table];
  if (parent !== undefined) {
    const { column, parent: of } = parent;
    return `exists (select 1 from bellwire.${of} p where p.id = r.${column} and p.bucket <> r.bucket)`;
  }
  if (table === "accounts") return `r.bucket <> (${bucketOf("r.id")})`;
  const columns = SCHEMA.split(`create table ${table} (`)[1]?.split("\n)")[0] ?? "";
  assert(columns.includes("  account_id text"), `${table} names no account: say here whose bucket it has`);
  return `r.bucket <> (${bucketOf("r.account_id")})`;
}

/** Empty when all is well. */
export async function findMisplacedRows(cluster: SharedCluster, url: string): Promise<string[]> {
  const rows = await cluster.query(url, SQL);
  return rows.filter((row) => Number(row["rows"]) > 0).map((row) => `${String(row["table"])}: ${String(row["rows"])}`);
}
