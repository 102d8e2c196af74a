/** A look at a Citus for the doctor: which worker has what, and which one is away. */
import type { Connection } from "../connection/connection.ts";
import { listTablesLeft } from "./distribute.ts";
import { listShards, listWorkers, loadCitusVersion } from "./shards.ts";

export interface CitusInspection {
  /** Such as "13.2-1". */
  readonly version: string;
  readonly workers: readonly InspectedWorker[];
  /** Tables with a bucket that lie on the coordinator. */
  readonly tablesLeft: readonly string[];
  /** Replication slots of copies of shards, which nothing reads now. */
  readonly slotsLeft: readonly SlotLeft[];
}

export interface SlotLeft {
  /** The server that has it, such as `db-2:5432`. */
  readonly server: string;
  readonly slot: string;
  /** The log that the server keeps for it. */
  readonly bytes: number;
}

export interface InspectedWorker {
  /** Such as `db-2:5432`. */
  readonly name: string;
  /** The coordinator reaches it. */
  readonly isReached: boolean;
  readonly shards: number;
}

/** `null`: the database has no Citus. */
export async function inspectCitus(db: Connection): Promise<CitusInspection | null> {
  const version = await loadCitusVersion(db);
  if (version === null) return null;
  const shards = Map.groupBy(await listShards(db), ({ worker }) => worker);
  const reached = new Set((await db.all<{ name: string }>(LIST_REACHED)).map(({ name }) => name));
  const workers = (await listWorkers(db)).map(({ name }) => ({
    name,
    isReached: reached.has(name),
    shards: shards.get(name)?.length ?? 0,
  }));
  const tablesLeft = (await listTablesLeft(db)).map(({ name }) => name);
  return { version, workers, tablesLeft, slotsLeft: await db.all<SlotLeft>(LIST_SLOTS_LEFT) };
}

const LIST_REACHED = `-- name: list workers that are reached
  select nodename || ':' || nodeport as name
  from run_command_on_workers('values (1)')
  where success`;

/** Those of this database: Citus names all of them so. On servers that are reached, the coordinator among them. */
const LIST_SLOTS_LEFT = `-- name: list replication slots that nothing reads
  select n.nodename || ':' || n.nodeport as server, left_over.slot, left_over.bytes
  from run_command_on_all_nodes($$
    select coalesce(json_agg(json_build_object(
      'slot', slot_name, 'bytes', coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint
    )), '[]')
    from pg_replication_slots
    where slot_name like 'citus\\_shard\\_%' and not active and database = current_database()
  $$, give_warning_for_connection_errors => true) asked
  join pg_dist_node n on n.nodeid = asked.nodeid
  cross join json_to_recordset(case when asked.success then asked.result::json else '[]' end)
    as left_over (slot text, bytes bigint)
  order by server, slot`;
