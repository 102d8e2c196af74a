/**
 * Suspending an account, letting it go on, and deleting it:
 *
 *     active ⇄ suspended ──► deleted (its rows go in steps: `../retention/forget-accounts.ts`)
 *        └───────────────────────▲
 *
 * Invariant: a suspension notes which destinations it paused, so that going on turns on just those. A deleted account
 * keeps a row in `accounts` without name and secret: no verb finds it, nobody makes another, and its shard is known.
 */
import { type DestinationNow, pause } from "../../../domain/destination-now.ts";
import type { AccountStateNow, SetAccountState } from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import { OF_ADDRESSES, TO_RECIPIENTS } from "../messages/recipients.ts";
import { type ChangeSteps, deleteDestination } from "../path/destinations.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function setAccountState<Tx extends SqlTransaction>(
  tx: Tx,
  { state, ...params }: SetAccountState,
  steps: ChangeSteps<Tx>,
): Promise<AccountStateNow | "missing"> {
  const { accountId } = params;
  const version = await lockSetUp(tx, accountId);
  const row = await tx.db.get<StateRow>(FIND_STATE, accountId);
  if (row?.state === "deleted") return { state: row.goneAtMs === null ? "deleting" : "deleted", changed: false };
  if (version === null) return "missing";
  if (state === (row?.state ?? "active")) return { state: row?.state ?? "active", changed: false };
  if (state === "deleted") {
    await deleteAccount(tx, params, steps);
    return { state: "deleting", changed: true };
  }
  if (state === "suspended") await suspend(tx, params, steps);
  else await resume(tx, { ...params, paused: JSON.parse(row?.paused ?? "[]") as string[] }, steps);
  await bumpConfigVersion(tx, accountId);
  return { state, changed: true };
}

interface StateRow {
  readonly state: "suspended" | "deleted";
  readonly paused: string;
  readonly goneAtMs: number | null;
}

type Change = Omit<SetAccountState, "state">;

async function suspend<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs }: Change,
  steps: ChangeSteps<Tx>,
): Promise<void> {
  const ids = await listDestinations(tx, accountId);
  const on = (await lockAll(tx, ids, steps)).filter(([, { state }]) => state === "on");
  for (const [id, before] of on) {
    const change = { after: pause(before), actor: by.person, reason: "account suspended", nowMs };
    await steps.changeDestination(tx, id, change);
  }
  await tx.db.run(PUT_STATE, accountId, "suspended", nowMs, JSON.stringify(on.map(([id]) => id)));
  await writeAudit(tx, { accountId, nowMs, by, action: "account_suspended", subject: "" });
}

async function resume<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs, paused }: Change & { readonly paused: readonly string[] },
  steps: ChangeSteps<Tx>,
): Promise<void> {
  const locked = await lockAll(tx, paused, steps);
  for (const [id, before] of locked.filter(([, { state, isDeleted }]) => state === "paused" && !isDeleted)) {
    const after = { ...before, state: "on" } as const;
    const change = { after, actor: by.person, reason: "account goes on", nowMs };
    await steps.changeDestination(tx, id, change);
  }
  await tx.db.run(DELETE_STATE, accountId);
  await writeAudit(tx, { accountId, nowMs, by, action: "account_resumed", subject: "" });
}

/** At once goes what opens the account, signs for it, or tells its people anything. */
async function deleteAccount<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs }: Change,
  steps: ChangeSteps<Tx>,
): Promise<void> {
  const ids = await listDestinations(tx, accountId);
  await lockAll(tx, ids, steps);
  for (const id of ids) await deleteDestination(tx, { id, by, nowMs }, steps);
  for (const [table, where] of AT_ONCE) await tx.db.run(deleteOf(table, where), accountId);
  await tx.db.run(PUT_STATE, accountId, "deleted", nowMs, "[]");
  await writeAudit(tx, { accountId, nowMs, by, action: "account_deleted", subject: "" });
  await tx.db.run(EMPTY_ACCOUNT, nowMs, accountId);
  await bumpConfigVersion(tx, accountId);
}

/** Addresses go behind what leads to them. The operator's messages are sent: they say that trouble has ended. */
const AT_ONCE: readonly (readonly [table: string, where?: string])[] = [
  ["verification_secrets"],
  ["read_keys"],
  ["sign_in_links"],
  ["sessions"],
  ["messages", TO_RECIPIENTS],
  ["mail_links", OF_ADDRESSES],
  ["mail_addresses"],
  ["channels"],
];

/** All before any is changed, and in one order: a change locks the account's row too, which comes last everywhere. */
async function lockAll<Tx extends SqlTransaction>(
  tx: Tx,
  ids: readonly string[],
  { lockDestination }: ChangeSteps<Tx>,
): Promise<readonly (readonly [string, DestinationNow])[]> {
  const locked: (readonly [string, DestinationNow])[] = [];
  for (const id of ids) {
    const now = await lockDestination(tx, id);
    if (now !== null) locked.push([id, now]);
  }
  return locked;
}

const listDestinations = async ({ db }: SqlTransaction, accountId: string): Promise<readonly string[]> =>
  (await db.all<{ id: string }>(LIST_DESTINATIONS, accountId)).map(({ id }) => id);

const FIND_STATE = `-- name: find state of account that is not active
  select state, paused, gone_at as "goneAtMs"
  from account_states
  where account_id = $1`;

const PUT_STATE = `-- name: put state of account
  insert into account_states (account_id, state, at, paused)
  values ($1, $2, $3, $4)
  on conflict (account_id) do update
  set state = excluded.state, at = excluded.at, paused = excluded.paused`;

const DELETE_STATE = `-- name: delete state of account that goes on
  delete from account_states
  where account_id = $1`;

const LIST_DESTINATIONS = `-- name: list ids of destinations of account
  select id
  from destinations
  where account_id = $1 and deleted_at is null
  order by id`;

const deleteOf = (table: string, where = "account_id = $1"): string => `-- name: delete ${table} of deleted account
  delete from ${table}
  where ${where}`;

const EMPTY_ACCOUNT = `-- name: empty deleted account
  update accounts
  set name = '', app_url = '', updated_at = $1
  where id = $2`;
