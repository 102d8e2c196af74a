/**
 * Destinations as their owners set them up. State, health and queue belong to the event's path: `destination-now.ts`,
 * `../path/destinations.ts`.
 */
import type { Authentication } from "../../../domain/authentication.ts";
import type { DestinationOffReason, DestinationState } from "../../../domain/destination.ts";
import type { Owner } from "../../../domain/event.ts";
import { assert } from "../../../lib/assert.ts";
import type { DestinationSetup, StoredDestination, StoredHeader } from "../../contract/accounts.ts";
import type { Actor } from "../../../domain/account.ts";
import type { Dialect } from "../dialect.ts";
import { putCertificateWarnings } from "../messages/put-messages.ts";
import { startAnew } from "../path/resends.ts";
import type { SqlTransaction } from "../transaction.ts";

export type DestinationSteps<Tx extends SqlTransaction> = Pick<
  Dialect<Tx>,
  "lockDestination" | "changeDestination" | "lowerDueBound"
>;

export interface SaveDestination {
  readonly accountId: string;
  readonly owner: Owner;
  readonly setup: DestinationSetup | null;
  readonly by: Actor;
  readonly nowMs: number;
}

/**
 * Creates it once, then changes URL, headers, authentication and rate. Its queue stays; its health begins anew with
 * another URL. Returns the id, if any.
 */
export async function saveDestination<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, owner, setup, by, nowMs }: SaveDestination,
  dialect: DestinationSteps<Tx>,
): Promise<string | null> {
  if (setup === null) return null;
  const { id, url, headers, authentication, ratePerSecond, certificateEndsAtMs = null } = setup;
  const headersJson = JSON.stringify(headers.map(({ name, value, secret }) => ({ name, value, secret })));
  const before = await tx.db.get<BeforeRow>(FIND_BEFORE, id);
  const isOurs = before === undefined || before.accountId === accountId;
  const values = [
    accountId,
    id,
    url,
    headersJson,
    authentication === undefined || authentication === null ? null : JSON.stringify(authentication),
    ratePerSecond,
    owner.kind,
    owner.id,
    nowMs,
    certificateEndsAtMs,
  ];
  const written = isOurs ? await tx.db.run(UPSERT_DESTINATION, ...values) : 0;
  assert(written === 1, `the destination ${id} is deleted, or belongs to another account than ${accountId}`);
  tx.destinations.delete(id);
  if (before !== undefined && before.url !== url) await startAnew(tx, { id, by, nowMs }, dialect);
  if ((before?.certificateEndsAtMs ?? null) !== certificateEndsAtMs) {
    await putCertificateWarnings(tx, { accountId, destinationId: id, endsAtMs: certificateEndsAtMs }, nowMs);
  }
  return id;
}

/** The account's destinations by id. */
export async function loadDestinations(tx: SqlTransaction, accountId: string): Promise<Map<string, StoredDestination>> {
  const rows = await tx.db.all<DestinationRow>(LIST_DESTINATIONS, accountId);
  return new Map(rows.map((row) => [row.id, toStoredDestination(row)]));
}

/** `null` when the account has none of that id. */
export async function loadDestination(
  tx: SqlTransaction,
  accountId: string,
  destinationId: string,
): Promise<StoredDestination | null> {
  const row = await tx.db.get<DestinationRow>(FIND_DESTINATION, accountId, destinationId);
  return row === undefined ? null : toStoredDestination(row);
}

const toStoredDestination = ({ headers, authentication, ...row }: DestinationRow): StoredDestination => ({
  ...row,
  headers: JSON.parse(headers) as StoredHeader[],
  ...(authentication === null ? {} : { authentication: JSON.parse(authentication) as Authentication }),
});

interface DestinationRow {
  readonly id: string;
  readonly url: string;
  readonly headers: string;
  readonly authentication: string | null;
  readonly ratePerSecond: number | null;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly setUpAtMs: number;
}

interface BeforeRow {
  readonly url: string;
  readonly accountId: string;
  readonly certificateEndsAtMs: number | null;
}

const FIND_BEFORE = `-- name: find set-up of destination
  select url, account_id as "accountId", certificate_ends_at as "certificateEndsAtMs"
  from destinations
  where id = $1`;

const UPSERT_DESTINATION = `-- name: create destination or change its set-up
  insert into destinations
    (account_id, id, state, url, headers, authentication, rate_per_second, owner_kind, owner_id, created_at,
    updated_at, certificate_ends_at)
  values ($1, $2, 'on', $3, $4, $5, $6, $7, $8, $9, $9, $10)
  on conflict (id) do update
  set url = excluded.url, headers = excluded.headers, authentication = excluded.authentication,
    rate_per_second = excluded.rate_per_second, updated_at = excluded.updated_at,
    certificate_ends_at = excluded.certificate_ends_at
  where destinations.account_id = excluded.account_id and destinations.deleted_at is null`;

const LIST_DESTINATIONS = `-- name: list destinations of account
  select id, url, headers, authentication, rate_per_second as "ratePerSecond", state, off_reason as "offReason",
    failing_since_at as "failingSinceMs", updated_at as "setUpAtMs"
  from destinations
  where account_id = $1 and deleted_at is null`;

const FIND_DESTINATION = `-- name: find destination of account
  select id, url, headers, authentication, rate_per_second as "ratePerSecond", state, off_reason as "offReason",
    failing_since_at as "failingSinceMs", updated_at as "setUpAtMs"
  from destinations
  where account_id = $1 and id = $2 and deleted_at is null`;
