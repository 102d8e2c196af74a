/** A delivery's attempts, read back. Each store packs and writes them in its own way. */
import type { AttemptRecord, Outcome } from "../../../domain/attempt.ts";
import { ATTEMPT, type RowOf, selected } from "../../columns.ts";
import type { SqlTransaction } from "../transaction.ts";

/** A delivery's attempts, first one first. `list` is of a store that keeps them in other places besides. */
export async function loadAttempts(
  tx: SqlTransaction,
  deliveryId: string,
  list: string = LIST_ATTEMPTS,
): Promise<AttemptRecord[]> {
  const rows = await tx.db.all<TextRow>(list, deliveryId);
  return rows.map((row) => toAttempt({ ...row, requestHeaders: readHeaders(row.requestHeaders) }));
}

type TextRow = RowOf<typeof ATTEMPT>;

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

/** Its headers are read already. */
export type AttemptRow = Omit<TextRow, "requestHeaders"> & { readonly requestHeaders: Headers };

/** Exported for the test that reads its plan. */
export const LIST_ATTEMPTS = `-- name: list attempts of delivery
  select ${selected(ATTEMPT, "a")}
  from attempts a
  where delivery_id = $1
  order by number`;
