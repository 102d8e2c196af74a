/** A cluster of a test ends once, however many end it at the same time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster } from "./postgres.ts";

test("a server that is stopped by several at once ends once, and starts again", async () => {
  await using cluster = await startCluster();
  await Promise.all([cluster.stop("fast"), cluster.stop("immediate"), cluster.kill()]);
  await cluster.start();
  assert.deepEqual(await cluster.query(cluster.toUrl("postgres"), "select 1 as one"), [{ one: 1 }]);
  await Promise.all([cluster.stop("immediate"), cluster[Symbol.asyncDispose]()]);
});
