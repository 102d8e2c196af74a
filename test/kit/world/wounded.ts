/** Requests and answers of HTTP that are broken in up to two places, for readers of either. */
import fc from "fast-check";

/** These break readers of HTTP. */
const odd = fc.constantFrom("\r", "\n", "\r\n", "\0", " ", "\t", ":", ";", ",", "0", "9", "f", "-", "\x7f", "\xff", "");
const wound = fc.record({ at: fc.nat(400), length: fc.nat(2), text: odd });

export const wounded = (message: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(message, fc.array(wound, { maxLength: 2 })).map(([whole, wounds]) =>
    wounds.reduce((sum, { at, length, text }) => {
      const place = at % (sum.length + 1);
      return sum.slice(0, place) + text + sum.slice(place + length);
    }, whole),
  );

const statusLine = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.1 204", "HTTP/1.1 500 Oh no", "HTTP/1.0 200 OK") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("HTTP/1.1 304 ", "HTTP/1.1 999 X", "HTTP/1.1 200OK", "HTTP/1.1  200", "http/1.1 200 OK"),
  },
);
const framing = fc.constantFrom(
  "content-length: 5",
  "Content-Length: 0",
  "content-length: 05",
  "content-length: 5, 5",
  "content-length:",
  "transfer-encoding: chunked",
  "Transfer-Encoding: Chunked ",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: identity",
  "transfer-encoding: chunked, identity",
);
const plain = fc.constantFrom(
  "connection: close",
  "connection: keep-alive",
  "keep-alive: timeout=9",
  "x-a: 1",
  "X-A:2",
  "x-empty:",
  "x-l: \xe9",
  "x-t:\ta\tb\t",
  "set-cookie: a=b",
);
const body = fc.constantFrom(
  "hello",
  "",
  "5\r\nhello\r\n0\r\n\r\n",
  "5;a=b\r\nhello\r\n0\r\nx-t: 1\r\n\r\n",
  "A\r\n0123456789\r\n0\r\n\r\n",
  "05\r\nhello\r\n000\r\n\r\n",
);
const interim = fc.constantFrom("", "", "", "HTTP/1.1 103 Early\r\nlink: a\r\n\r\n", "\r\n");
/** An answer as servers write it, not always as HTTP/1.1 wants it. */
export const writtenAnswer = fc
  .tuple(interim, statusLine, fc.array(plain, { maxLength: 3 }), fc.array(framing, { maxLength: 2 }), body)
  .map(([early, first, some, length, text]) => `${early}${[first, ...some, ...length].join("\r\n")}\r\n\r\n${text}`);
