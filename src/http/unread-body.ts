/**
 * What becomes of a body that nobody will read, because its caller was refused by the head or it is too large. A
 * connection that is closed while bytes lie unread is reset, and a reset overtakes the answer: the caller would see a
 * broken connection and not why. So the answer goes out whole and at once, what still comes is thrown away as it comes,
 * and only the *end* of the answer waits for the end of the body. Bytes and silence have a maximum, and so has the
 * number of callers that this courtesy is shown at a time, because every byte costs CPU. Beyond it the connection is
 * closed behind the answer.
 */
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyRequest, onSendHookHandler } from "fastify";
import { LIMITS } from "../domain/limits.ts";
import type { ServerTimes } from "./server-times.ts";

/** Twice the largest body that is taken. A caller that sends more than this has no wish to read the answer. */
const DRAINED_BYTES_MAX = 2 * LIMITS.batchBytesMax;

/** Guess: no back end uses a wrong key in more places. 300 at a time took half a second from all others (measured). */
const DRAINED_AT_ONCE_MAX = 8;

export interface UnreadBodies {
  /** Has the end of an answer wait for the end of its request. */
  readonly onSend: onSendHookHandler;
  /** The request that comes in on it has its answer already; only its body has not ended. */
  isAnswered(socket: Socket): boolean;
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
    // oxlint-disable-next-line max-params -- Fastify's own, without a promise for each answer
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
      // The caller knows by it that the answer is whole, and need not wait for its end.
      reply.header("content-length", Buffer.byteLength(payload));
      drain(request, stream);
      done(null, stream);
    },
    isAnswered: (socket) => answered.has(socket),
  };
}

/**
 * At once: as garbage the bytes of 300 callers stay for as long as V8 does not look for it, some 60 MB (measured). Node
 * copies each piece of a body into memory of its own, which a piece that fills its buffer is known by.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function isOnItsWay({ raw, headers }: FastifyRequest): boolean {
  // Under `inject` there is no connection, and nothing says whether the body has come: it always has.
  if (raw.complete || !("complete" in raw) || raw.socket.destroyed) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
