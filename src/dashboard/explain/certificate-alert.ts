/** The words for a receiver that refused our client certificate, or wants one. Pure. */
import type { FailureCode } from "../../domain/failure-codes.ts";
import { findCertificateAlert } from "../../egress/alert-words.ts";
import type { Words } from "./words.ts";

const ADVICE: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: "Add one to the webhook under Authentication, or let the endpoint take requests without.",
  CERTIFICATE_EXPIRED: "Replace it in the webhook under Authentication; the endpoint's clock may be wrong too.",
  CERTIFICATE_REVOKED: "Replace it in the webhook under Authentication.",
  UNKNOWN_CA: "Add its issuer to those that the endpoint trusts, or paste the whole chain under Authentication.",
};

const ADVICE_ELSE = "Check the certificate under Authentication in the webhook, and which ones the endpoint accepts.";

/** `null` when the failure says nothing about a client certificate. */
export function explainCertificateAlert(code: string, message: string, host: string): Words | null {
  const words = { class: "certificate", status: "Client certificate" } as const;
  if (code === ("CLIENT_CERTIFICATE_UNUSABLE" satisfies FailureCode)) {
    return { ...words, sentence: message, advice: "Replace it in the webhook under Authentication." };
  }
  if (code === ("CLOSED_AFTER_CERTIFICATE" satisfies FailureCode)) {
    return {
      ...words,
      status: "Connection closed",
      sentence: `${host} closed the connection after it got our client certificate, without an answer.`,
      advice: "It may not accept the certificate: look at its TLS logs, and at the issuers that it trusts.",
    };
  }
  const alert = findCertificateAlert(code);
  if (alert === null) return null;
  return { ...words, sentence: message.replace("The receiver", host), advice: ADVICE[alert] ?? ADVICE_ELSE };
}
