/**
 * The first attempt of a delivery that ended with it stands in the delivery's own row: one row to write and one to
 * read. Where a delivery is attempted again, all of its attempts stand in `attempts`.
 */
import type { AttemptRecord } from "../../../domain/attempt.ts";
import { loadAttempts } from "../../sql/log/attempts.ts";
import { ATTEMPT_COLUMNS } from "../attempts.ts";
import { isInDays, spanOf, toPlaceholders } from "../days.ts";
import type { Transaction } from "../transaction.ts";

/** What the columns of the last attempt do not say. */
const OWN = `started_at, phase, error_code, error_message, response_body_cut, address, dns_ms, connect_ms, tls_ms,
    first_byte_ms, url, request_headers, response_headers`;

export const ENDED_COLUMNS = `attempts_made, last_outcome, last_status, last_ms, ${OWN}, response_body`;
export const ENDED_VALUES = `number, outcome, response_status, total_ms, ${OWN}, response_body`;

/** A delivery's attempts, first one first. */
export const loadAllAttempts = (tx: Transaction, deliveryId: string): Promise<AttemptRecord[]> =>
  loadAttempts(tx, deliveryId, LIST_ALL_ATTEMPTS);

/** Before these deliveries are attempted again. The caller has locked them. */
export async function moveFirstAttempts(tx: Transaction, deliveryIds: readonly string[]): Promise<void> {
  await tx.db.run(MOVE_FIRST_ATTEMPTS, deliveryIds, ...toPlaceholders(spanOf(deliveryIds)));
}

/** For the statement that makes a row wait again. */
export const WITHOUT_FIRST_ATTEMPT = `${OWN}, response_body`
  .split(/,\s*/)
  .map((name) => `${name} = null`)
  .join(", ");

const FROM_ROW: Readonly<Record<string, string>> = {
  delivery_id: "id",
  number: "attempts_made",
  outcome: "last_outcome",
  response_status: "last_status",
  total_ms: "last_ms",
};

const SELECTED = ATTEMPT_COLUMNS.split(/,\s*/)
  .map((name) => FROM_ROW[name] ?? name)
  .join(", ");

const MOVE_FIRST_ATTEMPTS = `-- name: move first attempts out of deliveries
  insert into attempts (bucket, ${ATTEMPT_COLUMNS})
  select d.bucket, ${SELECTED}
  from deliveries d
  where id = any ($1::text[]) and d.is_ended and started_at is not null and ${isInDays("d", 2)}
    and d.bucket = any ($buckets)`;

/** Exported for the test that reads its plan. */
export const LIST_ALL_ATTEMPTS = `-- name: list all attempts of delivery
  select number, started_at as "startedAtMs", outcome as "kind", phase, error_code as "errorCode",
    error_message as "errorMessage", response_status as "status", response_body_cut as "bodyCut", address,
    dns_ms as "dnsMs", connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs",
    total_ms as "totalMs", url, request_headers as "requestHeaders", response_headers as "responseHeaders",
    response_body as "responseBody"
  from (
    select ${ATTEMPT_COLUMNS}
    from attempts a
    where delivery_id = $1 and a.bucket = any ($buckets)
    union all
    select ${SELECTED}
    from deliveries d
    where id = $1 and d.is_ended and started_at is not null and d.bucket = any ($buckets)
  ) made
  order by number`;
