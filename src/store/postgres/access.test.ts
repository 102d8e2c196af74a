import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallOrder } from "./access.ts";

/** Calls that end when the test says so, and what has begun so far. */
function scripted() {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const order = createCallOrder();
  const run = (name: string) => (): Promise<void> => {
    begun.push(name);
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return end.promise;
  };
  return {
    begun,
    accept: (name: string) => order.accept(run(name)),
    change: (name: string) => order.change(run(name)),
    async end(name: string) {
      ends.get(name)?.resolve();
      await turn();
    },
    async fail(name: string) {
      ends.get(name)?.reject(new Error(name));
      await turn();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("accepts run side by side while nothing is changed", () => {
  const { begun, accept } = scripted();
  void accept("a");
  void accept("b");
  assert.deepEqual(begun, ["a", "b"]);
});

test("a change waits for the accepts before it, and those after it wait for the change", async () => {
  const { begun, accept, change, end } = scripted();
  void accept("a");
  void accept("b");
  void change("save");
  void accept("c");
  await end("a");
  assert.deepEqual(begun, ["a", "b"]);
  await end("b");
  assert.deepEqual(begun, ["a", "b", "save"]);
  await end("save");
  assert.deepEqual(begun, ["a", "b", "save", "c"]);
});

test("changes run one after the other, in the order of their calls", async () => {
  const { begun, change, end } = scripted();
  for (const name of ["1", "2", "3"]) void change(name);
  assert.deepEqual(begun, ["1"]);
  await end("1");
  await end("2");
  assert.deepEqual(begun, ["1", "2", "3"]);
});

test("what fails holds nothing up, and fails alone", async () => {
  const { begun, accept, change, fail } = scripted();
  const failing = [accept("a"), change("save")].map((call) => assert.rejects(call));
  const last = accept("b");
  await fail("a");
  await fail("save");
  await Promise.all(failing);
  assert.deepEqual(begun, ["a", "save", "b"]);
  void last;
});
