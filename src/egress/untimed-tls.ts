/**
 * Watches the connections whose TLS is not timed, because Node reads them without JavaScript, for 30 µs less a request.
 * Each offers a session, which comes from an earlier connection that was cheap: a receiver that takes it up sends no
 * certificate.
 *
 * Invariant: when one of them looks costly, new connections of its account are timed for an hour. So an account that
 * alternates gets `UNTIMED_MAX` handshakes of 440 ms an hour, and a second of messages without data on as many
 * connections. Besides, it gets a hundredth of the event loop (`tls-costs.ts`).
 */
import type { TLSSocket } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { startWatch } from "../lib/thread-time.ts";
import { COST_MS_MAX, type FindFault, type TlsCosts, costlyTls } from "./tls-costs.ts";

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
