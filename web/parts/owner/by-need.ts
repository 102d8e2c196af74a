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
}

/** What an address says; what it does not, or says wrongly, is the list as it comes. */
export const readWish = (search: URLSearchParams): Wish => ({
  q: search.get("q") ?? "",
  show: SHOWS.find((show) => show === search.get("show")) ?? "all",
  sort: SORTS.find((sort) => sort === search.get("sort")) ?? "need",
});

export interface Listed {
  readonly name: string;
  readonly destination: Pick<DestinationView, "url" | "health"> | null;
  /** An alert's toggle; other owners have none. */
  readonly webhooksOn?: boolean;
  /** Words that find it, besides its name and address. */
  readonly words?: string;
}

export function narrow<Row extends Listed>(rows: readonly Row[], { q, show, sort }: Wish): Row[] {
  const words = q.toLowerCase().split(/\s+/);
  return rows
    .filter((row) => isShown(row, show) && words.every((word) => toText(row).includes(word)))
    .toSorted(ORDERS[sort]);
}

export function isShown({ webhooksOn = true, destination }: Listed, show: Show): boolean {
  const word = webhooksOn && destination !== null ? destination.health.word : "paused";
  if (show === "failing") return word === "failing" || word === "off";
  const isOn = word !== "paused" && word !== "off";
  return show === "all" || isOn === (show === "on");
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
