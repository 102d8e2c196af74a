/**
 * The one place that turns a fault which the system or a library reports into our words: what happened, then the code,
 * then, for a code that has no words here, what the library says. Pure.
 *
 * The words are the end of a sentence about the machine at the other end: "nothing accepts connections there".
 */
const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [/^ECONNREFUSED$/, "nothing accepts connections there"],
  [/^(?:ECONNRESET|EPIPE|ANSWER_INCOMPLETE)$/, "it closed the connection"],
  [/^ETIMEDOUT$/, "it accepted no connection in time"],
  [/^ANSWER_LATE$/, "it did not answer in time"],
  [/^ENOTFOUND$/, "its name does not exist"],
  [/^EAI_AGAIN$/, "its name could not be looked up"],
  [/^E(?:HOST|NET)UNREACH$/, "no way leads there from this machine"],
  [/^HPE_/, "it does not answer in HTTP"],
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "its certificate is not valid yet"],
  [/^ERR_TLS_CERT_ALTNAME/, "its certificate is for another name"],
  [/^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/, "its certificate is not from an authority that is trusted here"],
  [/(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL)$/, "it speaks only versions of TLS before 1.2"],
  [/^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|BAD_RECORD_TYPE)\w*)$/, "it does not speak TLS there"],
  [/^ERR_SSL_(?:EE_KEY_TOO_SMALL|CA_KEY_TOO_SMALL)$/, "the certificate's key is shorter than TLS takes"],
  [/^ERR_SSL_CA_MD_TOO_WEAK$/, "the certificate is signed with a hash that TLS takes no more"],
  [/^ERR_(?:SSL|OSSL|TLS)_/, "TLS failed"],
];

/** `message` is the library's own, for a code that has no words here. */
export function faultWords(code: string, message = ""): string {
  const [, words = "it failed"] = WORDS.find(([pattern]) => pattern.test(code)) ?? [];
  // Only the message says for which names the certificate is.
  const isKnown = !["it failed", "TLS failed", "its certificate is for another name"].includes(words);
  return isKnown || message === "" ? `${words} (${code})` : `${words} (${code}: ${withoutFrame(message)})`;
}

/** The same of an error that somebody has thrown. */
export function errorWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "no code";
  return faultWords(code, message);
}

/** The reason out of `4013DB81:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert:../rec.c:918:`. */
const withoutFrame = (message: string): string =>
  /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim().replace(/\.$/, "");
