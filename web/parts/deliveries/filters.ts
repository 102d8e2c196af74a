/**
 * The log's filters as they stand in the page's address: `?status=failed,retrying&response=503&range=24h`. Names are
 * those of the call (`DeliveryQuery`), save `range`, which the page turns into an instant when it asks. Whatever
 * somebody wrote there by hand is passed on as it is: the service says which part it cannot read.
 */
import type { DeliveryQuery, DeliveryStatus, EventRow } from "../../../src/dashboard/contract/deliveries.ts";

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
  const from = rangeMs === undefined ? readInstant(search, "from") : { from: minuteMs - rangeMs };
  return {
    ...readText(search, "status"),
    ...(readText(search, "event") as { event?: EventRow["type"] }),
    ...readText(search, "destination"),
    ...readText(search, "response"),
    ...from,
    ...readInstant(search, "to"),
    ...readText(search, "q"),
    ...(search.get("tests") === "1" ? { tests: "1" as const } : {}),
    ...readText(search, "cursor"),
  };
}

function readText<Name extends string>(search: URLSearchParams, name: Name): { readonly [key in Name]?: string } {
  const text = search.get(name)?.trim() ?? "";
  return (text === "" ? {} : { [name]: text }) as { readonly [key in Name]?: string };
}

/** A text that is not a number goes to the service as it is, and is refused there by name. */
function readInstant<Name extends "from" | "to">(
  search: URLSearchParams,
  name: Name,
): { readonly [key in Name]?: number } {
  const text = search.get(name)?.trim() ?? "";
  return (text === "" ? {} : { [name]: Number(text) }) as { readonly [key in Name]?: number };
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

/** The address of the log with these filters: `search` may be empty. */
export function logHref(search: URLSearchParams, deliveryId?: string): string {
  const text = search.toString();
  const path = deliveryId === undefined ? "/deliveries" : `/deliveries/${encodeURIComponent(deliveryId)}`;
  return text === "" ? path : `${path}?${text}`;
}

/** For `<input type="datetime-local">`: local time without a zone, to the minute. */
export function localInputValue(value: string | null): string {
  const atMs = Number(value ?? "");
  if (value === null || value === "" || !Number.isFinite(atMs)) return "";
  const at = new Date(atMs);
  return Number.isNaN(at.getTime()) ? "" : localText(at);
}

function localText(at: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** `null` for an input that is empty or half filled in. */
export function instantOfLocalInput(text: string): string | null {
  const atMs = text === "" ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(atMs) ? null : String(atMs);
}
