import assert from "node:assert/strict";
import { test } from "node:test";
import { startOtlpCollector } from "../../../test/kit/servers/otlp-collector.ts";
import { createVirtualClock, settled } from "../../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { type CollectorOptions, createCollector } from "./post.ts";

const BODY = JSON.stringify({ resourceSpans: [] });

async function stage(changes: Partial<CollectorOptions> = {}) {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startOtlpCollector());
  const collector = stack.use(
    createCollector({
      endpoint: `${server.url}/in/v1/traces?tenant=a`,
      headers: { "x-token": "secret" },
      timeoutMs: 5_000,
      clock: systemClock,
      ...changes,
    }),
  );
  return { server, collector, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("posts packed JSON with the operator's headers to the address as it is written", async () => {
  await using stand = await stage();
  stand.server.answer = () => ({ status: 200 });
  assert.deepEqual(await stand.collector.post(BODY), { kind: "taken", rejected: 0, message: "" });
  const [request] = stand.server.requests;
  assert.deepEqual([request?.path, request?.text], ["/in/v1/traces?tenant=a", BODY]);
  assert.deepEqual([request?.headers["content-type"], request?.headers["x-token"]], ["application/json", "secret"]);
  assert.equal(request?.headers["content-encoding"], "gzip");
});

for (const status of [429, 502, 503, 504]) {
  test(`${status} is worth another try, after as many seconds as it says`, async () => {
    await using stand = await stage();
    stand.server.answer = () => ({ status, headers: { "retry-after": "7" } });
    const result = await stand.collector.post(BODY);
    assert.deepEqual(result, { kind: "again", reason: `it answered ${status}`, waitMs: 7_000 });
  });
}

for (const status of [301, 400, 401, 413, 500]) {
  test(`${status} is not: the next one would be answered the same`, async () => {
    await using stand = await stage();
    stand.server.answer = () => ({ status, headers: { location: "/elsewhere" } });
    assert.deepEqual(await stand.collector.post(BODY), { kind: "refused", reason: `it answered ${status}` });
    assert.equal(stand.server.requests.length, 1);
  });
}

test("tells of what was taken only in part", async () => {
  await using stand = await stage();
  stand.server.answer = () => ({
    status: 200,
    body: JSON.stringify({ partialSuccess: { rejectedSpans: "3", errorMessage: "x".repeat(500) } }),
  });
  const result = await stand.collector.post(BODY);
  assert.deepEqual(result, { kind: "taken", rejected: 3, message: "x".repeat(200) });
});

test("an answer that is not JSON counts as an empty one, and an endless one is not read", async () => {
  await using stand = await stage();
  stand.server.answer = () => ({ status: 200, body: "<html>".repeat(100_000) });
  assert.equal((await stand.collector.post(BODY)).kind, "taken");
});

test("gives up when its time is over", async () => {
  const clock = createVirtualClock();
  await using stand = await stage({ clock });
  stand.server.answer = () => "hang";
  const posting = stand.collector.post(BODY);
  while (stand.server.requests.length === 0) await settled();
  await clock.advance(5_000);
  const result = await posting;
  assert.deepEqual(result, { kind: "again", reason: "no answer within 5000 ms", waitMs: 0 });
  assert.equal(clock.pending(), 0);
});

test("a collector that is not there is worth another try, and its address is not repeated", async () => {
  await using stand = await stage({ endpoint: "http://127.0.0.1:9/v1/traces?token=canary" });
  assert.deepEqual(await stand.collector.post(BODY), { kind: "again", reason: "ECONNREFUSED", waitMs: 0 });
});
