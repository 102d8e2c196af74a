/**
 * The one place that turns a fault which the system or a library reports into our words: what happened, then the code.
 * What the library itself says reaches nobody. A code without words here gets a general sentence that is true of it.
 * Pure.
 *
 * The words are the end of a sentence about the machine at the other end: "nothing accepts connections there".
 */
const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [/^ECONNREFUSED$/, "nothing accepts connections there"],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|ANSWER_INCOMPLETE|ERR_SSL_UNEXPECTED_EOF\w*)$/, "it closed the connection"],
  [/^ETIMEDOUT$/, "it accepted no connection in time"],
  [/^ANSWER_LATE$/, "it did not answer in time"],
  [/^ENOTFOUND$/, "its name does not exist"],
  [/^EAI_/, "its name could not be looked up"],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$/, "no way leads there from this machine"],
  [/^E(?:ACCES|PERM)$/, "this machine does not allow it"],
  [/^(?:E(?:MFILE|NFILE|NOBUFS|NOMEM|ADDRNOTAVAIL|AGAIN)|OUT_OF_MEM)$/, "this machine has no room for it"],
  [/^HPE_/, "it does not answer in HTTP"],
  [/CERT_HAS_EXPIRED$/, "its certificate has expired"],
  [/CERT_NOT_YET_VALID$/, "its certificate is not valid yet"],
  [/CERT_REVOKED$/, "its certificate was revoked"],
  [/^(?:ERR_TLS_CERT_ALTNAME\w*|HOSTNAME_MISMATCH)$/, "its certificate is for another name"],
  [/CRL(?:_|$)/, "the list of revoked certificates cannot be used"],
  [/^(?:CERT_SIGNATURE_|ERROR_IN_CERT_|UNABLE_TO_DEC|ERR_TLS_CERT)/, "its certificate is broken"],
  [/^(?:INVALID_CA|PATH_LENGTH_|CERT_CHAIN_TOO_LONG)/, "a certificate in its chain may not vouch for the next"],
  [/^(?:INVALID_PURPOSE|CERT_REJECTED)$/, "its certificate is not made for this use"],
  [
    /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED$)/,
    "its certificate is not from an authority that is trusted here",
  ],
  [/(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION)$/, "it speaks only versions of TLS before 1.2"],
  [/^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|BAD_RECORD_TYPE)\w*)$/, "it does not speak TLS there"],
  [/UNRECOGNIZED_NAME$/, "it has no certificate for this name"],
  [/(?:NO_SHARED_CIPHER|NO_CIPHERS|INSUFFICIENT_SECURITY)/, "it takes none of the ciphers that are safe"],
  [/_ALERT_|^ERR_SSL_(?:SSLV3|TLSV1)/, "it broke off the TLS handshake"],
  [/(?:DH|EE)_KEY_TOO_SMALL$|^ERR_SSL_CA_KEY_TOO_SMALL$/, "the certificate's key is shorter than TLS takes"],
  [/(?:MD_TOO_WEAK|LEGACY_SIGALG\w*)$/, "the certificate is signed with a hash that TLS takes no more"],
  [/^ERR_OSSL_/, "the certificate or its key cannot be used"],
  [/^ERR_(?:SSL|TLS)_/, "TLS failed"],
];

/** Of a code alone, for people who act on the words; the code stands elsewhere. */
export const wordsOf = (code: string): string =>
  WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? "it failed in a way that is not known here";

export const faultWords = (code: string): string => `${wordsOf(code)} (${code})`;

/** The same of an error that somebody has thrown. Only its message says for which names a certificate is. */
export function errorWords(error: unknown): string {
  const code = readFaultCode(error);
  const names = error instanceof Error ? /.*altnames: (.{1,200})/s.exec(error.message)?.[1] : undefined;
  return names === undefined ? faultWords(code) : `${wordsOf(code)}: ${names} (${code})`;
}

export const NO_CODE = "no code";

/** With `EPROTO` OpenSSL's reason is in the message: `40:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert:`. */
export function readFaultCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return NO_CODE;
  const [, reason] = error.code === "EPROTO" ? (/error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(error.message) ?? []) : [];
  return reason === undefined ? error.code : `ERR_SSL_${reason.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;
}
