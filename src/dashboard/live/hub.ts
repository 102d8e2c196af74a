/**
 * The live stream's middle: news of all accounts come in, frames for the pages that are open on each go out.
 *
 *     news ──► collected for 250 ms ──► frames, numbered ──► every stream of that account
 *                                            └──► the last ones are kept for a stream that comes back
 *
 * An account has a channel while somebody looks at it, and for a minute after. A frame goes to the streams of one
 * channel and nowhere else: what keeps accounts apart here is that a channel is found by its session's account alone.
 */
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { Random } from "../../lib/random.ts";
import { type LiveChannel, createLiveChannel } from "./channel.ts";
import type { FollowedNews, LiveFollow } from "./follow.ts";
import type { LiveNews } from "../call/context.ts";
import type { Session } from "../guard/session.ts";

/** Where a stream's text goes. */
export interface LiveSink {
  write(text: string): void;
  /** Bytes that the reader has not taken yet. */
  buffered(): number;
  /** `lastText` reaches a reader that has taken everything before. */
  end(lastText?: string): void;
}

export interface StreamRequest {
  readonly session: Session;
  /** The last frame that the page has seen; `null` when it has just been opened. */
  readonly lastEventId: string | null;
  readonly sink: LiveSink;
  /** Asks the store whether the session is still there, and ends the stream when it is not. */
  readonly onDoubt: () => void;
}

export interface LiveStream {
  /** Asks whether the stream may go on, and keeps it from looking dead. */
  ping(): void;
  /** The reader has gone. */
  close(): void;
}

export interface LiveHub extends LiveNews {
  open(stream: StreamRequest): LiveStream | "too_many" | "stopping";
  /** Ends every stream and takes no more. */
  stop(): void;
}

/** Guess: more pages than this on one account are a page that opens streams in a loop. */
export const STREAMS_PER_ACCOUNT_MAX = 50;

/** A reader with this many unread bytes is disconnected; it fetches everything anew when it reconnects. */
export const BUFFERED_BYTES_MAX = 64 * 1024;

/** How long frames are kept for a stream that comes back after the last one left. */
const CHANNEL_KEPT_MS = minutesMs(1);

export interface LiveHubOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Brings what other nodes do to accounts that have a channel here; left out where there are none. */
  readonly follow?: LiveFollow;
}

export function createLiveHub({ clock, random, follow = () => () => {} }: LiveHubOptions): LiveHub {
  const channels = new Map<string, OpenChannel>();
  let isStopping = false;

  function getChannel(accountId: string): OpenChannel {
    const known = channels.get(accountId);
    if (known !== undefined) return known;
    const streams: Streams = new Map();
    const epoch = Buffer.from(random.bytes(6)).toString("base64url");
    const channel = createLiveChannel({ clock, epoch, send: (text) => sendToAll(streams, text) });
    const fresh: OpenChannel = { channel, streams, forget: null, unfollow: follow(accountId, news) };
    channels.set(accountId, fresh);
    return fresh;
  }

  function open({ session, lastEventId, sink, onDoubt }: StreamRequest): LiveStream | "too_many" | "stopping" {
    if (isStopping) return "stopping";
    const mine = getChannel(session.accountId);
    if (mine.streams.size >= STREAMS_PER_ACCOUNT_MAX) return "too_many";
    mine.forget?.();
    mine.forget = null;
    sink.write(mine.channel.greeting(lastEventId));
    mine.streams.set(sink, { session, onDoubt });
    return {
      ping: () => {
        if (session.expiresAtMs <= clock.nowMs()) sink.end(SESSION_ENDED);
        else sendTo(mine.streams, sink, ": still here\n\n");
      },
      close() {
        mine.streams.delete(sink);
        if (mine.streams.size === 0 && !isStopping) forgetLater(session.accountId, mine);
      },
    };
  }

  function forgetLater(accountId: string, mine: OpenChannel): void {
    mine.forget?.();
    mine.forget = clock.after(CHANNEL_KEPT_MS, () => {
      mine.channel.stop();
      mine.unfollow();
      channels.delete(accountId);
    });
  }

  const news = newsTo((accountId) => channels.get(accountId));

  return {
    open,
    ...news,
    stop() {
      isStopping = true;
      for (const { channel, streams, forget, unfollow } of channels.values()) {
        forget?.();
        unfollow();
        channel.stop();
        for (const sink of streams.keys()) sink.end();
      }
      channels.clear();
    },
  };
}

/** An account without open pages keeps nothing. */
function newsTo(openOn: (accountId: string) => OpenChannel | undefined): FollowedNews {
  return {
    deliveriesChanged: (accountId, deliveries) => openOn(accountId)?.channel.addDeliveries(deliveries),
    someDeliveriesChanged: (accountId) => openOn(accountId)?.channel.addUnnamedDeliveries(),
    destinationsChanged: (accountId, ids) => openOn(accountId)?.channel.addDestinations(ids),
    replaysChanged: (accountId, ids) => openOn(accountId)?.channel.addReplays(ids),
    configurationChanged: (accountId) => openOn(accountId)?.channel.addConfiguration(),
    sessionsMayHaveEnded: (accountId) => openOn(accountId)?.streams.forEach(({ onDoubt }) => onDoubt()),
    sessionsEnded(accountId, ids) {
      const ended = new Set(ids);
      const streams = openOn(accountId)?.streams;
      for (const [sink, { session }] of streams ?? []) {
        if (!ended.has(session.id)) continue;
        streams?.delete(sink);
        sink.end(SESSION_ENDED);
      }
      openOn(accountId)?.channel.addConfiguration();
    },
  };
}

/** The page then asks for its session and shows its sign-in. Without an id: nothing is resumed behind it. */
export const SESSION_ENDED = "event: ended\ndata: {}\n\n";

type Streams = Map<LiveSink, Pick<StreamRequest, "session" | "onDoubt">>;

interface OpenChannel {
  readonly channel: LiveChannel;
  readonly streams: Streams;
  /** Cancels the timer that forgets the channel. */
  forget: (() => void) | null;
  readonly unfollow: () => void;
}

function sendToAll(streams: Streams, text: string): void {
  for (const sink of streams.keys()) sendTo(streams, sink, text);
}

/** One that does not keep up is cut off, not waited for: memory stays bounded, and the others get their frames. */
function sendTo(streams: Streams, sink: LiveSink, text: string): void {
  if (sink.buffered() <= BUFFERED_BYTES_MAX) return sink.write(text);
  streams.delete(sink);
  sink.end();
}
