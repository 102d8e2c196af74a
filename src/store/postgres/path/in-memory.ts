/**
 * Deliveries that nodes have in memory, as the database knows them: named by their event, and without a row. Read
 * without a lock, for people; and by a takeover, which has locked the lease.
 *
 * A list reads them first and rows after that: one that ends meanwhile is then seen twice, and its row is right.
 */
import type { Claim } from "../../contract/path.ts";
import { findEventIds, hasId, idsSince, isIn, isInDays, toPlaceholders } from "../days.ts";
import type { Transaction } from "../transaction.ts";

export interface InMemory {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly claim: Claim;
}

interface InMemoryRow extends Omit<InMemory, "claim"> {
  readonly heldUntilMs: number;
  readonly claimToken: string;
}

const toInMemory = ({ heldUntilMs, claimToken, ...row }: InMemoryRow): InMemory => ({
  ...row,
  claim: { token: claimToken, untilMs: heldUntilMs },
});

export interface LeaseRow {
  readonly id: number;
  readonly lowWaterMs: number;
}

/** All nodes'. */
export async function listLeases(tx: Transaction): Promise<LeaseRow[]> {
  return await tx.db.all<LeaseRow>(LIST_LEASES);
}

export interface ListInMemory {
  readonly leases: readonly LeaseRow[];
  /** `null`: of all accounts. */
  readonly accountId: string | null;
}

export async function listInMemory(tx: Transaction, { leases, accountId }: ListInMemory): Promise<InMemory[]> {
  if (leases.length === 0) return [];
  const rows = await tx.db.all<InMemoryRow>(LIST_IN_MEMORY, ...valuesOf(leases), accountId);
  return rows.map(toInMemory);
}

/**
 * How many of all accounts. This node's own are counted in its memory. Those of other nodes are `LIST_IN_MEMORY`
 * counted, which reads what they have accepted since their marks. The database says whether the lease is still this
 * node's.
 */
export async function countInMemory(tx: Transaction): Promise<number> {
  const { inMemory } = tx.node;
  const leases = await listLeases(tx);
  const own = leases.find(({ id }) => id === inMemory.lease?.id);
  const others = leases.filter((lease) => lease !== own);
  const countedHere = own === undefined ? 0 : inMemory.countUnder(own.id);
  return countedHere + (others.length === 0 ? 0 : await countOf(tx, others));
}

async function countOf(tx: Transaction, leases: readonly LeaseRow[]): Promise<number> {
  return (await tx.db.get<{ count: number }>(COUNT_IN_MEMORY, ...valuesOf(leases), null))?.count ?? 0;
}

function valuesOf(leases: readonly LeaseRow[]): [number[], number, ...(string | null)[]] {
  const lowWaterMs = Math.min(...leases.map((lease) => lease.lowWaterMs));
  const ids = leases.map(({ id }) => id);
  return [
    ids,
    lowWaterMs,
    ...toPlaceholders(idsSince("evt", lowWaterMs)),
    ...toPlaceholders(idsSince("dlv", lowWaterMs)),
  ];
}

/** One of them; `null`: it has a row, or there is no such delivery. */
export async function findInMemory(
  tx: Transaction,
  { accountId, deliveryId }: { readonly accountId: string; readonly deliveryId: string },
): Promise<InMemory | null> {
  const row = await tx.db.get<InMemoryRow>(
    FIND_IN_MEMORY,
    deliveryId,
    accountId,
    ...toPlaceholders(findEventIds(deliveryId)),
  );
  return row === undefined ? null : toInMemory(row);
}

/** As an event names them. */
export const toInMemoryText = (
  deliveries: readonly { readonly id: string; readonly destinationId: string }[],
): string => deliveries.map(({ id, destinationId }) => `${id} ${destinationId}`).join("\n");

const COLUMNS = `named.id, e.id as "eventId", e.type as "eventType", e.account_id as "accountId",
    named.destination_id as "destinationId", e.accepted_at as "acceptedAtMs", e.held_until as "heldUntilMs",
    e.claim_token as "claimToken"`;

/** The deliveries that event `e` was accepted with and that got no row then, as `named`. */
export const IN_MEMORY_OF_EVENT = `cross join lateral (
    select split_part(line, ' ', 1) collate "C" as id, split_part(line, ' ', 2) as destination_id
    from unnest(string_to_array(e.in_memory, E'\\n')) as line
  ) named`;

/**
 * Its row, as `row_of`, looked for by its key: a plan that joins them would read a day's deliveries. Ids lie in the
 * range at `$place`.
 */
export const withRow = (place: number): string => `left join lateral (
    select d.id
    from deliveries d
    where d.id = named.id and ${isInDays("d", place)}
    limit 1
  ) row_of on true`;

/** What has a body has not been purged, and so are its deliveries' rows not. */
const IN_MEMORY = `from events e
  ${IN_MEMORY_OF_EVENT}
  ${withRow(7)}
  where row_of.id is null and e.lease_id = any ($1::bigint[]) and e.body <> '' and e.accepted_at >= $2
    and ${isIn("e.id", 3)}
    and ($11::text is null or e.account_id = $11)`;

/** Exported for the test that reads its plan, like the next one. */
export const LIST_IN_MEMORY = `-- name: list deliveries in memory
  select ${COLUMNS}
  ${IN_MEMORY}`;

const COUNT_IN_MEMORY = `-- name: count deliveries in memory
  select count(1) as count
  ${IN_MEMORY}`;

export const FIND_IN_MEMORY = `-- name: find delivery in memory
  select ${COLUMNS}
  from events e
  ${IN_MEMORY_OF_EVENT}
  where named.id = $1 and e.account_id = $2 and e.in_memory is not null and e.body <> '' and ${isIn("e.id", 3)}
    and not exists (select 1 from deliveries d where ${hasId("d", 1)})`;

const LIST_LEASES = `-- name: list leases
  select id, low_water_at as "lowWaterMs"
  from leases`;
