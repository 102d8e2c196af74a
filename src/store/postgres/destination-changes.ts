/**
 * Every change of a destination's state, with who made it and why, and the statements that make it. The account's
 * version grows with a change of state, so that an accept that was decided before it is refused.
 */
import { type DestinationHealth, HEALTHY, isOpen } from "../../domain/destination-health.ts";
import type { Actor } from "../../domain/actor.ts";
import type { DestinationChange, SetDestinationState } from "../contract/destinations.ts";
import { UNTOLD } from "../outage-news.ts";
import { writeAudit } from "./audit.ts";
import { bumpConfigVersions } from "./config-version.ts";
import type { DestinationNow } from "../destination-now.ts";
import { destinationNow, lockDestinations } from "./destination-now.ts";
import { tellOperatorOfEnd } from "./operator-notices.ts";
import type { Transaction } from "./transaction.ts";

/** A receiver that flaps makes two rows a minute; this is more than anybody reads. */
const CHANGES_MAX = 500;

export async function setDestinationState(
  tx: Transaction,
  { accountId, destinationId, state, by, reason, nowMs }: SetDestinationState,
): Promise<"changed" | "unchanged" | "missing"> {
  await lockDestinations(tx, [destinationId]);
  const before = tx.destinations.get(destinationId) ?? null;
  if (before === null || before.accountId !== accountId || before.isDeleted) return "missing";
  const after = state === "on" ? turnedOn(before) : paused(before);
  if (conditionOf(after) === conditionOf(before)) return "unchanged";
  const changes = new Changes(tx);
  changes.add(destinationId, { after, actor: by.person, reason, nowMs });
  if (state === "on") await tellOperatorOfEnd(tx, destinationId, { reason: "turned_on", before, nowMs });
  const action = state === "on" ? "destination_turned_on" : "destination_paused";
  await writeAudit(tx, { accountId, nowMs, by, action, subject: await nameOf(tx, destinationId) });
  await changes.write();
  return "changed";
}

/**
 * Paused for good, so that nothing more is claimed for it; what waits is cancelled by others, in steps. Its row stays
 * for the log, but its headers go: they may be secrets. Whoever calls this makes the account's version grow.
 */
export async function deleteDestination(
  tx: Transaction,
  id: string,
  { by, nowMs }: { readonly by: Actor; readonly nowMs: number },
): Promise<void> {
  await lockDestinations(tx, [id]);
  const before = destinationNow(tx, id);
  const after = { ...before, state: "paused", offReason: null } as const;
  const changes = new Changes(tx);
  changes.add(id, { after, actor: by.person, reason: "deleted", nowMs });
  await tellOperatorOfEnd(tx, id, { reason: "deleted", before, nowMs });
  await changes.write();
  await tx.db.run(MARK_DELETED, nowMs, id);
  tx.destinations.delete(id);
}

/** What its owner calls it. */
async function nameOf(tx: Transaction, destinationId: string): Promise<string> {
  return (await tx.db.get<{ name: string | null }>(FIND_NAME, destinationId))?.name ?? destinationId;
}

const turnedOn = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: "on",
  offReason: null,
  health: HEALTHY,
  ...UNTOLD,
});

/** One that is off stays off: it does not get back to work before a person says so either way. */
const paused = (before: DestinationNow): DestinationNow =>
  before.state === "on" ? { ...before, state: "paused" } : before;

/** What its owner sees: a destination that is on but whose breaker is open is held. */
export function conditionOf({ state, health }: DestinationNow): DestinationChange["to"] {
  return state === "on" && isOpen(health) ? "held" : state;
}

export interface ChangeOfDestination {
  readonly after: DestinationNow;
  readonly reason: string;
  readonly actor: string;
  readonly nowMs: number;
}

interface HistoryRow {
  readonly accountId: string;
  readonly destinationId: string;
  readonly atMs: number;
  readonly from: DestinationChange["from"];
  readonly to: DestinationChange["to"];
  readonly reason: string;
  readonly actor: string;
}

/**
 * The changes of a batch, each made on top of those before it, and written together. Only of destinations that this
 * transaction has locked.
 */
export class Changes {
  readonly #tx: Transaction;
  readonly #changed = new Set<string>();
  readonly #history: HistoryRow[] = [];
  readonly #accountIds = new Set<string>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Notes what differs, and a row of history when that is more than a number. */
  add(id: string, { after, reason, actor, nowMs }: ChangeOfDestination): void {
    const before = destinationNow(this.#tx, id);
    if (isSame(before, after)) return;
    this.#tx.destinations.set(id, after);
    this.#changed.add(id);
    const { accountId } = after;
    if (after.state !== before.state) this.#accountIds.add(accountId);
    const [from, to] = [conditionOf(before), conditionOf(after)];
    if (from !== to) this.#history.push({ accountId, destinationId: id, atMs: nowMs, from, to, reason, actor });
  }

  async write(): Promise<void> {
    if (this.#changed.size === 0) return;
    await Promise.all([this.#writeDestinations(), this.#writeHistory()]);
    await bumpConfigVersions(this.#tx, [...this.#accountIds]);
  }

  async #writeDestinations(): Promise<void> {
    const ids = [...this.#changed];
    const rows = ids.map((id) => destinationNow(this.#tx, id));
    await this.#tx.db.run(
      CHANGE,
      ids,
      rows.map(({ state }) => state),
      rows.map(({ offReason }) => offReason),
      rows.map(({ health }) => health.failingSinceMs),
      rows.map(({ health }) => health.strain),
      rows.map(({ health }) => health.trips),
      rows.map(({ health }) => health.notBeforeMs),
      rows.map(({ lastFailure }) => lastFailure?.atMs ?? null),
      rows.map(({ lastFailure }) => lastFailure?.outcome ?? null),
      rows.map(({ lastFailure }) => lastFailure?.status ?? null),
      rows.map(({ toldAtMs }) => toldAtMs),
      rows.map(({ isTold }) => isTold),
    );
  }

  async #writeHistory(): Promise<void> {
    const rows = this.#history;
    if (rows.length === 0) return;
    await this.#tx.db.run(
      INSERT_CHANGES,
      rows.map(({ accountId }) => accountId),
      rows.map(({ destinationId }) => destinationId),
      rows.map(({ atMs }) => atMs),
      rows.map(({ from }) => from),
      rows.map(({ to }) => to),
      rows.map(({ reason }) => reason),
      rows.map(({ actor }) => actor),
    );
  }
}

/** A success of a healthy destination changes nothing, and writes nothing. */
export function isSame(one: DestinationNow, other: DestinationNow): boolean {
  return (
    one.state === other.state &&
    one.lastFailure === other.lastFailure &&
    one.isTold === other.isTold &&
    isSameHealth(one.health, other.health)
  );
}

function isSameHealth(one: DestinationHealth, other: DestinationHealth): boolean {
  return (
    one.failingSinceMs === other.failingSinceMs &&
    one.strain === other.strain &&
    one.trips === other.trips &&
    one.notBeforeMs === other.notBeforeMs
  );
}

export async function listDestinationChanges(
  tx: Transaction,
  { accountId, destinationId }: { accountId: string; destinationId: string },
): Promise<DestinationChange[]> {
  return await tx.db.all<DestinationChange>(LIST_CHANGES, accountId, destinationId, CHANGES_MAX);
}

const MARK_DELETED = `-- name: mark destination as deleted
  update destinations
  set headers = '[]', deleted_at = $1, updated_at = $1
  where id = $2`;

const FIND_NAME = `-- name: find name of destination's owner
  select coalesce(l.name, c.name) as name
  from destinations d
  left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id
  where d.id = $1`;

const CHANGE = `-- name: change state and health of destinations
  update destinations d
  set state = c.state, off_reason = c.off_reason, failing_since_at = c.failing_since_at, strain = c.strain,
    trips = c.trips, not_before_at = c.not_before_at, last_failure_at = c.last_failure_at,
    last_failure_outcome = c.last_failure_outcome, last_failure_status = c.last_failure_status, told_at = c.told_at,
    is_told = c.is_told
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::integer[], $7::bigint[], $8::bigint[],
    $9::text[], $10::integer[], $11::bigint[], $12::boolean[]
  ) as c (
    id, state, off_reason, failing_since_at, strain, trips, not_before_at, last_failure_at, last_failure_outcome,
    last_failure_status, told_at, is_told
  )
  where d.id = c.id`;

const INSERT_CHANGES = `-- name: insert changes of destinations
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  select account_id, destination_id, at, from_state, to_state, reason, actor
  from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
    with ordinality as c (account_id, destination_id, at, from_state, to_state, reason, actor, place)
  order by place`;

/** Exported for the test that reads its plan. */
export const LIST_CHANGES = `-- name: list newest changes of destination
  select at as "atMs", from_state as "from", to_state as "to", reason, actor
  from destination_changes
  where account_id = $1 and destination_id = $2
  order by seq desc
  limit $3`;
