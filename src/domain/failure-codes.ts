/**
 * The codes of a failed attempt that are ours, each with its message where a caller knows nothing more exact. Every
 * other code is the system's, Node's or OpenSSL's, and `PROXY_STATUS_…` carries the status of the operator's proxy.
 * Owners read codes in the log and operators in alarms: `docs/why-not-arrived.md` explains each.
 */
export const FAILURE_CODES = {
  ANSWER_NOT_HTTP: "The receiver's answer is not HTTP.",
  ANSWER_IN_TLS: "The receiver answered in TLS.",
  ANSWER_HEADERS_TOO_LARGE: "The headers of the receiver's answer are larger than 16 KiB, or more than 256.",
  ANSWER_INCOMPLETE: "The receiver closed the connection before its answer was complete.",
  CLIENT_CERTIFICATE_UNUSABLE: "The client certificate cannot be used.",
  CLOSED_AFTER_CERTIFICATE: "The receiver closed the connection after it got the client certificate.",
  ERR_TLS_COSTLY: "The receiver's TLS took too much of this service's CPU.",
  ERR_TLS_RENEGOTIATION: "The receiver asked for too many TLS handshakes on one connection.",
  PROXY_UNREACHABLE: "The egress proxy cannot be reached.",
  PROXY_CREDENTIALS: "The egress proxy does not take the name and password that were set for it (407).",
  PROXY_PROTOCOL: "What answers in the egress proxy's place does not speak as an HTTP proxy.",
  PROXY_CLOSED: "The egress proxy closed the connection before the tunnel stood.",
} as const;

export type FailureCode = keyof typeof FAILURE_CODES;
