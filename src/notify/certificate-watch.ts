/**
 * Reads client certificates that were saved since it looked last, and notes when each ends. Digests tell their owners
 * from then on, so nothing is lost when this node dies: what is not noted is read by the next one.
 */
import { readCertificateFacts } from "../egress/client-certificate.ts";
import type { Clock } from "../lib/clock.ts";
import { minutesMs } from "../lib/duration.ts";
import { createRounds } from "../lib/rounds.ts";
import type { CertificatesVerbs, UnreadCertificate } from "../store/contract/certificates.ts";

export interface CertificateWatchContext {
  readonly store: CertificatesVerbs;
  readonly clock: Clock;
  /** Called when the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface CertificateWatch extends AsyncDisposable {
  /** Reads some, and returns their number. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Guess. The shortest warning is a day. */
const STEP_MS = minutesMs(1);

/** Each is parsed in some 0.1 ms. */
const CERTIFICATES_MAX = 100;

export function createCertificateWatch(ctx: CertificateWatchContext): CertificateWatch {
  const rounds = createRounds(ctx.clock, round);

  async function step(): Promise<number> {
    const unread = await ctx.store.listUnreadCertificates({ limit: CERTIFICATES_MAX });
    for (const certificate of unread) {
      await ctx.store.noteCertificateEnd({ ...certificate, endsAtMs: findEnd(certificate) });
    }
    return unread.length;
  }

  async function round(): Promise<number> {
    try {
      return (await step()) === CERTIFICATES_MAX ? 0 : STEP_MS;
    } catch (error) {
      ctx.onFailure("client certificates could not be read", error);
      return STEP_MS;
    }
  }

  const stop = () => rounds.stop();
  return { step, start: rounds.start, stop, [Symbol.asyncDispose]: stop };
}

/** One that cannot be read was refused when it was saved. */
function findEnd({ chain }: UnreadCertificate): number | null {
  const facts = chain === null ? null : readCertificateFacts(chain);
  return facts === null || !facts.ok ? null : facts.value.validToMs;
}
