/** Bodies of messages in other forms than most: taken, or refused in the words of intake. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { readRecords } from "./records.ts";

const MARK = "\ufeff";
const read = (body: string | Uint8Array, type = "application/json"): string[] =>
  readRecords({ headers: { "content-type": type }, body: Buffer.from(body) }).map(({ text }) =>
    text.ok ? text.value : text.error.detail,
  );

describe("a message", () => {
  for (const [what, body, said] of [
    ["with a byte order mark is taken without it", `${MARK}{"a":1}`, '{"a":1}'],
    [
      "in UTF-16 is refused by that name",
      Buffer.from(`${MARK}{}`, "utf16le"),
      "The record is UTF-16; send it as UTF-8.",
    ],
    ["of gzip is refused by that name", gzipSync("{}"), "The record is compressed with gzip; send it as it is."],
    [
      "of zstd is refused by that name",
      Buffer.from("28b52ffd00", "hex"),
      "The record is compressed with zstd; send it as it is.",
    ],
    ["of other bytes is refused", Buffer.from([0x7b, 0xff]), "The record is not valid UTF-8, as JSON has to be."],
  ] as const) {
    test(what, () => assert.deepEqual(read(body), [said]));
  }

  for (const type of ["application/x-ndjson", "application/jsonl", "Application/NDJSON; charset=utf-8"]) {
    test(`of ${type} is a record a line, each without a mark`, () => {
      assert.deepEqual(read(`${MARK}{"a":1}\r\n\n${MARK}{"b":2}`, type), ['{"a":1}\r', '{"b":2}']);
    });
  }
});
