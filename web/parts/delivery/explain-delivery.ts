/**
 * A delivery in a few sentences: what has happened, what comes next, until when. A developer who asks why a webhook did
 * not arrive reads this first. Pure; the service makes the words for a single outcome (explain/outcome.ts).
 */
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { failureCode, moment } from "../health/health-words.ts";
import { count, date, duration, relative, timeOfDay } from "../../words.ts";

/** An attempt that says nothing about the endpoint spends none of the schedule. */
const NOT_THEIRS: ReadonlySet<string> = new Set(["our_fault", "proxy", "body"]);

export function explainDelivery(detail: DeliveryDetail, nowMs: number): string {
  const parts = [resentPart(detail), whatHappened(detail, nowMs), whatFollows(detail, nowMs)];
  return parts.filter((part) => part !== "").join(" ");
}

/** Attempts since it was accepted, or since somebody sent it again. */
export function attemptsOfRun({ attempts, resent }: DeliveryDetail): readonly AttemptView[] {
  return resent === null ? attempts : attempts.filter(({ startedAtMs }) => startedAtMs >= resent.atMs);
}

function resentPart({ resent, isTest }: DeliveryDetail): string {
  return resent === null || isTest ? "" : `Sent again by ${resent.by}.`;
}

function whatHappened(detail: DeliveryDetail, nowMs: number): string {
  const run = attemptsOfRun(detail);
  const last = run.at(-1);
  switch (detail.status) {
    case "delivered":
      return detail.isTest ? "This was a test, and your endpoint accepted it." : accepted(detail, run);
    case "failed":
      if (detail.isTest) return `This was a test. ${last?.outcome.sentence ?? "It failed."}`;
      // It has failed at once, whatever attempts are left.
      if (last?.outcome.class === "body") return last.outcome.sentence;
      return `${failures(run)} ${run.length > 1 ? `All ${run.length} attempts are used up` : "No attempt is left"}.`;
    case "cancelled":
      return cancelled(detail);
    case "retrying":
    case "waiting":
      return last === undefined ? othersFailed(detail, nowMs) : failures(run);
  }
}

function accepted({ createdAtMs, settledAtMs, resent }: DeliveryDetail, run: readonly AttemptView[]): string {
  const which = run.length <= 1 ? "on the first attempt" : `on attempt ${run.length}`;
  const last = run.at(-1);
  const who = last !== undefined && isPulled(last) ? "Your program acknowledged it" : "Your endpoint accepted it";
  if (settledAtMs === null) return `${who} ${which}.`;
  const since = resent?.atMs ?? createdAtMs;
  const what = resent === null ? "the event was accepted" : "that";
  return `${who} ${which}, ${duration(Math.max(0, settledAtMs - since))} after ${what}.`;
}

/** "Your endpoint answered 503 three times.", or what the last one met and how many there were. */
function failures(run: readonly AttemptView[]): string {
  const counted = run.filter(({ outcome }) => !NOT_THEIRS.has(outcome.class));
  const last = run.at(-1);
  if (last === undefined) return "";
  if (NOT_THEIRS.has(last.outcome.class)) return `${last.outcome.sentence} That says nothing about your endpoint.`;
  const isSame = counted.every(({ outcome }) => outcome.status === last.outcome.status);
  const status = last.outcome.response?.status;
  if (isSame && status !== undefined) return `Your endpoint answered ${status}${times(counted.length)}.`;
  if (counted.length === 1) return last.outcome.sentence;
  if (isSame) return `${last.outcome.sentence} It was so in all ${counted.length} attempts.`;
  return `${count(counted.length, "attempt")} failed. The last one: ${lowered(last.outcome.sentence)}`;
}

/** It was not tried itself: the cause is what its destination's other deliveries met. */
function othersFailed({ destinationNow, nextAttemptAtMs }: DeliveryDetail, nowMs: number): string {
  const { failingSinceMs = null, lastFailure = null } = destinationNow?.health ?? {};
  const isOnItsWay = destinationNow?.state === "on" && nextAttemptAtMs === null;
  if (failingSinceMs === null || lastFailure === null || isOnItsWay) return "";
  const what = `webhooks to ${destinationNow?.owner.name ?? "it"} have failed since ${moment(failingSinceMs, nowMs)}`;
  return `It has not been tried yet: ${what}. Their last answer: ${failureCode(lastFailure.code)}.`;
}

const WORDS = ["three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** In words: figures beside a status would read as one number. */
function times(value: number): string {
  if (value < 2) return "";
  return value === 2 ? " twice" : ` ${WORDS[value - 3] ?? value} times`;
}

/** "Your endpoint …" goes on in the middle of a sentence; a name at its start keeps its letters. */
const lowered = (sentence: string): string => sentence.replace(/^(?:Your|The|No|We) /, (word) => word.toLowerCase());

/** As `LIMITS.waitWhileOffMs` has it. */
const WAIT_MS_MAX = 14 * 24 * 3_600_000;

function cancelled(detail: DeliveryDetail): string {
  const { destinationNow, createdAtMs, settledAtMs, resent } = detail;
  if (destinationNow === null || destinationNow.owner.isDeleted) {
    return "Cancelled before it was delivered, because its webhook was deleted.";
  }
  const waitsSinceMs = attemptsOfRun(detail).at(-1)?.startedAtMs ?? resent?.atMs ?? createdAtMs;
  const waitedMs = (settledAtMs ?? waitsSinceMs) - waitsSinceMs;
  // Sooner than that only a person cancels it.
  const why = waitedMs < WAIT_MS_MAX ? "somebody cancelled what waited" : "it had waited for 14 days";
  return `Cancelled before it was delivered: ${why}.`;
}

function whatFollows(detail: DeliveryDetail, nowMs: number): string {
  const { status, notResendable, isTest } = detail;
  if (status === "delivered") return "";
  if (status === "failed" || status === "cancelled") {
    if (isTest) return "Tests are not retried.";
    return `Nothing more is sent by itself${notResendable === null ? "; it can be sent again" : ""}.`;
  }
  return detail.nextAttemptAtMs === null ? waitsFor(detail) : nextAttempt(detail, nowMs);
}

/** Pending without a time: its destination is not on. */
function waitsFor({ destinationNow }: DeliveryDetail): string {
  if (destinationNow?.state === "paused") {
    return `It waits while ${destinationNow.owner.name} is paused, and goes out when that is turned on again.`;
  }
  if (destinationNow?.state === "off") {
    return `It waits because ${destinationNow.owner.name} is turned off, and goes out when that is turned on again.`;
  }
  return destinationNow !== null && isPulled(destinationNow)
    ? "It waits until your program asks for it."
    : "It waits for its turn.";
}

function nextAttempt(detail: DeliveryDetail, nowMs: number): string {
  const { nextAttemptAtMs, lastAttemptAtMs, attemptsInSchedule, attemptsMax, attemptsMade } = detail;
  if (nextAttemptAtMs === null) return "";
  const left = attemptsMax - attemptsInSchedule;
  const isFirst = attemptsMade === 0;
  if (nextAttemptAtMs <= nowMs) return isFirst ? "The first attempt is on its way." : "The next attempt is on its way.";
  const held = heldPart(detail);
  const when = atInWords(nextAttemptAtMs, nowMs);
  if (isFirst) return `${held}The first attempt goes out ${when}.`;
  if (left <= 1) return `${held}We’ll try for the last time ${when}.`;
  const until = lastAttemptAtMs === null ? "" : `, until ${untilInWords(lastAttemptAtMs, nowMs)}`;
  return `${held}We’ll try again ${when}; ${count(left, "attempt")} left${until}.`;
}

/** Something holds back the whole destination, not only this delivery. */
function heldPart({ destinationNow, nextAttemptAtMs }: DeliveryDetail): string {
  const heldUntilMs = destinationNow?.health.heldUntilMs ?? null;
  const isHeld = heldUntilMs !== null && nextAttemptAtMs !== null && heldUntilMs >= nextAttemptAtMs;
  return isHeld ? "Nothing goes to this endpoint for the moment, so that it can recover. " : "";
}

/** "at 11:52" today, "on 23 Nov at 11:52" later; within a minute "in 40 sec". */
export function atInWords(atMs: number, nowMs: number): string {
  if (atMs - nowMs < 60_000) return relative(atMs, nowMs);
  return isSameDay(atMs, nowMs) ? `at ${timeOfDay(atMs)}` : `on ${shortDate(atMs)} at ${timeOfDay(atMs)}`;
}

/** "15:27" today, "23 Nov" later. */
const untilInWords = (atMs: number, nowMs: number): string =>
  isSameDay(atMs, nowMs) ? timeOfDay(atMs) : shortDate(atMs);

const isSameDay = (atMs: number, nowMs: number): boolean => date(atMs) === date(nowMs);

/** "23 Nov": what lies ahead is days away, never years. */
const shortDate = (atMs: number): string => date(atMs).replace(/ \d{4}$/, "");
