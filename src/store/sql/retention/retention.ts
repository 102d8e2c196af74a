/**
 * Retention: what is old goes in small steps, each of at most `rowsMax` rows, so that none stands in an accept's way.
 * First payloads, then answers of receivers, then whole events with their deliveries and attempts: those are the log's,
 * and each store takes them in its own way. This file has the other rows, which go last: sessions and links that have
 * run out, messages that have expired, replays that no owner confirmed, secrets whose time has come, orders that ended.
 *
 * Invariant: nothing pending is touched, and the keys against repeats stay forever. A deleted alert or destination
 * stays for as long as the log names it. Each list follows an index that holds only what is still to do, so a step
 * that finds nothing costs a few searches.
 */
import { daysMs } from "../../../lib/duration.ts";
import type { Purge } from "../../contract/log.ts";
import { tidyTiers, type TierSteps } from "../figures/count-tiers.ts";
import { forgetBodyTexts } from "../log/body-texts.ts";
import { purgeMail } from "../messages/mail-links.ts";
import { DELETE_INCIDENTS } from "../path/incidents.ts";
import { tidyOrders } from "../path/order-rows.ts";
import { deleteExpiredLinks } from "../people/sessions.ts";
import { cancelForgottenReplays } from "../replays/replays.ts";
import { endDueRotations } from "../set-up/secrets.ts";
import type { Answer, SqlTransaction } from "../transaction.ts";

/** A step's work on one of the kinds of things that go. */
export interface Pass {
  readonly changed: number;
  /** Everything has been looked at. */
  readonly isAtEnd: boolean;
}

/** Steps beside the log that each store takes in its own way. */
export interface RetentionSteps<Tx> extends TierSteps<Tx> {
  /**
   * Deletes destinations that the log no longer names, and alerts and webhooks whose destination is gone. Changes at
   * most `limit` rows and returns how many.
   */
  forgetDeleted(tx: Tx, params: Purge, limit: number): Answer<number>;
  /** When the oldest event that is there was accepted; `null`: there is none. */
  findOldestEvent(tx: Tx): Answer<number | null>;
}

/** Changes at most `limit` rows and returns how many. */
export async function purgeBesideLog<Tx extends SqlTransaction>(
  tx: Tx,
  params: Purge & { readonly limit: number },
  steps: RetentionSteps<Tx>,
): Promise<number> {
  const { nowMs, rowsBeforeMs, limit } = params;
  let left = limit;
  left -= await tx.db.run(DELETE_CHANGES, left, rowsBeforeMs);
  left -= await tx.db.run(DELETE_INCIDENTS, rowsBeforeMs, left);
  left -= await tx.db.run(DELETE_REPLAYS, rowsBeforeMs, left);
  left -= await tidyLeftBehind(tx, { nowMs, limit: left });
  left -= await steps.forgetDeleted(tx, params, left);
  left -= await forgetBodyTexts(tx, { rowsBeforeMs, limit: left }, steps.findOldestEvent);
  left -= await tidyTiers(tx, { nowMs, limit: left }, steps);
  return limit - left;
}

/** Looks at the oldest rows only: they stand in the order in which they were written. */
const DELETE_CHANGES = `-- name: delete old changes of destinations
  with oldest as materialized (
    select seq
    from destination_changes
    order by seq
    limit $1
  )
  delete from destination_changes
  where seq in (select seq from oldest) and at < $2`;

/** Exported for the test that reads its plan. */
export const DELETE_REPLAYS = `-- name: delete old replays that have ended
  with old as materialized (
    select id
    from replays
    where ended_at < $1
    order by ended_at
    limit $2
  )
  delete from replays
  where id in (select id from old)`;

/** Where a node sends messages, it drops those that have expired itself. */
const EXPIRED_MS_MAX = daysMs(1);

const CONDITION_MS_MAX = daysMs(2);

/** Changes at most `limit` rows and returns how many. */
export async function tidyLeftBehind(
  tx: SqlTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  let left = limit;
  left -= await cancelForgottenReplays(tx, { nowMs, limit: left });
  left -= await endDueRotations(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_SESSIONS, nowMs, left);
  left -= await deleteExpiredLinks(tx, { nowMs, limit: left });
  left -= await tx.db.run(DELETE_EXPIRED_MESSAGES, nowMs - EXPIRED_MS_MAX, left);
  left -= await purgeMail(tx, { nowMs, limit: left });
  left -= await tx.db.run(FORGET_CONDITIONS, nowMs - CONDITION_MS_MAX, left);
  left -= await tidyOrders(tx, left);
  return limit - left;
}

/** Exported for the test that reads its plan, like the next one. */
export const DELETE_SESSIONS = `-- name: delete sessions that have expired
  with expired as materialized (
    select token_hash
    from sessions
    where expires_at < $1
    order by expires_at
    limit $2
  )
  delete from sessions
  where token_hash in (select token_hash from expired)`;

export const DELETE_EXPIRED_MESSAGES = `-- name: delete messages that nobody sends
  with expired as materialized (
    select seq
    from messages
    where expires_at < $1
    order by expires_at
    limit $2
    for update skip locked
  )
  delete from messages
  where seq in (select seq from expired)`;

/** As many rows as there are destinations in trouble, and those of the last two days. */
const FORGET_CONDITIONS = `-- name: forget conditions that have ended
  with ended as materialized (
    select subject
    from operator_conditions
    where not is_raised and raised_at < $1
    limit $2
  )
  delete from operator_conditions
  where subject in (select subject from ended) and not is_raised`;
