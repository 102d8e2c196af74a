import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { writeHead } from "./write-head.ts";

const url = new URL("https://user:secret@hook.test:8443/a%20b/ü?q=1#part");
const bytes = Buffer.from("{}");

test("a head names path, query and host of the URL, its headers, and the body's length last", () => {
  const { start, rest } = writeHead({ url, headers: { "content-length": "2", "x-a": "1" }, bytes });
  assert.equal(start, "POST /a%20b/%C3%BC?q=1 HTTP/1.1\r\nhost: hook.test:8443\r\n");
  assert.equal(rest, "accept: */*\r\nx-a: 1\r\ncontent-length: 2\r\n\r\n");
});

test("a head accepts anything unless its headers say otherwise, as firewalls want it", () => {
  assert.equal(
    writeHead({ url, headers: { accept: "text/plain" }, bytes }).rest.match(/accept: .*/)?.[0],
    "accept: text/plain",
  );
});

describe("a head is refused with", () => {
  const FAULTS: readonly [what: string, headers: Readonly<Record<string, string>>][] = [
    ["a line end in a value", { "x-a": "1\r\nx-b: 2" }],
    ["a line feed in a value", { "x-a": "1\nx-b: 2" }],
    ["a zero byte in a value", { "x-a": "\0" }],
    ["a value beyond latin-1", { "x-a": "東" }],
    ["an empty name", { "": "1" }],
    ["a space in a name", { "x a": "1" }],
    ["a line end in a name", { "x-a\r\nx-b": "1" }],
    ["another length than the body's", { "content-length": "3" }],
    ["a host of its own", { host: "evil.test" }],
    ["chunks", { "transfer-encoding": "chunked" }],
    ["a connection's header", { connection: "close" }],
  ];
  for (const [what, headers] of FAULTS) {
    test(what, () => {
      assert.throws(() => writeHead({ url, headers, bytes }), Error);
    });
  }
});
