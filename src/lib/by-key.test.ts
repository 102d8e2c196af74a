import assert from "node:assert/strict";
import { test } from "node:test";
import { createByKey } from "./by-key.ts";

test("work of one key is done one at a time and in order, also behind a failure; of another at once", async () => {
  const byKey = createByKey();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = byKey.run("a", async () => {
    await gate.promise;
    done.push("a1");
    throw new Error("failed");
  });
  const second = byKey.run("a", async () => done.push("a2"));
  await byKey.run("b", async () => done.push("b1"));
  assert.deepEqual(done, ["b1"]);
  gate.resolve();
  await assert.rejects(first, /failed/);
  await second;
  assert.deepEqual(done, ["b1", "a1", "a2"]);
});
