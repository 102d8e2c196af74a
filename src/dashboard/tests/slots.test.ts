import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { ok, refuse } from "../../lib/result.ts";
import { minutesMs } from "../../lib/duration.ts";
import { createTestSlots } from "./slots.ts";

const sent = () => Promise.resolve(ok("sent"));

test("an account sends sixty tests a minute at most, whatever others send", async () => {
  const clock = createVirtualClock();
  const slots = createTestSlots(clock);
  for (let count = 0; count < 60; count += 1) assert.deepEqual(await slots.run("acme", sent), ok("sent"));
  const refused = await slots.run("acme", sent);
  assert.equal(refused.ok ? "" : refused.error.code, "too_many_tests");
  assert.match(refused.ok ? "" : refused.error.detail, /60 tests a minute.*Wait/);
  assert.deepEqual(await slots.run("other", sent), ok("sent"));
  await clock.advance(minutesMs(1));
  assert.deepEqual(await slots.run("acme", sent), ok("sent"));
});

test("a test that throws or is refused gives its slot back", async () => {
  const slots = createTestSlots(createVirtualClock());
  for (let count = 0; count < 5; count += 1) {
    await assert.rejects(
      slots.run("acme", () => Promise.reject(new Error("broken"))),
      /broken/,
    );
    const refusal = { code: "not_found", detail: "" } as const;
    assert.deepEqual(await slots.run("acme", () => Promise.resolve(refuse(refusal))), refuse(refusal));
  }
  assert.deepEqual(await slots.run("acme", sent), ok("sent"));
});
