/** Deliveries in memory as rows of the log's list: what a row that waits for its first attempt would show. */
import { UNTRIED_LISTED } from "../../columns.ts";
import type { ListDeliveries } from "../../contract/log.ts";
import { findStart, type ListedRow } from "../../sql/log/log-rows.ts";
import { type InMemory, type LeaseRow, listInMemory } from "../path/in-memory.ts";
import type { Transaction } from "../transaction.ts";

/** Those that the filter lets through, in no order. Read before any row is (see `../path/in-memory.ts`). */
export async function listRowsInMemory(
  tx: Transaction,
  params: ListDeliveries,
  leases: readonly LeaseRow[],
): Promise<ListedRow[]> {
  const { accountId, statuses, response } = params;
  // None has an answer yet.
  if (response !== undefined || (statuses !== undefined && !statuses.includes("waiting"))) return [];
  const inMemory = await listInMemory(tx, { leases, accountId });
  return inMemory.filter((delivery) => isListed(delivery, params)).map(toListedRow);
}

function isListed(delivery: InMemory, { destinationId, type, createdFromMs = 0, ...filter }: ListDeliveries): boolean {
  const { acceptedAtMs } = delivery;
  const { createdAtMs, id } = findStart(filter);
  if (destinationId !== undefined && delivery.destinationId !== destinationId) return false;
  if (type !== undefined && delivery.eventType !== type) return false;
  if (acceptedAtMs < createdFromMs || acceptedAtMs > createdAtMs) return false;
  return acceptedAtMs < createdAtMs || delivery.id < id;
}

/** Its first attempt is under way: it has been due since it was accepted. */
const toListedRow = ({ id, eventId, destinationId, acceptedAtMs }: InMemory): ListedRow => ({
  ...UNTRIED_LISTED,
  id,
  eventId,
  destinationId,
  dueAtMs: acceptedAtMs,
  createdAtMs: acceptedAtMs,
});

/** Both together; where a delivery has got its row meanwhile, the row is right. */
export function joinRows(inMemory: readonly ListedRow[], rows: readonly ListedRow[]): ListedRow[] {
  const ids = new Set(rows.map(({ id }) => id));
  return [...rows, ...inMemory.filter(({ id }) => !ids.has(id))];
}
