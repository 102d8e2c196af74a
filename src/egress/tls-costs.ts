/**
 * Measures the CPU that TLS with receivers takes, and charges it to their account. OpenSSL computes on the event loop,
 * and the receiver chooses the size: of its keys, of the chain that is verified even where it is refused, of the
 * messages after the handshake.
 *
 *     TCP ──bytes──► metered way ──bytes──► TLS        each piece that comes is timed
 *
 * Invariants: a connection that costs more than `COST_MS_MAX` ends, and its account starts no further handshake for a
 * hundred times as long, however many webhooks it has.
 *
 * A few connections of an account are not timed: Node then reads them without JavaScript, for 30 µs less a request.
 * Each offers a session of an earlier connection that was cheap: a receiver that takes it up sends no certificate. When
 * one of them looks costly, new connections of its account are timed for an hour. So an account that alternates gets
 * `UNTIMED_MAX` handshakes of 440 ms an hour, and a second of messages without data on as many connections.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { FailureCode } from "../domain/failure-codes.ts";
import type { Clock } from "../lib/clock.ts";
import { startWatch } from "../lib/loop-busy.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { TLS_RESTING } from "./connect-outcome.ts";

/**
 * An honest handshake takes 1 ms, and the most expensive one that was built 440 (measured). A machine ten times as
 * slow, and a tick of its clock, stay below. Guess.
 */
export const COST_MS_MAX = 30;

/** Guess: a hundredth of the event loop. */
const PAUSE_PER_MS = 100;

/** All connections of an account are timed for so long after one was costly, or looked so. Guess. */
const TIMED_MS = minutesMs(60);

/** A socket may cost 1 ms more for each KB that we send on it: a request with its answer takes 0.1 ms (measured). */
const MS_PER_BYTE_SENT = 0.001;

export interface TlsCosts {
  /** With 0 ms, its connections are timed and no handshake has to wait. */
  charge(owner: string, costMs: number): void;
  isResting(owner: string): boolean;
  isTimed(owner: string): boolean;
}

export function createTlsCosts(clock: Clock): TlsCosts {
  /** The monotonic instant, by account. */
  const restsUntilMs = new Map<string, number>();
  const isWithin = (owner: string, laterMs: number): boolean =>
    clock.monotonicMs() < (restsUntilMs.get(owner) ?? Number.NEGATIVE_INFINITY) + laterMs;
  return {
    charge(owner, costMs) {
      const nowMs = clock.monotonicMs();
      for (const [charged, untilMs] of restsUntilMs) if (untilMs + TIMED_MS <= nowMs) restsUntilMs.delete(charged);
      restsUntilMs.set(owner, Math.max(restsUntilMs.get(owner) ?? 0, nowMs) + costMs * PAUSE_PER_MS);
    },
    isResting: (owner) => isWithin(owner, 0),
    isTimed: (owner) => isWithin(owner, TIMED_MS),
  };
}

export const costlyTls = (): Error =>
  Object.assign(new Error(`The receiver's TLS took more than ${COST_MS_MAX} ms of this service's CPU.`), {
    code: "ERR_TLS_COSTLY" satisfies FailureCode,
  });

/**
 * Stands between TCP and TLS, because the bytes that come are what makes TLS work. Node passes them on in JavaScript
 * then, which costs 30 µs a request (measured).
 */
export function openMeteredSocket(tcp: Socket): Duplex {
  const way = new Duplex({
    read: () => void tcp.resume(),
    write: (bytes: Buffer, _encoding, done) => void tcp.write(bytes, done),
    final: (done) => void tcp.end(done),
    destroy(error, done) {
      tcp.destroy();
      done(error);
    },
  });
  tcp.on("data", (view: Buffer) => {
    const bytes = Buffer.from(view);
    afterTwoTicks(() => {
      if (!way.push(bytes)) tcp.pause();
    });
  });
  tcp.once("end", () => afterTwoTicks(() => way.push(null)));
  tcp.on("error", (error) => way.destroy(error));
  tcp.once("close", () => afterTwoTicks(() => way.destroy()));
  return way;
}

/**
 * Node tells TLS in one or two ticks of the event loop that its bytes are written (measured). An answer must not come
 * before that news, or the connection would be closed.
 */
function afterTwoTicks(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

/** Why the connection has to end; `null` while it need not. Known before `secureConnect` and any error are emitted. */
export type FindFault = () => Error | null;

export interface MeterParams {
  readonly way: Duplex;
  /** TLS over that way. */
  readonly socket: TLSSocket;
  readonly owner: string;
  readonly costs: TlsCosts;
}

/** Times what TLS does with each piece that comes, and closes a connection that is too expensive. */
export function meter({ way, socket, owner, costs }: MeterParams): FindFault {
  let fault: Error | null = null;
  let isSecure = false;
  let costMs = 0;
  let readWatch: (() => number) | null = null;
  const stop = () => {
    costMs += readWatch?.() ?? 0;
    readWatch = null;
    if (fault !== null || costMs - socket.bytesWritten * MS_PER_BYTE_SENT <= COST_MS_MAX) return;
    fault = costlyTls();
    costs.charge(owner, costMs);
  };
  const endIfFault = () => {
    if (fault !== null) socket.destroy(fault);
  };
  // The first listener for these bytes, the one of TLS, and the last.
  way.prependListener("data", () => {
    if (!isSecure && costs.isResting(owner)) fault ??= new Error(TLS_RESTING);
    endIfFault();
    readWatch = startWatch();
  });
  way.on("data", () => {
    stop();
    endIfFault();
  });
  // Before Node looks at the certificate and tells others: work in JavaScript is not the receiver's cost.
  socket.prependListener("secure", () => {
    isSecure = true;
    stop();
  });
  return () => fault;
}

/** Of one account at a time; its others are timed. Guess: 80 webhooks a second where answers take 100 ms. */
const UNTIMED_MAX = 8;

const SWEEP_MS = secondsMs(1);

/** A chain may have 100 KB. Smaller messages are 27 bytes with 10 µs of work each, so these take 60 ms (measured). */
const USELESS_BYTES_MAX = 128 * 1024;

export interface UntimedTls {
  takes(owner: string): boolean;
  /** `socket` is being opened. */
  watch(owner: string, socket: TLSSocket): FindFault;
}

export function createUntimedTls(clock: Clock, costs: TlsCosts): UntimedTls {
  const byOwner = new Map<string, Set<TLSSocket>>();

  let isSweeping = false;

  function sweepSoon(): void {
    isSweeping = byOwner.size > 0;
    if (isSweeping) clock.after(SWEEP_MS, sweep);
  }

  function sweep(): void {
    for (const [owner, sockets] of byOwner) {
      if (![...sockets].some(hasUselessBytes)) continue;
      costs.charge(owner, 0);
      // All of them: each could have a second of its own.
      for (const socket of sockets) socket.destroy(costlyTls());
    }
    sweepSoon();
  }

  return {
    takes: (owner) => !costs.isTimed(owner) && (byOwner.get(owner)?.size ?? 0) < UNTIMED_MAX,
    watch(owner, socket) {
      const sockets = byOwner.get(owner) ?? new Set();
      byOwner.set(owner, sockets.add(socket));
      if (!isSweeping) sweepSoon();
      // Other work of this thread counts too: it can only make a harmless receiver's next connections timed.
      const readMs = startWatch();
      const judge = () => {
        if (!socket.isSessionReused() && readMs() > COST_MS_MAX) costs.charge(owner, 0);
      };
      let isSecure = false;
      socket.prependOnceListener("secure", () => {
        isSecure = true;
        judge();
        // Another handshake may have certificates, and may never be done.
        findHandle(socket).onhandshakestart = () => costs.charge(owner, 0);
      });
      socket.once("close", () => {
        if (!isSecure) judge();
        sockets.delete(socket);
        if (sockets.size === 0) byOwner.delete(owner);
      });
      return () => null;
    },
  };
}

/** Node has no public name for these. Without the bytes that came from TCP, the connection ends. */
interface Handle {
  readonly _parent?: { readonly bytesRead?: number };
  onhandshakestart?: () => void;
}

function findHandle(socket: TLSSocket): Handle {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return handle ?? {};
}

function hasUselessBytes(socket: TLSSocket): boolean {
  if (socket.destroyed || socket.connecting) return false;
  const { _parent: tcp } = findHandle(socket);
  return (tcp?.bytesRead ?? Infinity) - socket.bytesRead - socket.bytesWritten > USELESS_BYTES_MAX;
}
