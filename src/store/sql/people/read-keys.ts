/** Keys of programs: which there are, which key a call has shown, and when each was used last. */
import { LIMITS } from "../../../domain/limits.ts";
import type {
  AddReadKey,
  FoundReadKey,
  KeyKind,
  NoteReadKeyUse,
  OfReadKeys,
  RemoveReadKey,
  StoredReadKey,
} from "../../contract/read-keys.ts";
import { writeAudit } from "../audit.ts";
import { findConfigVersion } from "../config-version.ts";
import type { SqlTransaction } from "../transaction.ts";

/** What the column says of a key of all accounts: an account's id is never empty. */
const OF_ALL = "";

export async function addReadKey(
  tx: SqlTransaction,
  params: AddReadKey,
): Promise<"added" | "full" | "account_missing"> {
  const { accountId, key, by, nowMs } = params;
  await tx.hold(`read keys of ${accountId ?? OF_ALL}`);
  if (accountId !== null && (await findConfigVersion(tx, accountId)) === null) return "account_missing";
  if ((await listReadKeys(tx, params)).length >= LIMITS.readKeysMax) return "full";
  const { id, name, kind, tokenHash } = key;
  await tx.db.run(INSERT_READ_KEY, tokenHash, accountId ?? OF_ALL, id, name, kind, by.person, nowMs);
  if (accountId !== null) await writeAudit(tx, { accountId, nowMs, by, action: `${kind}_key_made`, subject: name });
  return "added";
}

export async function listReadKeys(tx: SqlTransaction, { accountId }: OfReadKeys): Promise<readonly StoredReadKey[]> {
  return (await tx.db.all<StoredReadKey>(LIST_READ_KEYS, accountId ?? OF_ALL)).map((row) => ({ ...row }));
}

export async function removeReadKey(
  tx: SqlTransaction,
  { accountId, id, by, nowMs }: RemoveReadKey,
): Promise<"removed" | "missing"> {
  const removed = await tx.db.get<{ name: string; kind: KeyKind }>(DELETE_READ_KEY, accountId ?? OF_ALL, id);
  if (removed === undefined) return "missing";
  const action = `${removed.kind}_key_taken_back` as const;
  if (accountId !== null) await writeAudit(tx, { accountId, nowMs, by, action, subject: removed.name });
  return "removed";
}

export async function findReadKey(
  tx: SqlTransaction,
  { tokenHash }: { readonly tokenHash: string },
): Promise<FoundReadKey | null> {
  const found = await tx.db.get<FoundReadKey & { accountId: string }>(FIND_READ_KEY, tokenHash);
  if (found === undefined) return null;
  const { accountId, ...rest } = found;
  return { ...rest, accountId: accountId === OF_ALL ? null : accountId };
}

export async function noteReadKeyUse(tx: SqlTransaction, { accountId, id, nowMs }: NoteReadKeyUse): Promise<void> {
  await tx.db.run(NOTE_READ_KEY_USE, nowMs, accountId ?? OF_ALL, id);
}

export async function countReadKeys(tx: SqlTransaction, { rowsMax }: { readonly rowsMax: number }): Promise<number> {
  return (await tx.db.all(LIST_ANY_READ_KEYS, rowsMax)).length;
}

const INSERT_READ_KEY = `-- name: insert read key
  insert into read_keys (token_hash, account_id, id, name, kind, made_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)`;

const LIST_READ_KEYS = `-- name: list read keys of account
  select id, name, kind, made_by as "madeBy", created_at as "createdAtMs", used_at as "usedAtMs"
  from read_keys
  where account_id = $1
  order by id`;

const DELETE_READ_KEY = `-- name: delete read key
  delete from read_keys
  where account_id = $1 and id = $2
  returning name, kind`;

const FIND_READ_KEY = `-- name: find read key
  select id, name, kind, account_id as "accountId", used_at as "usedAtMs"
  from read_keys
  where token_hash = $1`;

const NOTE_READ_KEY_USE = `-- name: note use of read key
  update read_keys
  set used_at = $1
  where account_id = $2 and id = $3 and (used_at is null or used_at < $1)`;

const LIST_ANY_READ_KEYS = `-- name: list any read keys
  select id
  from read_keys
  limit $1`;
