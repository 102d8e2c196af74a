/** A destination's health in words: the label of its chip, and the sentences of its banner. Pure. */
import type { DeliveryStatus } from "../../../src/dashboard/contract/deliveries.ts";
import type { DestinationHealthView, DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { count, date, number, relative, timeOfDay } from "../../words.ts";

const DAY_MS = 86_400_000;

/** "Failing since 11:12", "Paused by Ana", "Off since 21 Nov 2026", or just the word. */
export function healthLabel(health: DestinationHealthView, nowMs: number): string {
  switch (health.word) {
    case "no_deliveries":
      return "No deliveries yet";
    case "healthy":
      return "Healthy";
    case "unsteady":
      return "Unsteady";
    case "failing":
      return health.failingSinceMs === null ? "Failing" : `Failing since ${moment(health.failingSinceMs, nowMs)}`;
    case "paused":
      return health.changed === null ? "Paused" : `Paused by ${health.changed.by}`;
    case "off":
      return health.changed === null ? "Off" : `Off since ${moment(health.changed.atMs, nowMs)}`;
  }
}

interface HealthStory {
  readonly title: string;
  readonly sentences: readonly string[];
}

/**
 * The words of a banner, whose title stands behind the name: others may go to the same host and be well. `null` for a
 * destination that needs none.
 */
export function tellHealth({ url, health }: DestinationView, nowMs: number): HealthStory | null {
  const host = parseHost(url);
  switch (health.word) {
    case "failing":
      return { title: failingTitle(host, health, nowMs), sentences: failingSentences(health, nowMs) };
    case "off":
      return { title: `its webhooks to ${host} are turned off`, sentences: offSentences(health, nowMs) };
    case "paused":
      return { title: `its webhooks to ${host} are paused`, sentences: pausedSentences(health, nowMs) };
    case "unsteady":
      return { title: `some of its deliveries to ${host} fail at first`, sentences: unsteadySentences(health) };
    case "healthy":
    case "no_deliveries":
      return null;
  }
}

/** "214 deliveries wait", "More than 10,000 deliveries wait", or "Nothing waits". */
export function waitingWords({ waiting }: DestinationHealthView): string {
  if (waiting.count === 0) return "Nothing waits";
  const wait = waiting.count === 1 ? "waits" : "wait";
  return waiting.isCapped
    ? `More than ${number(waiting.count)} deliveries wait`
    : `${count(waiting.count, "delivery", "deliveries")} ${wait}`;
}

/** "3 deliveries are on their way", for what has waited and may go now. */
export function underWayWords({ waiting }: DestinationHealthView): string {
  if (waiting.isCapped) return `More than ${number(waiting.count)} deliveries are on their way`;
  return count(waiting.count, "delivery is on its way", "deliveries are on their way");
}

/** "503", or for no answer at all "no answer in time", "name not found", … */
export function failureCode(code: string): string {
  return FAILURE_WORDS[code] ?? code;
}

const FAILURE_WORDS: Readonly<Record<string, string>> = {
  timeout: "no answer in time",
  dns_error: "name not found",
  tls_error: "certificate problem",
  network_error: "no connection",
  blocked: "address not allowed",
  proxy_error: "the proxy could not be used",
  token_error: "no access token",
  not_acknowledged: "not acknowledged",
  body_error: "the body could not be made",
  internal_error: "a fault on our side",
};

function failingTitle(host: string, { failingSinceMs }: DestinationHealthView, nowMs: number): string {
  const since = failingSinceMs === null ? "" : ` since ${moment(failingSinceMs, nowMs)}`;
  return `its deliveries to ${host} have failed${since}`;
}

function failingSentences(health: DestinationHealthView, nowMs: number): string[] {
  const { lastFailure, nextAttemptAtMs, turnsOffAtMs } = health;
  return [
    ...(lastFailure === null ? [] : [`Last answer: ${failureCode(lastFailure.code)}.`]),
    `${waitingWords(health)}${nextAttempt(nextAttemptAtMs, nowMs)}.`,
    ...(turnsOffAtMs === null ? [] : [`It will be turned off on ${date(turnsOffAtMs)} if nothing changes.`]),
  ];
}

/** ", the next attempt is in 4 minutes"; empty when none is known. */
export function nextAttempt(atMs: number | null, nowMs: number): string {
  if (atMs === null) return "";
  return atMs <= nowMs ? ", the next attempt is due now" : `, the next attempt is ${relative(atMs, nowMs)}`;
}

function offSentences(health: DestinationHealthView, nowMs: number): string[] {
  const at = health.changed === null ? "" : ` ${dateAndTime(health.changed.atMs, nowMs)}`;
  const why =
    health.offReason === "gone"
      ? `The receiver answered 410 Gone${at}, which means that it is no longer there.`
      : `Every delivery failed for five days; it was turned off${at}.`;
  return [why, keptWords(health)];
}

function pausedSentences(health: DestinationHealthView, nowMs: number): string[] {
  const { changed } = health;
  const who = changed === null ? [] : [`Paused by ${changed.by} ${dateAndTime(changed.atMs, nowMs)}.`];
  return [...who, keptWords(health)];
}

/** Webhooks that come while nothing goes out are not lost. */
function keptWords(health: DestinationHealthView): string {
  if (health.waiting.count === 0) return "What happens meanwhile is kept for 14 days.";
  return `${waitingWords(health)}; what waits is kept for 14 days.`;
}

function unsteadySentences({ successRate }: DestinationHealthView): string[] {
  const rate =
    successRate === null ? [] : [`${percent(successRate)} of the deliveries of the last 24 hours succeeded.`];
  return [...rate, "Those that fail are sent again by themselves."];
}

/** "99.2 %"; never rounded up to a hundred that it is not. */
export function percent(share: number): string {
  const tenths = Math.floor(share * 1000) / 10;
  return `${tenths === Math.floor(tenths) ? tenths : tenths.toFixed(1)} %`;
}

export function parseHost(url: string): string {
  return isPulled({ url }) ? "your program" : (URL.parse(url)?.host ?? url);
}

/** The time of day within a day, else the date. */
export function moment(atMs: number, nowMs: number): string {
  return nowMs - atMs < DAY_MS ? timeOfDay(atMs) : date(atMs);
}

const dateAndTime = (atMs: number, nowMs: number): string =>
  nowMs - atMs < DAY_MS ? `at ${timeOfDay(atMs)}` : `on ${date(atMs)} at ${timeOfDay(atMs)}`;

/* How far "Send now" is, in words. Pure: figures of the service, never guessed ones. */

export interface Sending {
  /** The health at the press, and as it is now. */
  readonly first: SendingHealth;
  readonly now: SendingHealth;
}

type SendingHealth = Pick<DestinationHealthView, "waiting" | "lastFailure">;

/** `trying`: the first one is under way; `failed`: it met a failure, and the others wait. */
type SendingState = "trying" | "going" | "done" | "failed";

export function findSendingState({ first, now }: Sending): SendingState {
  if (now.waiting.count === 0) return "done";
  if (now.lastFailure !== null && now.lastFailure.atMs !== first.lastFailure?.atMs) return "failed";
  return now.waiting.count === first.waiting.count ? "trying" : "going";
}

/** "252 on their way; 12 left". */
export function sendingWords(sending: Sending): string {
  const { first, now } = sending;
  const total = countWords(first.waiting, "More");
  switch (findSendingState(sending)) {
    case "done":
      return doneWords(first.waiting);
    case "trying":
      if (first.waiting.count === 1) return "It is on its way.";
      // A count that stands at its bound cannot show that the first has arrived.
      return first.waiting.isCapped ? `${total} on their way.` : `${total} on their way; one is tried first.`;
    case "going":
      return `${total} on their way; ${countWords(now.waiting, "more")} left.`;
    case "failed":
      return `It failed again: ${failureCode(now.lastFailure?.code ?? "")}. ${stillWait(now)}`;
  }
}

function doneWords({ count: waited, isCapped }: DestinationHealthView["waiting"]): string {
  if (waited === 1) return "What waited was sent.";
  return isCapped ? "Everything that waited was sent." : `All ${number(waited)} were sent.`;
}

/** `more` begins a sentence, or does not. */
const countWords = ({ count: waiting, isCapped }: DestinationHealthView["waiting"], more: "More" | "more"): string =>
  `${isCapped ? `${more} than ` : ""}${number(waiting)}`;

const stillWait = ({ waiting }: SendingHealth): string =>
  waiting.count === 1 ? "It still waits." : `${countWords(waiting, "More")} still wait.`;

/** "Send now (252)". */
export const sendLabel = ({ waiting }: DestinationHealthView): string =>
  `Send now (${number(waiting.count)}${waiting.isCapped ? "+" : ""})`;

/** "252 deliveries wait" is a link to just these. */
export const waitingHref = (destinationId: string): string =>
  `/deliveries?destination=${encodeURIComponent(destinationId)}&status=waiting,retrying`;

/** The list of its failures: of the states that the report of its own page has. */
export const failuresHref = (destinationId: string): string =>
  `/deliveries?destination=${encodeURIComponent(destinationId)}&status=failed,retrying`;

/** Sends again what has failed of those that are shown; where each is still tried, that. */
export const resendHref = (destinationId: string, shown: readonly DeliveryStatus[]): string => {
  const status = shown.includes("failed") ? "failed" : "retrying";
  return `/deliveries?destination=${encodeURIComponent(destinationId)}&status=${status}&replay=1`;
};

/** The answers that are old after a destination was paused or turned on. */
export const OUTDATED_BY_STATE = [
  "GET /destinations",
  "GET /destinations/:id",
  "GET /alerts",
  "GET /alerts/:id",
  "GET /assistants",
  "GET /assistants/:id",
  "GET /webhooks",
  "GET /webhooks/:id",
  "GET /statistics",
] as const;
