/**
 * What a transaction of the path decides by, read in one statement: destinations as of now, their accounts' versions,
 * and the lease, which it holds from here on. Destinations are not locked: what changes one locks it later.
 */
import { DESTINATION_COLUMNS, type DestinationRow } from "../sql/destination-rows.ts";
import { remember } from "./destination-now.ts";
import { holdLeases } from "./leases.ts";
import type { Transaction } from "./transaction.ts";

export interface LoadSituation {
  readonly destinationIds: Iterable<string>;
  readonly leaseIds: Iterable<number>;
}

/** The leases of `leaseIds` that are still there, held until the commit. */
export async function loadSituation(
  tx: Transaction,
  { destinationIds, leaseIds }: LoadSituation,
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(destinationIds)];
  const leases = [...new Set(leaseIds)];
  if (ids.length === 0) return await holdLeases(tx, leases);
  const rows = await tx.db.all<SituationRow>(LOAD_SITUATION, ids, leases);
  const held = new Set<number>();
  for (const { leaseId, configVersion, ...row } of rows) {
    remember(tx, row);
    tx.configVersions.set(row.accountId, configVersion);
    if (leaseId !== null) held.add(leaseId);
  }
  for (const id of leases) if (!held.has(id)) tx.node.open.doubt(id);
  return held;
}

interface SituationRow extends DestinationRow {
  readonly leaseId: number | null;
  readonly configVersion: number | null;
}

/** A node has one lease, and another one only while it takes over from itself. */
const LOAD_SITUATION = `-- name: load situation of path
  select ${DESTINATION_COLUMNS}, a.config_version as "configVersion", l.id as "leaseId"
  from destinations d
  left join accounts a on a.id = d.account_id
  left join (
    select id
    from leases
    where id = any ($2::bigint[])
    for key share
  ) l on true
  where d.id = any ($1::text[])`;
