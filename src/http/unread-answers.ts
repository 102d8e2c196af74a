/**
 * Answers to known callers that have not gone out whole. Each is in memory until its caller has read it, so hundreds of
 * callers of one account that ask and do not read would fill the node. Together they have a maximum. Beyond it the
 * account with most of them loses its oldest, and the connection with it. What is handed out once asks for room before:
 * an account has it while its own take less than what is left, so that slow readers wait and are not cut off.
 */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Guess: eight of the largest answers at once. Each takes a third of a second at 100 Mbit/s. */
export const UNREAD_BYTES_MAX = 32 * 1024 * 1024;

/** For two of the largest answers, which are being made when another asks for room. */
const SPARE_SHARE = 1 / 4;

declare module "fastify" {
  interface FastifyInstance {
    /** Whether an answer to the account may be made, however large. */
    hasCapacityForAnswer(accountId: string): boolean;
  }
}

export interface UnreadAnswersOptions {
  readonly bytesMax: number;
  /** An answer to the account was cut off. */
  readonly onCutOff: (accountId: string) => void;
}

interface Answer {
  readonly bytes: number;
  readonly socket: Socket;
}

interface Unread {
  /** The oldest first. */
  readonly answers: Set<Answer>;
  bytes: number;
}

export function boundUnreadAnswers(server: FastifyInstance, { bytesMax, onCutOff }: UnreadAnswersOptions): void {
  const accounts = new Map<string, Unread>();
  let bytes = 0;

  function add(accountId: string, answer: Answer): void {
    const own = accounts.getOrInsertComputed(accountId, () => ({ answers: new Set(), bytes: 0 }));
    own.answers.add(answer);
    own.bytes += answer.bytes;
    bytes += answer.bytes;
    // A single one may be larger.
    while (bytes > bytesMax && bytes > answer.bytes) cutOffOne();
  }

  function remove(accountId: string, answer: Answer): void {
    const own = accounts.get(accountId);
    if (own?.answers.delete(answer) !== true) return;
    own.bytes -= answer.bytes;
    bytes -= answer.bytes;
    if (own.answers.size === 0) accounts.delete(accountId);
  }

  function cutOffOne(): void {
    let [most] = accounts;
    for (const each of accounts) if (most === undefined || each[1].bytes > most[1].bytes) most = each;
    const [oldest] = most?.[1].answers ?? [];
    if (most === undefined || oldest === undefined) return;
    remove(most[0], oldest);
    oldest.socket.destroy();
    onCutOff(most[0]);
  }

  server.decorate("hasCapacityForAnswer", (accountId) => {
    const own = accounts.get(accountId)?.bytes ?? 0;
    return own < bytesMax * (1 - SPARE_SHARE) - bytes;
  });
  // oxlint-disable-next-line max-params -- Fastify's own signature, without a promise for each answer
  server.addHook("onSend", ({ knownAs, raw }, reply, payload, done) => {
    // What comes as a stream is made as it is read.
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (isWhole && knownAs !== null && !reply.raw.destroyed) {
      const answer = { bytes: Buffer.byteLength(payload), socket: raw.socket };
      reply.raw.once("close", () => remove(knownAs, answer));
      add(knownAs, answer);
    }
    done(null, payload);
  });
}
