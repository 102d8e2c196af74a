/**
 * An answer that is not HTTP/1.1, or not whole. The codes that begin with `UND_ERR_` are those of undici, which carried
 * webhooks before: logs and alarms know them.
 */
export type AnswerFaultCode = "HTTP_PARSE" | "UND_ERR_HEADERS_OVERFLOW" | "UND_ERR_SOCKET";

const WORDS: Readonly<Record<AnswerFaultCode, string>> = {
  HTTP_PARSE: "The receiver's answer is not HTTP.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the receiver's answer are larger than 16 KiB, or more than 256.",
  UND_ERR_SOCKET: "The receiver closed the connection before its answer was complete.",
};

export class AnswerFault extends Error {
  override name = "AnswerFault";
  readonly code: AnswerFaultCode;

  constructor(code: AnswerFaultCode) {
    super(WORDS[code]);
    this.code = code;
  }
}

export const notHttp = (): AnswerFault => new AnswerFault("HTTP_PARSE");
