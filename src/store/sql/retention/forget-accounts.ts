/**
 * What is left of deleted accounts goes in steps of retention, each of at most `limit` rows: events with what they
 * fired, then their words of search, then everything else. Nothing goes while something of the account may still be
 * in flight: what waits is cancelled first (`expire.ts`), and no node has a delivery of it in memory.
 *
 * Invariant: keys against repeats stay, and so does the audit's entry of who deleted the account.
 */
import type { Dialect } from "../dialect.ts";
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

async function forgetAccount<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, nowMs, limit }: Forget & { readonly accountId: string },
  steps: Steps<Tx>,
): Promise<number> {
  let left = limit;
  for (const [list, values] of [
    [LIST_EVENTS, [accountId, EVENTS_AT_ONCE]],
    [steps.listTests, [accountId, "", EVENTS_AT_ONCE]],
  ] as const) {
    const ids = (await tx.db.all<{ id: string }>(list, ...values)).map(({ id }) => id);
    if (ids.length > 0) return await steps.deleteEvents(tx, ids, left);
  }
  for (const { id } of await tx.db.all<{ id: number }>(LIST_BLOCKS, accountId, BLOCKS_AT_ONCE)) {
    left -= await tx.db.run(DELETE_ENTRIES, id);
    await steps.deleteBlock(tx, id);
    left -= 1;
  }
  for (const table of [...TABLES, ...steps.ownTables, ...LAST]) {
    if (left <= 0) return limit - left;
    left -= await tx.db.run(deleteFrom(table), accountId, left);
  }
  if (left === limit) await tx.db.run(NOTE_GONE, nowMs, accountId);
  return limit - left;
}

const OF_DESTINATIONS = "destination_id in (select d.id from destinations d where d.account_id = $1)";

/** What leads to others goes behind them. */
const TABLES: readonly AccountTable[] = [
  { name: "attempt_counts", key: ["destination_id", "at"], where: OF_DESTINATIONS },
  { name: "account_attempt_counts", key: ["account_id", "at"] },
  {
    name: "replay_items",
    key: ["replay_id", "delivery_id"],
    where: "replay_id in (select r.id from replays r where r.account_id = $1)",
  },
  { name: "replays", key: ["id"] },
  {
    name: "mail_links",
    key: ["token_hash"],
    where: "address_id in (select m.id from mail_addresses m where m.account_id = $1)",
  },
  { name: "mail_addresses", key: ["id"] },
  { name: "confirmation_requests", key: ["seq"] },
  { name: "channels", key: ["id"] },
  { name: "messages", key: ["seq"] },
  { name: "destination_changes", key: ["seq"] },
  { name: "incidents", key: ["account_id", "destination_id", "id"] },
  { name: "failure_responses", key: ["account_id", "destination_id", "code"] },
  { name: "body_texts", key: ["account_id", "id"] },
  { name: "audit_entries", key: ["seq"], where: "account_id = $1 and action <> 'account_deleted'" },
  { name: "verification_secrets", key: ["account_id", "kind", "role"] },
  { name: "read_keys", key: ["token_hash"] },
  { name: "sign_in_links", key: ["token_hash"] },
  { name: "sessions", key: ["token_hash"] },
  { name: "ordered_deliveries", key: ["seq"] },
  { name: "pulls", key: ["destination_id"] },
];

const LAST: readonly AccountTable[] = [
  { name: "alerts", key: ["account_id", "id"] },
  { name: "chat_assistants", key: ["account_id", "id"] },
  { name: "webhooks", key: ["account_id", "id"] },
  { name: "destinations", key: ["id"] },
];

/** Exported for the test that wants every table of accounts to be somewhere. */
export const FORGOTTEN = [...TABLES, ...LAST].map(({ name }) => name);

const deleteFrom = ({ name, key, where = "account_id = $1" }: AccountTable): string => {
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

const DELETE_ENTRIES = `-- name: delete entries of block of deleted account
  delete from search_entries
  where block_id = $1`;

const NOTE_GONE = `-- name: note that deleted account is gone
  update account_states
  set gone_at = $1
  where account_id = $2`;
