/**
 * A list of webhooks' owners as somebody wants it: found by words, narrowed to those that send, do not or fail, and in
 * an order. Those that need attention come first unless another order is chosen. Pure.
 */
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";

/** `failing`: those that were turned off for it, too. */
export const SHOWS = ["all", "on", "off", "failing"] as const;
export type Show = (typeof SHOWS)[number];

export const SORTS = ["need", "name", "busiest"] as const;
export type Sort = (typeof SORTS)[number];

export interface Wish {
  readonly q: string;
  readonly show: Show;
  readonly sort: Sort;
  /** A row has all of them. */
  readonly tags: readonly string[];
  /** From 1. */
  readonly page: number;
}

/** What an address says; what it does not, or says wrongly, is the list as it comes. */
export const readWish = (search: URLSearchParams): Wish => ({
  q: search.get("q") ?? "",
  show: SHOWS.find((show) => show === search.get("show")) ?? "all",
  sort: SORTS.find((sort) => sort === search.get("sort")) ?? "need",
  tags: search.getAll("tag"),
  page: Math.max(1, Math.floor(Number(search.get("page")) || 1)),
});

/** The address of a changed wish. Another filter begins on its first page; what the list does not know stays. */
export function writeWish(search: URLSearchParams, { tags, ...next }: Partial<Wish>): URLSearchParams {
  const after = new URLSearchParams(search);
  after.delete("page");
  for (const [name, value] of Object.entries(next)) {
    if (value === "" || value === 1) after.delete(name);
    else after.set(name, String(value));
  }
  if (tags === undefined) return after;
  after.delete("tag");
  for (const tag of tags) after.append("tag", tag);
  return after;
}

export interface Listed {
  readonly name: string;
  readonly destination: Pick<DestinationView, "url" | "health" | "tags"> | null;
  /** An alert's toggle; other owners have none. */
  readonly webhooksOn?: boolean;
  /** Words that find it, besides its name and address. */
  readonly words?: string;
}

export function narrow<Row extends Listed>(
  rows: readonly Row[],
  { q, show, sort, tags }: Pick<Wish, "q" | "show" | "sort" | "tags">,
): Row[] {
  const words = q.toLowerCase().split(/\s+/);
  return rows
    .filter((row) => isShown(row, show) && hasTags(row, tags) && words.every((word) => toText(row).includes(word)))
    .toSorted(ORDERS[sort]);
}

export function isShown({ webhooksOn = true, destination }: Listed, show: Show): boolean {
  const word = webhooksOn && destination !== null ? destination.health.word : "paused";
  if (show === "failing") return word === "failing" || word === "off";
  const isOn = word !== "paused" && word !== "off";
  return show === "all" || isOn === (show === "on");
}

const hasTags = ({ destination }: Listed, tags: readonly string[]): boolean =>
  tags.every((tag) => destination?.tags.includes(tag));

/** Each tag of the rows with how many have it, by letters. */
export function countTags(rows: readonly Listed[]): readonly (readonly [tag: string, count: number])[] {
  const all = rows.flatMap(({ destination }) => destination?.tags ?? []);
  const counts = new Map<string, number>();
  for (const tag of all) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].toSorted(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
}

/** Rows of a page. Guess: a list of more takes as long to look through as its next page to ask for. */
export const PAGE_ROWS = 50;

/** The page that is asked for, or the last one where there are not as many. */
export function cutPage<Row>(
  rows: readonly Row[],
  page: number,
): { readonly from: number; readonly rows: readonly Row[] } {
  const last = Math.max(0, Math.ceil(rows.length / PAGE_ROWS) - 1);
  const from = Math.min(page - 1, last) * PAGE_ROWS;
  return { from, rows: rows.slice(from, from + PAGE_ROWS) };
}

const toText = ({ name, destination, words = "" }: Listed): string =>
  `${name} ${destination?.url ?? ""} ${words}`.toLowerCase();

const NEED: Readonly<Record<HealthWord, number>> = {
  off: 0,
  failing: 1,
  unsteady: 2,
  paused: 3,
  no_deliveries: 4,
  healthy: 4,
};
const NONE = 5;

/** As people count: "2" comes before "10". */
export const byName = (one: Pick<Listed, "name">, other: Pick<Listed, "name">): number =>
  one.name.localeCompare(other.name, "en", { numeric: true, sensitivity: "base" });

export const byNeed = (one: Listed, other: Listed): number => rankNeed(one) - rankNeed(other) || byName(one, other);

function rankNeed({ webhooksOn = true, destination }: Listed): number {
  return webhooksOn && destination !== null ? NEED[destination.health.word] : NONE;
}

export const byTraffic = (one: Listed, other: Listed): number => countDay(other) - countDay(one) || byNeed(one, other);

/** Attempts of the last 24 hours. */
const countDay = ({ destination }: Listed): number =>
  (destination?.health.lastDay ?? []).reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);

const ORDERS = { need: byNeed, name: byName, busiest: byTraffic } as const;
