/**
 * A channel that is notified of failures: a Slack incoming webhook, or a webhook of the owner's own. Its URL is a
 * secret as a whole, because anyone who knows it can write into the channel. Pure.
 */
export const CHANNEL_KINDS = ["slack", "webhook"] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** The answer to a message, as it is stored: what was met, without any word that the other side wrote. */
export interface ChannelAnswer {
  readonly atMs: number;
  /** An outcome of an attempt. */
  readonly outcome: string;
  readonly status: number | null;
  readonly isTaken: boolean;
}

/** The place in the database to which the sealed URL is bound. */
export const channelUrlPlace = (channelId: string): string => `channels|sealed_url|${channelId}`;
