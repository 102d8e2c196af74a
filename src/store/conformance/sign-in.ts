/** Promises about signing in: links that work once, the sessions that they open, and how long both are remembered. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { daysMs, hoursMs } from "../../lib/duration.ts";
import { ACCOUNT, inStore, type OpenStore, purgeNow, purgeStep, setUp, T0 } from "./world.ts";
import { type CreateSignInLink, type OpenSession, SESSION_SEEN_STEP_MS } from "../contract/people.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const LINK_END = T0 + 300_000;
const SESSION_END = T0 + daysMs(7);
const IDLE_MS = LIMITS.sessionIdleMs;

async function setUpLink(store: Store, parts: Partial<CreateSignInLink> = {}): Promise<void> {
  await setUp(store, []);
  const link = { accountId, person: "ana@example.com", role: "viewer", tokenHash: "link" } as const;
  await store.createSignInLink({ ...link, expiresAtMs: LINK_END, nowMs: T0, ...parts });
}

const open = (store: Store, parts: Partial<OpenSession> = {}) =>
  store.openSession({
    tokenHash: "link",
    sessionHash: "session",
    sessionId: `ses of ${parts.sessionHash ?? "session"}`,
    replacedHash: null,
    expiresAtMs: SESSION_END,
    nowMs: T0 + 1,
    ...parts,
  });

/** Looks, without using the session. */
const load = (store: Store, nowMs = T0 + 2, name = "session") =>
  store.loadSession({ sessionHash: name, isUse: false, nowMs });

const use = (store: Store, nowMs: number, name = "session") =>
  store.loadSession({ sessionHash: name, isUse: true, nowMs });

const SESSION = {
  id: "ses of session",
  accountId,
  person: "ana@example.com",
  role: "viewer",
  expiresAtMs: SESSION_END,
} as const;
const LOADED = { ...SESSION, isSuspended: false };

export function describeSigningIn(openStore: OpenStore): void {
  describe("signing in", () => {
    describeLinks(openStore);
    describeSessions(openStore);
  });
}

function describeLinks(openStore: OpenStore): void {
  const test = inStore(openStore);
  test("a link opens a session of its account, for its person in its role", async (store) => {
    await setUpLink(store);
    assert.deepEqual(await open(store), { kind: "opened", session: SESSION, ended: [] });
    assert.deepEqual(await load(store), LOADED);
  });

  test("a link works once, and says so also after its end", async (store) => {
    await setUpLink(store);
    await open(store);
    assert.deepEqual(await open(store, { sessionHash: "second" }), { kind: "used" });
    assert.deepEqual(await open(store, { sessionHash: "second", nowMs: LINK_END + 1 }), { kind: "used" });
    assert.equal(await load(store, T0 + 2, "second"), null);
  });

  test("a link works until just before its end", async (store) => {
    await setUpLink(store);
    assert.deepEqual(await open(store, { nowMs: LINK_END }), { kind: "expired" });
    assert.equal(await load(store), null);
    assert.equal((await open(store, { nowMs: LINK_END - 1 })).kind, "opened");
  });

  test("a link that never was is unknown", async (store) => {
    await setUpLink(store);
    assert.deepEqual(await open(store, { tokenHash: "other" }), { kind: "unknown" });
  });

  test("a link that ran out is remembered for a day, and then forgotten by the purge", async (store) => {
    await setUpLink(store);
    await purgeNow(store, LINK_END + daysMs(1) - 1);
    assert.deepEqual(await open(store, { nowMs: LINK_END }), { kind: "expired" });
    await purgeNow(store, LINK_END + daysMs(1));
    assert.deepEqual(await open(store, { nowMs: LINK_END }), { kind: "unknown" });
  });
}

function describeSessions(openStore: OpenStore): void {
  const test = inStore(openStore);
  test("a session lasts until just before its end", async (store) => {
    await setUpLink(store);
    await open(store);
    for (let nowMs = T0; nowMs < SESSION_END; nowMs += hoursMs(11)) await use(store, nowMs);
    assert.deepEqual(await load(store, SESSION_END - 1), LOADED);
    assert.equal(await use(store, SESSION_END), null);
  });

  test("a session that is only looked at ends after its idle time, and no use brings it back", async (store) => {
    await setUpLink(store);
    await open(store, { nowMs: T0 });
    assert.deepEqual(await load(store, T0 + IDLE_MS - 1), LOADED);
    assert.equal(await use(store, T0 + IDLE_MS), null);
    assert.equal(await load(store, T0 + IDLE_MS), null);
  });

  test("each use begins the idle time anew, for its own session only", async (store) => {
    await setUpLink(store);
    await setUpLink(store, { tokenHash: "link 2" });
    await open(store, { nowMs: T0 });
    await open(store, { tokenHash: "link 2", sessionHash: "session 2", nowMs: T0 });
    const usedAtMs = T0 + IDLE_MS - 1;
    // As a page does: several calls at once.
    const uses = await Promise.all([use(store, usedAtMs), use(store, usedAtMs), use(store, usedAtMs)]);
    assert.deepEqual(uses, [LOADED, LOADED, LOADED]);
    assert.deepEqual(await load(store, usedAtMs + IDLE_MS - 1), LOADED);
    assert.equal(await load(store, usedAtMs + IDLE_MS), null);
    assert.equal(await load(store, T0 + IDLE_MS, "session 2"), null);
  });

  test("a use is written down when the last one that was is a minute old, and not sooner", async (store) => {
    await setUpLink(store);
    await open(store, { nowMs: T0 });
    await use(store, T0 + SESSION_SEEN_STEP_MS - 1);
    assert.equal(await load(store, T0 + IDLE_MS), null);
    await use(store, T0 + SESSION_SEEN_STEP_MS);
    assert.deepEqual(await load(store, T0 + IDLE_MS), LOADED);
  });

  test("a session that is ended is gone at once, and no other with it", async (store) => {
    await setUpLink(store);
    await setUpLink(store, { tokenHash: "link 2", role: "owner" });
    await open(store);
    await open(store, { tokenHash: "link 2", sessionHash: "session 2" });
    await store.endSession({ sessionHash: "session", nowMs: T0 + 2 });
    await store.endSession({ sessionHash: "session", nowMs: T0 + 3 });
    assert.equal(await load(store), null);
    assert.deepEqual(await load(store, T0 + 2, "session 2"), { ...LOADED, id: "ses of session 2", role: "owner" });
  });

  test("the purge deletes sessions that have expired, in steps, and no others", async (store) => {
    for (const n of [1, 2, 3, 4]) {
      await setUpLink(store, { tokenHash: `link ${n}` });
      const expiresAtMs = n === 4 ? SESSION_END : T0 + 10;
      await open(store, { tokenHash: `link ${n}`, sessionHash: `session ${n}`, expiresAtMs });
    }
    const purge = async () => (await purgeStep(store, { nowMs: T0 + 11, rowsMax: 2 })).purged;
    assert.equal(await purge(), 2);
    assert.equal(await purge(), 1);
    assert.equal(await purge(), 0);
    assert.notEqual(await load(store, T0 + 11, "session 4"), null);
  });
}
