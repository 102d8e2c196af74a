/** Channels for news about failures, as an account's people see them, and as owners add, test and remove them. */
import { addNewsChannel } from "../../accounts/news-channels.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Problem, type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { StoredChannel } from "../../store/contract/recipients.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Handlers } from "../call/operation.ts";
import type { NewsChannel, NewsChannelsAnswer, NewsChannelTest } from "../contract/news-channels.ts";
import type { Session } from "../guard/session.ts";
import { answerWords, testWords } from "./channel-words.ts";

export const newsChannelHandlers = {
  "GET /news-channels": async (ctx, { session }) => ok(await list(ctx, session)),
  async "POST /news-channels"(ctx, { session, body }) {
    const { accountId, by } = session;
    const added = await addNewsChannel(ctx.accounts, { accountId, by, ...body });
    return added.ok ? ok(await list(ctx, session)) : added;
  },
  async "DELETE /news-channels/:id"({ accounts, ...ctx }, { session, params: { id: recipientId } }) {
    const { accountId, by } = session;
    const decided = { accountId, recipientId, by, nowMs: accounts.clock.nowMs() };
    if ((await accounts.store.removeRecipient(decided)) === "missing") return refuse(missing);
    return ok(await list({ accounts, ...ctx }, session));
  },
  "POST /news-channels/:id/test": (ctx, { session, params: { id } }) =>
    ctx.tests.run(session.accountId, () => runTest(ctx, session, id)),
} satisfies Handlers;

const missing: Problem = problem("news_channel_not_found", "This channel is not in the list any more.");

async function list(ctx: DashboardContext, { accountId }: Session): Promise<NewsChannelsAnswer> {
  const channels = (await ctx.accounts.store.loadRecipients({ accountId })).channels;
  return {
    channels: channels.map(toNewsChannel),
    channelsMax: LIMITS.newsChannelsMax,
    nameCharsMax: LIMITS.channelNameCharsMax,
  };
}

function toNewsChannel({ id, kind, name, origin, answer, refusedSinceMs }: StoredChannel): NewsChannel {
  const shown = answer === null ? null : { atMs: answer.atMs, isTaken: answer.isTaken, words: answerWords(answer) };
  return { id, kind, name, origin, answer: shown, refusedSinceMs };
}

/** One message now. Its answer is written down, and news that waits for a channel which took it goes out. */
async function runTest(ctx: DashboardContext, session: Session, channelId: string): Promise<Result<NewsChannelTest>> {
  const { store, clock, accounts } = ctx.accounts;
  const { accountId, by } = session;
  const channel = (await store.loadRecipients({ accountId })).channels.find(({ id }) => id === channelId);
  if (channel === undefined) return refuse(missing);
  const view = await accounts.load(accountId);
  const tested = await ctx.channels.test({ accountId, accountName: view?.account.name ?? accountId, channel });
  if (tested === null) throw new StoreUnavailable(`account ${accountId} could not be confirmed in time`);
  const { answer } = tested;
  const noted = await store.noteChannelTest({ accountId, channelId, by, nowMs: clock.nowMs(), answer });
  if (noted === "missing") return refuse(missing);
  ctx.channels.nudge();
  return ok({ ...testWords(tested, channel), list: await list(ctx, session) });
}
