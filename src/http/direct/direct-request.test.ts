import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDirectRequest } from "./direct-request.ts";

const HOST = "host: localhost\r\n";
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const read = (text: string) => readDirectRequest(bytes(text));

/** A whole request with these lines between the first one and the body. */
const withLines = (lines: string, first = "POST /a HTTP/1.1", body = "hello"): string =>
  `${first}\r\n${lines}\r\n${body}`;
const WHOLE = withLines(`${HOST}Content-Length: 5\r\nAuthorization:  Bearer a \r\nX-Other: \t~\r\n`);

describe("a request is read directly", () => {
  test("with its target, the headers that count, and its body", () => {
    const request = read(WHOLE);
    assert.ok(typeof request === "object");
    assert.equal(request.target, "/a");
    assert.deepEqual(request.headers, { host: "localhost", "content-length": "5", authorization: "Bearer a" });
    assert.equal(request.body.toString(), "hello");
    assert.equal(request.bytes, WHOLE.length);
  });

  test("when it is whole and not before, wherever it is cut", () => {
    for (let cut = 0; cut < WHOLE.length; cut += 1) assert.equal(read(WHOLE.slice(0, cut)), "incomplete", String(cut));
  });

  test("and takes no byte of what follows", () => {
    const request = read(`${WHOLE}POST /b`);
    assert.ok(typeof request === "object");
    assert.deepEqual([request.body.toString(), request.bytes], ["hello", WHOLE.length]);
  });

  const ALIKE: Readonly<Record<string, string>> = {
    "a connection to be kept": `${HOST}connection: Keep-Alive\r\ncontent-length: 5\r\n`,
    "a body of no byte": `${HOST}content-length: 0\r\n`,
    "a length with a zero in front": `${HOST}content-length: 05\r\n`,
    "a header that it does not know, twice": `${HOST}x-a: 1\r\nx-a: 2\r\ncontent-length: 5\r\n`,
    "an empty header": `${HOST}x-a:\r\ncontent-length: 5\r\n`,
  };
  for (const [what, lines] of Object.entries(ALIKE)) {
    test(`with ${what}`, () => assert.equal(typeof read(withLines(lines)), "object"));
  }
});

const LENGTH = "content-length: 5\r\n";

const OTHERS: Readonly<Record<string, string>> = {
  "another method": withLines(HOST + LENGTH, "PUT /a HTTP/1.1"),
  "a method in lower case": withLines(HOST + LENGTH, "post /a HTTP/1.1"),
  "an absolute target": withLines(HOST + LENGTH, "POST http://a/ HTTP/1.1"),
  "a query": withLines(HOST + LENGTH, "POST /a?b HTTP/1.1"),
  "a fragment": withLines(HOST + LENGTH, "POST /a#b HTTP/1.1"),
  "a % in its target": withLines(HOST + LENGTH, "POST /a%62 HTTP/1.1"),
  "a character beyond ASCII in its target": withLines(HOST + LENGTH, "POST /\xe9 HTTP/1.1"),
  "two spaces before its version": withLines(HOST + LENGTH, "POST /a  HTTP/1.1"),
  "HTTP/1.0": withLines(HOST + LENGTH, "POST /a HTTP/1.0"),
  "no version": withLines(HOST + LENGTH, "POST /a"),
  "an empty line before it": `\r\n${WHOLE}`,
  "no host": withLines(LENGTH),
  "two hosts": withLines(HOST + HOST + LENGTH),
  "no length": withLines(HOST),
  "two lengths": withLines(HOST + LENGTH + LENGTH),
  "a list of lengths": withLines(`${HOST}content-length: 5, 5\r\n`),
  "a signed length": withLines(`${HOST}content-length: +5\r\n`),
  "an empty length": withLines(`${HOST}content-length:\r\n`),
  "a length of seven digits": withLines(`${HOST}content-length: 1000000\r\n`),
  chunks: withLines(`${HOST}transfer-encoding: chunked\r\n`),
  "chunks and a length": withLines(`${HOST}Transfer-Encoding: chunked\r\n${LENGTH}`),
  "a packed body": withLines(`${HOST}content-encoding: gzip\r\n${LENGTH}`),
  "a wait for 100 Continue": withLines(`${HOST}expect: 100-continue\r\n${LENGTH}`),
  "another protocol": withLines(`${HOST}upgrade: h2c\r\n${LENGTH}`),
  "a connection to be closed": withLines(`${HOST}connection: close\r\n${LENGTH}`),
  "a list of what is the connection's": withLines(`${HOST}connection: keep-alive, x-a\r\n${LENGTH}`),
  "two keys": withLines(`${HOST}authorization: a\r\nAuthorization: b\r\n${LENGTH}`),
  "a space before a colon": withLines(`${HOST}x-a : 1\r\n${LENGTH}`),
  "a header without a name": withLines(`${HOST}: 1\r\n${LENGTH}`),
  "a header without a colon": withLines(`${HOST}x-a\r\n${LENGTH}`),
  "a folded header": withLines(`${HOST}x-a: 1\r\n 2\r\n${LENGTH}`),
  "a lone CR": withLines(`${HOST}x-a: 1\r2\r\n${LENGTH}`),
  "a lone LF": withLines(`${HOST}x-a: 1\n${LENGTH}`),
  "a zero byte": withLines(`${HOST}x-a: \0\r\n${LENGTH}`),
  "a character beyond ASCII in a header": withLines(`${HOST}x-a: \xe9\r\n${LENGTH}`),
  "a head of more than 8 KB": withLines(`${HOST}x-a: ${"a".repeat(8_192)}\r\n${LENGTH}`),
  "more than 100 headers": withLines(`${HOST}${"a:\r\n".repeat(99)}${LENGTH}`),
  "no end of its head in 8 KB": `POST /a HTTP/1.1\r\n${HOST}x-a: ${"a".repeat(8_192)}`,
};

describe("a request is left to Node's server with", () => {
  for (const [what, text] of Object.entries(OTHERS)) test(what, () => assert.equal(read(text), "other"));
});
