/**
 * What is left of deleted accounts goes in steps of retention, each of at most `limit` rows: events with what they
 * fired, then their words of search, then everything else, and at last destination by destination. Nothing goes while
 * something of the account may still be in flight: what waits is cancelled first (`expire.ts`), and no node has a
 * delivery of it in memory.
 *
 * Invariant: keys against repeats stay, and so does the audit's entry of who deleted the account. No statement reads
 * rows of others.
 */
import type { Dialect } from "../dialect.ts";
import { OF_ADDRESSES, TO_RECIPIENTS } from "../messages/recipients.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

export interface ForgetSteps<Tx> {
  /** Whether all that was accepted before this instant has rows. */
  isWritten(tx: Tx, beforeMs: number, nowMs: number): Answer<boolean>;
  /** Deletes at most `limit` rows of events with nothing pending, and returns how many. */
  deleteEvents(tx: Tx, eventIds: readonly string[], limit: number): Answer<number>;
  /** Tables that only this store has. */
  readonly ownTables: readonly AccountTable[];
}

/** A table with rows of accounts: `key` says which go together, `where` which are `$1`'s. */
export interface AccountTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly where?: string;
}

type Steps<Tx extends SqlTransaction> = ForgetSteps<Tx> & Pick<Dialect<Tx>, "listTests" | "deleteBlock">;

interface Forget {
  readonly nowMs: number;
  readonly limit: number;
}

/** Deletes `limit` rows or some more, and returns how many, `limit` at most. */
export async function forgetAccounts<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, limit }: Forget,
  steps: Steps<Tx>,
): Promise<number> {
  let left = limit;
  if (left <= 0) return 0;
  for (const { accountId, atMs } of await tx.db.all<Leaving>(LIST_LEAVING, ACCOUNTS_AT_ONCE)) {
    if (left <= 0) break;
    if (!(await steps.isWritten(tx, atMs + 1, nowMs))) continue;
    if ((await tx.db.get(FIND_WAITING, accountId)) !== undefined) continue;
    // Two nodes would delete the same rows in two orders.
    await tx.hold(`leaving ${accountId}`);
    left -= await forgetAccount(tx, { accountId, nowMs, limit: left }, steps);
  }
  return limit - Math.max(0, left);
}

interface Leaving {
  readonly accountId: string;
  readonly atMs: number;
}

const ACCOUNTS_AT_ONCE = 10;
/** Each has up to some hundred rows of its own. */
const EVENTS_AT_ONCE = 100;
const BLOCKS_AT_ONCE = 8;
const DESTINATIONS_AT_ONCE = 20;

interface ForgetOne extends Forget {
  readonly accountId: string;
}

async function forgetAccount<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, nowMs, limit }: ForgetOne,
  steps: Steps<Tx>,
): Promise<number> {
  const events = await forgetEvents(tx, { accountId, limit }, steps);
  if (events !== null) return events;
  let left = limit;
  left -= await forgetBlocks(tx, accountId, steps);
  for (const table of [...TABLES, ...steps.ownTables]) {
    if (left > 0) left -= await tx.db.run(deleteFrom(table), accountId, left);
  }
  left -= await forgetDestinations(tx, { accountId, limit: left });
  for (const table of OWNERS) if (left > 0) left -= await tx.db.run(deleteFrom(table), accountId, left);
  if (left === limit) await tx.db.run(NOTE_GONE, nowMs, accountId);
  return limit - left;
}

/** `null`: there is none. */
async function forgetEvents<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, limit }: Omit<ForgetOne, "nowMs">,
  { listTests, deleteEvents }: Steps<Tx>,
): Promise<number | null> {
  for (const [list, values] of [
    [LIST_EVENTS, [accountId, EVENTS_AT_ONCE]],
    [listTests, [accountId, "", EVENTS_AT_ONCE]],
  ] as const) {
    const ids = (await tx.db.all<{ id: string }>(list, ...values)).map(({ id }) => id);
    if (ids.length > 0) return await deleteEvents(tx, ids, limit);
  }
  return null;
}

async function forgetBlocks<Tx extends SqlTransaction>(
  tx: Tx,
  accountId: string,
  { deleteBlock }: Steps<Tx>,
): Promise<number> {
  let deleted = 0;
  for (const { id } of await tx.db.all<{ id: number }>(LIST_BLOCKS, accountId, BLOCKS_AT_ONCE)) {
    deleted += 1 + (await tx.db.run(DELETE_ENTRIES, id));
    await deleteBlock(tx, id);
  }
  return deleted;
}

/** A destination goes when nothing of it is left. */
async function forgetDestinations(tx: SqlTransaction, { accountId, limit }: Omit<ForgetOne, "nowMs">): Promise<number> {
  let left = limit;
  for (const { id } of await tx.db.all<{ id: string }>(LIST_DESTINATIONS, accountId, DESTINATIONS_AT_ONCE)) {
    for (const table of OF_DESTINATION) if (left > 0) left -= await tx.db.run(deleteFrom(table), id, left);
    if (left <= 0) break;
    left -= await tx.db.run(DELETE_DESTINATION, id);
  }
  return limit - left;
}

/** What leads to others goes behind them. */
const TABLES: readonly AccountTable[] = [
  { name: "account_attempt_counts", key: ["account_id", "at"] },
  {
    name: "replay_items",
    key: ["replay_id", "delivery_id"],
    where: "replay_id in (select r.id from replays r where r.account_id = $1)",
  },
  { name: "replays", key: ["id"] },
  { name: "messages", key: ["seq"], where: TO_RECIPIENTS },
  { name: "mail_links", key: ["token_hash"], where: OF_ADDRESSES },
  { name: "mail_addresses", key: ["id"] },
  { name: "confirmation_requests", key: ["seq"] },
  { name: "channels", key: ["id"] },
  { name: "destination_changes", key: ["seq"] },
  { name: "incidents", key: ["account_id", "destination_id", "id"] },
  { name: "failure_responses", key: ["account_id", "destination_id", "code"] },
  { name: "body_texts", key: ["account_id", "id"] },
  { name: "audit_entries", key: ["seq"], where: "account_id = $1 and action <> 'account_deleted'" },
  { name: "verification_secrets", key: ["account_id", "kind", "role"] },
  { name: "read_keys", key: ["token_hash"] },
  { name: "saved_views", key: ["account_id", "name"] },
  { name: "sign_in_links", key: ["token_hash"] },
  { name: "sessions", key: ["token_hash"] },
];

/** `$1` is a destination. */
const OF_DESTINATION: readonly AccountTable[] = [
  { name: "attempt_counts", key: ["destination_id", "at"], where: "destination_id = $1" },
  { name: "ordered_deliveries", key: ["seq"], where: "destination_id = $1" },
  { name: "pulls", key: ["destination_id"], where: "destination_id = $1" },
];

const OWNERS: readonly AccountTable[] = [
  { name: "alerts", key: ["account_id", "id"] },
  { name: "chat_assistants", key: ["account_id", "id"] },
  { name: "webhooks", key: ["account_id", "id"] },
];

/** Exported for tests: every table of accounts is somewhere, and none is read as a whole. */
export const FORGOTTEN = [...TABLES, ...OF_DESTINATION, ...OWNERS];

export const deleteFrom = ({ name, key, where = "account_id = $1" }: AccountTable): string => {
  const columns = key.join(", ");
  return `-- name: delete some ${name} of deleted account
  delete from ${name}
  where (${columns}) in (select ${columns} from ${name} where ${where} limit $2)`;
};

const LIST_LEAVING = `-- name: list deleted accounts with rows
  select s.account_id as "accountId", s.at as "atMs"
  from account_states s
  where s.state = 'deleted' and s.gone_at is null
  order by s.account_id
  limit $1`;

const FIND_WAITING = `-- name: find what waits for deleted account
  select 1 as one
  from destinations
  where account_id = $1 and next_due_at is not null
  limit 1`;

const LIST_EVENTS = `-- name: list some events of deleted account
  select id
  from events
  where account_id = $1 and source_id is not null
  limit $2`;

const LIST_BLOCKS = `-- name: list some blocks of search of deleted account
  select id
  from search_blocks
  where account_id = $1
  limit $2`;

const LIST_DESTINATIONS = `-- name: list some destinations of deleted account
  select id
  from destinations
  where account_id = $1
  limit $2`;

const DELETE_DESTINATION = `-- name: delete destination of deleted account
  delete from destinations
  where id = $1`;

const DELETE_ENTRIES = `-- name: delete entries of block of deleted account
  delete from search_entries
  where block_id = $1`;

const NOTE_GONE = `-- name: note that deleted account is gone
  update account_states
  set gone_at = $1
  where account_id = $2`;
