/** Accounts, and everything that one of them has set up, read together. */
import type { Plan } from "../../../domain/account.ts";
import type { ListedAccount, ListedAccounts, PutAccount, StoredAccount } from "../../contract/accounts.ts";
import { loadAlerts } from "./alerts.ts";
import { loadAssistants } from "./chat-assistants.ts";
import { bumpConfigVersion, isDeleted } from "../config-version.ts";
import { loadDestinations } from "./destinations.ts";
import { INSERT_SECRET, loadSecrets } from "./secrets.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { loadWebhooks } from "./webhooks.ts";

export async function putAccount(
  tx: SqlTransaction,
  { account, newSealedSecret, nowMs }: PutAccount,
): Promise<{ created: boolean; isDeleted?: true }> {
  const { id, name, plan, appUrl } = account;
  if ((await tx.db.run(INSERT_ACCOUNT, id, name, plan, appUrl, nowMs, nowMs)) === 1) {
    await tx.db.run(INSERT_SECRET, id, "secret", "current", newSealedSecret, nowMs, null);
    // Calls before this one in the same transaction may have missed it.
    tx.configVersions.set(id, 1);
    return { created: true };
  }
  if (await isDeleted(tx, id)) return { created: false, isDeleted: true };
  const changed = (await tx.db.run(UPDATE_ACCOUNT, name, plan, appUrl, nowMs, id)) === 1;
  if (changed) await bumpConfigVersion(tx, id);
  return { created: false };
}

/**
 * The version is read first: what changes while the rest is read makes it too old, and an accept that is decided with
 * it is refused and decided again. All of it is one turn to a database that is far away.
 */
export async function loadAccount(
  tx: SqlTransaction,
  { accountId }: { accountId: string },
): Promise<StoredAccount | null> {
  const found = tx.db.get<AccountRow>(FIND_ACCOUNT, accountId);
  const destinations = loadDestinations(tx, accountId);
  const [row, secrets, alerts, assistants, webhooks] = await Promise.all([
    found,
    loadSecrets(tx, accountId),
    loadAlerts(tx, accountId, destinations),
    loadAssistants(tx, accountId, destinations),
    loadWebhooks(tx, accountId, destinations),
    destinations,
  ]);
  if (row === undefined || secrets === null) return null;
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    appUrl: row.appUrl,
    isSuspended: Boolean(row.isSuspended),
    configVersion: row.configVersion,
    secrets,
    alerts,
    assistants,
    webhooks,
  };
}

export async function listAccounts(
  tx: SqlTransaction,
  { from, limit }: { readonly from: string; readonly limit: number },
): Promise<ListedAccounts> {
  const rows = await tx.db.all<ListedRow>(LIST_ACCOUNTS, from, limit);
  return { accounts: rows.map((row) => ({ ...row, isSuspended: Boolean(row.isSuspended) })) };
}

type ListedRow = Omit<ListedAccount, "isSuspended"> & { readonly isSuspended: Flag };

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly appUrl: string;
  readonly configVersion: number;
  readonly isSuspended: Flag;
}

const INSERT_ACCOUNT = `-- name: insert account unless it exists
  insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at)
  values ($1, $2, $3, $4, 1, $5, $6)
  on conflict do nothing`;

const IS_SUSPENDED = `exists (select 1 from account_states s where s.account_id = a.id) as "isSuspended"`;

const UPDATE_ACCOUNT = `-- name: update account if anything differs
  update accounts
  set name = $1, plan = $2, app_url = $3, updated_at = $4
  where id = $5 and (name, plan, app_url) is distinct from ($1, $2, $3)`;

const LIST_ACCOUNTS = `-- name: list accounts
  select id, name, plan, app_url as "appUrl", created_at as "createdAtMs", ${IS_SUSPENDED}
  from accounts a
  where id >= $1
    and not exists (select 1 from account_states s where s.account_id = a.id and s.state = 'deleted')
  order by id
  limit $2`;

const FIND_ACCOUNT = `-- name: find account
  select id, name, plan, app_url as "appUrl", config_version as "configVersion", ${IS_SUSPENDED}
  from accounts a
  where id = $1`;
