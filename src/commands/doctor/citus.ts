/** The doctor's words about a database that is spread over the workers of a Citus. */
import type { CitusInspection, InspectedWorker, SlotLeft } from "../../store/postgres/citus/inspect.ts";
import { type Finding, fine, warning } from "./finding.ts";

export function describeCitus(citus: CitusInspection | null): Finding[] {
  if (citus === null) return [];
  const { version, workers, tablesLeft, slotsLeft } = citus;
  const slots = slotsLeft.map(toSlotLeft);
  const shards = workers.reduce((sum, worker) => sum + worker.shards, 0);
  if (shards === 0) {
    const text = `The database has Citus ${version} and is not distributed.`;
    return [warning(text, "Nodes commit shard by shard already, which costs more. Run: bellwire distribute"), ...slots];
  }
  const spread = fine(
    `Accounts lie in ${shards} shards on ${workers.length} workers (Citus ${version}).`,
    workers.map(({ name, shards: count }) => `${name} has ${count} shards`),
  );
  const away = workers.filter(({ isReached }) => !isReached).map(toAway);
  return [spread, ...away, ...describeLeft(tablesLeft), ...slots];
}

const toAway = ({ name, shards }: InspectedWorker): Finding =>
  warning(
    `The worker ${name} cannot be reached: the accounts of its ${shards} shards are refused (503) until it is back.`,
    "The others go on. Nothing needs to be done in Bellwire when it is there again.",
  );

const toSlotLeft = ({ server, slot, bytes }: SlotLeft): Finding =>
  warning(
    `${server} keeps ${Math.ceil(bytes / BYTES_PER_MB)} MB of its log for a copy that nothing reads: slot ${slot}.`,
    "Citus drops it soon after a move or distribute was cancelled. If it is there in a minute and neither runs, " +
      `run on ${server}: select pg_drop_replication_slot('${slot}')`,
  );

const BYTES_PER_MB = 2 ** 20;

function describeLeft(tables: readonly string[]): Finding[] {
  if (tables.length === 0) return [];
  const text = `${tables.length} tables are not distributed yet: ${tables.join(", ")}.`;
  return [warning(text, "Run bellwire distribute: it goes on with them.")];
}
