/**
 * Destinations as their owners set them up. State, health and queue belong to the event's path: `destination-now.ts`,
 * `../path/destinations.ts`.
 */
import type { Authentication } from "../../../domain/authentication.ts";
import type { Owner } from "../../../domain/event.ts";
import { isPulled } from "../../../domain/pull.ts";
import { assert } from "../../../lib/assert.ts";
import type { DestinationSetup, StoredDestination, StoredHeader } from "../../contract/accounts.ts";
import type { Actor } from "../../../domain/account.ts";
import { DESTINATION, KEPT, namesOf, type RowOf, selected, valuesOf } from "../../columns.ts";
import type { Dialect } from "../dialect.ts";
import { putCertificateWarnings } from "../messages/put-messages.ts";
import { forgetPull, notePull } from "../path/pull-rows.ts";
import { changeOrder } from "../path/order-rows.ts";
import { startAnew } from "../path/resends.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

export type DestinationSteps<Tx extends SqlTransaction> = Pick<
  Dialect<Tx>,
  "lockDestination" | "changeDestination" | "lowerDueBound" | "mayWrite"
>;

/** False: nodes may run that do not know such a body, that it is asked instead of being called, or its order. */
export const isKnownToAll = async <Tx extends SqlTransaction>(
  tx: Tx,
  setup: Pick<DestinationSetup, "body" | "url" | "oneAtATime"> | null,
  { mayWrite }: Pick<DestinationSteps<Tx>, "mayWrite">,
): Promise<boolean> =>
  setup === null ||
  ((setup.body === "event" || (await mayWrite(tx, "body"))) &&
    (!isPulled(setup) || (await mayWrite(tx, "pull"))) &&
    (!setup.oneAtATime || (await mayWrite(tx, "order"))));

/** Whether another webhook of the account has the id that a program gives this one. To be asked under its lock. */
export async function isCallersIdTaken(
  tx: SqlTransaction,
  accountId: string,
  { id, callerId = null }: Pick<DestinationSetup, "id" | "callerId">,
): Promise<boolean> {
  if (callerId === null) return false;
  return (await tx.db.get(FIND_CALLERS_ID, accountId, callerId, id)) !== undefined;
}

export interface SaveDestination {
  readonly accountId: string;
  readonly owner: Owner;
  readonly setup: DestinationSetup | null;
  readonly by: Actor;
  readonly nowMs: number;
}

/**
 * Creates it once, then changes its settings. Its queue stays; its health begins anew with another URL. Returns the id,
 * if any.
 */
export async function saveDestination<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, owner, setup, by, nowMs }: SaveDestination,
  dialect: DestinationSteps<Tx>,
): Promise<string | null> {
  if (setup === null) return null;
  const { id, url, headers, authentication = null, certificateEndsAtMs = null } = setup;
  const { callerId = null, appliedAtMs = null, endsAtMs = null } = setup;
  const before = await tx.db.get<BeforeRow>(FIND_BEFORE, id);
  const isOurs = before === undefined || before.accountId === accountId;
  const saved = [
    url,
    JSON.stringify(headers.map(({ name, value, secret }) => ({ name, value, secret }))),
    authentication === null ? null : JSON.stringify(authentication),
    certificateEndsAtMs,
    ...valuesOf(KEPT, { ...setup, tags: JSON.stringify(setup.tags) }),
  ];
  const values = [accountId, id, owner.kind, owner.id, nowMs, callerId, appliedAtMs, ...saved];
  const written = isOurs ? await tx.db.run(UPSERT_DESTINATION, ...values) : 0;
  assert(written === 1, `the destination ${id} is deleted, or belongs to another account than ${accountId}`);
  tx.destinations.delete(id);
  if (before !== undefined && before.url !== url) await startAnew(tx, { id, by, nowMs }, dialect);
  if (before !== undefined && Boolean(before.oneAtATime) !== setup.oneAtATime) {
    await changeOrder(tx, { id, isOn: setup.oneAtATime, nowMs }, dialect);
  }
  if (isPulled(setup)) await notePull(tx, { accountId, destinationId: id, endsAtMs });
  else if (before !== undefined && isPulled(before)) await forgetPull(tx, id);
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

const toStoredDestination = ({ headers, authentication, tags, ...row }: DestinationRow): StoredDestination => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  oneAtATime: Boolean(row.oneAtATime),
  headers: JSON.parse(headers) as StoredHeader[],
  ...(authentication === null ? {} : { authentication: JSON.parse(authentication) as Authentication }),
});

type DestinationRow = RowOf<typeof DESTINATION>;

interface BeforeRow {
  readonly url: string;
  readonly accountId: string;
  readonly oneAtATime: Flag;
  readonly certificateEndsAtMs: number | null;
}

const FIND_BEFORE = `-- name: find set-up of destination
  select url, account_id as "accountId", one_at_a_time as "oneAtATime", certificate_ends_at as "certificateEndsAtMs"
  from destinations
  where id = $1`;

const FIND_CALLERS_ID = `-- name: find other destination with a program's id
  select id
  from destinations
  where account_id = $1 and caller_id = $2 and id <> $3 and deleted_at is null`;

/** Written by each save, behind the seven values that the row begins with. */
const SAVED = ["url", "headers", "authentication", "certificate_ends_at", ...namesOf(KEPT)];

const UPSERT_DESTINATION = `-- name: create destination or change its set-up
  insert into destinations
    (account_id, id, owner_kind, owner_id, created_at, updated_at, state, caller_id, applied_at, ${SAVED.join(", ")})
  values ($1, $2, $3, $4, $5, $5, 'on', $6, $7, ${SAVED.map((_, place) => `$${place + 8}`).join(", ")})
  on conflict (id) do update
  set updated_at = excluded.updated_at, ${SAVED.map((name) => `${name} = excluded.${name}`).join(", ")}
  where destinations.account_id = excluded.account_id and destinations.deleted_at is null`;

const LIST_DESTINATIONS = `-- name: list destinations of account
  select ${selected(DESTINATION, "d")}
  from destinations d
  where d.account_id = $1 and d.deleted_at is null`;

const FIND_DESTINATION = `-- name: find destination of account
  select ${selected(DESTINATION, "d")}
  from destinations d
  where d.account_id = $1 and d.id = $2 and d.deleted_at is null`;
