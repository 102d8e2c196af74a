/**
 * Many receivers close the connection instead of saying that they refuse a client certificate: over TLS 1.3 right after
 * a handshake that looked well. The result then names the suspicion; it stays a failure of its kind. Pure.
 */
import type { SendResult } from "../../domain/attempt.ts";
import { FAILURE_CODES, type FailureCode } from "../../domain/failure-codes.ts";

const CODE: FailureCode = "CLOSED_AFTER_CERTIFICATE";

const CLOSINGS: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ANSWER_INCOMPLETE"]);

/** For a request whose socket presented a certificate. One that answered on it before has accepted it. */
export function suspectCertificate(result: SendResult): SendResult {
  const { outcome, timings } = result;
  if (outcome.kind !== "tls_error" && outcome.kind !== "network_error") return result;
  // TCP is refused and reset without any certificate; only an opening of this request's own tells.
  const wasOpened = timings.tlsMs !== null || (outcome.kind === "tls_error" && timings.connectMs !== null);
  if (!wasOpened || timings.firstByteMs !== null || !CLOSINGS.has(outcome.code)) return result;
  return { ...result, outcome: { kind: outcome.kind, code: CODE, message: FAILURE_CODES[CODE] } };
}
