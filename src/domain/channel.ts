/**
 * A channel that is notified of failures: the webhook of a chat tool, or one of the owner's own. Its URL is a secret as
 * a whole, because anyone who knows it can write into the channel. Pure.
 */
import { CHAT_TOOLS } from "./body.ts";

export const CHANNEL_KINDS = [...CHAT_TOOLS, "webhook"] as const;

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
