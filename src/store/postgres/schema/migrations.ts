/**
 * The schema's history: each step is a file of SQL that is never changed once released. The number of the last one is
 * the version that a database has and that this code needs.
 *
 * Nodes of the version before go on running while the first new one migrates. So a step only ever adds what they can
 * do without (a table, a column that is null or has a constant default, an index); unused things are taken
 * away a release later, when no old node is left. A step says the oldest schema whose nodes still work with it
 * (`readBy`). Older nodes refuse to start from then on, and while one runs the step is not made: the new node refuses.
 *
 * A new form of what stands in a row (another text in a column) needs a step too, if only for its number. That step
 * takes nothing from older nodes, so its `readBy` stays low. Its number becomes `NEWEST_FORM`, and who writes the form
 * asks `mayWrite` (`forms.ts`).
 *
 * - Adding a column takes a lock for a moment. A constraint comes as `not valid` and is validated a step later.
 * - An index on a table that has rows is a step of its own, marked `online`: `create index concurrently`, with the
 *   schema's name, alone in its file. On a table by days it is made on the parent with `on only`, in an ordinary step:
 *   days that are made from then on have it, and after a retention's time all of them.
 */
import { readFileSync } from "node:fs";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** The version of the oldest nodes that work with the schema after this step. */
  readonly readBy: number;
  /** The index that is made without locking its table, outside of a transaction; `null` for every other step. */
  readonly online: string | null;
  /** For the home shard alone; the others only note its number. */
  readonly isOfHome: boolean;
}

export const MIGRATIONS: readonly Migration[] = [
  read(1, "schema"),
  read(2, "emit", { isOfHome: true }),
  read(3, "bodies", { readBy: 2 }),
  read(4, "read-keys", { readBy: 2 }),
  read(5, "pull", { readBy: 2 }),
  read(6, "manage", { readBy: 2 }),
  read(7, "account-states", { readBy: 2 }),
  read(8, "one-at-a-time", { readBy: 2 }),
  read(9, "tags", { readBy: 2 }),
  read(10, "saved-views", { readBy: 2 }),
];

/** The oldest schema whose nodes read every form that this code writes. */
export const NEWEST_FORM = 9;

export const NEWEST_VERSION = MIGRATIONS.length;

/** Unless a step says otherwise, only nodes that know it work with it. */
function read(
  version: number,
  name: string,
  { readBy = version, online = null, isOfHome = false }: Partial<Migration> = {},
): Migration {
  const file = new URL(`./${String(version).padStart(4, "0")}-${name}.sql`, import.meta.url);
  return { version, name, sql: readFileSync(file, "utf8"), readBy, online, isOfHome };
}
