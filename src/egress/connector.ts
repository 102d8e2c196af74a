/**
 * Opens the socket of an attempt: resolve and check (`guard.ts`), connect to a checked address, TLS, check again.
 *
 *     dns ──► connect (TCP, next address when one refuses) ──► TLS ──► the reached address is checked once more
 *
 * Invariant: sockets are opened to IP literals only, so nothing between the check and the connect can resolve the name
 * again. SNI, the certificate's name and `Host` stay the name. One deadline covers all of it.
 */
import { type Socket, isIP, isIPv4 } from "node:net";
import type { ClientCertificate } from "../domain/authentication.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import { type CallTarget, callTarget } from "./webhook-url.ts";
import type { ConnectOutcome, ConnectProgress } from "./connect-outcome.ts";
import { type OpenFailure, openSocket } from "./open-socket.ts";
import type { OpenedTls, TlsClient } from "./open-tls.ts";
import { type ProxyRoute, openTunnel } from "./proxy-tunnel.ts";

export type VetFailure = Extract<ConnectOutcome, { kind: "blocked" | "dns_error" }>;

export interface HostToVet extends CallTarget {
  /** The owner that takes turns in name look-ups. */
  readonly owner: string;
}

/** The two checks, as the guard makes them. */
export interface Vetting {
  /** The addresses of a host, every one of them checked. Never rejects. */
  vetHost(target: HostToVet): Promise<Result<readonly string[], VetFailure>>;
  /** `null` when an address that a socket has reached may be called. */
  vetReached(address: string, port: number): VetFailure | null;
  /** Through the operator's proxy instead of directly. */
  readonly proxy?: ProxyRoute | null;
}

export interface ConnectorOptions {
  readonly clock: Clock;
  /** Over DNS, TCP and TLS together. */
  readonly deadlineMs: number;
  readonly tls: TlsClient;
  /**
   * Look-ups of one owner wait behind each other when there are many, and never delay other owners. TLS sessions are
   * resumed for the owner that they came from.
   */
  readonly owner: string;
  /** Presented to a receiver that asks for one. */
  readonly certificate?: ClientCertificate | null;
  /** Called at the start of each socket, with the object that will be filled in. */
  readonly onStart?: (progress: ConnectProgress) => void;
}

/** No more are tried: an answer can hold hundreds of addresses, and each gets a share of the deadline. */
const ADDRESSES_TRIED_MAX = 3;

/** Opens a socket to the URL's host. Never rejects. */
export type Connect = (url: Pick<URL, "hostname" | "port" | "protocol">) => Promise<Result<Socket, ConnectOutcome>>;

export function createConnector(vetting: Vetting, options: ConnectorOptions): Connect {
  return (url) => {
    const progress: ConnectProgress = { phase: "dns", address: null, dnsMs: null, connectMs: null, tlsMs: null };
    options.onStart?.(progress);
    return connect(vetting, { ...options, target: callTarget(url), progress });
  };
}

interface ConnectParams extends ConnectorOptions {
  readonly target: CallTarget;
  readonly progress: ConnectProgress;
}

async function connect(vetting: Vetting, job: ConnectParams): Promise<Result<Socket, ConnectOutcome>> {
  const { clock, target, progress } = job;
  const startedMs = clock.monotonicMs();
  const vetted = await vetInTime(vetting, job);
  if (isIP(target.host) === 0) progress.dnsMs = clock.monotonicMs() - startedMs;
  if (!vetted.ok) return vetted;
  progress.phase = "connect";
  const route = vetting.proxy ?? null;
  const opened = await openFirst({ ...job, route }, vetted.value, startedMs + job.deadlineMs);
  if (!opened.ok) return opened;
  const refused = vetOpened(vetting, opened.value, target.port);
  if (refused !== null) {
    opened.value.socket.destroy();
    return refuse(refused);
  }
  progress.phase = "open";
  return ok(opened.value.socket);
}

/** The look-up continues after its deadline; its answer then serves the next attempt from the resolver's cache. */
function vetInTime(vetting: Vetting, { clock, deadlineMs, target, owner }: ConnectParams) {
  const { promise, resolve } = Promise.withResolvers<Result<readonly string[], ConnectOutcome>>();
  const stop = clock.after(deadlineMs, () => resolve(refuse({ kind: "timeout", phase: "dns" })));
  void vetting.vetHost({ ...target, owner }).then((vetted) => {
    stop();
    resolve(vetted);
  });
  return promise;
}

/**
 * Each address gets an equal share of the remaining time. The failure of the first address is the one that is reported.
 */
async function openFirst(
  job: Routed,
  addresses: readonly string[],
  untilMs: number,
): Promise<Result<OpenedTls, ConnectOutcome>> {
  const tried = spreadFamilies(addresses).slice(0, ADDRESSES_TRIED_MAX);
  let first: ConnectOutcome | null = null;
  for (const [index, address] of tried.entries()) {
    const tcpMs = Math.max(0, (untilMs - job.clock.monotonicMs()) / (tried.length - index));
    const opened = await openOne(job, address, { tcpMs, untilMs });
    if (opened.ok) return opened;
    // Once TCP stands, the same receiver refuses at every address of it; another one would only cost time.
    if (opened.error.isFinal) return refuse(opened.error.outcome);
    first ??= opened.error.outcome;
  }
  return refuse(first ?? { kind: "timeout", phase: "connect" });
}

interface Routed extends ConnectParams {
  readonly route: ProxyRoute | null;
}

async function openOne(
  { clock, target, tls, owner, certificate = null, progress, route }: Routed,
  address: string,
  { tcpMs, untilMs }: { tcpMs: number; untilMs: number },
): Promise<Result<OpenedTls, OpenFailure>> {
  const job = { clock, address, target, tls, owner, certificate, tcpMs, untilMs, progress };
  if (route === null) return await openSocket({ ...job, tunnel: null });
  const startedMs = clock.monotonicMs();
  const tunnel = await openTunnel(route, { clock, address, port: target.port, untilMs: startedMs + tcpMs });
  if (!tunnel.ok) return refuse({ outcome: tunnel.error, isFinal: isProxysOwnFault(tunnel.error) });
  const opened = await openSocket({ ...job, tunnel: tunnel.value });
  progress.connectMs = clock.monotonicMs() - startedMs - (progress.tlsMs ?? 0);
  return opened;
}

/** A 5xx may concern only the requested address; the proxy would give every other fault for each address. */
const isProxysOwnFault = (outcome: ConnectOutcome): boolean =>
  outcome.kind === "proxy_error" && !outcome.code.startsWith("PROXY_STATUS_");

/** IPv4, IPv6, IPv4 …: where this machine has only one of the two families, one of its addresses is among the first. */
function spreadFamilies(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((address) => isIPv4(address));
  const v6 = addresses.filter((address) => !isIPv4(address));
  return addresses.flatMap((_, index) => [...v4.slice(index, index + 1), ...v6.slice(index, index + 1)]);
}

/** A second line of defence: no byte is written to a refused address, whatever went wrong before. */
function vetOpened(vetting: Vetting, { socket, tcp }: OpenedTls, port: number): ConnectOutcome | null {
  const { remoteAddress } = tcp;
  if (remoteAddress === undefined || socket.destroyed) {
    return { kind: "network_error", code: "ECONNRESET", message: "the receiver closed the connection at once" };
  }
  // Behind a proxy the other end is the proxy, which was given the checked address.
  return vetting.proxy === undefined || vetting.proxy === null ? vetting.vetReached(remoteAddress, port) : null;
}
