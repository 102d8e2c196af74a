/** The log's rows as lines of CSV or of JSON, with times in the reader's zone. Pure. */
import { testWebhookId } from "../../domain/delivery.ts";
import type { Contact } from "../../events/summary.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { DeliveryRow } from "../contract/deliveries.ts";

/**
 * Fields of a CSV file (RFC 4180) that a spreadsheet opens without harm. Pure. Some texts come from visitors. One that
 * a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets take as "this is text".
 */
export type CsvValue = string | number | null;

/** Excel takes a file for UTF-8 only when it begins with this. */
export const BYTE_ORDER_MARK = "\ufeff";

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(",")}\r\n`;

/** What begins a formula, also in full-width characters, and the controls that hide one (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvField(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* Instants as ISO 8601 with the offset of a person's time zone, such as `2026-11-22T13:00:00.000+01:00`. Pure. */

export type FormatInstant = (atMs: number) => string;

/** Offsets change at quarters of an hour, nowhere more often. */
const QUARTER_MS = minutesMs(15);
const KNOWN_MAX = 10_000;

/** `null` for a zone that is not known. Offsets are remembered: a million rows would ask for each for seconds. */
export function createZonedFormat(zone: string): FormatInstant | null {
  const format = findFormat(zone);
  if (format === null) return null;
  const offsets = new Map<number, string>();
  return (atMs) => {
    const quarter = Math.floor(atMs / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      if (offsets.size >= KNOWN_MAX) offsets.clear();
      offset = readOffset(format, quarter * QUARTER_MS);
      offsets.set(quarter, offset);
    }
    return new Date(atMs + toMs(offset)).toISOString().replace("Z", offset);
  };
}

function findFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** "GMT+01:00", and "GMT" alone for none. Seconds, which zones had a century ago, are dropped. */
function readOffset(format: Intl.DateTimeFormat, atMs: number): string {
  const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return /[+-]\d\d:\d\d/.exec(name.replace("\u2212", "-"))?.[0] ?? "+00:00";
}

function toMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ms = minutesMs(Number(hours) * 60 + Number(minutes));
  return sign === "-" ? -ms : ms;
}

/* A delivery as a line of an export: the columns that a person who works in a spreadsheet asks for. Pure. */

export interface ExportedRow extends DeliveryRow, Contact {
  readonly eventId: string;
  /** The session's or conversation's own id; `null` for a test. */
  readonly sourceId: string | null;
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
  ["E-mail", "email"],
  ["Company", "company"],
  ["Company domain", "company_domain"],
  ["Session or conversation id", "source_id"],
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
    row.email,
    row.company,
    row.companyDomain,
    row.sourceId,
  ];
}
