/**
 * The head of a POST, ready for the wire but for one line: whether the connection is kept is known only when a socket
 * is there. Pure. It refuses what could end a line, frame the request in another way, or announce another length.
 */
export interface RequestToWrite {
  readonly url: URL;
  /** Names in lower case, unlike each other. `content-length` may be among them, if it is the body's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

export interface WrittenRequest {
  /** Up to the line that says whether the connection is kept. */
  readonly start: string;
  /** From the line after it on, with the empty line. */
  readonly rest: string;
  readonly bytes: Uint8Array;
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;
/** RFC 9110 §5.5: every byte but control characters, of which a tab is fine. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** They belong to the connection or to the framing, which are not the caller's. */
const NOT_THE_CALLERS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
]);

/** Throws an `Error` for a fault of ours. Path, query and host come from the same `URL` object as the checked host. */
export function writeHead({ url, headers, bytes }: RequestToWrite): WrittenRequest {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(`${url.protocol} is not HTTP`);
  const length = String(bytes.length);
  // Firewalls with the public core rule set refuse a request without it; a custom header may say something else.
  let rest = headers["accept"] === undefined ? "accept: */*\r\n" : "";
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (name === "content-length") {
      if (value !== length) throw new Error(`content-length says ${value}, and the body has ${length} bytes`);
      continue;
    }
    if (!TOKEN.test(name) || NOT_THE_CALLERS.has(name)) throw new Error(`a request cannot have the header "${name}"`);
    if (NOT_IN_VALUE.test(value)) throw new Error(`the header "${name}" has a character that no header may have`);
    rest += `${name}: ${value}\r\n`;
  }
  const start = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  return { start, rest: `${rest}content-length: ${length}\r\n\r\n`, bytes };
}
