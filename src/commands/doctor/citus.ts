/** The doctor's words about a database that is spread over the workers of a Citus. */
import type { CitusInspection, InspectedWorker } from "../../store/postgres/citus/inspect.ts";
import { type Finding, fine, warning } from "./finding.ts";

export function describeCitus(citus: CitusInspection | null): Finding[] {
  if (citus === null) return [];
  const { version, workers, tablesLeft } = citus;
  const shards = workers.reduce((sum, worker) => sum + worker.shards, 0);
  if (shards === 0) {
    const text = `The database has Citus ${version} and is not distributed.`;
    return [warning(text, "Nodes commit shard by shard already, which costs more. Run: bellwire distribute")];
  }
  const spread = fine(
    `Accounts lie in ${shards} shards on ${workers.length} workers (Citus ${version}).`,
    workers.map(({ name, shards: count }) => `${name} has ${count} shards`),
  );
  return [spread, ...workers.filter(({ isReached }) => !isReached).map(toAway), ...describeLeft(tablesLeft)];
}

const toAway = ({ name, shards }: InspectedWorker): Finding =>
  warning(
    `The worker ${name} cannot be reached: the accounts of its ${shards} shards are refused (503) until it is back.`,
    "The others go on. Nothing needs to be done in Bellwire when it is there again.",
  );

function describeLeft(tables: readonly string[]): Finding[] {
  if (tables.length === 0) return [];
  const text = `${tables.length} tables are not distributed yet: ${tables.join(", ")}.`;
  return [warning(text, "Run bellwire distribute: it goes on with them.")];
}
