import assert from "node:assert/strict";
import { test } from "node:test";
import { sortWebhooks, webhooksInWords } from "./sort-webhooks.ts";

const rows = (text: string) => text.split(" ").map((status, id) => ({ status, id }) as never) as { id: number }[];
const sorted = (text: string): number[] => sortWebhooks(rows(text) as never[]).map(({ id }: { id: number }) => id);

test("what waits or has failed comes first, and the others keep their order", () => {
  assert.deepEqual(sorted("delivered retrying delivered waiting failed cancelled delivered"), [4, 1, 3, 5, 0, 2, 6]);
});

test("they are counted by what became of them", () => {
  const words = (text: string) => webhooksInWords(rows(text) as never[]);
  assert.equal(words("delivered"), null);
  assert.equal(words("delivered delivered"), "All 2 were delivered.");
  assert.equal(words("delivered retrying delivered waiting"), "Of 4, 1 is retried, 1 waits and 2 were delivered.");
});
