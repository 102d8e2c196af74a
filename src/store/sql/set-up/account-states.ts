/**
 * Suspending an account, letting it go on, and deleting it:
 *
 *     active ⇄ suspended ──► deleted (its rows go in steps: `../retention/forget-accounts.ts`)
 *        └───────────────────────▲
 *
 * The state is there with the first call, and each call changes some of the account's webhooks; the caller calls until
 * none is left. It may have thousands, and the calls of others go between. Where the caller dies, the housekeeping goes
 * on (`../retention/expire.ts`).
 *
 * Invariant: a suspension notes which destinations it paused, so that going on turns on just those. Of two changes at
 * once the one that began later counts: the other one's next call finds it under way, or ended, and changes nothing.
 * A deleted account keeps a row in `accounts` without name and secret: no verb finds it, nobody makes another, and its
 * shard is known.
 */
import { type DestinationNow, pause, SYSTEM_ACTOR } from "../../../domain/destination-now.ts";
import { minutesMs } from "../../../lib/duration.ts";
import type { AccountStateNow, SetAccountState } from "../../contract/accounts.ts";
import { writeAudit } from "../audit.ts";
import { bumpConfigVersion, lockSetUp } from "../config-version.ts";
import { OF_ADDRESSES, TO_RECIPIENTS } from "../messages/recipients.ts";
import { type ChangeSteps, deleteDestination } from "../path/destinations.ts";
import type { SqlTransaction } from "../transaction.ts";

/**
 * Measured on a busy machine with 5,000: the call takes 6 s on PostgreSQL, and an accept of others waits for 0.2 s of
 * them at most. In one transaction both took 27 s.
 */
const DESTINATIONS_AT_ONCE = 50;

export async function setAccountState<Tx extends SqlTransaction>(
  tx: Tx,
  { state, goesOn = false, ...params }: SetAccountState,
  steps: ChangeSteps<Tx>,
): Promise<AccountStateNow | "missing"> {
  const { accountId, nowMs } = params;
  const version = await lockSetUp(tx, accountId);
  const row = await tx.db.get<StateRow>(FIND_STATE, accountId);
  const before = row?.state ?? "active";
  if (before === "deleted") {
    const left = state === "deleted" ? await deleteSome(tx, params, steps) : NONE;
    return { state: row?.goneAtMs === null ? "deleting" : "deleted", ...left };
  }
  if (version === null) return "missing";
  const becoming = row?.becoming ?? null;
  const paused = JSON.parse(row?.paused ?? "[]") as string[];
  if (goesOn && becoming !== state) return { state: before, ...NONE };
  const begins = state !== (becoming ?? before);
  const sinceMs = begins ? nowMs : (row?.atMs ?? nowMs);
  switch (state) {
    case "active": {
      if (before === "active") return { state, ...NONE };
      if (begins) await writeAudit(tx, { ...params, action: "account_resumed", subject: "" });
      return { state, ...(await resume(tx, { ...params, paused, sinceMs }, steps)) };
    }
    case "suspended": {
      if (begins) await writeAudit(tx, { ...params, action: "account_suspended", subject: "" });
      const { changed, hasMore } = await suspendSome(tx, { ...params, paused, sinceMs }, steps);
      if (before === "active") await bumpConfigVersion(tx, accountId);
      return { state, changed: begins || changed, hasMore };
    }
    case "deleted": {
      const { hasMore } = await deleteSome(tx, params, steps);
      await deleteAtOnce(tx, params);
      return { state: "deleting", changed: true, hasMore };
    }
  }
}

interface StateRow {
  readonly state: "suspended" | "deleted";
  readonly atMs: number;
  /** What it is to become, while some of its webhooks are still as they were. */
  readonly becoming: Becoming | null;
  /** JSON. */
  readonly paused: string;
  readonly goneAtMs: number | null;
}

type Becoming = "active" | "suspended";

type Change = Omit<SetAccountState, "state" | "goesOn">;
type Changed = Pick<AccountStateNow, "changed" | "hasMore">;
const NONE: Changed = { changed: false, hasMore: false };

interface OfSuspended extends Change {
  /** Ids of the destinations that its suspension paused. */
  readonly paused: readonly string[];
  /** When this change began. */
  readonly sinceMs: number;
}

async function suspendSome<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs, paused, sinceMs }: OfSuspended,
  steps: ChangeSteps<Tx>,
): Promise<Changed> {
  const ids = await listIds(tx, LIST_ON, accountId);
  const on = (await lockAll(tx, ids, steps)).filter(([, { state }]) => state === "on");
  await changeAll(tx, { locked: on, to: pause, by, reason: "account suspended", nowMs }, steps);
  const hasMore = ids.length === DESTINATIONS_AT_ONCE;
  const all = JSON.stringify([...paused, ...on.map(([id]) => id)]);
  await tx.db.run(PUT_STATE, accountId, "suspended", sinceMs, hasMore ? "suspended" : null, all);
  return { changed: on.length > 0, hasMore };
}

/** It stays suspended until the last of them is on. */
async function resume<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs, paused, sinceMs }: OfSuspended,
  steps: ChangeSteps<Tx>,
): Promise<Changed> {
  const locked = await lockAll(tx, paused.slice(0, DESTINATIONS_AT_ONCE), steps);
  const off = locked.filter(([, { state, isDeleted }]) => state === "paused" && !isDeleted);
  const to = (now: DestinationNow) => ({ ...now, state: "on" }) as const;
  await changeAll(tx, { locked: off, to, by, reason: "account goes on", nowMs }, steps);
  const left = paused.slice(DESTINATIONS_AT_ONCE);
  if (left.length > 0) {
    await tx.db.run(PUT_STATE, accountId, "suspended", sinceMs, "active", JSON.stringify(left));
    return { changed: true, hasMore: true };
  }
  await tx.db.run(DELETE_STATE, accountId);
  await bumpConfigVersion(tx, accountId);
  return { changed: true, hasMore: false };
}

/** One with 5,000 webhooks takes 6 s. Guess. */
const LEFT_OVER_AFTER_MS = minutesMs(1);

/** Some of what a process that died has left of a suspension, or of its end. False: there is nothing. */
export async function changeLeftOver<Tx extends SqlTransaction>(
  tx: Tx,
  nowMs: number,
  steps: ChangeSteps<Tx>,
): Promise<boolean> {
  const row = await tx.db.get<LeftOver>(FIND_LEFT_OVER, nowMs - LEFT_OVER_AFTER_MS);
  if (row === undefined) return false;
  const by = { person: SYSTEM_ACTOR, role: "system" } as const;
  return (await setAccountState(tx, { ...row, by, nowMs, goesOn: true }, steps)) !== "missing";
}

interface LeftOver {
  readonly accountId: string;
  readonly state: Becoming;
}

/** At once goes what opens the account, signs for it, or tells its people anything. Locks the account's row. */
async function deleteAtOnce(tx: SqlTransaction, { accountId, by, nowMs }: Change): Promise<void> {
  for (const [table, where] of AT_ONCE) await tx.db.run(deleteOf(table, where), accountId);
  await tx.db.run(PUT_STATE, accountId, "deleted", nowMs, null, "[]");
  await writeAudit(tx, { accountId, nowMs, by, action: "account_deleted", subject: "" });
  await tx.db.run(EMPTY_ACCOUNT, nowMs, accountId);
  await bumpConfigVersion(tx, accountId);
}

/** What a process that died has left goes by the housekeeping (`../retention/expire.ts`). */
export async function deleteSome<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, by, nowMs }: Change,
  steps: ChangeSteps<Tx>,
): Promise<Changed> {
  const ids = await listIds(tx, LIST_DESTINATIONS, accountId);
  await lockAll(tx, ids, steps);
  await Promise.all(ids.map((id) => deleteDestination(tx, { id, by, nowMs }, steps)));
  return { changed: ids.length > 0, hasMore: ids.length === DESTINATIONS_AT_ONCE };
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

interface ChangeAll extends Omit<Change, "accountId"> {
  readonly locked: Locked;
  readonly to: (now: DestinationNow) => DestinationNow;
  readonly reason: string;
}

/** Sent together, so that a database that is far away is waited for a few times. */
async function changeAll<Tx extends SqlTransaction>(
  tx: Tx,
  { locked, to, by, reason, nowMs }: ChangeAll,
  { changeDestination }: ChangeSteps<Tx>,
): Promise<void> {
  await Promise.all(
    locked.map(async ([id, now]) => {
      await changeDestination(tx, id, { after: to(now), actor: by.person, reason, nowMs });
    }),
  );
}

type Locked = readonly (readonly [id: string, now: DestinationNow])[];

/** All before any is changed, and in one order: a change locks the account's row too, which comes last everywhere. */
async function lockAll<Tx extends SqlTransaction>(
  tx: Tx,
  ids: readonly string[],
  { lockDestination }: ChangeSteps<Tx>,
): Promise<Locked> {
  const found = await Promise.all(ids.map(async (id) => [id, await lockDestination(tx, id)] as const));
  return found.flatMap(([id, now]) => (now === null ? [] : [[id, now]]));
}

const listIds = async ({ db }: SqlTransaction, list: string, accountId: string): Promise<readonly string[]> =>
  (await db.all<{ id: string }>(list, accountId, DESTINATIONS_AT_ONCE)).map(({ id }) => id);

const FIND_STATE = `-- name: find state of account that is not active
  select state, at as "atMs", becoming, paused, gone_at as "goneAtMs"
  from account_states
  where account_id = $1`;

const PUT_STATE = `-- name: put state of account
  insert into account_states (account_id, state, at, becoming, paused)
  values ($1, $2, $3, $4, $5)
  on conflict (account_id) do update
  set state = excluded.state, at = excluded.at, becoming = excluded.becoming, paused = excluded.paused`;

const FIND_LEFT_OVER = `-- name: find account whose change was broken off
  select account_id as "accountId", becoming as state
  from account_states
  where becoming is not null and at <= $1
  order by at
  limit 1`;

const DELETE_STATE = `-- name: delete state of account that goes on
  delete from account_states
  where account_id = $1`;

const LIST_DESTINATIONS = `-- name: list ids of some destinations of account
  select id
  from destinations
  where account_id = $1 and deleted_at is null
  order by id
  limit $2`;

const LIST_ON = `-- name: list ids of some destinations of account that are on
  select id
  from destinations
  where account_id = $1 and deleted_at is null and state = 'on'
  order by id
  limit $2`;

const deleteOf = (table: string, where = "account_id = $1"): string => `-- name: delete ${table} of deleted account
  delete from ${table}
  where ${where}`;

const EMPTY_ACCOUNT = `-- name: empty deleted account
  update accounts
  set name = '', app_url = '', updated_at = $1
  where id = $2`;
