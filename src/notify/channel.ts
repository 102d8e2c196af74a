/**
 * Messages to channels of chat tools and to owners' webhooks: notifications of failures, and the Test button's message.
 * Each is one HTTP request, built and signed as a webhook is and sent by the same code, through the guard for owners'
 * URLs.
 *
 *     claimed ──► sent ──► taken: a reminder is due a day later
 *        │          ├──► refused ──► put off: 15 s, 30 s, 1 min … 15 min, or as `Retry-After` asks ──► claimed again
 *        │          └──► a fault of ours ──► put off for a minute, and the channel is not blamed
 *        └──► this node dies ──► its claim ends after a minute ──► claimed again, by any node
 *
 * At least once, under the same `webhook-id` for the same news. Claimed channels are written to side by side.
 */
import type { Loop } from "../lib/rounds.ts";
import { chatTool, readToolWaitMs, writeMessage } from "../bodies/chat/tools.ts";
import { maskEcho } from "../delivery/mask-echo.ts";
import { retryAfterMs } from "../delivery/send/judge.ts";
import { type RequestNames, type WebhookRequest, buildRequest } from "../delivery/send/request.ts";
import type { SendResult } from "../domain/attempt.ts";
import { type ChannelAnswer, channelUrlPlace } from "../domain/channel.ts";
import { newId } from "../domain/id.ts";
import { CHANNEL_RETRY_MIN_MS, messageRetryMs } from "../domain/message.ts";
import type { NotificationLine } from "../domain/notification.ts";
import { testWebhookId } from "../domain/delivery.ts";
import { isOperatorsConcern } from "../egress/connect-outcome.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import type { Sealer } from "../lib/seal.ts";
import type { StoredChannel } from "../store/contract/recipients.ts";
import type { ClaimedChannelMessage, ClaimedMessage, SettleMessage } from "../store/contract/messages.ts";
import type { Store } from "../store/contract/store.ts";
import { chatNews, chatTest } from "./chat-news.ts";
import { createMessageLoop, type MessagesContext } from "./messages.ts";
import {
  type ChannelLine,
  type ChannelNotification,
  notificationBody,
  notificationId,
  testBody,
} from "./notification-body.ts";
import { isTaken, metWords } from "./operator-webhook.ts";

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

export interface ChannelContext extends ChannelPostContext, MessagesContext {
  readonly store: MessagesContext["store"] & Pick<Store, "loadDestinations">;
  /** Called when a channel did not take a message: its owner's concern, told in a few words without the URL. */
  readonly onRefused: (refused: {
    readonly accountId: string;
    readonly channelId: string;
    readonly met: string;
  }) => void;
}

/** After a fault of ours. */
const RETRY_MS = minutesMs(1);

/** The most channels in a step: together they hold a socket each. */
const CHANNELS_MAX = 50;

/** Stops counting there what waits for a destination. */
const WAITING_MAX = 1_000;

export function createChannelLoop(ctx: ChannelContext): Loop {
  return createMessageLoop(ctx, {
    route: "channel",
    messagesMax: CHANNELS_MAX,
    async send(messages, settle) {
      await Promise.all(messages.map(async (message) => await settle(message, await notify(ctx, message))));
      return true;
    },
  });
}

async function notify(ctx: ChannelContext, message: ClaimedMessage): Promise<Pick<SettleMessage, "end" | "answer">> {
  assert(message.kind === "channel", `no channel: ${message.kind}`);
  const startedAtMs = ctx.clock.nowMs();
  const result = await post(ctx, message);
  const answer = toChannelAnswer(result, startedAtMs);
  const nowMs = ctx.clock.nowMs();
  if (result === null || answer === null) {
    return { end: { kind: "put_off", retryAtMs: nowMs + RETRY_MS }, answer };
  }
  if (answer.isTaken) return { end: { kind: "sent" }, answer };
  const delayMs = messageRetryMs(CHANNEL_RETRY_MIN_MS, message.refusals + 1);
  const tool = message.channelKind === "webhook" ? null : chatTool(message.channelKind);
  const askedMs = Math.max(retryAfterMs(result.outcome, nowMs), readToolWaitMs(tool, result.outcome));
  const retryAtMs = nowMs + Math.max(delayMs, askedMs);
  return { end: { kind: "refused", retryAtMs }, answer };
}

/** `null` for a fault of ours. */
async function post(ctx: ChannelContext, message: ClaimedChannelMessage): Promise<SendResult | null> {
  const { accountId, recipient: channelId, sealedUrl } = message;
  try {
    const notification = await withWaiting(ctx, message);
    const frame = { publicUrl: ctx.publicUrl(), nowMs: ctx.clock.nowMs() };
    const { channelKind: kind } = message;
    const body =
      kind === "webhook" ? notificationBody(notification, frame) : writeMessage(kind, chatNews(notification, frame));
    const webhookId = notificationId(notification);
    const result = await postToChannel(ctx, { accountId, channelId, sealedUrl, webhookId, body });
    if (toChannelAnswer(result, 0)?.isTaken !== true) {
      const met = result === null ? "the account could not be confirmed" : metWords(result.outcome);
      ctx.onRefused({ accountId, channelId, met });
    }
    return result;
  } catch (error) {
    // One channel's fault, such as a URL that was sealed with another key, keeps no other from its messages.
    ctx.onFailure(`channel ${channelId} could not be notified`, error);
    return null;
  }
}

async function withWaiting(
  ctx: ChannelContext,
  { accountId, accountName, recipient: channelId, notification }: ClaimedChannelMessage,
): Promise<ChannelNotification> {
  const lines: ChannelLine[] = [];
  for (const line of notification.lines) lines.push({ ...line, waiting: await countWaiting(ctx, accountId, line) });
  return { ...notification, accountId, accountName, channelId, lines };
}

async function countWaiting(
  { store, clock }: ChannelContext,
  accountId: string,
  { kind, destination: { id } }: NotificationLine,
): Promise<ChannelLine["waiting"]> {
  if (kind === "recovered" || kind === "certificate_ends") return null;
  const wanted = { accountId, destinationId: id, withDeleted: false, nowMs: clock.nowMs(), waitingMax: WAITING_MAX };
  return (await store.loadDestinations(wanted))[0]?.waiting ?? null;
}

export interface TestChannel {
  readonly accountId: string;
  readonly accountName: string;
  readonly channel: Pick<StoredChannel, "id" | "kind" | "sealedUrl">;
}

export interface TestedChannel {
  readonly result: SendResult;
  readonly startedAtMs: number;
  /** As it is to be stored. */
  readonly answer: ChannelAnswer | null;
}

/**
 * The Test button: one message now, marked as a test by its `webhook-id` and its text. It is not retried. `null` when
 * the account could not be confirmed in time, and nothing was sent.
 */
export async function testChannel(
  ctx: ChannelPostContext & { readonly random: Random },
  { accountId, accountName, channel }: TestChannel,
): Promise<TestedChannel | null> {
  const startedAtMs = ctx.clock.nowMs();
  const test = { accountId, accountName, publicUrl: ctx.publicUrl(), nowMs: startedAtMs };
  const result = await postToChannel(ctx, {
    accountId,
    channelId: channel.id,
    sealedUrl: channel.sealedUrl,
    webhookId: testWebhookId(newId("ntc", startedAtMs, ctx.random)),
    body: channel.kind === "webhook" ? testBody(test) : writeMessage(channel.kind, chatTest(test)),
  });
  return result === null ? null : { result, startedAtMs, answer: toChannelAnswer(result, startedAtMs) };
}

interface ChannelPost {
  readonly accountId: string;
  readonly channelId: string;
  readonly sealedUrl: string;
  readonly webhookId: string;
  readonly body: string;
}

/** `null`: nothing was sent. A channel has a lane of its own, so it keeps no other from sending. */
async function postToChannel(ctx: ChannelPostContext, message: ChannelPost): Promise<SendResult | null> {
  const { accountId, channelId, webhookId, body } = message;
  const url = new URL(ctx.sealer.open(message.sealedUrl, channelUrlPlace(channelId)));
  const { clock, names } = ctx;
  const result = await ctx.sendAs(accountId, (secrets) => {
    const target = { destinationId: `channel:${channelId}`, url, headers: [], secrets };
    return buildRequest({ webhookId, body, target, nowMs: clock.nowMs(), names, owner: accountId });
  });
  return result === null ? null : maskEcho(result, secretParts(url));
}

/** The answer as it is stored; `null` when it says nothing about the channel. */
function toChannelAnswer(result: SendResult | null, atMs: number): ChannelAnswer | null {
  if (result === null || isOperatorsConcern(result.outcome)) return null;
  const { outcome } = result;
  const status = outcome.kind === "response" ? outcome.response.status : null;
  return { atMs, outcome: outcome.kind, status, isTaken: isTaken(result) };
}

/** Shorter ones stand in ordinary answers by chance. */
const SECRET_CHARS_MIN = 8;

/** The path as a whole and in its parts, and the query, so that no page shows them when an answer repeats them. */
function secretParts({ pathname, search }: URL) {
  const parts = [pathname, search, ...pathname.split("/"), ...search.split(/[?&=]/)];
  const values = new Set(parts.filter((part) => part.length >= SECRET_CHARS_MIN));
  return Array.from(values, (value, place) => ({ name: `url-${place}`, value, secret: true }));
}
