/**
 * One message to one channel as one HTTP request: built and signed as a webhook is, and sent by the way of every
 * webhook, through the guard for owners' addresses. A channel has a lane of its own, so it keeps no other from sending.
 */
import { maskEcho } from "../delivery/mask-echo.ts";
import { type RequestNames, type WebhookRequest, buildRequest } from "../delivery/send/request.ts";
import type { SendResult } from "../domain/attempt.ts";
import { type ChannelAnswer, channelUrlPlace } from "../domain/news-channel.ts";
import { isOperatorsConcern } from "../egress/connect-outcome.ts";
import type { Clock } from "../lib/clock.ts";
import type { Sealer } from "../lib/seal.ts";
import { isTold } from "./operator-webhook.ts";

export interface ChannelPostContext {
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, "open">;
  readonly names: RequestNames;
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: () => string;
  /**
   * Sends the request that `build` makes of the account's verification secrets as they are when its first byte goes
   * out. `null` when the account could not be confirmed in time.
   */
  readonly sendAs: (
    accountId: string,
    build: (secrets: readonly string[]) => WebhookRequest,
  ) => Promise<SendResult | null>;
}

export interface ChannelMessage {
  readonly accountId: string;
  readonly channelId: string;
  readonly sealedUrl: string;
  readonly webhookId: string;
  readonly body: string;
}

/** `null`: nothing was sent. */
export async function postToChannel(ctx: ChannelPostContext, message: ChannelMessage): Promise<SendResult | null> {
  const { accountId, channelId, webhookId, body } = message;
  const url = new URL(ctx.sealer.open(message.sealedUrl, channelUrlPlace(channelId)));
  const { clock, names } = ctx;
  const result = await ctx.sendAs(accountId, (secrets) => {
    const target = { destinationId: `channel:${channelId}`, url, headers: [], secrets };
    return buildRequest({ webhookId, body, target, nowMs: clock.nowMs(), names, owner: accountId });
  });
  return result === null ? null : maskEcho(result, secretParts(url));
}

/** The answer as it is kept; `null` when it says nothing about the channel. */
export function toChannelAnswer(result: SendResult | null, atMs: number): ChannelAnswer | null {
  if (result === null || isOperatorsConcern(result.outcome)) return null;
  const { outcome } = result;
  const status = outcome.kind === "response" ? outcome.response.status : null;
  return { atMs, outcome: outcome.kind, status, isTaken: isTold(result) };
}

/** Shorter ones stand in ordinary answers by chance. */
const SECRET_CHARS_MIN = 8;

/** The path as a whole and in its parts, and the query, so that no page shows them when an answer repeats them. */
function secretParts({ pathname, search }: URL) {
  const parts = [pathname, search, ...pathname.split("/"), ...search.split(/[?&=]/)];
  const values = new Set(parts.filter((part) => part.length >= SECRET_CHARS_MIN));
  return Array.from(values, (value, place) => ({ name: `url-${place}`, value, secret: true }));
}
