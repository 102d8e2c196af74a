/**
 * The Test button of a channel: one message now, on the way of every message to it, marked as a test by its
 * `webhook-id` and its text. It is not retried. Pure but for the sending.
 */
import type { SendResult } from "../domain/attempt.ts";
import { newId } from "../domain/id.ts";
import type { ChannelAnswer } from "../domain/news-channel.ts";
import { testWebhookId } from "../domain/test-mark.ts";
import type { Random } from "../lib/random.ts";
import type { StoredChannel } from "../store/contract/channels.ts";
import { type ChannelPostContext, postToChannel, toChannelAnswer } from "./channel-post.ts";
import { testBody } from "./news-message.ts";
import { slackTest } from "./slack-message.ts";

export interface TestChannel {
  readonly accountId: string;
  readonly accountName: string;
  readonly channel: Pick<StoredChannel, "id" | "kind" | "sealedUrl">;
}

export interface TestedChannel {
  readonly result: SendResult;
  readonly startedAtMs: number;
  /** As it is to be kept. */
  readonly answer: ChannelAnswer | null;
}

/** `null` when the account could not be confirmed in time, and nothing was sent. */
export async function testChannel(
  ctx: ChannelPostContext & { readonly random: Random },
  { accountId, accountName, channel }: TestChannel,
): Promise<TestedChannel | null> {
  const startedAtMs = ctx.clock.nowMs();
  const news = { accountId, accountName, publicUrl: ctx.publicUrl(), nowMs: startedAtMs };
  const result = await postToChannel(ctx, {
    accountId,
    channelId: channel.id,
    sealedUrl: channel.sealedUrl,
    webhookId: testWebhookId(newId("ntc", startedAtMs, ctx.random)),
    body: channel.kind === "slack" ? slackTest(news) : testBody(news),
  });
  return result === null ? null : { result, startedAtMs, answer: toChannelAnswer(result, startedAtMs) };
}
