/**
 * How many messages a program asks for, and which of those in its hands it has handled. A claim is acknowledged or
 * given back as a whole, and a token may ask so many times a second: one message a question would take an hour for a
 * backlog of a hundred thousand.
 *
 *     one ──all handled soon──► twice as many … 100 ──one failed, or the time runs out──► one
 *
 * What was handled of messages that are given back comes again with them, and is not handled twice. One that stands
 * behind others that fail is handed out nine times at most before it is handled itself: with each time its distance to
 * the first one halves, from 499. The service lets it fail after ten.
 */

/** Guess: an answer of some 200 KB. */
const LIMIT_MAX = 100;
/** Shares of the time for which messages are held: for twice as many, and until the rest is given back. */
const SOON_SHARE = 1 / 8;
const ENOUGH_SHARE = 1 / 2;
/** Of messages that another program with the token may have got since. */
const REMEMBERED_MAX = 1_000;
/** Guess: what was given back has come again by then. Later its owner has sent it again, and means it. */
const REMEMBERED_MS = 60 * 60_000;

export interface InHandOptions {
  /** Never more. */
  readonly limit?: number | undefined;
  readonly holdMs: number;
  readonly nowMs: () => number;
}

export interface InHand<Message> {
  /** How many to ask for. */
  limit(): number;
  /** One after the other, until one is not handled; false: all are to be given back. */
  handleAll(messages: readonly Message[], handle: (message: Message) => Promise<boolean>): Promise<boolean>;
  /** The service has confirmed that all of them are acknowledged. Until then they may come again. */
  forgetLast(): void;
}

export function createInHand<Message extends { readonly id: string }>({
  limit: limitMax = LIMIT_MAX,
  holdMs,
  nowMs,
}: InHandOptions): InHand<Message> {
  /** When each was handled, the earliest first. */
  const handled = new Map<string, number>();
  let last: readonly Message[] = [];
  let limit = 1;

  async function handleUntilOneFails(
    messages: readonly Message[],
    handle: (message: Message) => Promise<boolean>,
  ): Promise<boolean> {
    const startedMs = nowMs();
    for (const message of messages) {
      if (handled.has(message.id)) continue;
      if (nowMs() - startedMs > holdMs * ENOUGH_SHARE || !(await handle(message))) return false;
      handled.set(message.id, nowMs());
    }
    limit = nowMs() - startedMs < holdMs * SOON_SHARE ? Math.min(limit * 2, limitMax) : 1;
    return true;
  }

  function forgetOld(): void {
    for (const [id, atMs] of handled) {
      if (handled.size <= REMEMBERED_MAX && nowMs() - atMs <= REMEMBERED_MS) return;
      handled.delete(id);
    }
  }

  return {
    limit: () => limit,
    async handleAll(messages, handle) {
      forgetOld();
      const isHandled = await handleUntilOneFails(messages, handle);
      if (!isHandled) limit = 1;
      last = isHandled ? messages : [];
      return isHandled;
    },
    forgetLast() {
      for (const { id } of last) handled.delete(id);
      last = [];
    },
  };
}
