/**
 * Channels for news about failures, as an owner adds them. The URL passes the checks of every Webhook URL here, and the
 * guard's again at each connect. From then on it is sealed, and no page shows more of it than its origin.
 */
import type { Actor } from "../domain/account.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { type ChannelKind, channelUrlPlace } from "../domain/channel.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { parseChannelUrl } from "../egress/webhook-url.ts";
import { accountMissing, type AccountsContext } from "./context.ts";

export interface AddNewsChannelParams {
  readonly accountId: string;
  readonly kind: ChannelKind;
  /** As it was typed, checked to be one visible line. */
  readonly name: string;
  readonly url: string;
  readonly by: Actor;
}

type Context = Pick<AccountsContext, "store" | "clock" | "random" | "sealer" | "checkUrl">;

/** Returns the new channel's id. */
export async function addNewsChannel(ctx: Context, params: AddNewsChannelParams): Promise<Result<string>> {
  const { accountId, kind, name, by } = params;
  const url = parseChannelUrl(params.url);
  if (!url.ok) return refuse(badUrl(url.error));
  const blocked = await ctx.checkUrl(url.value);
  if (blocked !== null) return refuse(badUrl(blocked));
  const nowMs = ctx.clock.nowMs();
  const id = newId("chn", nowMs, ctx.random);
  const { href, origin } = url.value;
  const channel = { id, kind, name: name.trim(), origin, sealedUrl: ctx.sealer.seal(href, channelUrlPlace(id)) };
  const added = await ctx.store.addChannel({ accountId, channel, by, nowMs });
  return added === "added" ? ok(id) : refuse(whyNotAdded(added, accountId));
}

function whyNotAdded(why: "known" | "full" | "account_missing" | "older_nodes", accountId: string): Problem {
  switch (why) {
    case "known":
      return atField("news_channel_known", "name", "is the name of another channel of this account; choose another");
    case "full":
      return problem(
        "news_channel_limit_reached",
        `An account has at most ${LIMITS.newsChannelsMax} channels. Remove one first.`,
      );
    case "account_missing":
      return accountMissing(accountId);
    case "older_nodes":
      return problem(
        "older_nodes",
        "Some nodes of this service still run an older version, which does not know this kind of channel. " +
          "Save again when all are upgraded.",
      );
  }
}

const badUrl = (message: string): Problem =>
  problem("invalid_webhook_url", "The address cannot be used.", [{ path: "url", message }]);

const atField = (code: Problem["code"], path: string, message: string): Problem =>
  problem(code, `The ${path} ${message}.`, [{ path, message }]);
