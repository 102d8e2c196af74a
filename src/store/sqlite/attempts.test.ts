import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAttempt } from "../conformance/world.ts";
import { packAttempt } from "./attempts.ts";

test("a response's body that is a part of a larger buffer crosses to the writer without the rest of it", () => {
  const body = new Uint8Array(64 * 1024).subarray(0, 3);
  const response = { status: 200, headers: {}, body, bodyCut: false };
  const crossed = structuredClone(packAttempt(makeAttempt(1, { outcome: { kind: "response", response } })));
  assert.deepEqual(
    crossed.filter((column) => column instanceof Uint8Array).map(({ buffer }) => buffer.byteLength),
    [3],
  );
});
