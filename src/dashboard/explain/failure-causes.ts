/** Failures with a cause of their own: an alert about a client certificate, a token that could not be fetched. Pure. */
import type { Outcome } from "../../domain/attempt.ts";
import type { FailureCode } from "../../domain/failure-codes.ts";
import { alertWords, findCertificateAlert } from "../../egress/client-certificate.ts";
import type { Told, Words } from "./words.ts";

const STAYS = "It is tried again by itself.";

const ADVICE: Readonly<Record<string, string>> = {
  TOKEN_TIMEOUT: `Is the token endpoint running, and does its firewall let this service in? ${STAYS}`,
  TOKEN_NAME: "Check the spelling of the token URL, and that its name has an address.",
  TOKEN_TLS: "The token endpoint needs a valid certificate of a known authority, with its intermediate certificates.",
  TOKEN_UNREACHABLE: `Is the token endpoint running, and does its firewall let this service in? ${STAYS}`,
  TOKEN_BLOCKED: "Use a token URL that can be reached from outside.",
  TOKEN_REDIRECT: "Enter the address that answers by itself as the token URL.",
  TOKEN_NOT_FOUND: "Check the path of the token URL; your identity provider's documentation names it.",
  TOKEN_UNAVAILABLE: `Look at your identity provider's status. ${STAYS}`,
  TOKEN_INVALID_CLIENT:
    "Check client id and client secret, and whether your identity provider wants them in the header or in the body.",
  TOKEN_UNAUTHORIZED_CLIENT: "Allow the grant “client credentials” for this client at your identity provider.",
  TOKEN_INVALID_SCOPE: "Check scope and audience: this client may have neither another nor none.",
  TOKEN_REFUSED: "Read its answer, and check client id, client secret, scope and audience.",
  TOKEN_MISSING: "Check the token URL: it must answer with JSON that has an access_token.",
  TOKEN_UNUSABLE: "Let your identity provider give out Bearer tokens that fit into a header.",
};

export function explainTokenFailure(
  { code, message }: Extract<Outcome, { kind: "token_error" }>,
  { it, isTest }: Told,
): Words {
  const advice = ADVICE[code] ?? "Check the webhook's authentication.";
  return {
    class: "token",
    status: "No access token",
    sentence: `Without an access token ${it} was not sent: ${message}`,
    advice: isTest ? advice.replace(` ${STAYS}`, "") : advice,
  };
}

/* The words for a receiver that refused our client certificate, or wants one. Pure. */

const ALERT_ADVICE: Readonly<Record<string, string>> = {
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
  return {
    ...words,
    sentence: (alertWords(code) ?? message).replace("The receiver", host),
    advice: ALERT_ADVICE[alert] ?? ADVICE_ELSE,
  };
}
