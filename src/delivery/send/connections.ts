/**
 * The open sockets, kept apart by destination: a hanging destination holds only its own. A lane has as many clients as
 * it has requests at once, and reuses the one that was used last, so that the others may time out:
 *
 *     opening ──► busy ──onFree──► idle ──► busy …
 *                                   └────► closed: by the receiver, by a time limit, or to make room
 *
 * Invariants: a lane exists only while it has a client or a request; at most `idleSocketsMax` sockets are open without
 * a request, and the one that was idle for longest is closed first; a lane that moves to another origin, or presents
 * another certificate, keeps none of its sockets.
 */
import { type ClientCertificate, isSameCertificate } from "../../domain/authentication.ts";
import type { Outcome } from "../../domain/attempt.ts";
import type { TlsTrust } from "../../egress/connect-outcome.ts";
import type { EgressGuard } from "../../egress/guard.ts";
import { type TlsClient, createTlsClient } from "../../egress/open-tls.ts";
import type { CancelTimer, Clock } from "../../lib/clock.ts";
import type { Exchange } from "./exchange.ts";
import type { WrittenRequest } from "./http1/write-head.ts";
import { LaneClient } from "./lane-client.ts";

export interface ConnectionsOptions {
  readonly guard: EgressGuard;
  readonly clock: Clock;
  readonly connectDeadlineMs: number;
  /** Further requests of a lane wait for a free client. */
  readonly connectionsPerLane: number;
  readonly idleSocketsMax: number;
  readonly tls?: TlsTrust | undefined;
}

interface Waiting {
  readonly request: WrittenRequest;
  readonly exchange: Exchange;
  /** Opens a socket for it. */
  opener: LaneClient | null;
}

/** A lane's sockets to one origin. */
export interface LaneSockets {
  readonly lane: string;
  readonly origin: string;
  readonly owner: string;
  /** Presented on each of its sockets. */
  readonly certificate: ClientCertificate | null;
  readonly clients: Set<LaneClient>;
  /** The one that was used last stands last. */
  readonly idle: LaneClient[];
  readonly waiting: Waiting[];
  inFlight: number;
  /** No new requests; its clients are destroyed when the last one is done. */
  isRetired: boolean;
}

interface TakenFor {
  readonly owner?: string | undefined;
  readonly certificate?: ClientCertificate | null;
}

interface Sweep {
  readonly atMs: number;
  readonly cancel: CancelTimer;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #tls: TlsClient;
  readonly #lanes = new Map<string, LaneSockets>();
  readonly #retired = new Map<LaneSockets, PromiseWithResolvers<void>>();
  /** The idle clients of all lanes; the one that was idle for longest stands first. */
  readonly #idle = new Map<LaneClient, LaneSockets>();
  #sweep: Sweep | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#tls = createTlsClient({ clock: options.clock, trust: options.tls });
  }

  /** Returns the lane's sockets to that origin, counted as in use until `release`. */
  take(lane: string, origin: string, { owner = lane, certificate = null }: TakenFor = {}): LaneSockets {
    let sockets = this.#lanes.get(lane);
    if (sockets !== undefined && !leadsTo(sockets, origin, certificate)) {
      this.#retire(sockets);
      sockets = undefined;
    }
    if (sockets === undefined) {
      const none = { clients: new Set<LaneClient>(), idle: [], waiting: [], inFlight: 0, isRetired: false };
      sockets = { lane, origin, owner, certificate, ...none };
      this.#lanes.set(lane, sockets);
    }
    sockets.inFlight += 1;
    return sockets;
  }

  /**
   * Sends on an open socket where one is idle. Else the request waits, and the first socket that is free or has opened
   * takes the one that waits longest, so that requests are written in the order in which they came.
   */
  send(sockets: LaneSockets, request: WrittenRequest, exchange: Exchange): void {
    const idle = this.#takeIdle(sockets);
    if (idle?.isOpen === true) return this.#sendOn(idle, sockets, { request, exchange });
    const waiting: Waiting = { request, exchange, opener: null };
    sockets.waiting.push(waiting);
    const opener = idle ?? this.#addUnlessFull(sockets);
    if (opener !== null) openFor(waiting, opener);
  }

  release(sockets: LaneSockets): void {
    sockets.inFlight -= 1;
    if (sockets.isRetired) this.#destroyIfUnused(sockets);
    else this.#forgetIfEmpty(sockets);
  }

  /** Lanes with a socket or a request, and sockets that are open without one; for tests and metrics. */
  count(): { readonly lanes: number; readonly idleSockets: number } {
    return { lanes: this.#lanes.size + this.#retired.size, idleSockets: this.#idle.size };
  }

  /** Resolves when the requests in flight have ended and every socket is closed. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    this.#sweep = null;
    for (const sockets of this.#lanes.values()) this.#retire(sockets);
    await Promise.all([...this.#retired.values()].map(({ promise }) => promise));
  }

  #takeIdle(sockets: LaneSockets): LaneClient | null {
    const client = sockets.idle.pop() ?? null;
    if (client === null) return null;
    this.#idle.delete(client);
    // The sweep may be late; the receiver is not. A client without its socket opens another.
    if (client.idleUntilMs <= this.#options.clock.monotonicMs()) client.closeSocket();
    return client;
  }

  #addUnlessFull(sockets: LaneSockets): LaneClient | null {
    const { guard, clock, connectDeadlineMs, connectionsPerLane } = this.#options;
    if (sockets.clients.size >= connectionsPerLane) return null;
    const { origin, owner, certificate } = sockets;
    const client = new LaneClient({
      guard,
      clock,
      connectDeadlineMs,
      tls: this.#tls,
      origin,
      owner,
      certificate,
      onFree: () => this.#free(client, sockets),
      onFailed: (outcome) => this.#fail(client, sockets, outcome),
      onClosed: () => this.#dropIfIdle(client, sockets),
    });
    sockets.clients.add(client);
    return client;
  }

  #sendOn(client: LaneClient, sockets: LaneSockets, { request, exchange }: Omit<Waiting, "opener">): void {
    if (client.send(request, exchange)) this.#free(client, sockets);
  }

  /** Ends the request that the socket was opened for, if none has taken it yet. */
  #fail(client: LaneClient, sockets: LaneSockets, outcome: Outcome): void {
    const { waiting } = sockets;
    const place = waiting.findIndex(({ opener }) => opener === client);
    if (place !== -1) waiting.splice(place, 1)[0]?.exchange.end(outcome);
    this.#free(client, sockets);
  }

  #free(client: LaneClient, sockets: LaneSockets): void {
    if (this.#idle.has(client) || !sockets.clients.has(client)) return;
    if (!client.isOpen) {
      const next = sockets.waiting.find(({ opener, exchange }) => opener?.isOpening !== true && !exchange.isSettled);
      if (next !== undefined) openFor(next, client);
      else if (!sockets.isRetired) this.#drop(client, sockets);
      return;
    }
    const next = takeUnsettled(sockets.waiting);
    if (next !== null) return this.#sendOn(client, sockets, next);
    if (sockets.isRetired) return;
    sockets.idle.push(client);
    this.#idle.set(client, sockets);
    this.#closeSurplus();
    this.#sweepBy(client.idleUntilMs);
  }

  /** One timer for all idle sockets, at the earliest end of their time that is known. */
  #sweepBy(atMs: number): void {
    if (this.#sweep !== null && this.#sweep.atMs <= atMs) return;
    this.#sweep?.cancel();
    const { clock } = this.#options;
    const waitMs = Math.max(0, Math.ceil(atMs - clock.monotonicMs()));
    this.#sweep = { atMs, cancel: clock.after(waitMs, () => this.#closeExpired()) };
  }

  #closeExpired(): void {
    this.#sweep = null;
    const nowMs = this.#options.clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [client, sockets] of this.#idle) {
      if (client.idleUntilMs <= nowMs) this.#closeIdle(client, sockets);
      else nextMs = Math.min(nextMs, client.idleUntilMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#sweepBy(nextMs);
  }

  #closeIdle(client: LaneClient, sockets: LaneSockets): void {
    this.#dropIfIdle(client, sockets);
    client.closeSocket();
  }

  #closeSurplus(): void {
    for (const [client, sockets] of this.#idle) {
      if (this.#idle.size <= this.#options.idleSocketsMax) return;
      this.#closeIdle(client, sockets);
    }
  }

  #dropIfIdle(client: LaneClient, sockets: LaneSockets): void {
    if (!this.#idle.delete(client)) return;
    sockets.idle.splice(sockets.idle.indexOf(client), 1);
    this.#drop(client, sockets);
  }

  /** A client without a socket holds nothing, and another one is quickly made. */
  #drop(client: LaneClient, sockets: LaneSockets): void {
    sockets.clients.delete(client);
    this.#forgetIfEmpty(sockets);
  }

  #forgetIfEmpty(sockets: LaneSockets): void {
    if (sockets.inFlight > 0 || sockets.clients.size > 0) return;
    if (this.#lanes.get(sockets.lane) === sockets) this.#lanes.delete(sockets.lane);
  }

  #retire(sockets: LaneSockets): void {
    sockets.isRetired = true;
    this.#lanes.delete(sockets.lane);
    for (const client of sockets.idle.splice(0)) this.#idle.delete(client);
    this.#retired.set(sockets, Promise.withResolvers());
    this.#destroyIfUnused(sockets);
  }

  #destroyIfUnused(sockets: LaneSockets): void {
    if (sockets.inFlight > 0) return;
    void Promise.all([...sockets.clients].map((client) => client.destroy())).then(() => {
      this.#retired.get(sockets)?.resolve();
      this.#retired.delete(sockets);
    });
  }
}

const leadsTo = (sockets: LaneSockets, origin: string, certificate: ClientCertificate | null): boolean =>
  sockets.origin === origin && isSameCertificate(sockets.certificate, certificate);

function openFor(waiting: Waiting, opener: LaneClient): void {
  waiting.opener = opener;
  waiting.exchange.useCarrier(opener);
  void opener.open();
}

/** The deadline may have ended some that wait. */
function takeUnsettled(waiting: Waiting[]): Waiting | null {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (!next.exchange.isSettled) return next;
  }
  return null;
}
