/** A delivery as a line of an export: the columns that a person who works in a spreadsheet asks for. Pure. */
import { testWebhookId } from "../../domain/test-mark.ts";
import type { DeliveryRow } from "../contract/deliveries.ts";
import { csvLine, type CsvValue } from "./csv.ts";
import type { FormatInstant } from "./zoned-time.ts";

export interface ExportedRow extends DeliveryRow {
  readonly eventId: string;
}

/** Each column's name in the file's first line and in an object of NDJSON. */
const COLUMNS: readonly (readonly [title: string, name: string])[] = [
  ["Accepted at", "accepted_at"],
  ["Status", "status"],
  ["Event", "event"],
  ["Sent for", "sent_for"],
  ["Webhook URL", "webhook_url"],
  ["Who", "who"],
  ["What", "what"],
  ["Response", "response"],
  ["Response time (ms)", "response_time_ms"],
  ["Attempts", "attempts"],
  ["Next attempt at", "next_attempt_at"],
  ["Test", "test"],
  ["Webhook id", "webhook_id"],
  ["Event id", "event_id"],
];

export const CSV_HEAD = csvLine(COLUMNS.map(([title]) => title));

export const toCsvLine = (row: ExportedRow, format: FormatInstant): string => csvLine(toValues(row, format));

export function toNdjsonLine(row: ExportedRow, format: FormatInstant): string {
  const values = toValues(row, format);
  const fields = COLUMNS.map(([, name], place) => [name, values[place] ?? null]);
  return `${JSON.stringify({ ...Object.fromEntries(fields), test: row.isTest })}\n`;
}

function toValues(row: ExportedRow, format: FormatInstant): CsvValue[] {
  const { id, status, eventType, destination, about, last, attemptsMade, nextAttemptAtMs, isTest, eventId } = row;
  return [
    format(row.createdAtMs),
    status,
    eventType,
    destination?.owner.name ?? null,
    destination?.url ?? null,
    about.who,
    about.what,
    last?.code ?? null,
    last === null ? null : Math.round(last.totalMs),
    attemptsMade,
    nextAttemptAtMs === null ? null : format(nextAttemptAtMs),
    isTest ? "yes" : "no",
    isTest ? testWebhookId(id) : id,
    eventId,
  ];
}
