import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { createMetricPush } from "./metric-push.ts";
import type { PostResult } from "./post.ts";

function stage(encode: () => Promise<string>, answer: PostResult = { kind: "taken", rejected: 0, message: "" }) {
  const clock = createVirtualClock();
  const posted: string[] = [];
  const told: string[] = [];
  const push = createMetricPush({
    clock,
    intervalMs: 60_000,
    encode,
    collector: {
      post: async (json) => {
        posted.push(json);
        return answer;
      },
    },
    report: { sent: () => void told.push("sent"), failed: (reason) => void told.push(reason) },
  });
  push.start();
  return { clock, push, posted, told };
}

test("all metrics go at each interval, and once more at the stop", async () => {
  let count = 0;
  const { clock, push, posted, told } = stage(async () => `push ${(count += 1)}`);
  await clock.advance(59_999);
  assert.deepEqual(posted, []);
  await clock.advance(60_001);
  assert.deepEqual(posted, ["push 1", "push 2"]);
  await push.stop();
  assert.deepEqual([posted.length, told], [3, ["sent", "sent", "sent"]]);
  assert.equal(clock.pending(), 0);
});

test("a push that is not taken is not tried again: the next one says it all", async () => {
  const { clock, posted, told } = stage(async () => "all", { kind: "again", reason: "ECONNREFUSED", waitMs: 9 });
  await clock.advance(60_000);
  assert.deepEqual([posted.length, told], [1, ["ECONNREFUSED"]]);
});

test("metrics that cannot be read end neither the process nor the pushes", async () => {
  let isBroken = true;
  const { clock, told } = stage(() => (isBroken ? Promise.reject(new Error("a gauge broke")) : Promise.resolve("all")));
  await clock.advance(60_000);
  isBroken = false;
  await clock.advance(60_000);
  assert.deepEqual(told, ["metrics could not be read: Error: a gauge broke", "sent"]);
});
