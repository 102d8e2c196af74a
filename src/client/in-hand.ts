/**
 * How many messages a program asks for, and which of those in its hands it has handled. A claim is acknowledged or
 * given back as a whole, and a token may ask so many times a second: one message a question would take an hour for a
 * backlog of a hundred thousand.
 *
 *     one ──all handled soon──► twice as many … 100 ──one failed, or the time runs out──► one
 *
 * What was handled of messages that are given back comes again with them, and is not handled twice.
 */

/** Guess: an answer of some 200 KB. */
const LIMIT_MAX = 100;
/** Shares of the time for which messages are held: for twice as many, and until the rest is given back. */
const SOON_SHARE = 1 / 8;
const ENOUGH_SHARE = 1 / 2;
/** Of messages that another program with the token may have got since. */
const REMEMBERED_MAX = 1_000;

export interface InHandOptions {
  /** Always so many. */
  readonly limit?: number | undefined;
  readonly holdMs: number;
  readonly nowMs: () => number;
}

export interface InHand<Message> {
  /** How many to ask for. */
  limit(): number;
  /** One after the other, until one is not handled; false: all are to be given back. */
  handleAll(messages: readonly Message[], handle: (message: Message) => Promise<boolean>): Promise<boolean>;
}

export function createInHand<Message extends { readonly id: string }>({
  limit: fixed,
  holdMs,
  nowMs,
}: InHandOptions): InHand<Message> {
  const handled = new Set<string>();
  let limit = 1;

  async function handleUntilOneFails(
    messages: readonly Message[],
    handle: (message: Message) => Promise<boolean>,
  ): Promise<boolean> {
    const startedMs = nowMs();
    for (const message of messages) {
      if (handled.has(message.id)) continue;
      if (nowMs() - startedMs > holdMs * ENOUGH_SHARE || !(await handle(message))) return false;
      handled.add(message.id);
    }
    for (const { id } of messages) handled.delete(id);
    limit = nowMs() - startedMs < holdMs * SOON_SHARE ? Math.min(limit * 2, LIMIT_MAX) : 1;
    return true;
  }

  return {
    limit: () => fixed ?? limit,
    async handleAll(messages, handle) {
      const isHandled = await handleUntilOneFails(messages, handle);
      if (!isHandled) limit = 1;
      for (const id of handled) if (handled.size > REMEMBERED_MAX) handled.delete(id);
      return isHandled;
    },
  };
}
