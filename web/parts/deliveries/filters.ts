/**
 * The log's filters as they stand in the page's address: `?status=failed,retrying&response=503&range=24h`. Names are
 * those of the call (`DeliveryQuery`), save `range`, which the page turns into an instant when it asks. Whatever
 * somebody wrote there by hand is passed on as it is: the service says which part it cannot read.
 */
import type { DeliveryQuery, DeliveryStatus, DeliveryTotal } from "../../../src/dashboard/contract/deliveries.ts";
import { count, duration, minute, number } from "../../words.ts";

export type FilterName = "status" | "event" | "destination" | "response" | "range" | "from" | "to" | "q" | "tests";

const NAMES: readonly FilterName[] = [
  "status",
  "event",
  "destination",
  "response",
  "range",
  "from",
  "to",
  "q",
  "tests",
];

/** A record, so that the compiler demands every word that the service has. */
const EVERY_STATUS: Readonly<Record<DeliveryStatus, true>> = {
  waiting: true,
  retrying: true,
  delivered: true,
  failed: true,
  cancelled: true,
};
export const STATUSES = Object.keys(EVERY_STATUS) as DeliveryStatus[];

const HOUR_MS = 3_600_000;
export const RANGES: readonly { readonly value: string; readonly label: string; readonly ms: number }[] = [
  { value: "1h", label: "Last hour", ms: HOUR_MS },
  { value: "24h", label: "Last 24 hours", ms: 24 * HOUR_MS },
  { value: "7d", label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
  { value: "30d", label: "Last 30 days", ms: 30 * 24 * HOUR_MS },
];

/** The query of the address. A relative range is counted from the minute that has begun, so that it stays a while. */
export function parseQuery(search: URLSearchParams, nowMs: number): DeliveryQuery {
  const rangeMs = RANGES.find(({ value }) => value === search.get("range"))?.ms;
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000;
  const from = rangeMs === undefined ? readText(search, "from") : { from: String(minuteMs - rangeMs) };
  return {
    ...readText(search, "status"),
    ...readText(search, "event"),
    ...readText(search, "destination"),
    ...readText(search, "response"),
    ...from,
    ...readText(search, "to"),
    ...readText(search, "q"),
    ...(search.get("tests") === "1" ? { tests: "1" as const } : {}),
    ...readText(search, "cursor"),
  };
}

function readText<Name extends string>(search: URLSearchParams, name: Name): { readonly [key in Name]?: string } {
  const text = search.get(name)?.trim() ?? "";
  return (text === "" ? {} : { [name]: text }) as { readonly [key in Name]?: string };
}

/** A cursor belongs to the filters that it was made with, so each change starts at the newest again. */
function changed(search: URLSearchParams, change: (next: URLSearchParams) => void): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete("cursor");
  change(next);
  return next;
}

/** `null` or an empty text takes the filter away. */
export function withFilter(search: URLSearchParams, name: FilterName, value: string | null): URLSearchParams {
  return changed(search, (next) => {
    if (value === null || value.trim() === "") next.delete(name);
    else next.set(name, value.trim());
    if (name === "range") {
      next.delete("from");
      next.delete("to");
    } else if (name === "from" || name === "to") next.delete("range");
  });
}

export function parseStatuses(search: URLSearchParams): readonly string[] {
  return (search.get("status") ?? "").split(",").filter((status) => status !== "");
}

/** Adds the status, or takes it away when it is there. */
export function withStatusToggled(search: URLSearchParams, status: string): URLSearchParams {
  const chosen = parseStatuses(search);
  const next = chosen.includes(status) ? chosen.filter((other) => other !== status) : [...chosen, status];
  return withFilter(search, "status", next.join(","));
}

export function withoutFilters(search: URLSearchParams): URLSearchParams {
  return changed(search, (next) => {
    for (const name of NAMES) next.delete(name);
  });
}

/** How many buttons of the bar are on. The search has a field of its own, and the two ends of a time are one. */
export function countOn(search: URLSearchParams): number {
  const isOn = (name: FilterName): boolean => (search.get(name)?.trim() ?? "") !== "";
  const isTimed = TIMES.some(isOn);
  return Number(isTimed) + NAMES.filter((name) => isOn(name) && name !== "q" && !TIMES.includes(name)).length;
}

const TIMES: readonly FilterName[] = ["range", "from", "to"];

/** Tests that are shown narrow nothing: they do not count as a filter. */
export function hasFilters(search: URLSearchParams): boolean {
  return NAMES.some((name) => name !== "tests" && (search.get(name)?.trim() ?? "") !== "");
}

/** The filters alone, in one order: two addresses of the same list are the same text. */
export function toViewSearch(search: URLSearchParams): string {
  const kept = NAMES.flatMap((name) => {
    const value = search.get(name)?.trim() ?? "";
    return value === "" ? [] : [[name, value]];
  });
  return new URLSearchParams(kept).toString();
}

/** The address of the log with these filters: `search` may be empty. */
export function logHref(search: URLSearchParams, deliveryId?: string): string {
  const text = search.toString();
  const path = deliveryId === undefined ? "/deliveries" : `/deliveries/${encodeURIComponent(deliveryId)}`;
  return text === "" ? path : `${path}?${text}`;
}

/** As every other time on the page, "21 Nov 2026, 11:52"; empty for what is no time. */
export const typedInstant = (value: string | null): string =>
  value === null || value === "" || instant(value) === value ? "" : instant(value);

/**
 * A time as people write it, in their own zone: "21 Nov 2026, 11:52", "2026-11-21 11:52", "21 November", or "11:52" for
 * today. Without a year it is the last such day, without a clock its midnight. `null` for what is no time.
 */
export function readTyped(text: string, nowMs: number): number | null {
  const [, day = "", clock] = /^(.*?)[\s,T]*(?:(\d{1,2}:\d\d)(?::\d\d)?)?$/i.exec(text.trim()) ?? [];
  const today = new Date(nowMs);
  const at = day === "" && clock !== undefined ? today : readDay(day, today);
  const [hours = 0, minutes = 0] = (clock ?? "0:00").split(":").map(Number);
  if (at === null || hours > 23 || minutes > 59) return null;
  const atMs = new Date(at.getFullYear(), at.getMonth(), at.getDate(), hours, minutes).getTime();
  return Number.isNaN(atMs) ? null : atMs;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

function readDay(text: string, today: Date): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (day !== undefined) return toDay(Number(year), Number(month) - 1, Number(day));
  const [, date, name = "", ofYear] = /^(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?(?:\s+(\d{4}))?$/i.exec(text) ?? [];
  if (date === undefined) return null;
  const found = toDay(Number(ofYear ?? today.getFullYear()), MONTHS.indexOf(name.toLowerCase()), Number(date));
  if (found === null || ofYear !== undefined || found <= today) return found;
  return toDay(today.getFullYear() - 1, found.getMonth(), found.getDate());
}

/** `null` for a 31 February, which `Date` would make a day of March. */
function toDay(year: number, month: number, date: number): Date | null {
  const day = new Date(year, month, date);
  return day.getMonth() === month && day.getDate() === date ? day : null;
}

/* The values of the log's filters in the few words that a button has room for. Pure. */

type Words = Readonly<Record<string, { readonly word: string }>>;

/** "Failed", "Failed, Retrying", "3 chosen". A word of the address that is none is shown as it stands there. */
export function statusesInWords(statuses: readonly string[], words: Words): string {
  if (statuses.length > 2) return `${statuses.length} chosen`;
  return statuses.map((status) => words[status]?.word ?? status).join(", ");
}

/** "Last hour", "since 21 Nov 2026, 11:52", "… to …"; `null` when the filter is off. */
export function timeInWords(search: URLSearchParams): string | null {
  const [range, from, to] = ["range", "from", "to"].map((name) => search.get(name)?.trim() ?? "");
  if (range !== undefined && range !== "") return RANGES.find(({ value }) => value === range)?.label ?? range;
  if (from !== undefined && from !== "") {
    return to === undefined || to === "" ? `since ${instant(from)}` : `${instant(from)} to ${instant(to)}`;
  }
  return to === undefined || to === "" ? null : `until ${instant(to)}`;
}

function instant(value: string): string {
  const atMs = Number(value);
  return Number.isFinite(atMs) && Math.abs(atMs) <= 8.64e15 ? minute(atMs) : value;
}

/* The answer in the few words that a list has room for. The service makes the sentences (explain/outcome.ts). */

/** Kinds of outcomes without an answer, as the log codes them. */
const NO_ANSWER: Readonly<Record<string, string>> = {
  timeout: "Timed out",
  dns_error: "Name not found",
  tls_error: "Certificate",
  network_error: "No connection",
  blocked: "Blocked",
  proxy_error: "Proxy",
  token_error: "No token",
  pulled: "Acknowledged",
  not_acknowledged: "Not acknowledged",
  body_error: "Body not made",
  internal_error: "Not sent",
};

/** "503" stays what it is; "timeout" is "Timed out". A code of a later version is shown as it came. */
export function responseLabel(code: string): string {
  return NO_ANSWER[code] ?? code;
}

/** The filter that finds more of the same: the status itself, or all that got no answer. */
export function toResponseFilter(code: string): string {
  return /^\d{3}$/.test(code) ? code : "none";
}

/** "212 ms"; what took no whole millisecond did take some time. */
export function responseTime(ms: number): string {
  return ms < 1 ? "< 1 ms" : duration(ms);
}

const CLASSES: Readonly<Record<string, string>> = {
  "2xx": "2xx, received",
  "3xx": "3xx, redirected",
  "4xx": "4xx, refused",
  "5xx": "5xx, endpoint error",
  none: "No answer",
};

export const RESPONSE_CLASSES: readonly { readonly value: string; readonly label: string }[] = Object.entries(
  CLASSES,
).map(([value, label]) => ({ value, label }));

/** A filter's value in a chip: "5xx", "No answer", "503". */
export function responseFilterLabel(value: string): string {
  return value === "none" ? "No answer" : value;
}

/* A total in words. Pure. */

interface Known {
  /** Those on the page. */
  readonly rows: number;
  /** They are all that there are. */
  readonly isOnePage: boolean;
  /** The service's count; `undefined` until it is there. */
  readonly total: DeliveryTotal | undefined;
}

/** Empty where nothing is known yet. */
export function totalInWords({ rows, isOnePage, total }: Known): string {
  if (isOnePage) return count(rows, "delivery", "deliveries");
  if (total === undefined) return "";
  // A count that was cut may have found fewer than a page that knew where to look.
  const least = Math.max(total.count, rows);
  if (!total.isWhole) return least === 0 ? "" : `At least ${number(least)}`;
  return count(total.count, "delivery", "deliveries");
}
