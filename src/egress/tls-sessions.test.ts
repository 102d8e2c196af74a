/** The kept TLS sessions: each under its own key, no more bytes than allowed, none past its certificate. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { computeCheckedUntil, createTlsSessions } from "./tls-sessions.ts";

const MINUTE_MS = 60_000;

function setUp(bytesMax?: number) {
  const clock = createVirtualClock();
  const sessions = createTlsSessions({ clock, ...(bytesMax === undefined ? {} : { bytesMax }) });
  const keep = (key: string, length = 1_000, checkedUntilMs = Number.POSITIVE_INFINITY) =>
    sessions.keep(key, { bytes: Buffer.alloc(length), checkedUntilMs });
  return { clock, sessions, keep };
}

test("gives a session under its own key alone, until it is forgotten", () => {
  const { sessions, keep } = setUp();
  keep("acct-1 hook.test:443");
  assert.equal(sessions.find("acct-2 hook.test:443"), null);
  for (const length of [1_000, 1_000]) assert.equal(sessions.find("acct-1 hook.test:443")?.bytes.length, length);
  sessions.forget("acct-1 hook.test:443");
  assert.equal(sessions.find("acct-1 hook.test:443"), null);
});

test("keeps the newest session of a key", () => {
  const { sessions, keep } = setUp();
  keep("a", 1_000);
  keep("a", 1_001);
  assert.equal(sessions.count(), 1);
  assert.equal(sessions.find("a")?.bytes.length, 1_001);
});

test("lets the one go that was not used for longest when all together are too large", () => {
  const { sessions, keep } = setUp(3_000);
  for (const key of ["a", "b", "c"]) keep(key, 1_000);
  assert.equal(sessions.count(), 2);
  assert.equal(sessions.find("a"), null);
  sessions.find("b");
  keep("d", 1_000);
  assert.deepEqual([sessions.find("b") === null, sessions.find("c") === null], [false, true]);
});

test("stays within its bytes whatever receivers offer", () => {
  const { sessions, keep } = setUp(100_000);
  for (let nth = 0; nth < 1_000; nth += 1) keep(`key ${nth}`, (nth * 37) % 20_000);
  assert.ok(sessions.count() <= 200);
  for (let nth = 0; nth < 1_000; nth += 1) sessions.forget(`key ${nth}`);
  assert.equal(sessions.count(), 0);
  for (const key of ["x", "y"]) keep(key, 16_000);
  assert.equal(sessions.count(), 2);
});

test("keeps no session that is larger than any honest one", () => {
  const { sessions, keep } = setUp();
  keep("a", 16 * 1024 + 1);
  assert.equal(sessions.count(), 0);
});

test("offers no session whose certificate has to be checked again", async () => {
  const { clock, sessions, keep } = setUp();
  keep("a", 1_000, clock.monotonicMs() + MINUTE_MS);
  await clock.advance(MINUTE_MS);
  assert.equal(sessions.find("a"), null);
});

test("has a certificate checked again after an hour, and at its end at the latest", () => {
  const { clock } = setUp();
  const leftMs = (validTo: string) => computeCheckedUntil(clock, validTo) - clock.monotonicMs();
  const inMinutes = (minutes: number) => new Date(clock.nowMs() + minutes * MINUTE_MS).toUTCString();
  assert.equal(leftMs(inMinutes(24 * 60)), 60 * MINUTE_MS);
  assert.ok(Math.abs(leftMs(inMinutes(10)) - 10 * MINUTE_MS) <= 1_000);
  for (const validTo of [inMinutes(-1), "", "never"]) assert.equal(leftMs(validTo), 0, validTo);
});
