/** A delivery's attempts, read back. Each store packs and writes them in its own way. */
import type { AttemptPhase, AttemptRecord, Outcome, OutcomeKind } from "../../../domain/attempt.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

/** A delivery's attempts, first one first. `list` is of a store that keeps them in other places besides. */
export async function loadAttempts(
  tx: SqlTransaction,
  deliveryId: string,
  list: string = LIST_ATTEMPTS,
): Promise<AttemptRecord[]> {
  const rows = await tx.db.all<TextRow>(list, deliveryId);
  return rows.map((row) => toAttempt({ ...row, requestHeaders: readHeaders(row.requestHeaders) }));
}

type TextRow = Omit<AttemptRow, "requestHeaders"> & { readonly requestHeaders: string };

const readHeaders = (text: string): Headers => JSON.parse(text) as Headers;

export const toAttempt = (row: AttemptRow): AttemptRecord => ({
  number: row.number,
  startedAtMs: row.startedAtMs,
  url: row.url,
  requestHeaders: row.requestHeaders,
  result: {
    outcome: toOutcome(row),
    timings: {
      dnsMs: row.dnsMs,
      connectMs: row.connectMs,
      tlsMs: row.tlsMs,
      firstByteMs: row.firstByteMs,
      totalMs: row.totalMs,
    },
    address: row.address,
  },
});

/** Columns that an outcome of this kind always fills are taken as filled: only `packAttempt` writes them. */
function toOutcome(row: AttemptRow): Outcome {
  const code = row.errorCode ?? "";
  const message = row.errorMessage ?? "";
  switch (row.kind) {
    case "response":
      return { kind: "response", response: toResponse(row), ...(message === "" ? {} : { message }) };
    case "timeout":
      return { kind: "timeout", phase: row.phase ?? "headers" };
    case "dns_error":
    case "tls_error":
    case "network_error":
    case "proxy_error":
    case "token_error":
      return { kind: row.kind, code, message };
    case "blocked":
    case "internal_error":
      return { kind: row.kind, message };
  }
}

function toResponse(row: AttemptRow) {
  return {
    status: row.status ?? 0,
    headers: readHeaders(row.responseHeaders ?? "{}"),
    body: new Uint8Array(row.responseBody ?? []),
    bodyCut: Boolean(row.bodyCut),
  };
}

type Headers = Readonly<Record<string, string>>;

export interface AttemptRow {
  readonly number: number;
  readonly startedAtMs: number;
  readonly kind: OutcomeKind;
  readonly phase: AttemptPhase | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly status: number | null;
  readonly bodyCut: Flag | null;
  readonly address: string | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly url: string;
  readonly requestHeaders: Headers;
  /** JSON. */
  readonly responseHeaders: string | null;
  readonly responseBody: Uint8Array | null;
}

/** Exported for the test that reads its plan. */
export const LIST_ATTEMPTS = `-- name: list attempts of delivery
  select number, started_at as "startedAtMs", outcome as "kind", phase, error_code as "errorCode",
    error_message as "errorMessage", response_status as "status", response_body_cut as "bodyCut", address,
    dns_ms as "dnsMs", connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs",
    total_ms as "totalMs", url, request_headers as "requestHeaders", response_headers as "responseHeaders",
    response_body as "responseBody"
  from attempts
  where delivery_id = $1 and bucket = any ($buckets)
  order by number`;
