/**
 * Webhooks that fail or were turned off, by their host and by why: one receiver that is down is one trouble, however
 * many webhooks go there, and a 401 beside it is another one. A host that many share is not called failing for a few of
 * them. Pure.
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
  readonly cause: string;
  readonly destinations: readonly [DestinationView, ...DestinationView[]];
  /** How many webhooks go to that host, those that are well included. */
  readonly among: number;
}

/** Those that were turned off first, then by how many wait; nothing is told of those that `isToldElsewhere`. */
export function findTroubles(
  destinations: readonly DestinationView[],
  isToldElsewhere: (destination: DestinationView) => boolean = () => false,
): readonly Trouble[] {
  const here = Map.groupBy(
    destinations.filter(({ owner }) => !owner.isDeleted),
    ({ url }) => parseHost(url),
  );
  return [...here]
    .flatMap(([host, all]) => {
      const troubled = all.filter((each) => isTroubled(each.health) && !isToldElsewhere(each));
      return findTroublesAt(host, troubled, all.length);
    })
    .toSorted((one, other) => rank(one) - rank(other) || sumWaiting(other).count - sumWaiting(one).count);
}

function findTroublesAt(host: string, troubled: readonly DestinationView[], among: number): Trouble[] {
  const same = Map.groupBy(troubled, ({ health }) => `${health.word} ${findCause(health)}`);
  return [...same.values()].flatMap(([first, ...more]): Trouble[] => {
    if (first === undefined) return [];
    const word = first.health.word === "off" ? "off" : "failing";
    return [{ host, word, cause: findCause(first.health), destinations: [first, ...more], among }];
  });
}

/** One that is down says so in many ways, 502 and then nothing; any other answer is about the webhook that got it. */
function findCause({ lastFailure }: DestinationHealthView): string {
  const { code = "" } = lastFailure ?? {};
  return /^5\d\d$/.test(code) || IS_DOWN.has(code) ? "down" : code;
}

const IS_DOWN: ReadonlySet<string> = new Set(["timeout", "dns_error", "tls_error", "network_error", "proxy_error"]);

const isTroubled = ({ word }: DestinationHealthView): boolean => word === "failing" || word === "off";

const rank = ({ word }: Trouble): number => (word === "off" ? 0 : 1);

/** Names it for as long as it lasts, also while it grows or shrinks. */
export const toPlace = ({ host, word, cause }: Pick<Trouble, "host" | "word" | "cause">): string =>
  `${word} ${cause} ${host}`;

export interface ShownTrouble extends Trouble {
  /** It has had several webhooks. */
  readonly isGroup: boolean;
  /** All of them are well; what is said of them is from before. */
  readonly isOver: boolean;
}

/**
 * The troubles of a page that is open, after some have come and gone: what is shown keeps its place, and one of several
 * webhooks stays until it is closed, because a page must not move under the pointer that has just pressed "Send now".
 */
export function followTroubles(shown: readonly ShownTrouble[], now: readonly Trouble[]): ShownTrouble[] {
  const troubledIds = new Set(now.flatMap(({ destinations }) => destinations.map(({ id }) => id)));
  const stay = shown.flatMap((was): ShownTrouble[] => {
    const is = now.find((each) => toPlace(each) === toPlace(was));
    if (is !== undefined) return [{ ...is, isGroup: was.isGroup || is.destinations.length > 1, isOver: false }];
    // One that fails in another way, or was turned off, is told of by the trouble that it is in now.
    const isElsewhere = was.destinations.some(({ id }) => troubledIds.has(id));
    return was.isGroup && !isElsewhere ? [{ ...was, isOver: true }] : [];
  });
  const places = new Set(shown.map(toPlace));
  const fresh = now.filter((each) => !places.has(toPlace(each)));
  return [...stay, ...fresh.map((each) => ({ ...each, isGroup: each.destinations.length > 1, isOver: false }))];
}

/** The same for as long as it is the same trouble: a banner that was folded stays so. */
export function toTroubleKey(trouble: Trouble): string {
  const begins = trouble.destinations.map(({ health }) => health.failingSinceMs ?? health.changed?.atMs ?? 0);
  return `${trouble.word} ${trouble.host} ${Math.min(...begins)}`;
}

export function sumWaiting({ destinations }: Pick<Trouble, "destinations">): DestinationHealthView["waiting"] {
  return {
    count: destinations.reduce((sum, { health }) => sum + health.waiting.count, 0),
    isCapped: destinations.some(({ health }) => health.waiting.isCapped),
  };
}

/** "10 of 81 webhooks to crm.example are failing (503), 192 wait". */
export function troubleTitle(trouble: Trouble): string {
  const { host, word, destinations, among } = trouble;
  const { count: waiting, isCapped } = sumWaiting(trouble);
  const wait = waiting === 0 ? "" : `, ${number(waiting)}${isCapped ? "+" : ""} ${waiting === 1 ? "waits" : "wait"}`;
  const failing = destinations.length;
  const which = failing < among ? `${number(failing)} of ${number(among)}` : failing === 1 ? "The" : `All ${failing}`;
  const matter = `${failing === 1 ? "is" : "are"} ${word === "off" ? "turned off" : "failing"}`;
  const answers = listAnswers(destinations);
  const why = answers.length === 0 ? "" : ` (${answers.join(", ")})`;
  return `${which} ${among === 1 ? "webhook" : "webhooks"} to ${host} ${matter}${why}${wait}`;
}

const ANSWERS_MAX = 3;

/** As many as a title has room for. */
function listAnswers(destinations: readonly DestinationView[]): readonly string[] {
  const codes = new Set(destinations.flatMap(({ health }) => health.lastFailure?.code ?? []));
  return [...codes].slice(0, ANSWERS_MAX).map(failureCode);
}

/** "Since 11:12.", or what to do. */
export function troubleSentences({ word, destinations }: Trouble, nowMs: number): string {
  if (word === "off") return "Turn them on: what waits goes out then.";
  const sinceMs = Math.min(...destinations.flatMap(({ health }) => health.failingSinceMs ?? []));
  return Number.isFinite(sinceMs) ? `Since ${moment(sinceMs, nowMs)}.` : "";
}

/** The list with these. After several answers it has all of the host that fail. */
export function troubleHref({ host, destinations }: Trouble): string {
  const [answer, other] = listAnswers(destinations);
  const words = answer === undefined || other !== undefined ? host : `${host} ${answer}`;
  return `/destinations?${new URLSearchParams({ q: words, show: "failing" })}`;
}

/** "Send now (192)". */
export function sendAllLabel(trouble: Trouble): string {
  const { count: waiting, isCapped } = sumWaiting(trouble);
  return `Send now (${number(waiting)}${isCapped ? "+" : ""})`;
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
