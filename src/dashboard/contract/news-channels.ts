/** Channels for news about failures: chat tools' and an owner's own. Their URLs go in and never come out. */
import type { ChannelKind } from "../../domain/channel.ts";
import type { FormOf } from "../../domain/form.ts";
import type { channelForm } from "../forms/bodies.ts";

export interface NewsChannelsAnswer {
  readonly channels: readonly NewsChannel[];
  readonly channelsMax: number;
  readonly nameCharsMax: number;
}

export interface NewsChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** All of the URL that is shown. */
  readonly origin: string;
  /** The latest answer, to news or to a test; `null` when nothing was sent yet. */
  readonly answer: { readonly atMs: number; readonly isTaken: boolean; readonly words: string } | null;
  /** `null` when the latest message was taken, or nothing was sent yet. */
  readonly refusedSinceMs: number | null;
}

export type AddNewsChannelBody = FormOf<typeof channelForm>;

export interface NewsChannelTest {
  /** A 2xx came back, and nothing else. */
  readonly isTaken: boolean;
  /** "404 Not Found", "Timed out", … */
  readonly status: string;
  readonly sentence: string;
  /** Empty when there is nothing to do. */
  readonly advice: string;
  /** The beginning of the channel's own words, when it sent any with a refusal. */
  readonly answer: string;
  readonly totalMs: number;
  /** As they are after the test. */
  readonly list: NewsChannelsAnswer;
}
