/** Accounts, and everything that one of them has set up, read in one transaction. */
import type { Plan } from "../../domain/plan.ts";
import type { PutAccount, StoredAccount } from "../contract/accounts.ts";
import { loadAlerts } from "./alerts.ts";
import { loadAssistants } from "./chat-assistants.ts";
import { bumpConfigVersion } from "./config-version.ts";
import { loadDestinations } from "./destinations.ts";
import { loadSecrets } from "./secrets.ts";
import type { Transaction } from "./transaction.ts";

export function putAccount(tx: Transaction, { account, newSealedSecret, nowMs }: PutAccount): { created: boolean } {
  const { id, name, plan, appUrl } = account;
  if (tx.db.run(INSERT_ACCOUNT, id, name, plan, appUrl, nowMs, nowMs) === 1) {
    tx.db.run(INSERT_SECRET, id, newSealedSecret, nowMs);
    tx.configVersions.set(id, 1);
    return { created: true };
  }
  const changed = tx.db.run(UPDATE_ACCOUNT, name, plan, appUrl, nowMs, id, name, plan, appUrl) === 1;
  if (changed) bumpConfigVersion(tx, id);
  return { created: false };
}

export function loadAccount(tx: Transaction, { accountId }: { accountId: string }): StoredAccount | null {
  const row = tx.db.get<AccountRow>(FIND_ACCOUNT, accountId);
  const secrets = loadSecrets(tx, accountId);
  if (row === undefined || secrets === null) return null;
  const destinations = loadDestinations(tx, accountId);
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    appUrl: row.appUrl,
    configVersion: row.configVersion,
    secrets,
    alerts: loadAlerts(tx, accountId, destinations),
    assistants: loadAssistants(tx, accountId, destinations),
  };
}

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly appUrl: string;
  readonly configVersion: number;
}

const INSERT_ACCOUNT = `-- name: insert account unless it exists
  insert into accounts (id, name, plan, app_url, config_version, created_at, updated_at)
  values (?, ?, ?, ?, 1, ?, ?)
  on conflict do nothing`;

const INSERT_SECRET = `-- name: insert verification secret
  insert into verification_secrets (account_id, role, sealed, created_at)
  values (?, 'current', ?, ?)`;

const UPDATE_ACCOUNT = `-- name: update account if anything differs
  update accounts
  set name = ?, plan = ?, app_url = ?, updated_at = ?
  where id = ? and (name, plan, app_url) is not (?, ?, ?)`;

const FIND_ACCOUNT = `-- name: find account
  select id, name, plan, app_url as "appUrl", config_version as "configVersion"
  from accounts
  where id = ?`;
