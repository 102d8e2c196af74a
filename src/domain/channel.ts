/**
 * A channel for news about failures: a Slack incoming webhook, or a webhook of the owner's own. Its URL is a secret as
 * a whole, because anyone who knows it can write into the channel. Pure.
 */
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";

export const CHANNEL_KINDS = ["slack", "webhook"] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** The answer to a digest or a test, as it is kept: what was met, without any word that the other side wrote. */
export interface ChannelAnswer {
  readonly atMs: number;
  /** An outcome of an attempt. */
  readonly outcome: string;
  readonly status: number | null;
  readonly isTaken: boolean;
}

/** While a webhook goes on failing, each reader is reminded of it this long after the latest message that named it. */
export const REMIND_MS = hoursMs(24);

/** Guess: a channel that was away for a moment hears of an outage within the minute. */
const RETRY_MIN_MS = secondsMs(15);

/** Guess: a channel that has been away for hours is asked four times an hour. */
const RETRY_MAX_MS = minutesMs(15);

/** `refusals`: how many there were in a row, this one included. No jitter: a channel has one message in flight. */
export const channelRetryMs = (refusals: number): number =>
  Math.min(RETRY_MIN_MS * 2 ** Math.min(refusals - 1, 10), RETRY_MAX_MS);

/** The place in the database to which the sealed URL is bound. */
export const channelUrlPlace = (channelId: string): string => `channels|sealed_url|${channelId}`;
