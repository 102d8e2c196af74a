/** An account's replays, for the list of recent ones. */
import type { StoredReplay } from "../../contract/replays.ts";
import { REPLAY_COLUMNS, type ReplayRow, toStoredReplay } from "./replays.ts";
import type { SqlTransaction } from "../transaction.ts";

/** More than anybody looks through. */
const REPLAYS_MAX = 100;

export async function listReplays(tx: SqlTransaction, { accountId }: { accountId: string }): Promise<StoredReplay[]> {
  return (await tx.db.all<ReplayRow>(LIST_REPLAYS, accountId, REPLAYS_MAX)).map(toStoredReplay);
}

/** Exported for the test that reads its plan. Ids are ordered by time. */
export const LIST_REPLAYS = `-- name: list newest replays of account
  select ${REPLAY_COLUMNS}
  from replays
  where account_id = $1 and bucket = any ($buckets)
  order by id desc
  limit $2`;
