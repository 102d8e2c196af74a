/** Channels that are notified of failures (`messages.ts`): which an account has, and what each answered last. */
import type { Actor } from "../../domain/account.ts";
import type { ChannelAnswer, ChannelKind } from "../../domain/channel.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface ChannelsVerbs {
  /** A name stands for one channel of the account: `known` when it has one of this name. */
  addChannel(params: AddChannel): Promise<"added" | "known" | "full" | "account_missing">;
  /** Its messages go. */
  removeChannel(params: DecideChannel): Promise<"removed" | "missing">;
  /** In the order in which they were added. */
  loadChannels(params: { readonly accountId: string }): Promise<readonly StoredChannel[]>;
  /**
   * Writes down what a person's test met. When the channel took it, what waits for the channel is due at once. Answers
   * `missing`, and writes nothing, when the account does not have the channel any more.
   */
  noteChannelTest(params: NoteChannelTest): Promise<"noted" | "missing">;
}

export const CHANNELS_VERBS = {
  addChannel: { kind: "side", route: OF_ACCOUNT },
  removeChannel: { kind: "side", route: OF_ACCOUNT },
  loadChannels: { kind: "side", route: OF_ACCOUNT },
  noteChannelTest: { kind: "side", route: OF_ACCOUNT },
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
