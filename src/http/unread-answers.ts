/**
 * Answers to known callers that have not gone out whole. Each is in memory until its caller has read it, so hundreds of
 * callers of one account that ask and do not read would fill the node. Together they have a maximum. Beyond it the
 * account with most of them loses its oldest, and the connection with it. Whoever reads its answers keeps nothing here.
 */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Guess: eight of the largest answers at once. Each takes a third of a second at 100 Mbit/s. */
export const UNREAD_CHARS_MAX = 32 * 1024 * 1024;

interface Answer {
  readonly chars: number;
  readonly socket: Socket;
}

interface Unread {
  /** The oldest first. */
  readonly answers: Set<Answer>;
  chars: number;
}

export function boundUnreadAnswers(server: FastifyInstance, charsMax: number): void {
  const accounts = new Map<string, Unread>();
  let chars = 0;

  function add(accountId: string, answer: Answer): void {
    const own = accounts.getOrInsertComputed(accountId, () => ({ answers: new Set(), chars: 0 }));
    own.answers.add(answer);
    own.chars += answer.chars;
    chars += answer.chars;
    while (chars > charsMax) dropOne();
  }

  function remove(accountId: string, answer: Answer): void {
    const own = accounts.get(accountId);
    if (own?.answers.delete(answer) !== true) return;
    own.chars -= answer.chars;
    chars -= answer.chars;
    if (own.answers.size === 0) accounts.delete(accountId);
  }

  function dropOne(): void {
    const [first, ...others] = accounts;
    if (first === undefined) return;
    const [accountId, { answers }] = others.reduce(
      (most, other) => (other[1].chars > most[1].chars ? other : most),
      first,
    );
    for (const oldest of answers) {
      remove(accountId, oldest);
      oldest.socket.destroy();
      return;
    }
  }

  // oxlint-disable-next-line max-params -- Fastify's own signature, without a promise for each answer
  server.addHook("onSend", ({ knownAs, raw }, reply, payload, done) => {
    // What comes as a stream is made as it is read.
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (isWhole && knownAs !== null && !reply.raw.destroyed) {
      const answer = { chars: payload.length, socket: raw.socket };
      reply.raw.once("close", () => remove(knownAs, answer));
      add(knownAs, answer);
    }
    done(null, payload);
  });
}
