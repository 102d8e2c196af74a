/** Views of the log: an account's few, replaced by name and by what they filter. */
import type { PutView, SavedView } from "../../contract/saved-views.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function listViews(
  { db }: SqlTransaction,
  { accountId }: { readonly accountId: string },
): Promise<readonly SavedView[]> {
  return (await db.all<SavedView>(LIST_VIEWS, accountId)).map((row) => ({ ...row }));
}

export async function putView(
  tx: SqlTransaction,
  { accountId, name, search, viewsMax }: PutView,
): Promise<"done" | "full"> {
  await tx.hold(`views of ${accountId}`);
  const others = (await listViews(tx, { accountId })).filter((view) => view.name !== name && view.search !== search);
  if (search !== null && others.length >= viewsMax) return "full";
  await tx.db.run(DELETE_VIEW, accountId, name, search);
  if (search !== null) await tx.db.run(INSERT_VIEW, accountId, name, search);
  return "done";
}

const LIST_VIEWS = `-- name: list views of account
  select name, search
  from saved_views
  where account_id = $1
  order by name`;

const DELETE_VIEW = `-- name: delete view of a name or of filters
  delete from saved_views
  where account_id = $1 and (name = $2 or search = $3)`;

const INSERT_VIEW = `-- name: insert view
  insert into saved_views (account_id, name, search)
  values ($1, $2, $3)`;
