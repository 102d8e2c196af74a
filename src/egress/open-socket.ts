/**
 * Opens one TCP connection, with TLS where the URL says so, to one IP address. Nothing here resolves a name: the
 * target's host only names the certificate. Every failure is a value.
 */
import type { Socket } from "node:net";
import type { ClientCertificate } from "../domain/authentication.ts";
import type { FailureCode } from "../domain/failure-codes.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import { errorWords, readFaultCode } from "../lib/fault-words.ts";
import type { CallTarget } from "./webhook-url.ts";
import { type ConnectOutcome, type ConnectProgress, TLS_RESTING, tcpOutcome } from "./connect-outcome.ts";
import { alertWords } from "./client-certificate.ts";
import { connectTcp } from "./one-buffer.ts";
import { type OpenContext, type OpenedTls, type TlsClient, openTls } from "./open-tls.ts";

export interface OpenSocketParams {
  readonly clock: Clock;
  /** An IP address that was checked. */
  readonly address: string;
  readonly target: CallTarget;
  /** A tunnel that already leads to the address; `null` connects directly. */
  readonly tunnel: Socket | null;
  readonly tls: TlsClient;
  /** The account that may resume the TLS session. */
  readonly owner: string;
  readonly certificate: ClientCertificate | null;
  /** For TCP alone. */
  readonly tcpMs: number;
  /** The monotonic instant by which TLS must be done too. */
  readonly untilMs: number;
  readonly progress: ConnectProgress;
}

export interface OpenFailure {
  readonly outcome: ConnectOutcome;
  /** True when another address of the receiver would end the same way: TCP stood, and TLS failed. */
  readonly isFinal: boolean;
}

/** A socket that is ready for HTTP, or the reason why there is none. A failed socket is destroyed. */
export function openSocket(job: OpenSocketParams): Promise<Result<OpenedTls, OpenFailure>> {
  const { clock, progress } = job;
  const context = job.target.isTls ? job.tls.context(job.certificate) : null;
  if (context !== null && !context.ok) {
    job.tunnel?.destroy();
    return Promise.resolve(refuse({ outcome: unusable(context.error), isFinal: true }));
  }
  if (context !== null && job.tls.costs.isResting(job.owner)) {
    job.tunnel?.destroy();
    return Promise.resolve(refuse({ outcome: { kind: "internal_error", message: TLS_RESTING }, isFinal: true }));
  }
  const { promise, resolve } = Promise.withResolvers<Result<OpenedTls, OpenFailure>>();
  const startedMs = clock.monotonicMs();
  let tcpAtMs: number | null = job.tunnel === null ? null : startedMs;
  const opened = start(job, context?.value ?? null);
  const { socket, tcp, findFault } = opened;

  const end = (result: Result<OpenedTls, OpenFailure>) => {
    cancelTimer();
    if (!result.ok) socket.destroy();
    resolve(result);
  };
  const fail = (outcome: ConnectOutcome) => end(refuse({ outcome, isFinal: tcpAtMs !== null }));
  const onTimeout = () => fail({ kind: "timeout", phase: "connect" });
  let cancelTimer = clock.after(job.tcpMs, onTimeout);

  const onTcp = () => {
    tcpAtMs = clock.monotonicMs();
    progress.connectMs = tcpAtMs - startedMs;
    progress.address = job.address;
    if (!job.target.isTls) return end(ok(opened));
    cancelTimer();
    cancelTimer = clock.after(Math.max(0, job.untilMs - tcpAtMs), onTimeout);
  };
  socket.once("secureConnect", () => {
    progress.tlsMs = clock.monotonicMs() - (tcpAtMs ?? startedMs);
    const fault = findFault();
    if (fault === null) end(ok(opened));
    else fail(tlsFailure(fault));
  });
  // Stays on the socket: an error without a listener would end the process.
  socket.on("error", (error) => fail(tcpAtMs === null ? tcpFailure(error, job) : tlsFailure(findFault() ?? error)));
  if (job.tunnel === null) tcp.once("connect", onTcp);
  else onTcp();
  return promise;
}

/** It was usable when it was saved: another version of TLS may have stricter rules. */
const unusable = (why: string): ConnectOutcome => ({
  kind: "tls_error",
  code: "CLIENT_CERTIFICATE_UNUSABLE" satisfies FailureCode,
  message: `The client certificate cannot be presented: ${why}.`,
});

function start({ address, target, tunnel, tls, owner }: OpenSocketParams, context: OpenContext | null): OpenedTls {
  if (context !== null) return openTls({ client: tls, context, target, owner, address, tunnel });
  const tcp = tunnel ?? connectTcp(address, target.port);
  return { socket: tcp, tcp, findFault: () => null };
}

function tcpFailure(error: Error, { address, target }: OpenSocketParams): ConnectOutcome {
  const code = readFaultCode(error);
  const message =
    code === "ECONNREFUSED"
      ? `Nothing accepts connections at ${address}, port ${target.port}.`
      : `${address}: ${errorWords(error)}`;
  return tcpOutcome(code, message);
}

/** Once TCP stands, every failure is the handshake's, a reset included. */
function tlsFailure(error: Error): ConnectOutcome {
  if (error.message === TLS_RESTING) return { kind: "internal_error", message: error.message };
  const code = readFaultCode(error);
  return { kind: "tls_error", code, message: alertWords(code) ?? errorWords(error) };
}
