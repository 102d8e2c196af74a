/** The values of the log's filters in the few words that a button has room for. Pure. */
import { minute } from "../../words.ts";
import { RANGES } from "./filters.ts";

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
