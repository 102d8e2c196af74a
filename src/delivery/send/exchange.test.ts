/** The beginning of an answer in pieces of every size: the same bytes, and memory for no more than those. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerStart } from "./exchange.ts";

const BODY = Uint8Array.from({ length: 300 }, (_, at) => at % 251);

function takeInPieces(size: number, bytesMax: number): { kept: Uint8Array; isAll: boolean } {
  const start = new AnswerStart(bytesMax);
  let isAll = true;
  for (let at = 0; at < BODY.length && isAll; at += size) isAll = start.take(BODY.subarray(at, at + size));
  return { kept: start.bytes(), isAll };
}

for (const size of [1, 2, 7, 64, 299, 300]) {
  test(`keeps a body that comes in pieces of ${size}`, () => {
    const { kept, isAll } = takeInPieces(size, 300);
    assert.deepEqual(kept, BODY);
    assert.equal(kept.buffer.byteLength, 300);
    assert.ok(isAll);
  });

  test(`keeps the beginning of one that is too long and comes in pieces of ${size}`, () => {
    const { kept, isAll } = takeInPieces(size, 100);
    assert.deepEqual(kept, BODY.subarray(0, 100));
    assert.ok(!isAll);
  });
}

test("keeps nothing of no body", () => {
  assert.equal(new AnswerStart(100).bytes().length, 0);
});

test("a piece that is written over later stays as it came", () => {
  const start = new AnswerStart(100);
  const piece = Uint8Array.of(1, 2, 3);
  start.take(piece);
  piece.fill(9);
  assert.deepEqual(start.bytes(), Uint8Array.of(1, 2, 3));
});
