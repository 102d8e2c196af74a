/** How changes of destinations are written: those of a batch together, and last in its transaction. */
import type { DestinationCondition } from "../../../domain/destination.ts";
import {
  type ChangeOfDestination,
  type DestinationNow,
  findCondition,
  isSame,
} from "../../../domain/destination-now.ts";
import { bucketOf } from "../../../lib/bucket.ts";
import { bumpConfigVersions } from "./config-version.ts";
import { destinationNow, lockDestinations } from "./destination-now.ts";
import type { Transaction } from "../transaction.ts";

export async function lockDestination(tx: Transaction, id: string): Promise<DestinationNow | null> {
  await lockDestinations(tx, [id]);
  return tx.destinations.get(id) ?? null;
}

export async function changeDestination(tx: Transaction, id: string, change: ChangeOfDestination): Promise<void> {
  const changes = new Changes(tx);
  changes.add(id, change);
  await changes.write();
}

interface HistoryRow {
  readonly accountId: string;
  readonly destinationId: string;
  readonly atMs: number;
  readonly from: DestinationCondition;
  readonly to: DestinationCondition;
  readonly reason: string;
  readonly actor: string;
}

/**
 * The changes of a batch, each made on top of those before it, and written together. This transaction has locked their
 * destinations.
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
    const [from, to] = [findCondition(before), findCondition(after)];
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
      rows.map(({ health }) => health.failureScore),
      rows.map(({ health }) => health.consecutiveOpens),
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
      rows.map(({ accountId }) => bucketOf(accountId)),
    );
  }
}

const CHANGE = `-- name: change state and health of destinations
  update destinations d
  set state = c.state, off_reason = c.off_reason, failing_since_at = c.failing_since_at,
    failure_score = c.failure_score, consecutive_opens = c.consecutive_opens, not_before_at = c.not_before_at, last_failure_at = c.last_failure_at,
    last_failure_outcome = c.last_failure_outcome, last_failure_status = c.last_failure_status, told_at = c.told_at,
    is_told = c.is_told
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::integer[], $7::bigint[], $8::bigint[],
    $9::text[], $10::integer[], $11::bigint[], $12::boolean[]
  ) as c (
    id, state, off_reason, failing_since_at, failure_score, consecutive_opens, not_before_at, last_failure_at,
    last_failure_outcome, last_failure_status, told_at, is_told
  )
  where d.id = c.id and d.bucket = any ($buckets)`;

const INSERT_CHANGES = `-- name: insert changes of destinations
  insert into destination_changes (bucket, account_id, destination_id, at, from_state, to_state, reason, actor)
  select bucket, account_id, destination_id, at, from_state, to_state, reason, actor
  from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[])
    with ordinality as c (account_id, destination_id, at, from_state, to_state, reason, actor, bucket, place)
  order by place`;
