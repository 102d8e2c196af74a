/**
 * A replay in words and figures: what the log's filters mean for it and what they cannot mean, how far it is, how long
 * it takes. Pure. The service freezes the filter and counts; the page never guesses a number.
 */
import type { DeliveryQuery, DeliveryTotal, ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { count, duration, exact, number } from "../../words.ts";
import { parseQuery, parseStatuses } from "../deliveries/filters.ts";
import { eventLabel } from "../event-words.ts";

type ReplayFilter = ReplayView["filter"];
export type ReplayedState = ReplayFilter["states"][number];

interface StateWords {
  readonly state: ReplayedState;
  readonly label: string;
  readonly help: string;
}

export const REPLAYED_STATES: readonly StateWords[] = [
  { state: "pending", label: "Waiting and retrying", help: "Each gets its next attempt now, in its schedule." },
  { state: "failed", label: "Failed", help: "Every attempt was used up." },
  { state: "cancelled", label: "Cancelled", help: "Never delivered: what waited was cancelled." },
  { state: "delivered", label: "Delivered", help: "Accepted already: the endpoint gets them a second time." },
];

export interface ReplayDraft {
  readonly states: readonly ReplayedState[];
  readonly filter: Omit<ReplayFilter, "states">;
  /** Neither somebody nor the log's filters have chosen them. */
  readonly isGuess: boolean;
  /** The filters of the log that a replay does not have, in words; empty when it has them all. */
  readonly leftOut: readonly string[];
}

/** `chosen` are the states of the dialog, once somebody has changed those of the log. */
export function parseDraft(
  search: URLSearchParams,
  nowMs: number,
  chosen: readonly ReplayedState[] | null = null,
): ReplayDraft {
  const { event, destination, from, to, response, q } = parseQuery(search, nowMs);
  const statuses = parseStatuses(search);
  const answer = parseResponse(response);
  const waiting = statuses.filter((status) => status === "waiting" || status === "retrying");
  const listed = REPLAYED_STATES.map(({ state }) => state).filter((state) =>
    state === "pending" ? waiting.length > 0 : statuses.includes(state),
  );
  // Who has filtered for nothing wants what did not arrive.
  const states = chosen ?? (listed.length === 0 ? ["failed"] : listed);
  return {
    states,
    isGuess: chosen === null && listed.length === 0,
    filter: {
      ...(destination === undefined ? {} : { destinationId: destination }),
      ...(event === undefined ? {} : { type: event }),
      ...(answer === null ? {} : { response: answer }),
      ...(q === undefined ? {} : { q }),
      // Also what is no instant (NaN): the service refuses to count it, and no more is sent than the list shows.
      ...(from === undefined ? {} : { createdFromMs: Number(from) }),
      ...(to === undefined ? {} : { createdToMs: Number(to) }),
    },
    leftOut: [
      ...(response !== undefined && answer === null ? ["the response"] : []),
      ...(waiting.length === 1 && states.includes("pending") ? [`what is ${waiting[0]} alone: both are sent`] : []),
    ],
  };
}

/** The number of each state, as far as they are counted. */
export type StateCounts = Readonly<Record<ReplayedState, DeliveryTotal | undefined>>;

/** What a dialog opens on that nobody has chosen anything for: what did not arrive, where there is some. */
export function guessStates(counts: StateCounts): readonly ReplayedState[] {
  const order = ["failed", "pending", "cancelled"] as const;
  // Not before it is known: what is ticked would jump from one to the next.
  if (order.some((state) => counts[state] === undefined)) return ["failed"];
  const isThere = (state: ReplayedState): boolean => (counts[state]?.count ?? 0) > 0;
  // A search that stopped early may have found none of what there is.
  return [order.find(isThere) ?? order.find((state) => counts[state]?.isWhole === false) ?? "failed"];
}

/** Everything was looked at. A search that stopped early and has found none yet knows of none, and no more. */
export const isNone = ({ count: found, isWhole }: DeliveryTotal): boolean => found === 0 && isWhole;

/** All of the chosen together; `undefined` until each is counted. */
export function sumTotals(counts: StateCounts, states: readonly ReplayedState[]): DeliveryTotal | undefined {
  const totals = states.flatMap((state) => counts[state] ?? []);
  if (totals.length < states.length) return undefined;
  return {
    count: totals.reduce((sum, total) => sum + total.count, 0),
    isWhole: totals.every(({ isWhole }) => isWhole),
  };
}

type Answer = NonNullable<ReplayFilter["response"]>;

/** As the log writes it: `5xx`, `503` or `none`; `null` for anything else. */
function parseResponse(text: string | undefined): Answer | null {
  if (text === "none") return "none";
  if (/^[1-5]xx$/.test(text ?? "")) return { hundreds: Number(text?.[0]) };
  return /^[1-5]\d\d$/.test(text ?? "") ? { status: Number(text) } : null;
}

const answerInWords = (answer: Answer): string => (answer === "none" ? "No answer" : writeResponse(answer));

/** The log's question for the same deliveries: it counts without keeping anything. */
export function toTotalQuery(filter: ReplayFilter): DeliveryQuery {
  const { states, destinationId, type, response, q, createdFromMs, createdToMs } = filter;
  const statuses = states.flatMap((state) => (state === "pending" ? ["waiting", "retrying"] : [state]));
  return {
    status: statuses.join(","),
    ...(destinationId === undefined ? {} : { destination: destinationId }),
    ...(type === undefined ? {} : { event: type }),
    ...(response === undefined ? {} : { response: writeResponse(response) }),
    ...(q === undefined ? {} : { q }),
    ...(createdFromMs === undefined ? {} : { from: String(createdFromMs) }),
    ...(createdToMs === undefined ? {} : { to: String(createdToMs) }),
  };
}

function writeResponse(answer: Answer): string {
  if (answer === "none") return answer;
  return "status" in answer ? String(answer.status) : `${answer.hundreds}xx`;
}

/** "1,204"; "10,000 or more" where not all were counted, "not counted" where none was found so far. */
export function totalInWords({ count: found, isWhole }: DeliveryTotal): string {
  if (isWhole) return number(found);
  return found === 0 ? "not counted" : `${number(found)} or more`;
}

/** A search that goes on for too long is refused. */
const NONE_YET = "None found so far: the search stopped early. Sending looks further, and says so if that is too much.";

/** What the dialog says of all that is chosen. */
export function foundInWords(found: DeliveryTotal, ratePerSecond: number): string {
  if (isNone(found)) return "Nothing matches.";
  if (found.count === 0) return NONE_YET;
  const one = found.isWhole && found.count === 1;
  const words = `${totalInWords(found)} ${one ? "delivery matches" : "deliveries match"}`;
  if (!found.isWhole || !(ratePerSecond >= 1)) return `${words}.`;
  return `${words}. Sending takes about ${duration(Math.max(1_000, (found.count / ratePerSecond) * 1000))}.`;
}

/** "Failed and cancelled deliveries". */
export function statesInWords(states: readonly ReplayedState[]): string {
  const words = REPLAYED_STATES.filter(({ state }) => states.includes(state)).map(({ label }) => label.toLowerCase());
  const text = new Intl.ListFormat("en", { type: "conjunction" }).format(words);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} deliveries`;
}

/** Each line of the scope; `destinationName` is `null` when it is every destination. */
export function scopeLines(
  filter: ReplayFilter,
  destinationName: string | null,
): readonly [name: string, value: string][] {
  const { type, response, q, email, createdFromMs, createdToMs } = filter;
  return [
    ["What", statesInWords(filter.states)],
    ["Destination", destinationName ?? "Every destination"],
    ["Event", type === undefined ? "Every event" : eventLabel(type)],
    ...(response === undefined ? [] : [["Response", answerInWords(response)] as [string, string]]),
    ...(q === undefined ? [] : [["Search", `“${q}”`] as [string, string]]),
    ...(email === undefined ? [] : [["Person", email] as [string, string]]),
    ["Accepted", windowInWords(createdFromMs, createdToMs)],
  ];
}

function windowInWords(fromMs: number | undefined, toMs: number | undefined): string {
  const minute = (atMs: number): string => exact(atMs).replace(/:\d\d\.\d{3}$/, "");
  if (fromMs === undefined && toMs === undefined) return "At any time";
  if (fromMs === undefined) return `Before ${minute(toMs ?? 0)}`;
  return toMs === undefined ? `Since ${minute(fromMs)}` : `${minute(fromMs)} to ${minute(toMs)}`;
}

/** How much is through, 0 to 1. One that has nothing to send is through. */
export function computeProgress({ deliveries, moved, skipped }: ReplayView): number {
  return deliveries === 0 ? 1 : Math.min(1, (moved + skipped) / deliveries);
}

/** At its rate, and if the endpoint keeps up. */
export function remainingMs({ deliveries, moved, skipped, ratePerSecond }: ReplayView): number {
  return (Math.max(0, deliveries - moved - skipped) / ratePerSecond) * 1000;
}

/** The state of a replay in a sentence, for the line below the heading. */
export function replaySentence(replay: ReplayView): string {
  const { state, isPrepared, deliveries, moved, skipped, stateBy } = replay;
  const left = deliveries - moved - skipped;
  if (isPrepared && state === "paused") return "Nothing has been sent yet.";
  switch (state) {
    case "running":
      return `Running: ${count(left, "delivery", "deliveries")} left.`;
    case "paused":
      return `Paused by ${stateBy}: ${count(left, "delivery", "deliveries")} left.`;
    case "cancelled":
      return moved === 0
        ? `Cancelled by ${stateBy}. Nothing was sent.`
        : `Cancelled by ${stateBy}. ${count(moved, "delivery", "deliveries")} sent before stay sent.`;
    case "finished":
      return deliveries === 0
        ? "Nothing matched, so nothing was sent."
        : "Finished. Each has been queued to be sent again.";
  }
}

/** Above this the number is typed: one slip must not send a flood. */
export const TYPED_ABOVE = 1_000;

/** "1,204", "1204" and "1 204" are the same number to a person who types it. */
export function isTypedCount(text: string, deliveries: number): boolean {
  return text.replace(/[\s,.\u00a0']/g, "") === String(deliveries);
}
