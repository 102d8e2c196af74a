/**
 * Handles a body that is not read because its caller was refused by the head, or because it is too large. A connection
 * that is closed while bytes lie unread is reset, and a reset overtakes the answer: the caller would see a broken
 * connection without the reason. So the answer goes out whole and at once, further bytes are discarded as they come,
 * and only the *end* of the answer waits for the end of the body. Bytes and silence have a maximum, and so has the
 * number of callers that get this courtesy at a time, because every byte costs CPU. Beyond it the connection is closed
 * behind the answer.
 */
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyRequest, onSendHookHandler } from "fastify";
import { LIMITS } from "../domain/limits.ts";
import type { ServerTimes } from "./connection-limits.ts";

/** Twice the largest accepted body. A caller that sends more than this does not want to read the answer. */
const DRAINED_BYTES_MAX = 2 * LIMITS.batchBytesMax;

/** Guess. No back end uses a wrong key in more places. 300 at a time took half a second from all others (measured). */
const DRAINED_AT_ONCE_MAX = 8;

export interface UnreadBodies {
  /** Makes the end of an answer wait for the end of its request. */
  readonly onSend: onSendHookHandler;
  /** The current request on it was answered; only its body has not ended. */
  isAnswered(socket: Socket): boolean;
  /** Ends it behind that answer, whose bytes may still be on their way through the streams. */
  endSoon(socket: Socket): void;
}

export function createUnreadBodies({ silenceMs, stallMs }: ServerTimes): UnreadBodies {
  const answered = new Set<Socket>();

  function drain(request: FastifyRequest, payload: Readable): void {
    const { raw } = request;
    const { socket } = raw;
    let leftBytes = DRAINED_BYTES_MAX;
    answered.add(socket);
    socket.setTimeout(silenceMs);
    raw.on("data", (chunk: Buffer) => {
      leftBytes -= chunk.length;
      giveBack(chunk);
      if (leftBytes < 0) socket.destroy();
    });
    raw.once("end", () => {
      answered.delete(socket);
      socket.setTimeout(stallMs);
      payload.push(null);
    });
    raw.once("close", () => {
      answered.delete(socket);
      if (!raw.complete) payload.destroy();
    });
  }

  return {
    // oxlint-disable-next-line max-params -- Fastify's own signature, without a promise for each answer
    onSend(request, reply, payload, done) {
      const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
      if (!isWhole || !isOnItsWay(request)) return done(null, payload);
      if (answered.size >= DRAINED_AT_ONCE_MAX) {
        request.raw.on("data", giveBack);
        reply.header("connection", "close");
        return done(null, payload);
      }
      const stream = new Readable({ read() {} });
      stream.push(payload);
      // With it the caller knows that the answer is whole, and need not wait for its end.
      reply.header("content-length", Buffer.byteLength(payload));
      drain(request, stream);
      done(null, stream);
    },
    isAnswered: (socket) => answered.has(socket),
    endSoon: (socket) => void setImmediate(() => socket.destroySoon()),
  };
}

/**
 * Frees the memory at once: as garbage, the bytes of 300 callers stay until V8 collects them, some 60 MB (measured).
 * Node copies each piece of a body into memory of its own: such a piece fills its whole buffer.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function isOnItsWay({ raw, headers }: FastifyRequest): boolean {
  // `inject` has no connection and no sign that the body has come: it always has.
  if (raw.complete || !("complete" in raw) || raw.socket.destroyed) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
