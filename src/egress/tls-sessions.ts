/**
 * TLS sessions that receivers offered, so that the next connection needs neither a certificate nor a signature.
 *
 * Invariants: a session is offered only to the account and the origin that it came from, because a receiver can tell
 * by it that two connections have one client; a session whose certificate was checked longer ago than `CHECKED_MS_MAX`,
 * or has expired, is never offered, since a resumed connection checks no certificate; at most `bytesMax` bytes are
 * kept, and what was not used for longest goes first.
 */
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";

export interface TlsSession {
  /** As Node gave it: it holds the name that the certificate was checked for, and Node offers it to no other. */
  readonly bytes: Buffer;
  /** The monotonic instant from which the certificate has to be checked again. */
  readonly checkedUntilMs: number;
}

export interface TlsSessions {
  /**
   * The session stays for further connections: receivers on Node give out no other ticket when one is resumed (measured
   * on Node 26). TLS 1.3 advises against that only because who listens on the way can tell a client's connections
   * (RFC 8446, appendix C.4), and ours come from one address anyway.
   */
  find(key: string): TlsSession | null;
  /** Instead of what the key had. */
  keep(key: string, session: TlsSession): void;
  forget(key: string): void;
  count(): number;
}

/** Guess. A receiver's certificate that is no longer good is seen after this long. */
const CHECKED_MS_MAX = minutesMs(60);

/** About 10,000 sessions with a certificate of 1 KB and a ticket of the same size. */
const BYTES_MAX = 24 * 1024 * 1024;

/** Guess. Usual are 1 to 3 KB; a receiver with a longer chain of names in its certificate does without. */
const SESSION_BYTES_MAX = 16 * 1024;

/** Map, its entry and the buffer's object, beside the bytes themselves. Guess. */
const ENTRY_BYTES = 500;

export function createTlsSessions({ clock, bytesMax = BYTES_MAX }: { clock: Clock; bytesMax?: number }): TlsSessions {
  /** In the order of their last use. */
  const byKey = new Map<string, TlsSession>();
  let bytes = 0;

  function forget(key: string): void {
    const session = byKey.get(key);
    if (session === undefined) return;
    byKey.delete(key);
    bytes -= sizeOf(session);
  }

  function keep(key: string, session: TlsSession): void {
    forget(key);
    if (session.bytes.length > SESSION_BYTES_MAX) return;
    byKey.set(key, session);
    bytes += sizeOf(session);
    for (const oldest of byKey.keys()) {
      if (bytes <= bytesMax) return;
      forget(oldest);
    }
  }

  return {
    find(key) {
      const session = byKey.get(key);
      forget(key);
      if (session === undefined || clock.monotonicMs() >= session.checkedUntilMs) return null;
      keep(key, session);
      return session;
    },
    keep,
    forget,
    count: () => byKey.size,
  };
}

const sizeOf = ({ bytes }: TlsSession): number => bytes.length + ENTRY_BYTES;

/** `validTo` as Node writes a certificate's end; one that cannot be read was not checked for any time. */
export function computeCheckedUntil(clock: Clock, validTo: string): number {
  const validMs = Date.parse(validTo) - clock.nowMs();
  return clock.monotonicMs() + (validMs > 0 ? Math.min(validMs, CHECKED_MS_MAX) : 0);
}
