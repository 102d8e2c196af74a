/** The possible ends of opening a socket, and its progress: shared by the steps from `connector.ts` downwards. */
import type { Outcome } from "../domain/attempt.ts";
import type { FailureCode } from "../domain/failure-codes.ts";

/** The part of the domain's `Outcome` that can happen before a request is written. */
export type ConnectOutcome = Extract<
  Outcome,
  { kind: "blocked" | "dns_error" | "internal_error" | "network_error" | "proxy_error" | "timeout" | "tls_error" }
>;

/** The message of the `internal_error` for a receiver that has to wait because others of its account were so. */
export const TLS_RESTING = "Other receivers of this account made TLS expensive, so its handshakes rest for a while.";

/** Resources that this machine has run out of, which no receiver is to blame for: files, ports, memory for sockets. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: "This process may not open more files and sockets (its open-files limit).",
  ENFILE: "This machine cannot open more files and sockets.",
  EADDRNOTAVAIL: "This machine has no free port for another connection to this address.",
  ENOBUFS: "This machine has no memory for another socket.",
  ENOMEM: "This machine has no memory for another socket.",
};

/** Faults of the operator's proxy itself. Its other faults may concern the address that it was asked to call. */
const PROXYS_OWN_FAULTS: ReadonlySet<string> = new Set<FailureCode>([
  "PROXY_UNREACHABLE",
  "PROXY_CREDENTIALS",
  "PROXY_PROTOCOL",
]);

/** Whether the attempt learned nothing about the destination: the operator must act, and not its owner. */
export function isOperatorsConcern(outcome: Outcome): boolean {
  return outcome.kind === "internal_error" || (outcome.kind === "proxy_error" && PROXYS_OWN_FAULTS.has(outcome.code));
}

/**
 * The outcome of a failed TCP connect. A shortage of ours is `internal_error`: it must not count against the
 * destination.
 */
export function tcpOutcome(code: string, message: string): ConnectOutcome {
  const shortage = SHORTAGES[code];
  return shortage === undefined
    ? { kind: "network_error", code, message }
    : { kind: "internal_error", message: `${shortage} (${code})` };
}

/** Filled in while a socket is being opened. Durations are milliseconds. */
export interface ConnectProgress {
  phase: "dns" | "connect" | "open";
  /** The address that was reached; `null` until TCP stands. */
  address: string | null;
  /** `null` for a literal address: there was nothing to resolve. */
  dnsMs: number | null;
  /** TCP alone. */
  connectMs: number | null;
  /** `null` without TLS. */
  tlsMs: number | null;
}

export interface TlsTrust {
  /** Replaces the built-in certificate authorities. PEM. */
  readonly ca?: string | readonly string[];
}
