/**
 * Which forms of rows nodes write, while older nodes may run beside newer ones. One number in the database, `readBy`,
 * says the oldest schema whose nodes read everything in it. A node starts and claims only if it knows that schema, and
 * writes a form only when `readBy` has reached the form's own number.
 *
 *     old nodes run: leases say `reads` = 5     readBy 5, and the new form 8 is withheld
 *     the last of them has gone                 a node sets readBy to 8; from then on form 8 is written
 *     an old node starts, or wakes up           refused: its lease was taken over, and a new one needs `reads` >= 8
 *
 * Invariant: a form's number is set only while no lease is there that says less, ended or not. A node opens its lease
 * under the same lock, and reads the number after that. A lease that says less than the number is not renewed.
 */
import { StoreUnavailable } from "../../contract/store.ts";
import type { RowForm } from "../../sql/dialect.ts";
import type { Connection } from "../connection/connection.ts";
import { NEWEST_FORM, NEWEST_VERSION } from "./migrations.ts";

export interface Forms {
  /** The newest schema that this node knows. */
  readonly reads: number;
  /** The newest form that it would write. */
  readonly writes: number;
  /** The database's number, as this node saw it last. It only rises, so an old sight only withholds a form. */
  readBy: number;
  /** When it was asked for last. */
  askedAtMs: number;
}

export const newForms = ({ reads = NEWEST_VERSION, writes = NEWEST_FORM }: Partial<Forms> = {}): Forms => ({
  reads,
  writes,
  readBy: 0,
  askedAtMs: -Infinity,
});

export const mayWrite = ({ readBy, writes }: Forms, form: number): boolean => form <= writes && form <= readBy;

/** By the step that brought it. */
const FORMS: Readonly<Record<RowForm, number>> = { body: 3, pull: 5, order: 8, group: 9 };

/** Asks the database where this node's sight is too old to tell: it may just have started. */
export async function mayWriteNow({ db, node }: FormsOfNode, form: RowForm): Promise<boolean> {
  const { forms } = node;
  return mayWrite(forms, FORMS[form]) || mayWrite({ ...forms, readBy: await loadReadBy(db) }, FORMS[form]);
}

/** A transaction, as far as forms go. */
interface FormsOfNode {
  readonly db: Connection;
  readonly node: { readonly forms: Forms };
}

/** Sets the number to `writes` if every node that may run reads that, and returns it as it is then. */
export async function raiseReadBy(db: Connection, { writes }: Pick<Forms, "writes">): Promise<number> {
  await holdForms(db);
  await db.run(RAISE_READ_BY, writes);
  return await loadReadBy(db);
}

/** For a node that opens a lease: nobody raises the number until its commit. */
export const holdForms = (db: Connection): Promise<unknown> => db.run(HOLD_FORMS);

export async function loadReadBy(db: Connection): Promise<number> {
  return (await db.get<{ readBy: number }>(FIND_READ_BY))?.readBy ?? 0;
}

/** Whether a node runs that knows an older schema than this. To be asked under `holdForms`. */
export async function isOlderNodeRunning(db: Connection, version: number, nowMs: number): Promise<boolean> {
  return (await db.get<{ isOlder: boolean }>(FIND_OLDER, version, nowMs))?.isOlder === true;
}

/** Throws `StoreUnavailable`: the node was started before rows came that it cannot read. */
export function assertReads({ reads }: Pick<Forms, "reads">, readBy: number): void {
  if (readBy <= reads) return;
  throw new StoreUnavailable(
    `the database has rows in a form of schema ${readBy}, and this node knows schema ${reads}: ` +
      "newer nodes took over while it was out of touch; stop it and run their version",
  );
}

const HOLD_FORMS = `-- name: hold forms
  select 1
  from schema_migrations
  where version = 1
  for update`;

const RAISE_READ_BY = `-- name: raise form of rows
  update schema_migrations
  set read_by = $1
  where version = (select max(version) from schema_migrations)
    and (select max(coalesce(read_by, version)) from schema_migrations) < $1
    and not exists (select 1 from leases where reads < $1)`;

/** A step that says nothing of older nodes is for those that know it. */
const FIND_READ_BY = `-- name: find oldest nodes of schema
  select max(coalesce(read_by, version)) as "readBy"
  from schema_migrations`;

const FIND_OLDER = `-- name: find older nodes
  select exists (
    select 1
    from leases
    where reads < $1 and until_at > $2
  ) as "isOlder"`;
