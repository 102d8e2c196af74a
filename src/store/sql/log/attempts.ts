/** A delivery's attempts, read back. Each store packs and writes them in its own way. */
import type { AttemptOutcome, AttemptRecord, SentBody } from "../../../domain/attempt.ts";
import type { ATTEMPT, RowOf } from "../../columns.ts";

export const readAttempt = (row: TextRow): AttemptRecord =>
  toAttempt({ ...row, requestHeaders: readHeaders(row.requestHeaders) });

export type TextRow = RowOf<typeof ATTEMPT>;

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
  ...(row.sent === null ? {} : { sent: readSent(row.sent) }),
});

/** As the column has it: the text's id, a colon, and the hash. */
export const writeSent = ({ textId, sha256 }: SentBody): string => `${textId}:${sha256}`;

function readSent(text: string): SentBody {
  const [textId = "", sha256 = ""] = text.split(":");
  return { textId, sha256 };
}

/** Columns that an outcome of this kind always fills are taken as filled: only `packAttempt` writes them. */
function toOutcome(row: AttemptRow): AttemptOutcome {
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
    case "body_error":
    case "internal_error":
    case "not_acknowledged":
      return { kind: row.kind, message };
    case "pulled":
      return { kind: "pulled" };
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
