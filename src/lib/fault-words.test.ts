/** Every code that the system, a name look-up, OpenSSL and Node have for a failed connection has words of ours. */
import assert from "node:assert/strict";
import dns from "node:dns";
import { constants } from "node:os";
import { test } from "node:test";
import { explainOutcome } from "../dashboard/explain/outcome.ts";
import type { Outcome } from "../domain/attempt.ts";
import { classifyFailure } from "../delivery/send/exchange.ts";
import { failedLookup } from "../egress/name-sources.ts";
import { openingError } from "../store/postgres/connection/server.ts";
import { errorWords, wordsOf } from "./fault-words.ts";

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATES = `UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_CRL UNABLE_TO_DECRYPT_CERT_SIGNATURE
  UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE CRL_SIGNATURE_FAILURE
  CERT_NOT_YET_VALID CERT_HAS_EXPIRED CRL_NOT_YET_VALID CRL_HAS_EXPIRED ERROR_IN_CERT_NOT_BEFORE_FIELD
  ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD OUT_OF_MEM
  DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY
  UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_CHAIN_TOO_LONG CERT_REVOKED INVALID_CA PATH_LENGTH_EXCEEDED INVALID_PURPOSE
  CERT_UNTRUSTED CERT_REJECTED HOSTNAME_MISMATCH ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_CERT_ALTNAME_FORMAT`.split(/\s+/);

/** RFC 8446 §6, as OpenSSL writes them. */
const ALERTS = `CLOSE_NOTIFY UNEXPECTED_MESSAGE BAD_RECORD_MAC RECORD_OVERFLOW HANDSHAKE_FAILURE BAD_CERTIFICATE
  UNSUPPORTED_CERTIFICATE CERTIFICATE_REVOKED CERTIFICATE_EXPIRED CERTIFICATE_UNKNOWN ILLEGAL_PARAMETER UNKNOWN_CA
  ACCESS_DENIED DECODE_ERROR DECRYPT_ERROR PROTOCOL_VERSION INSUFFICIENT_SECURITY INTERNAL_ERROR
  INAPPROPRIATE_FALLBACK USER_CANCELLED MISSING_EXTENSION UNSUPPORTED_EXTENSION UNRECOGNIZED_NAME
  BAD_CERTIFICATE_STATUS_RESPONSE UNKNOWN_PSK_IDENTITY CERTIFICATE_REQUIRED NO_APPLICATION_PROTOCOL`.split(/\s+/);

/** Reasons of OpenSSL that a client can meet, and Node's own codes of TLS. */
const TLS = `ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_UNSUPPORTED_PROTOCOL ERR_SSL_NO_SHARED_CIPHER
  ERR_SSL_NO_CIPHERS_AVAILABLE ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_BAD_RECORD_TYPE ERR_SSL_DH_KEY_TOO_SMALL
  ERR_SSL_EE_KEY_TOO_SMALL ERR_SSL_CA_KEY_TOO_SMALL ERR_SSL_CA_MD_TOO_WEAK
  ERR_SSL_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED
  ERR_SSL_UNEXPECTED_EOF_WHILE_READING ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED ERR_SSL_WRONG_SIGNATURE_TYPE
  ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC ERR_SSL_LENGTH_MISMATCH ERR_SSL_BAD_EXTENSION ERR_SSL_BAD_ECPOINT
  ERR_SSL_CERTIFICATE_VERIFY_FAILED ERR_SSL_NO_PROTOCOLS_AVAILABLE ERR_SSL_TLSV1_UNRECOGNIZED_NAME
  ERR_TLS_HANDSHAKE_TIMEOUT ERR_TLS_DH_PARAM_SIZE ERR_TLS_SESSION_ATTACK ERR_TLS_PROTOCOL_VERSION_CONFLICT
  ERR_TLS_INVALID_PROTOCOL_VERSION ERR_TLS_REQUIRED_SERVER_NAME ERR_OSSL_PEM_NO_START_LINE
  ERR_OSSL_X509_KEY_VALUES_MISMATCH ERR_OSSL_EVP_UNSUPPORTED ERR_OSSL_UNSUPPORTED EPROTO`.split(/\s+/);

const HANDSHAKE = [
  ...CERTIFICATES,
  ...TLS,
  ...ALERTS.flatMap((alert) => [`ERR_SSL_TLSV1_ALERT_${alert}`, `ERR_SSL_SSL/TLS_ALERT_${alert}`]),
];
const SYSTEM = Object.keys(constants.errno);
/** c-ares', and those of `getaddrinfo`. */
const LOOKUPS = [
  ...Object.values(dns as unknown as Record<string, unknown>).filter(
    (value): value is string => typeof value === "string" && /^E[A-Z]+$/.test(value),
  ),
  ..."EAI_AGAIN EAI_FAIL EAI_FAMILY EAI_MEMORY EAI_NODATA EAI_NONAME EAI_SERVICE EAI_SYSTEM".split(" "),
];
/** Nobody has words for them. */
const UNKNOWN = ["EUNKNOWN", "ERR_SSL_SOMETHING_NEW", "ERR_WHAT", "X", "", "UND_ERR_SOCKET"];

/** Small letters and sentence marks, with a name such as TLS, HTTP or OpenSSL between. */
const OURS = /^(?:(?:[a-z’',;0-9.]+|TLS|HTTP|1\.2)(?: |$))+$/;
const LIBRARY = "LIBRARY words: error:0A000410:SSL routines::sslv3 alert";

test("every code has words of ours, and what a library says is in none", () => {
  for (const code of [...HANDSHAKE, ...SYSTEM, ...LOOKUPS, ...UNKNOWN]) {
    assert.match(wordsOf(code), OURS, code);
    const words = errorWords(Object.assign(new Error(LIBRARY), { code }));
    assert.ok(!words.includes("LIBRARY") && words.endsWith(")"), `${code}: ${words}`);
  }
  assert.equal(errorWords(new Error(LIBRARY)), `${wordsOf("")} (no code)`);
  assert.equal(errorWords(LIBRARY), `${wordsOf("")} (no code)`);
});

test("no way in which a TLS handshake or a name look-up is known to fail goes without words of its own", () => {
  for (const code of HANDSHAKE) assert.notEqual(wordsOf(code), wordsOf("EUNKNOWN"), code);
  for (const code of CERTIFICATES) assert.notEqual(wordsOf(code), wordsOf("ERR_SSL_OTHER"), code);
  assert.ok(LOOKUPS.length > 25);
});

for (const [code, words] of [
  ["CERT_REVOKED", "its certificate was revoked"],
  ["INVALID_PURPOSE", "its certificate is not made for this use"],
  ["CERT_SIGNATURE_FAILURE", "its certificate is broken"],
  ["UNABLE_TO_GET_CRL", "the list of revoked certificates cannot be used"],
  ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", "it broke off the TLS handshake"],
  ["EAI_FAIL", "its name could not be looked up"],
] as const) {
  test(`the cause is the right one: ${code}`, () => assert.equal(wordsOf(code), words));
}

test("EPROTO is told by the reason that OpenSSL gives with it", () => {
  const reason = (words: string) =>
    Object.assign(new Error(`write EPROTO 40:error:0A00:SSL routines:f:${words}:../a.c:1:`), { code: "EPROTO" });
  assert.match(
    errorWords(reason("wrong version number")),
    /^it does not speak TLS there \(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
  );
  assert.match(errorWords(reason("sslv3 alert handshake failure")), /^it broke off the TLS handshake \(/);
});

test("the names of a certificate for another name are told", () => {
  const message =
    "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b, DNS:c";
  const words = errorWords(Object.assign(new Error(message), { code: "ERR_TLS_CERT_ALTNAME_INVALID" }));
  assert.equal(words, "its certificate is for another name: DNS:b, DNS:c (ERR_TLS_CERT_ALTNAME_INVALID)");
});

/** As rows have it that an earlier version wrote, with a library's words. */
function sentenceOf(outcome: Outcome): string {
  const timings = { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: null, totalMs: 1 };
  const met = { url: "https://hook.example.com/", bodyBytes: 1, isTest: false, isFresh: true, startedAtMs: 0 };
  const { sentence, advice, status } = explainOutcome({ ...met, result: { outcome, timings, address: null } });
  return `${status}: ${sentence} ${advice}`;
}

test("no sentence of the page has a code or a library's words, whatever the code", () => {
  for (const code of [...HANDSHAKE, ...SYSTEM, ...LOOKUPS, ...UNKNOWN]) {
    for (const kind of ["tls_error", "network_error", "dns_error"] as const) {
      if (kind !== "tls_error" && HANDSHAKE.includes(code)) continue;
      const sentence = sentenceOf({ kind, code, message: LIBRARY });
      assert.ok(
        !/LIBRARY|_/.test(sentence) && (code.length < 2 || !sentence.includes(code)),
        `${kind} ${code}: ${sentence}`,
      );
    }
  }
});

test("an outcome's message is ours, and a look-up that failed on this machine says so", () => {
  for (const code of [...HANDSHAKE, ...SYSTEM]) {
    const outcome = classifyFailure(Object.assign(new Error(LIBRARY), { code }));
    assert.ok("message" in outcome && !outcome.message?.includes("LIBRARY"), code);
  }
  for (const code of LOOKUPS) {
    const { result } = failedLookup(code);
    assert.ok(!result.ok);
    assert.match(result.error.message, OURS, code);
  }
  for (const code of ["ECANCELLED", "EDESTRUCTION", "ENOMEM", "EFILE", "EBADFLAGS", "ENOTINITIALIZED"])
    assert.match(sentenceOf({ kind: "dns_error", code, message: LIBRARY }), /^Not sent: We couldn't look up/);
});

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, the classes that a session can meet. */
const SQL_STATES =
  `08000 08001 08003 08004 08006 08P01 0A000 22023 25006 28000 28P01 3D000 3F000 42501 42704 53000 53100
  53200 53300 53400 54000 55000 55006 55P03 57014 57P01 57P02 57P03 57P04 58000 58030 F0000 XX000 XX001`.split(/\s+/);

test("a database that cannot be opened is told in words of ours first, whatever stands behind it", () => {
  for (const code of [...HANDSHAKE, ...SYSTEM, ...LOOKUPS, ...SQL_STATES, ...UNKNOWN]) {
    const { message } = openingError("the database", Object.assign(new Error(LIBRARY), { code }));
    assert.match(
      message,
      /^the database cannot be (?:used|reached now): (?:its|it|there|the|this|a|an|no|nothing|what|TLS) /,
      code,
    );
    assert.ok(message.indexOf("LIBRARY") > message.indexOf("("), message);
  }
});
