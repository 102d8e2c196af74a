/**
 * Messages that Bellwire sends by itself: confirmation emails and notifications to owners, alerts to the operator. Here
 * stand the times that hold for them on every node. Pure.
 */
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { LIMITS } from "./limits.ts";

/** How a message goes out: by the mail server, to an owner's channel, to the operator's webhook. */
export type MessageRoute = "email" | "channel" | "operator";

/** The first notification waits so long for more: receivers on one machine fail one after the other. */
export const GATHER_MS = secondsMs(30);

/** An older one would contradict what the dashboard shows by then, or the person who asked for it has gone. */
export const MESSAGE_MS_MAX = hoursMs(24);

/** While a webhook goes on failing, a recipient is reminded so long after the latest notification. */
export const REMIND_MS = hoursMs(24);

/**
 * How long a recipient gets nothing else, counted from the claim. So a node that dies causes no second notification
 * within it. Longer than an attempt's deadline and its settling; a mail server may need a while for a handful.
 */
export const HOLD_MS = {
  confirmation: minutesMs(5),
  email: LIMITS.emailGapMs,
  channel: LIMITS.channelGapMs,
  operator: minutesMs(1),
} as const;

/** Guess: an operator who is up looks at a receiver that was restarted within seconds. */
export const OPERATOR_RETRY_MIN_MS = secondsMs(5);

/** Guess: a channel that was away for a moment hears of an outage within the minute. */
export const CHANNEL_RETRY_MIN_MS = secondsMs(15);

/** Guess: a receiver that has been away for hours is asked four times an hour. */
const RETRY_MAX_MS = minutesMs(15);

/** `refusals`: how many there were in a row, this one included. No jitter: a recipient has one message in flight. */
export const messageRetryMs = (retryMinMs: number, refusals: number): number =>
  Math.min(retryMinMs * 2 ** Math.min(refusals - 1, 10), RETRY_MAX_MS);

/**
 * An owner is notified three times before a client certificate ends, so that there is time to get a new one and none to
 * forget it. Guess; the first is also from when on the dashboard shows it.
 */
const CERTIFICATE_WARNING_DAYS = [30, 7, 1] as const;

export const CERTIFICATE_WARNING_MS = daysMs(CERTIFICATE_WARNING_DAYS[0]);

/** A warning that could not be sent before is sent for so long after the end. */
export const CERTIFICATE_WARNED_AFTER_MS = daysMs(1);

/** When to warn of a certificate's end from now on: at the latest instant that has passed, and at those that follow. */
export function listCertificateWarnings(endsAtMs: number, nowMs: number): readonly number[] {
  if (endsAtMs + CERTIFICATE_WARNED_AFTER_MS <= nowMs) return [];
  const instants = CERTIFICATE_WARNING_DAYS.map((days) => endsAtMs - daysMs(days));
  const passed = instants.filter((atMs) => atMs <= nowMs);
  return [...passed.slice(-1), ...instants.slice(passed.length)];
}

/** The place in the database to which the secret of a confirmation email's link is bound. */
export const confirmationPlace = (secretHash: string): string => `messages|body|${secretHash}`;
