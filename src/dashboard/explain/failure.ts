/**
 * The words for a request that got no answer. Host and port are named, because one Webhook URL may lead through several
 * machines and the person who reads this has to know at which door it stopped.
 */
import type { AttemptOutcome } from "../../domain/attempt.ts";
import { FAILURE_CODES, type FailureCode } from "../../domain/failure-codes.ts";
import { HANDED_OUT_MAX } from "../../domain/pull.ts";
import { LIMITS } from "../../domain/limits.ts";
import { CAN_BE_ALLOWED, CLOSED, HELD, HTTPS_ONLY } from "../../domain/refusal-words.ts";
import { TLS_RESTING } from "../../egress/connect-outcome.ts";
import { toDnsFailure } from "../../egress/name-sources.ts";
import { wordsOf } from "../../lib/fault-words.ts";
import type { Remedy } from "../contract/outcomes.ts";
import { explainCertificateAlert, explainTokenFailure } from "./failure-causes.ts";
import type { Told, Words } from "./words.ts";
import { durationInWords } from "../../lib/written-times.ts";

type Failure = Exclude<AttemptOutcome, { kind: "response" | "pulled" }>;
type FailureOf<Kind extends Failure["kind"]> = Extract<Failure, { kind: Kind }>;

export function explainFailure(outcome: Failure, told: Told): Words {
  switch (outcome.kind) {
    case "timeout":
      return timeout(outcome, told);
    case "dns_error":
      return dnsError(outcome, told);
    case "tls_error":
      return tlsError(outcome, told);
    case "network_error":
      return networkError(outcome, told);
    case "blocked":
      return blocked(outcome);
    case "proxy_error":
      return proxyError(outcome, told);
    case "token_error":
      return explainTokenFailure(outcome, told);
    case "body_error":
      return bodyError(outcome);
    case "not_acknowledged":
      return notAcknowledged(outcome);
    case "internal_error":
      return outcome.message === TLS_RESTING ? RESTING : internalError(told);
  }
}

/** Says what was waited for: an endpoint that is slow and one that is not there are mended in different places. */
function timeout({ phase }: FailureOf<"timeout">, { host, port, result, url }: Told): Words {
  const after = durationInWords(result.timings.totalMs);
  const words = { class: "timeout", status: "Timed out" } as const;
  switch (phase) {
    case "dns":
      return {
        ...words,
        sentence: `The name servers didn't tell where ${host} is within ${after}.`,
        advice: `Check the name servers of ${host}.`,
      };
    case "connect":
      // TCP stood, so what was waited for is TLS: often a port that speaks plain HTTP and waits for a request.
      if (result.timings.connectMs !== null) {
        return {
          ...words,
          sentence: `${host} took the connection on port ${port} but didn't finish encrypting it within ${after}.`,
          advice: "If the endpoint has no https there, write http:// or another port in the Webhook URL.",
          remedy: withoutTls(url),
        };
      }
      return {
        ...words,
        sentence: `${host} didn't accept a connection on port ${port} within ${after}.`,
        advice: "Is it running, and does its firewall let this service in?",
      };
    case "headers":
      return {
        ...words,
        sentence: `No answer in ${after}.`,
        advice: `Answer within ${durationInWords(LIMITS.attemptDeadlineMs)} and do the work afterwards.`,
      };
    case "body":
      return {
        ...words,
        sentence: `Your endpoint began to answer but didn't finish in ${after}.`,
        advice: "End the response as soon as the webhook is taken; an empty body is enough.",
      };
  }
}

/** What its name servers said, or did not. */
const NAME_FAULTS = /^E(?:SERVFAIL|REFUSED|FORMERR|NOTIMP|BADRESP|TIMEOUT|AI_AGAIN)$/;

function dnsError({ code }: FailureOf<"dns_error">, { host, it }: Told): Words {
  const { message } = toDnsFailure(code);
  const words = { class: "name_not_found", status: "Name not found", sentence: `We couldn't find ${host}.` } as const;
  switch (code) {
    case "ENOTFOUND":
    case "EBADNAME":
      return { ...words, advice: "Check the spelling; a new name can take some minutes until everybody knows it." };
    case "ENODATA":
      return { ...words, advice: "The name exists but has no address: give it an A or AAAA record." };
    default:
      if (NAME_FAULTS.test(code)) return { ...words, advice: `Check the name servers of ${host}: ${message}.` };
      // No name server was asked, or none was reached.
      return {
        class: "our_fault",
        status: "Not sent",
        sentence: `We couldn't look up ${host}, so ${it} was not sent: ${message}.`,
        advice: "Try again. If it stays so, tell the operator of this service; your settings are fine.",
      };
  }
}

/** The fault of a certificate, and what its owner can do. `{host}` stands for the host. */
const CERTIFICATES: Readonly<Record<string, readonly [reason: string, advice: string]>> = {
  CERT_HAS_EXPIRED: ["it has expired", "Renew the certificate."],
  CERT_NOT_YET_VALID: ["it is not valid yet", "Check when the certificate begins to be valid, and the clocks."],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "it was issued for another name",
    "Use a name that the certificate is for, or get one for this name.",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["it is self-signed", "Get a certificate from a known authority; it can be free."],
  SELF_SIGNED_CERT_IN_CHAIN: [
    "its issuer is not a known authority",
    "Get a certificate from a known authority; it can be free.",
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    "its issuer is not a known authority",
    "Send the intermediate certificates too, or get a certificate from a known authority.",
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    "its issuer is unknown",
    "Send the intermediate certificates too (the full chain), or get a certificate from a known authority.",
  ],
  CERT_REVOKED: ["it was revoked", "Get a new certificate."],
};

const withoutTls = (url: string): Remedy => ({ kind: "use_http", url: url.replace(/^https:/i, "http:") });

function tlsError({ code, message }: FailureOf<"tls_error">, { host, port, url }: Told): Words {
  const alert = explainCertificateAlert(code, message, host);
  if (alert !== null) return alert;
  const known = CERTIFICATES[code];
  if (known !== undefined) {
    const [reason, advice] = known;
    return {
      class: "certificate",
      status: "Certificate problem",
      sentence: `${host} has a certificate problem: ${reason}.`,
      advice,
    };
  }
  const words = { class: "certificate", status: "TLS failed" } as const;
  if (/(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL)$/.test(code)) {
    return {
      ...words,
      sentence: `${host} speaks only versions of TLS before 1.2 on port ${port}, which are not safe any more.`,
      advice: "Switch TLS 1.2 or 1.3 on at your endpoint.",
    };
  }
  if (code === ("ERR_TLS_COSTLY" satisfies FailureCode)) {
    return {
      ...words,
      status: "TLS too expensive",
      sentence: `Encrypting the connection to ${host} on port ${port} takes this service far too much computing time.`,
      advice: "Use an ordinary certificate (EC P-256, or RSA with 2,048 to 4,096 bits) and send its usual chain only.",
    };
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL_WRONG_VERSION") || code.startsWith("ERR_SSL_PACKET_LENGTH")) {
    return {
      ...words,
      sentence: `${host} doesn't answer in TLS on port ${port}.`,
      advice: "If the endpoint has no https, write http:// in the Webhook URL; else let it speak TLS 1.2 or 1.3.",
      remedy: withoutTls(url),
    };
  }
  if (code.endsWith("_ALERT_HANDSHAKE_FAILURE")) {
    return {
      ...words,
      sentence: `${host} broke off the TLS handshake on port ${port}.`,
      advice:
        "If it wants a client certificate, add one to the webhook; else let it take TLS 1.3, or ECDHE with TLS 1.2.",
    };
  }
  if (code === "ECONNRESET") {
    return {
      ...words,
      sentence: `${host} closed the connection on port ${port} while it was being encrypted.`,
      advice: "Check the endpoint's TLS settings, and that the port is its https port.",
    };
  }
  return {
    ...words,
    sentence: `No encrypted connection to ${host} on port ${port} could be made: ${ownWords(code, message)}`,
    advice: "Check the endpoint's certificate and TLS settings.",
  };
}

function networkError({ code, message }: FailureOf<"network_error">, { host, port, result, url }: Told): Words {
  const at = `on port ${port}`;
  const suspected = explainCertificateAlert(code, message, host);
  if (suspected !== null) return suspected;
  switch (code) {
    case "ECONNREFUSED":
      return {
        class: "connection",
        status: "Connection refused",
        sentence: `${host} refused the connection ${at}.`,
        advice: "Is it running there?",
      };
    case "ECONNRESET":
    case "EPIPE":
    case "ANSWER_INCOMPLETE":
      return {
        class: "connection",
        status: code === "ECONNRESET" ? "Connection reset" : "Connection closed",
        sentence:
          result.timings.firstByteMs === null
            ? `${host} closed the connection ${at} without an answer.`
            : `${host} closed the connection ${at} before its answer was complete.`,
        advice:
          url.startsWith("http:") && result.timings.firstByteMs === null
            ? "If this is its https port, write https:// in the Webhook URL; else look at the logs of your endpoint."
            : "Look at the logs of your endpoint, and of a proxy in front of it.",
      };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return {
        class: "connection",
        status: "Not reachable",
        sentence: `${host} can't be reached ${at}.`,
        advice: /^[\da-f]*:[\da-f]*:/i.test(message)
          ? "Its address is one of IPv6, which this service's network may not have: give the name an A record too."
          : "Is its address right, and can it be reached from this service's network?",
      };
    case "ANSWER_NOT_HTTP":
      return {
        class: "connection",
        status: "Not HTTP",
        sentence: `The answer of ${host} ${at} can't be read as HTTP. ${sentenceEnd(message)}`,
        advice: "Check the port, and that your endpoint's answer begins with a line such as HTTP/1.1 200 OK.",
      };
    case "ANSWER_IN_TLS":
      return {
        class: "connection",
        status: "Not HTTP",
        sentence: `${host} answers in TLS ${at}, and the webhook was sent without.`,
        advice: "Write https:// in the Webhook URL.",
      };
    default:
      return {
        class: "connection",
        status: "Connection failed",
        sentence: `The exchange with ${host} ${at} failed: ${ownWords(code, message)}`,
        advice: "Look at the logs of your endpoint, and of a proxy in front of it.",
      };
  }
}

/** As the guard's table of ranges names it: a developer means their own machine, and this service is another one. */
const LOOPBACK = "a loopback address";
const OWN_MACHINE = "For a server on your own machine there is “While you build” under Settings → Verification.";

/** The guard's own words: they name the address and, where the operator may allow it, say whom to ask. */
function blocked({ message }: FailureOf<"blocked">): Words {
  const words = { class: "blocked", status: "Address blocked", sentence: message } as const;
  if (message === HELD) return { ...words, status: "Held", advice: "The operator ends that with bellwire adopt." };
  if (message === HTTPS_ONLY) {
    const advice = "Write https:// in the Webhook URL; what waits for it goes to the new address.";
    return { ...words, status: "Not https", advice };
  }
  if (message.endsWith(CAN_BE_ALLOWED)) {
    const advice = message.includes(LOOPBACK) ? `${CAN_BE_ALLOWED} ${OWN_MACHINE}` : CAN_BE_ALLOWED;
    return { ...words, sentence: message.slice(0, -CAN_BE_ALLOWED.length).trimEnd(), advice };
  }
  if (message.endsWith(CLOSED)) return { ...words, advice: "It is their rule: ask them to change it." };
  const advice = message.startsWith("The egress proxy")
    ? "It is a rule of the operator's proxy; ask the operator of this service."
    : "No setting opens this address. Use one that can be reached from outside.";
  return { ...words, advice };
}

function proxyError({ code, message }: FailureOf<"proxy_error">, { host, port, it }: Told): Words {
  const words = { class: "proxy", status: "Proxy failed" } as const;
  if (code.startsWith("PROXY_STATUS_")) {
    return {
      ...words,
      sentence: `This service's proxy couldn't connect to ${host} on port ${port}.`,
      advice: "Is your endpoint running? If it is, tell the operator of this service.",
    };
  }
  return {
    ...words,
    sentence: `We couldn't send ${it}: the operator's proxy failed. Your settings are fine.`,
    advice: `Tell the operator of this service: ${sentenceEnd(message)}`,
  };
}

const notAcknowledged = ({ message }: FailureOf<"not_acknowledged">): Words => ({
  class: "not_acknowledged",
  status: "Not acknowledged",
  sentence: `Your program asked for it and did not acknowledge it. ${message}`,
  advice: `It is handed out again; after ${HANDED_OUT_MAX} times without an acknowledgement it has failed.`,
});

const RESTING: Words = {
  class: "our_fault",
  status: "Not sent",
  sentence: "Another endpoint of this account made encrypting far too expensive, so its new connections wait.",
  advice: "It is tried again by itself. Look for “TLS too expensive” in the log, and mend or pause that webhook.",
};

const bodyError = ({ message }: FailureOf<"body_error">): Words => ({
  class: "body",
  status: "Body not made",
  sentence: `The body could not be made: ${sentenceEnd(message)}`,
  advice: "Nothing was sent. Change the webhook's body, then send it again: it is made anew.",
});

const internalError = ({ isTest }: Told): Words =>
  isTest
    ? {
        class: "our_fault",
        status: "Not sent",
        sentence: "We couldn't run the test. Your settings are fine.",
        advice: "Try again. If it stays so, tell the operator of this service.",
      }
    : {
        class: "our_fault",
        status: "Not sent",
        sentence: "We couldn't send the webhook. Your endpoint and your settings are fine.",
        advice: "It is tried again by itself. If it stays so, tell the operator of this service.",
      };

/** A row of an earlier version may have a library's words with a code that is not ours. */
const ownWords = (code: string, message: string): string =>
  sentenceEnd(code in FAILURE_CODES || /^(?:ANSWER|INTERIM)_/.test(code) ? message : wordsOf(code));

const sentenceEnd = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
