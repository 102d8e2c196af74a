/**
 * The transaction that changes a destination's health also opens, counts and ends its incidents. It holds the
 * destination, so no two transactions write one incident. A success of a healthy destination writes nothing here.
 *
 * `failure_responses` counts what came back since the destination began to fail. When a success ends a run of failures
 * that became no incident, it deletes these counts.
 */
import type { DestinationFailure } from "../../../domain/destination.ts";
import type { DestinationNow, HealthChange } from "../../../domain/destination-now.ts";
import {
  addResponses,
  findStartMs,
  type IncidentEnd,
  incidentId,
  INTERRUPTION_MS_MAX,
  isInTrouble,
  type ResponseCount,
} from "../../../domain/incident.ts";
import type { ListIncidents, StoredIncident } from "../../contract/incidents.ts";
import type { SqlTransaction } from "../transaction.ts";

/** For a change by an attempt. The destination is locked by this transaction. */
export async function noteAttemptInIncident(
  tx: SqlTransaction,
  destinationId: string,
  change: HealthChange,
): Promise<void> {
  const { before, after, nowMs } = change;
  const { accountId } = after;
  // An attempt that was under way when its destination was deleted is in no history.
  if (before.isDeleted) return;
  if (after.lastFailure !== null && after.lastFailure !== before.lastFailure) {
    await tx.db.run(COUNT_RESPONSE, accountId, destinationId, toCode(after.lastFailure));
  }
  const [was, is] = [isInTrouble(before), isInTrouble(after)];
  if (is && !was) await open(tx, destinationId, change);
  else if (was && !is) await end(tx, destinationId, { accountId, reason: "recovered", nowMs });
  else if (!is && before.health.failingSinceMs !== null && after.health.failingSinceMs === null) {
    await tx.db.run(FORGET_RESPONSES, accountId, destinationId);
  }
  if (before.state !== "off" && after.offReason !== null) {
    await tx.db.run(NOTE_TURNED_OFF, after.offReason, accountId, destinationId);
  }
}

/** A person has ended whatever trouble the destination was in. The destination is locked by this transaction. */
export async function endTrouble(
  tx: SqlTransaction,
  destinationId: string,
  {
    before,
    end: reason,
    nowMs,
  }: { readonly before: DestinationNow; readonly end: IncidentEnd; readonly nowMs: number },
): Promise<void> {
  const { accountId } = before;
  if (isInTrouble(before)) await end(tx, destinationId, { accountId, reason, nowMs });
  else if (before.health.failingSinceMs !== null) await tx.db.run(FORGET_RESPONSES, accountId, destinationId);
}

/** "503" for an answer, else the kind of what was met instead. */
const toCode = ({ outcome, status }: DestinationFailure): string => (status === null ? outcome : String(status));

/** One that has just ended goes on. */
async function open(tx: SqlTransaction, destinationId: string, { after, nowMs }: HealthChange): Promise<void> {
  const { accountId } = after;
  const reopened = await tx.db.run(REOPEN, accountId, destinationId, nowMs - INTERRUPTION_MS_MAX);
  if (reopened > 0) return;
  const id = incidentId(destinationId, nowMs);
  await tx.db.run(INSERT_INCIDENT, accountId, id, destinationId, findStartMs(after, nowMs));
}

interface End {
  readonly accountId: string;
  readonly reason: IncidentEnd;
  readonly nowMs: number;
}

/** The counts go into its row, where later ones are added if it is opened again. */
async function end(tx: SqlTransaction, destinationId: string, { accountId, reason, nowMs }: End): Promise<void> {
  const counted = await tx.db.all<ResponseCount>(LIST_RESPONSES, accountId, destinationId);
  const lasting = await tx.db.all<{ id: string; responses: string }>(LIST_LASTING, accountId, destinationId);
  for (const { id, responses } of lasting) {
    const sum = addResponses(JSON.parse(responses) as ResponseCount[], counted);
    await tx.db.run(END_INCIDENT, nowMs, reason, JSON.stringify(sum), accountId, destinationId, id);
  }
  await tx.db.run(FORGET_RESPONSES, accountId, destinationId);
}

export async function listIncidents(tx: SqlTransaction, params: ListIncidents): Promise<StoredIncident[]> {
  const { accountId, limit } = params;
  const rows =
    "sinceMs" in params
      ? await tx.db.all<IncidentRow>(
          LIST_OF_ACCOUNT,
          accountId,
          params.sinceMs,
          limit,
          params.before ?? BEHIND_EVERY_ID,
        )
      : await tx.db.all<IncidentRow>(
          LIST_OF_DESTINATION,
          accountId,
          params.destinationId,
          params.before ?? BEHIND_EVERY_ID,
          limit,
        );
  return await Promise.all(rows.map((row) => toIncident(tx, accountId, row)));
}

const BEHIND_EVERY_ID = "~";

/** The counts of one that lasts are still beside it. */
async function toIncident(
  tx: SqlTransaction,
  accountId: string,
  { responses, ...row }: IncidentRow,
): Promise<StoredIncident> {
  const known = JSON.parse(responses) as ResponseCount[];
  if (row.toMs !== null) return { ...row, responses: known };
  const counted = await tx.db.all<ResponseCount>(LIST_RESPONSES, accountId, row.destinationId);
  return { ...row, responses: addResponses(known, counted) };
}

type IncidentRow = Omit<StoredIncident, "responses"> & { readonly responses: string };

const COUNT_RESPONSE = `-- name: count response of failing destination
  insert into failure_responses (account_id, destination_id, code, count)
  values ($1, $2, $3, 1)
  on conflict (account_id, destination_id, code) do update
  set count = failure_responses.count + 1`;

const FORGET_RESPONSES = `-- name: forget responses of destination that is well
  delete from failure_responses
  where account_id = $1 and destination_id = $2`;

const LIST_RESPONSES = `-- name: list responses of failing destination
  select code, count
  from failure_responses
  where account_id = $1 and destination_id = $2`;

const REOPEN = `-- name: open incident again that has just ended
  update incidents
  set ended_at = null, end_reason = null, interruptions = interruptions + 1
  where account_id = $1 and destination_id = $2 and end_reason = 'recovered'
    and ended_at >= $3 and id = (
    select id
    from incidents
    where account_id = $1 and destination_id = $2
    order by id desc
    limit 1
  )`;

/** One may be there already: a node from before this table has ended the trouble without knowing of it. */
const INSERT_INCIDENT = `-- name: open incident
  insert into incidents (account_id, id, destination_id, from_at, responses, interruptions)
  select $1, $2, $3, $4, '[]', 0
  where not exists (
    select 1
    from incidents
    where account_id = $1 and destination_id = $3 and ended_at is null
  )
  on conflict (account_id, destination_id, id) do update
  set ended_at = null, end_reason = null`;

const NOTE_TURNED_OFF = `-- name: note that destination of incident was turned off
  update incidents
  set off_reason = $1
  where account_id = $2 and destination_id = $3 and ended_at is null`;

const LIST_LASTING = `-- name: list incidents of destination that last
  select id, responses
  from incidents
  where account_id = $1 and destination_id = $2 and ended_at is null`;

const END_INCIDENT = `-- name: end incident
  update incidents
  set ended_at = $1, end_reason = $2, responses = $3
  where account_id = $4 and destination_id = $5 and id = $6`;

const COLUMNS = `id, destination_id as "destinationId", from_at as "fromMs", ended_at as "toMs", end_reason as "end",
    off_reason as "offReason", interruptions, responses`;

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_OF_DESTINATION = `-- name: list incidents of destination
  select ${COLUMNS}
  from incidents
  where account_id = $1 and destination_id = $2 and id < $3
  order by id desc
  limit $4`;

export const LIST_OF_ACCOUNT = `-- name: list latest incidents of account
  select ${COLUMNS}
  from incidents
  where account_id = $1 and ended_at >= $2 and id < $4
  union all
  select ${COLUMNS}
  from incidents
  where account_id = $1 and ended_at is null and id < $4
  order by id desc
  limit $3`;

export const DELETE_INCIDENTS = `-- name: delete old incidents that have ended
  with old as materialized (
    select account_id, destination_id, id
    from incidents
    where ended_at < $1
    order by ended_at
    limit $2
  )
  delete from incidents
  where (account_id, destination_id, id) in (select account_id, destination_id, id from old)`;
