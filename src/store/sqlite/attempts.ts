/**
 * Attempts as rows. They are packed into columns on the caller's side of the thread: what is only ever read whole is
 * one JSON text, so that an attempt crosses and is bound as eight values. A response body is copied, because one that
 * is a slice of a larger buffer would take the whole buffer along.
 *
 * A delivery that ends with its first attempt has it in its own row; `attempts` has all others.
 */
import type { AttemptPhase, AttemptRecord, OutcomeKind } from "../../domain/attempt.ts";
import { ATTEMPT, type RowOf, selected } from "../columns.ts";
import { type AttemptRow, toAttempt, writeSent } from "../sql/log/attempts.ts";
import type { AttemptSummary } from "../sql/path/settled-rows.ts";
import type { ReadTransaction, Transaction } from "./transaction.ts";

/** Starting with what the settling looks at. */
export type AttemptColumns = readonly [
  number: number,
  startedAtMs: number,
  kind: OutcomeKind,
  status: number | null,
  totalMs: number,
  detail: string,
  responseHeaders: string | null,
  responseBody: Uint8Array | null,
];

/** The JSON of `detail`. Nulls at its end are left out, and so is a 0 there. */
type Detail = readonly [
  url: string,
  requestHeaders: Readonly<Record<string, string>>,
  address: string | null,
  dnsMs: number | null,
  connectMs: number | null,
  tlsMs: number | null,
  firstByteMs: number | null,
  phase: AttemptPhase | null,
  errorCode: string | null,
  errorMessage: string | null,
  bodyCut: 0 | 1 | null,
  sent: string | null,
];

export const toSummary = (columns: AttemptColumns): AttemptSummary => ({
  number: columns[0],
  startedAtMs: columns[1],
  outcome: columns[2],
  status: columns[3],
  totalMs: columns[4],
});

export function packAttempt(attempt: AttemptRecord): AttemptColumns {
  const { number, startedAtMs, url, requestHeaders, result, sent = null } = attempt;
  const { outcome, timings, address } = result;
  const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = timings;
  const response = outcome.kind === "response" ? outcome.response : null;
  const phase = "phase" in outcome ? outcome.phase : null;
  const code = "code" in outcome ? outcome.code : null;
  const message = "message" in outcome ? outcome.message : null;
  const bodyCut = response === null ? null : response.bodyCut ? 1 : 0;
  const met = [phase, code, message, bodyCut, sent === null ? null : writeSent(sent)] as const;
  const detail: Detail = [url, requestHeaders, address, dnsMs, connectMs, tlsMs, firstByteMs, ...met];
  return [
    number,
    startedAtMs,
    outcome.kind,
    response === null ? null : response.status,
    totalMs,
    JSON.stringify(withoutEnd(detail)),
    response === null ? null : JSON.stringify(response.headers),
    response === null ? null : new Uint8Array(response.body),
  ];
}

export function insertAttempt(tx: Transaction, deliveryId: string, columns: AttemptColumns): void {
  tx.db.run(INSERT_ATTEMPT, deliveryId, ...columns);
}

/** A delivery's attempts, first one first. */
export const loadAttempts = (tx: ReadTransaction, deliveryId: string): AttemptRecord[] =>
  tx.db.all<PackedRow>(LIST_ATTEMPTS, deliveryId).map((row) => toAttempt(unpack(row)));

function withoutEnd(detail: Detail): readonly unknown[] {
  const last = detail.findLastIndex((value) => value !== null && value !== 0);
  return detail.slice(0, last + 1);
}

const { number, startedAtMs, kind, status, totalMs, responseHeaders, responseBody } = ATTEMPT;
/** Those that are columns here; the others lie in `detail`. */
const OWN_COLUMNS = { number, startedAtMs, kind, status, totalMs, responseHeaders, responseBody };

type PackedRow = RowOf<typeof OWN_COLUMNS> & { readonly detail: string };

function unpack({ detail, ...row }: PackedRow): AttemptRow {
  const [url = "", requestHeaders = {}, address = null, ...rest] = JSON.parse(detail) as Partial<Detail>;
  const [dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null, ...met] = rest;
  const [phase = null, errorCode = null, errorMessage = null, bodyCut = null, sent = null] = met;
  const times = { dnsMs, connectMs, tlsMs, firstByteMs };
  return { ...row, url, requestHeaders, address, ...times, phase, errorCode, errorMessage, bodyCut, sent };
}

const INSERT_ATTEMPT = `-- name: insert attempt
  insert into attempts
    (delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Exported for the test that reads its plan. */
export const LIST_ATTEMPTS = `-- name: list attempts of delivery
  select ${selected(OWN_COLUMNS, "a")}, a.detail
  from every_attempt a
  where delivery_id = ?
  order by number`;
