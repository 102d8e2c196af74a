/**
 * One statement loads what a path transaction needs beside the fence: the lease (locked) and each destination.
 * It does not lock destinations: a transaction that changes one locks it then.
 */
import type { ConfigVersion } from "../../contract/accounts.ts";
import { DESTINATION_COLUMNS, type DestinationRow } from "../../sql/path/destinations.ts";
import type { Transaction } from "../transaction.ts";
import { remember } from "./destinations.ts";
import { holdLeases } from "./leases.ts";

export interface Needs {
  readonly destinationIds: readonly string[];
  readonly leaseIds: readonly number[];
}

/** What a verb does in a transaction of the path. Several are done beside each other, and decided with one look. */
export interface PathWork<Answer> {
  readonly needs: Needs;
  /** `loaded`: the leases that it needs and that are still there, once the rest is remembered too. */
  run(loaded: Promise<ReadonlySet<number>>): Promise<readonly Answer[]>;
}

/** The leases of `leaseIds` that are still there, held until the commit. */
export async function loadPathState(
  tx: Transaction,
  { destinationIds, leaseIds }: Needs,
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(destinationIds)];
  const leases = [...new Set(leaseIds)];
  if (ids.length === 0) return await holdLeases(tx, leases);
  const rows = await tx.db.all<{ readonly found: FoundTogether }>(LOAD_TOGETHER, ids, leases);
  // An account that has moved away has no destination here, which says nothing of the lease.
  if (rows.length === 0) return await holdLeases(tx, leases);
  const held = new Set<number>();
  for (const { found } of rows) {
    remember(tx, found);
    if (found.leaseId !== null) held.add(found.leaseId);
  }
  for (const id of leases) if (!held.has(id)) tx.node.inMemory.doubt(id);
  return held;
}

interface FoundTogether extends DestinationRow {
  readonly leaseId: number | null;
}

/**
 * A node has one lease, and another one only while it takes over from itself. The answer is one column, because pg
 * reads and keeps the name of each column anew with every answer.
 */
const LOAD_TOGETHER = `-- name: load state of path
  select row_to_json(found) as found
  from (
    select ${DESTINATION_COLUMNS}, l.id as "leaseId"
    from destinations d
    left join (
      select id
      from leases
      where id = any ($2::bigint[])
      for key share
    ) l on true
    where d.id = any ($1::text[])
  ) found`;

/** Lets a node find out which of its views of accounts are old. A node asks a few times in a second at most. */
export async function loadConfigVersions(
  { fenced, configVersions }: Transaction,
  { accountIds }: { readonly accountIds: readonly string[] },
): Promise<readonly ConfigVersion[]> {
  await fenced;
  return accountIds.flatMap((accountId) => {
    const configVersion = configVersions.get(accountId) ?? null;
    return configVersion === null ? [] : { accountId, configVersion };
  });
}
