/**
 * Attempts as rows. Text from outside is cleaned of the two things that PostgreSQL's text cannot hold: NUL and halves
 * of surrogate pairs.
 */
import type { AttemptPhase, AttemptRecord, OutcomeKind } from "../../domain/attempt.ts";
import { ATTEMPT, namesOf } from "../columns.ts";
import { writeSent } from "../sql/log/attempts.ts";
import type { AttemptSummary } from "../sql/path/settled-rows.ts";
import { givenRows } from "./path/given-rows.ts";
import type { Transaction } from "./transaction.ts";

/** By the names of the columns. */
export interface AttemptColumns {
  readonly number: number;
  readonly started_at: number;
  readonly outcome: OutcomeKind;
  readonly phase: AttemptPhase | undefined;
  readonly error_code: string | undefined;
  readonly error_message: string | undefined;
  readonly response_status: number | undefined;
  readonly response_body_cut: boolean | undefined;
  readonly address: string | undefined;
  readonly dns_ms: number | undefined;
  readonly connect_ms: number | undefined;
  readonly tls_ms: number | undefined;
  readonly first_byte_ms: number | undefined;
  readonly total_ms: number;
  readonly url: string;
  readonly request_headers: string;
  readonly response_headers: string | undefined;
  readonly response_body: Uint8Array | undefined;
  readonly sent: string | undefined;
}

export const toSummary = (columns: AttemptColumns): AttemptSummary => ({
  number: columns.number,
  startedAtMs: columns.started_at,
  outcome: columns.outcome,
  status: columns.response_status ?? null,
  totalMs: columns.total_ms,
});

export function packAttempt(attempt: AttemptRecord): AttemptColumns {
  const { number, startedAtMs, url, requestHeaders, result, sent = null } = attempt;
  const { outcome, timings, address } = result;
  const response = outcome.kind === "response" ? outcome.response : null;
  return {
    number,
    started_at: startedAtMs,
    outcome: outcome.kind,
    phase: "phase" in outcome ? outcome.phase : undefined,
    error_code: "code" in outcome ? storable(outcome.code) : undefined,
    error_message: "message" in outcome ? storable(outcome.message) : undefined,
    response_status: response === null ? undefined : response.status,
    response_body_cut: response === null ? undefined : response.bodyCut,
    address: address ?? undefined,
    dns_ms: timings.dnsMs ?? undefined,
    connect_ms: timings.connectMs ?? undefined,
    tls_ms: timings.tlsMs ?? undefined,
    first_byte_ms: timings.firstByteMs ?? undefined,
    total_ms: timings.totalMs,
    url: storable(url),
    request_headers: JSON.stringify(requestHeaders),
    response_headers: response === null ? undefined : JSON.stringify(response.headers),
    response_body: response === null ? undefined : response.body,
    sent: sent === null ? undefined : writeSent(sent),
  };
}

export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** Where it lies: with its delivery. */
interface AttemptOf extends AttemptColumns {
  readonly delivery_id: string;
}

export async function insertAttempts(tx: Transaction, attempts: readonly AttemptOf[]): Promise<void> {
  if (attempts.length > 0) await tx.db.run(INSERT_ATTEMPTS, ...GIVEN.toValues(attempts));
}

/** An attempt's own columns, for statements that are given some. */
export const ATTEMPT_KINDS = {
  number: "integer",
  started_at: "bigint",
  outcome: "text",
  phase: "text",
  error_code: "text",
  error_message: "text",
  response_status: "integer",
  response_body_cut: "boolean",
  address: "text",
  dns_ms: "double precision",
  connect_ms: "double precision",
  tls_ms: "double precision",
  first_byte_ms: "double precision",
  total_ms: "double precision",
  url: "text",
  request_headers: "text",
  response_headers: "text",
  response_body: "bytea",
  sent: "text",
} as const;

const GIVEN = givenRows({ delivery_id: "text", ...ATTEMPT_KINDS });

export const ATTEMPT_COLUMNS = ["delivery_id", ...namesOf(ATTEMPT)].join(", ");

const INSERT_ATTEMPTS = `-- name: insert attempts
  insert into attempts (${ATTEMPT_COLUMNS})
  select ${ATTEMPT_COLUMNS}
  from (select ${GIVEN.columns}) as given`;
