/**
 * Step 2 of an attempt sends the request and returns what it met. It opens the only socket to receivers. It never
 * throws, never rejects and never takes longer than its deadline: whatever a receiver does is an `Outcome`.
 *
 * It follows and repeats nothing: a redirect is an answer like any other, and `judge` decides a retry.
 */
import type { SendResult } from "../../domain/attempt.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { TlsTrust } from "../../egress/connect-outcome.ts";
import type { EgressGuard } from "../../egress/guard.ts";
import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/clock.ts";
import { Connections, type LaneSockets } from "./connections.ts";
import { Exchange, suspectCertificate } from "./exchange.ts";
import { writeHead } from "./http1/write-head.ts";
import { toReadable } from "./readable-body.ts";
import type { WebhookRequest } from "./request.ts";

/** The port to the network; the simulator has its own. */
export interface Sender extends AsyncDisposable {
  send(request: WebhookRequest): Promise<SendResult>;
  /** Asks `mayStart` before the first byte is written. Returns `null` when the answer was no and nothing was sent. */
  sendIf(request: WebhookRequest, mayStart: () => boolean): Promise<SendResult | null>;
  /** Waits for requests in flight, then closes every socket. Later requests end as `internal_error`. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly guard: EgressGuard;
  readonly clock: Clock;
  /** Covers everything, from DNS to the last byte of the answer. */
  readonly deadlineMs?: number;
  /** The part of it that DNS, TCP and TLS may take together. */
  readonly connectDeadlineMs?: number;
  readonly responseBytesMax?: number;
  /** The most sockets to one destination; further requests wait for a free one. */
  readonly connectionsPerLane?: number;
  /** The most sockets that are kept open between requests, of all destinations together. */
  readonly idleSocketsMax?: number;
  readonly tls?: TlsTrust;
}

/** The most that a lane ever has in flight (engine's design: 1 to 64). */
const CONNECTIONS_PER_LANE = 64;
/** Guess. */
const IDLE_SOCKETS_MAX = 2_048;

export function createSender(options: SenderOptions): Sender {
  const { guard, clock, deadlineMs = LIMITS.attemptDeadlineMs } = options;
  const responseBytesMax = options.responseBytesMax ?? LIMITS.responseBytesMax;
  const connections = new Connections({
    guard,
    clock,
    connectDeadlineMs: Math.min(options.connectDeadlineMs ?? LIMITS.connectDeadlineMs, deadlineMs),
    connectionsPerLane: options.connectionsPerLane ?? CONNECTIONS_PER_LANE,
    idleSocketsMax: options.idleSocketsMax ?? IDLE_SOCKETS_MAX,
    tls: options.tls,
  });
  let closing: Promise<void> | null = null;

  function start({ request, mayStart, settle }: Start): void {
    let lane: LaneSockets | null = null;
    const certificate = request.authentication?.certificate ?? null;
    const onSettled = (result: SendResult | null) => {
      if (lane !== null) connections.release(lane);
      if (result === null) return settle(null);
      settle(toReadable(certificate === null ? result : suspectCertificate(result), responseBytesMax));
    };
    const withinMs = Math.min(request.deadlineMs ?? deadlineMs, deadlineMs);
    const exchange = new Exchange({ clock, deadlineMs: withinMs, responseBytesMax, mayStart, onSettled });
    try {
      if (closing !== null) throw new Error("the sender is closed");
      const written = writeHead(request);
      lane = connections.take(request.lane, request.url.origin, { owner: request.owner, certificate });
      connections.send(lane, written, exchange);
    } catch (error) {
      exchange.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  const sendIf: Sender["sendIf"] = (request, mayStart) => new Promise((settle) => start({ request, mayStart, settle }));
  const close = () => (closing ??= connections.close());
  return {
    async send(request) {
      const result = await sendIf(request, () => true);
      assert(result !== null, "a request that may always start did not");
      return result;
    },
    sendIf,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Start {
  readonly request: WebhookRequest;
  readonly mayStart: () => boolean;
  readonly settle: (result: SendResult | Promise<SendResult> | null) => void;
}
