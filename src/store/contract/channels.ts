/**
 * Channels for news about failures: which an account has, what each answered last, and which node sends to it. Their
 * news is that of mail (`mail.ts`), with a digest of its own for each channel.
 */
import type { Actor } from "../../domain/actor.ts";
import type { ChannelAnswer, ChannelKind } from "../../domain/news-channel.ts";
import type { ClaimDigests, News } from "./mail.ts";
import { inARow, OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface ChannelsVerbs {
  /** A name stands for one channel of the account: `known` when it has one of this name. */
  addChannel(params: AddChannel): Promise<"added" | "known" | "full" | "account_missing">;
  /** News that waits for it goes. */
  removeChannel(params: DecideChannel): Promise<"removed" | "missing">;
  /** In the order in which they were added. */
  loadChannels(params: { readonly accountId: string }): Promise<readonly StoredChannel[]>;
  /**
   * Writes down what a person's test met. When the channel took it, what waits for the channel is due at once. Answers
   * `missing`, and writes nothing, when the account does not have the channel any more.
   */
  noteChannelTest(params: NoteChannelTest): Promise<"noted" | "missing">;
  /** As `claimDigests`, with `LIMITS.channelGapMs` between two. */
  claimChannelDigests(params: ClaimDigests): Promise<readonly ClaimedChannelDigest[]>;
  settleChannelDigestIfClaimed(params: SettleChannelDigest): Promise<void>;
}

export const CHANNELS_VERBS = {
  addChannel: { kind: "side", route: OF_ACCOUNT },
  removeChannel: { kind: "side", route: OF_ACCOUNT },
  loadChannels: { kind: "side", route: OF_ACCOUNT },
  noteChannelTest: { kind: "side", route: OF_ACCOUNT },
  claimChannelDigests: {
    kind: "side",
    route: {
      kind: "in all",
      none: [],
      rest: (params, claimed) => withLess(params, "digestsMax", claimed.length),
      join: inARow,
    },
  },
  settleChannelDigestIfClaimed: { kind: "side", route: OF_ACCOUNT },
} satisfies VerbTable<ChannelsVerbs>;

export interface AddChannel {
  readonly accountId: string;
  readonly channel: NewChannel;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface NewChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** The part of the URL that people see. */
  readonly origin: string;
  readonly sealedUrl: string;
}

export interface DecideChannel {
  readonly accountId: string;
  readonly channelId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface StoredChannel extends NewChannel {
  readonly addedAtMs: number;
  /** The latest one; `null` when nothing was sent yet. */
  readonly answer: ChannelAnswer | null;
  /** The first refusal after the latest message that was taken; `null` when there is none. */
  readonly refusedSinceMs: number | null;
}

export interface NoteChannelTest extends DecideChannel {
  /** `null`: a fault of ours, which says nothing about the channel. */
  readonly answer: ChannelAnswer | null;
}

export interface ClaimedChannelDigest extends News {
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly sealedUrl: string;
  readonly accountId: string;
  readonly accountName: string;
  /** Refusals in a row until now. */
  readonly refusals: number;
}

/**
 *     answer      retryAtMs
 *     taken       null       its news goes
 *     refused     an instant it is given out again from then on
 *     null        an instant the same, and the channel is not blamed: a fault of ours
 *     null        null       there was nothing to tell
 */
export interface SettleChannelDigest {
  readonly accountId: string;
  readonly channelId: string;
  readonly claimToken: string;
  readonly nowMs: number;
  readonly answer: ChannelAnswer | null;
  readonly retryAtMs: number | null;
}
