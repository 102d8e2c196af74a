/**
 * The texts that bodies were made of. An attempt names one by its id; retention lets a text go when no attempt can name
 * it any more.
 */
import { daysMs } from "../../../lib/duration.ts";
import type { KeepBodyText, KeptBodyText, LoadBodyTexts } from "../../contract/bodies.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

export async function keepBodyText(tx: SqlTransaction, { accountId, id, text, nowMs }: KeepBodyText): Promise<void> {
  await tx.db.run(KEEP_TEXT, accountId, id, text, nowMs);
}

export async function loadBodyTexts(
  tx: SqlTransaction,
  { accountId, ids }: LoadBodyTexts,
): Promise<readonly KeptBodyText[]> {
  const found = await Promise.all(ids.map(async (id) => await tx.db.get<KeptBodyText>(FIND_TEXT, accountId, id)));
  return found.flatMap((row) => (row === undefined ? [] : [{ id: row.id, text: row.text }]));
}

/** A text is used up to a day after it was kept last; a day more for clocks and for what was being settled. */
const USED_MS_MAX = daysMs(2);

export interface ForgetTexts {
  readonly rowsBeforeMs: number;
  readonly limit: number;
}

/**
 * Changes at most `limit` rows and returns how many. An attempt goes with its event, so a text that was used last
 * before the oldest event came is named by none. Events that wait may be older than retention asks.
 */
export async function forgetBodyTexts<Tx extends SqlTransaction>(
  tx: Tx,
  { rowsBeforeMs, limit }: ForgetTexts,
  findOldestEvent: (tx: Tx) => Answer<number | null>,
): Promise<number> {
  const usedBeforeMs = rowsBeforeMs - USED_MS_MAX;
  if (limit <= 0 || (await tx.db.get(FIND_OLD_TEXT, usedBeforeMs)) === undefined) return 0;
  const oldestMs = (await findOldestEvent(tx)) ?? rowsBeforeMs;
  return await tx.db.run(FORGET_TEXTS, Math.min(usedBeforeMs, oldestMs - USED_MS_MAX), limit);
}

const KEEP_TEXT = `-- name: keep text of bodies
  insert into body_texts (account_id, id, text, used_at)
  values ($1, $2, $3, $4)
  on conflict (account_id, id) do update
  set used_at = excluded.used_at
  where body_texts.used_at < excluded.used_at`;

const FIND_TEXT = `-- name: find text of bodies
  select id, text
  from body_texts
  where account_id = $1 and id = $2`;

/** Exported for the test that reads its plan, like the next one. */
export const FIND_OLD_TEXT = `-- name: find old text of bodies
  select id
  from body_texts
  where used_at < $1
  limit 1`;

export const FORGET_TEXTS = `-- name: forget texts of bodies that no attempt names
  with old as materialized (
    select account_id, id
    from body_texts
    where used_at < $1
    order by used_at
    limit $2
  )
  delete from body_texts
  where (account_id, id) in (select account_id, id from old)`;
