/**
 * What an account's signatures are made with: a secret, and a key pair where the owner wants one; of each the current
 * one, and the previous one while it is rotated. Signing goes by `stops_at`, so that a node that has not seen the end
 * of a rotation signs right all the same.
 */
import type {
  AddSigningKey,
  EndRotation,
  RemoveSigningKey,
  RotateSecret,
  SecretKind,
  StoredRotating,
  StoredSecrets,
} from "../../contract/accounts.ts";
import { timeInWords } from "../../../lib/written-times.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function rotateSecret(
  tx: SqlTransaction,
  params: RotateSecret,
): Promise<"rotated" | "rotating_already" | "missing"> {
  const { accountId, kind, newSealedSecret, previousStopsAtMs, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  const before = await loadRotating(tx, accountId, kind);
  if (before === null) return "missing";
  if (previousStopsAtMs !== null && before.previous !== null) return "rotating_already";
  const previous = previousStopsAtMs === null ? null : { ...before.current, stopsAtMs: previousStopsAtMs };
  await replace(tx, { accountId, kind }, { current: { sealed: newSealedSecret, createdAtMs: nowMs }, previous });
  const subject =
    previousStopsAtMs === null ? "at once" : `the previous one stops at ${timeInWords(previousStopsAtMs)}`;
  await writeAudit(tx, { accountId, nowMs, by, action: `${kind}_rotated`, subject });
  await bumpConfigVersion(tx, accountId);
  return "rotated";
}

export async function endRotation(tx: SqlTransaction, params: EndRotation): Promise<"ended" | "unchanged"> {
  const { accountId, kind, keep, onlyIfDue, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  const before = await loadRotating(tx, accountId, kind);
  const previous = before?.previous ?? null;
  if (before === null || previous === null) return "unchanged";
  const isDue = previous.stopsAtMs <= nowMs;
  // A previous one that has stopped is out of use on every node: it does not come back.
  if (keep === "previous" ? isDue : onlyIfDue && !isDue) return "unchanged";
  const { sealed, createdAtMs } = keep === "previous" ? previous : before.current;
  await replace(tx, { accountId, kind }, { current: { sealed, createdAtMs }, previous: null });
  const action = keep === "previous" ? (`${kind}_rotation_cancelled` as const) : (`${kind}_stopped` as const);
  await writeAudit(tx, { accountId, nowMs, by, action, subject: "" });
  await bumpConfigVersion(tx, accountId);
  return "ended";
}

export async function addSigningKey(
  tx: SqlTransaction,
  params: AddSigningKey,
): Promise<"added" | "exists" | "missing"> {
  const { accountId, sealed, by, nowMs } = params;
  if ((await lockSetUp(tx, accountId)) === null) return "missing";
  if ((await loadRotating(tx, accountId, "key")) !== null) return "exists";
  await replace(tx, { accountId, kind: "key" }, { current: { sealed, createdAtMs: nowMs }, previous: null });
  await writeAudit(tx, { accountId, nowMs, by, action: "key_added", subject: "" });
  await bumpConfigVersion(tx, accountId);
  return "added";
}

export async function removeSigningKey(tx: SqlTransaction, params: RemoveSigningKey): Promise<"removed" | "missing"> {
  const { accountId, by, nowMs } = params;
  await lockSetUp(tx, accountId);
  if ((await tx.db.run(DELETE_SECRETS, accountId, "key")) === 0) return "missing";
  await writeAudit(tx, { accountId, nowMs, by, action: "key_removed", subject: "" });
  await bumpConfigVersion(tx, accountId);
  return "removed";
}

/** Ends those rotations whose time has come, at most `limit`; returns how many. Part of the housekeeping. */
export async function endDueRotations(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  const due = await tx.db.all<Of>(LIST_DUE_SECRETS, nowMs, limit);
  const by = { person: "system", role: "system" } as const;
  for (const of of due) await endRotation(tx, { ...of, keep: "current", onlyIfDue: true, by, nowMs });
  return due.length;
}

/** `null`: no such account. */
export async function loadSecrets(tx: SqlTransaction, accountId: string): Promise<StoredSecrets | null> {
  const rows = await tx.db.all<SecretRow>(LIST_SECRETS, accountId);
  const secret = toRotating(rows, "secret");
  return secret === null ? null : { ...secret, signingKey: toRotating(rows, "key") };
}

async function loadRotating(tx: SqlTransaction, accountId: string, kind: SecretKind): Promise<StoredRotating | null> {
  return toRotating(await tx.db.all<SecretRow>(LIST_SECRETS, accountId), kind);
}

function toRotating(rows: readonly SecretRow[], wanted: SecretKind): StoredRotating | null {
  const find = (role: SecretRow["role"]) => rows.find((row) => row.kind === wanted && row.role === role);
  const [current, previous] = [find("current"), find("previous")];
  if (current === undefined) return null;
  const toStored = ({ sealed, createdAtMs }: SecretRow) => ({ sealed, createdAtMs });
  return {
    current: toStored(current),
    previous: previous === undefined ? null : { ...toStored(previous), stopsAtMs: previous.stopsAtMs ?? 0 },
  };
}

interface Of {
  readonly accountId: string;
  readonly kind: SecretKind;
}

async function replace(tx: SqlTransaction, { accountId, kind }: Of, { current, previous }: StoredRotating) {
  await tx.db.run(DELETE_SECRETS, accountId, kind);
  await tx.db.run(INSERT_SECRET, accountId, kind, "current", current.sealed, current.createdAtMs, null);
  if (previous === null) return;
  const { sealed, createdAtMs, stopsAtMs } = previous;
  await tx.db.run(INSERT_SECRET, accountId, kind, "previous", sealed, createdAtMs, stopsAtMs);
}

interface SecretRow {
  readonly kind: SecretKind;
  readonly role: "current" | "previous";
  readonly sealed: string;
  readonly createdAtMs: number;
  readonly stopsAtMs: number | null;
}

export const INSERT_SECRET = `-- name: insert verification secret
  insert into verification_secrets (account_id, kind, role, sealed, created_at, stops_at)
  values ($1, $2, $3, $4, $5, $6)`;

const DELETE_SECRETS = `-- name: delete verification secrets of a kind
  delete from verification_secrets
  where account_id = $1 and kind = $2`;

const LIST_SECRETS = `-- name: list verification secrets of account
  select kind, role, sealed, created_at as "createdAtMs", stops_at as "stopsAtMs"
  from verification_secrets
  where account_id = $1`;

/** Exported for the test that reads its plan. */
export const LIST_DUE_SECRETS = `-- name: list secrets that have stopped
  select account_id as "accountId", kind
  from verification_secrets
  where stops_at <= $1
  order by stops_at
  limit $2`;
