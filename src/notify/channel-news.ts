/**
 * News about failures to Slack channels and owners' webhooks: the same digests as letters (`notices.ts`), each channel
 * with its own.
 *
 *     claimed ──► sent ──► taken: its news goes, and a reminder is due a day later if anything still fails
 *        │          ├──► refused ──► put off: 15 s, 30 s, 1 min … 15 min, or as `Retry-After` asks ──► claimed again
 *        │          └──► a fault of ours ──► put off for a minute, and the channel is not blamed
 *        └──► this node dies ──► its claim runs out after a minute ──► claimed again, by any node
 *
 * At least once, under the same `webhook-id` for the same news. News that is a day old is dropped; what still fails
 * then comes as a reminder. Claimed channels are written to side by side, and none waits for another's next try.
 */
import { retryAfterMs } from "../delivery/send/judge.ts";
import type { SendResult } from "../domain/attempt.ts";
import { channelRetryMs } from "../domain/news-channel.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds } from "../lib/rounds.ts";
import type { ClaimedChannelDigest } from "../store/contract/channels.ts";
import type { DigestLine } from "../store/contract/mail.ts";
import type { Store } from "../store/contract/store.ts";
import { type ChannelPostContext, postToChannel, toChannelAnswer } from "./channel-post.ts";
import { DIGEST_LINES_MAX } from "./digest-letter.ts";
import { isWorthTelling } from "./digest-words.ts";
import { type ToldDigest, type ToldLine, newsBody, newsId } from "./news-message.ts";
import { metWords } from "./operator-webhook.ts";
import { slackMessage } from "./slack-message.ts";

export interface ChannelNewsContext extends ChannelPostContext {
  readonly store: Pick<Store, "claimChannelDigests" | "settleChannelDigestIfClaimed" | "loadDestinations">;
  readonly random: Random;
  /** Called when a channel did not take a message: its owner's concern, told in a few words without the URL. */
  readonly onRefused: (refused: {
    readonly accountId: string;
    readonly channelId: string;
    readonly met: string;
  }) => void;
  /** Called when the store is away, or a message could not be made. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface ChannelNews extends AsyncDisposable {
  /** Sends every due digest, and returns their number. */
  step(): Promise<number>;
  start(): void;
  /** A digest may be due, and a person waits for it. */
  nudge(): void;
  stop(): Promise<void>;
}

/** Guess. News is collected for longer than that. */
const STEP_MS = secondsMs(10);

/** After a fault of ours. */
const RETRY_MS = minutesMs(1);

/** The most channels in a step: together they hold a socket each. */
const CHANNELS_MAX = 50;

/** Stops counting there what waits for a destination. */
const WAITING_MAX = 1_000;

export function createChannelNews(ctx: ChannelNewsContext): ChannelNews {
  const rounds = createRounds(ctx.clock, round);

  async function step(): Promise<number> {
    const claimToken = Buffer.from(ctx.random.bytes(16)).toString("hex");
    const claim = { nowMs: ctx.clock.nowMs(), claimToken, digestsMax: CHANNELS_MAX, linesMax: DIGEST_LINES_MAX };
    const digests = await ctx.store.claimChannelDigests(claim);
    await Promise.all(digests.map((digest) => tell(ctx, digest, claimToken)));
    return digests.length;
  }

  async function round(): Promise<number> {
    try {
      return (await step()) === CHANNELS_MAX ? 0 : STEP_MS;
    } catch (error) {
      ctx.onFailure("news for channels could not be read", error);
      return STEP_MS;
    }
  }

  const stop = () => rounds.stop();
  return { step, start: rounds.start, nudge: rounds.nudge, stop, [Symbol.asyncDispose]: stop };
}

async function tell(ctx: ChannelNewsContext, digest: ClaimedChannelDigest, claimToken: string): Promise<void> {
  const { store, clock } = ctx;
  const settle = { accountId: digest.accountId, channelId: digest.channelId, claimToken };
  if (!isWorthTelling(digest)) {
    return await store.settleChannelDigestIfClaimed({
      ...settle,
      nowMs: clock.nowMs(),
      answer: null,
      retryAtMs: null,
    });
  }
  const startedAtMs = clock.nowMs();
  const result = await post(ctx, digest);
  const answer = toChannelAnswer(result, startedAtMs);
  const nowMs = clock.nowMs();
  const retryAtMs = answer?.isTaken === true ? null : nowMs + findDelayMs(digest, result, nowMs);
  await store.settleChannelDigestIfClaimed({ ...settle, nowMs, answer, retryAtMs });
}

/** `null` for a fault of ours. */
async function post(ctx: ChannelNewsContext, digest: ClaimedChannelDigest): Promise<SendResult | null> {
  const { accountId, channelId, sealedUrl } = digest;
  try {
    const told = await withWaiting(ctx, digest);
    const frame = { publicUrl: ctx.publicUrl(), nowMs: ctx.clock.nowMs() };
    const body = digest.kind === "slack" ? slackMessage(told, frame) : newsBody(told, frame);
    const result = await postToChannel(ctx, { accountId, channelId, sealedUrl, webhookId: newsId(told), body });
    if (toChannelAnswer(result, 0)?.isTaken !== true) {
      const met = result === null ? "the account could not be confirmed" : metWords(result.outcome);
      ctx.onRefused({ accountId, channelId, met });
    }
    return result;
  } catch (error) {
    // One channel's fault, such as a URL that was sealed with another key, keeps no other from its news.
    ctx.onFailure(`news could not be sent to channel ${channelId}`, error);
    return null;
  }
}

function findDelayMs({ refusals }: ClaimedChannelDigest, result: SendResult | null, nowMs: number): number {
  if (result === null || toChannelAnswer(result, nowMs) === null) return RETRY_MS;
  return Math.max(channelRetryMs(refusals + 1), retryAfterMs(result.outcome, nowMs));
}

async function withWaiting(ctx: ChannelNewsContext, digest: ClaimedChannelDigest): Promise<ToldDigest> {
  const lines: ToldLine[] = [];
  for (const line of digest.lines) lines.push({ ...line, waiting: await countWaiting(ctx, digest.accountId, line) });
  return { ...digest, lines };
}

async function countWaiting(
  { store, clock }: ChannelNewsContext,
  accountId: string,
  { kind, destination: { id } }: DigestLine,
): Promise<ToldLine["waiting"]> {
  if (kind === "recovered" || kind === "certificate_ends") return null;
  const wanted = { accountId, destinationId: id, withDeleted: false, nowMs: clock.nowMs(), waitingMax: WAITING_MAX };
  return (await store.loadDestinations(wanted))[0]?.waiting ?? null;
}
