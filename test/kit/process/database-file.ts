/**
 * The database file, read by somebody else than the service: what a kill left behind, without asking the one who was
 * killed. Read-only, so that the look itself repairs nothing.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const databaseIn = (dataDir: string): string => join(dataDir, "bellwire.db");

/**
 * Ids of the deliveries that have not ended; they are also the `webhook-id`s that receivers see. Those that the service
 * had in memory have no row: their events name them.
 */
export function pendingDeliveries(dataDir: string): ReadonlySet<string> {
  const rows = read<{ id: string }>(dataDir, "select id from deliveries where state = 'pending'");
  return new Set([...rows, ...openDeliveries(dataDir)].map(({ id }) => id));
}

/** Each state that some delivery with a row has. */
export const deliveryStates = (dataDir: string): readonly string[] =>
  read<{ state: string }>(dataDir, "select distinct state from deliveries order by state").map(({ state }) => state);

/** Deliveries that the service had in memory. */
export const openDeliveries = (dataDir: string): { readonly id: string; readonly acceptedAtMs: number }[] =>
  read(dataDir, LIST_OPEN);

const LIST_OPEN = `
  select n.key as id, e.accepted_at as "acceptedAtMs"
  from events e
  cross join json_each(e.deliveries) n
  where e.seq >= (select in_memory_from from low_water_marks) and octet_length(e.body) > 0
    and not exists (select 1 from deliveries d where d.id = n.key)`;

export const countEvents = (dataDir: string): number =>
  read<{ count: number }>(dataDir, "select count(*) as count from events")[0]?.count ?? 0;

/** A replay's state, and how many of its deliveries it has dealt with. */
export function replayIn(dataDir: string, id: string): { state: string; moved: number; skipped: number } {
  const [replay] = read<{ state: string; moved: number; skipped: number }>(
    dataDir,
    "select state, moved, skipped from replays where id = ?",
    id,
  );
  if (replay === undefined) throw new Error(`there is no replay ${id}`);
  return { ...replay };
}

/** "ok", or what SQLite found wrong with the file. */
export const checkIntegrity = (dataDir: string): string =>
  read<{ integrity_check: string }>(dataDir, "pragma integrity_check")
    .map((row) => row.integrity_check)
    .join("; ");

function read<Row>(dataDir: string, sql: string, ...values: readonly string[]): Row[] {
  const database = new DatabaseSync(databaseIn(dataDir), { readOnly: true });
  try {
    return database.prepare(sql).all(...values) as Row[];
  } finally {
    database.close();
  }
}
