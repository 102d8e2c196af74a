/**
 * Webhooks that fail or were turned off, by their host: one receiver that is down is one trouble, however many webhooks
 * go there. Pure.
 */
import type {
  DestinationHealthView,
  DestinationView,
  SentWaiting,
} from "../../../src/dashboard/contract/destinations.ts";
import { count, number } from "../../words.ts";
import { failureCode, moment, parseHost, type Sending } from "./health-words.ts";

export interface Trouble {
  readonly host: string;
  readonly word: "failing" | "off";
  readonly destinations: readonly [DestinationView, ...DestinationView[]];
}

/** Those that were turned off first, then by how many wait. */
export function findTroubles(destinations: readonly DestinationView[]): readonly Trouble[] {
  const troubled = destinations.filter(({ owner, health }) => !owner.isDeleted && isTroubled(health));
  const byPlace = Map.groupBy(troubled, ({ url, health }) => `${health.word} ${parseHost(url)}`);
  return [...byPlace.values()]
    .flatMap(([first, ...more]): Trouble[] =>
      first === undefined
        ? []
        : [
            {
              host: parseHost(first.url),
              word: first.health.word === "off" ? "off" : "failing",
              destinations: [first, ...more],
            },
          ],
    )
    .toSorted((one, other) => rank(one) - rank(other) || sumWaiting(other).count - sumWaiting(one).count);
}

const isTroubled = ({ word }: DestinationHealthView): boolean => word === "failing" || word === "off";

const rank = ({ word }: Trouble): number => (word === "off" ? 0 : 1);

/** Names it for as long as it lasts, also while it grows or shrinks. */
export const toPlace = ({ host, word }: Pick<Trouble, "host" | "word">): string => `${word} ${host}`;

export interface ShownTrouble extends Trouble {
  /** It has had several webhooks. */
  readonly isGroup: boolean;
  /** All of them are well; what is said of them is from before. */
  readonly isOver: boolean;
}

/**
 * The troubles of a page that is open, after some have come and gone: what is shown keeps its place, and one of several
 * webhooks stays until it is closed, because a page must not move under the pointer that has just pressed "Send all".
 */
export function followTroubles(shown: readonly ShownTrouble[], now: readonly Trouble[]): ShownTrouble[] {
  const stay = shown.flatMap((was): ShownTrouble[] => {
    const is = now.find((each) => toPlace(each) === toPlace(was));
    if (is !== undefined) return [{ ...is, isGroup: was.isGroup || is.destinations.length > 1, isOver: false }];
    return was.isGroup ? [{ ...was, isOver: true }] : [];
  });
  const places = new Set(shown.map(toPlace));
  const fresh = now.filter((each) => !places.has(toPlace(each)));
  return [...stay, ...fresh.map((each) => ({ ...each, isGroup: each.destinations.length > 1, isOver: false }))];
}

/** The same for as long as it is the same trouble: a banner that was folded stays so. */
export function toTroubleKey(trouble: Trouble): string {
  const begins = trouble.destinations.map(({ health }) => health.failingSinceMs ?? health.changed?.atMs ?? 0);
  return `${toPlace(trouble)} ${Math.min(...begins)}`;
}

export function sumWaiting({ destinations }: Pick<Trouble, "destinations">): DestinationHealthView["waiting"] {
  return {
    count: destinations.reduce((sum, { health }) => sum + health.waiting.count, 0),
    isCapped: destinations.some(({ health }) => health.waiting.isCapped),
  };
}

/** "crm.example is failing: 9 webhooks, 192 wait". */
export function troubleTitle(trouble: Trouble): string {
  const { host, word, destinations } = trouble;
  const { count: waiting, isCapped } = sumWaiting(trouble);
  const wait = waiting === 0 ? "" : `, ${number(waiting)}${isCapped ? "+" : ""} ${waiting === 1 ? "waits" : "wait"}`;
  const matter = word === "off" ? "is turned off" : "is failing";
  return `${host} ${matter}: ${count(destinations.length, "webhook")}${wait}`;
}

/** Since when, and with which answers: "Since 11:12. Last answers: 503, no answer in time." */
export function troubleSentences({ word, destinations }: Trouble, nowMs: number): string {
  const sinceMs = Math.min(...destinations.flatMap(({ health }) => health.failingSinceMs ?? []));
  const codes = new Set(destinations.flatMap(({ health }) => health.lastFailure?.code ?? []));
  const answers = [...codes].map(failureCode).join(", ");
  return [
    ...(Number.isFinite(sinceMs) && word === "failing" ? [`Since ${moment(sinceMs, nowMs)}.`] : []),
    ...(answers === "" ? [] : [`Last ${codes.size === 1 ? "answer" : "answers"}: ${answers}.`]),
    ...(word === "off" ? ["Turn them on: what waits goes out then."] : []),
  ].join(" ");
}

/** The list of just these. */
export const troubleHref = ({ host }: Trouble): string => `/destinations?q=${encodeURIComponent(host)}&show=failing`;

/** "Send all (192)". */
export function sendAllLabel(trouble: Trouble): string {
  const { count: waiting, isCapped } = sumWaiting(trouble);
  return `Send all (${number(waiting)}${isCapped ? "+" : ""})`;
}

/** "2 webhooks were left out: It is paused. …", by the first reason; `null` where none was refused. */
export function sendRefusals(results: readonly SentWaiting[]): string | null {
  const refusals = results.flatMap(({ refusal }) => refusal ?? []);
  if (refusals.length === 0) return null;
  return `${count(refusals.length, "webhook was", "webhooks were")} left out: ${refusals[0]}`;
}

/**
 * How far sending to several is, as if they were one. It has failed once each that still has something waiting has
 * failed again: the others may go on.
 */
export function joinSending(first: readonly DestinationView[], now: readonly DestinationView[]): Sending {
  const before = new Map(first.map((each) => [each.id, each.health.lastFailure?.atMs]));
  const waiting = now.filter(({ health }) => health.waiting.count > 0);
  const isNew = ({ id, health: { lastFailure } }: DestinationView): boolean =>
    lastFailure !== null && lastFailure.atMs !== before.get(id);
  const failure = waiting.every(isNew) ? (waiting[0]?.health.lastFailure ?? null) : null;
  const asOne = (all: readonly DestinationView[]) => sumWaiting({ destinations: all as Trouble["destinations"] });
  return { first: { waiting: asOne(first), lastFailure: null }, now: { waiting: asOne(now), lastFailure: failure } };
}
