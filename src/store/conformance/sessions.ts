/** Promises about who is signed in: what is listed, what ends a session, and which links end with it. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { daysMs } from "../../lib/duration.ts";
import type { SessionChoice } from "../contract/people.ts";
import type { Store } from "../contract/store.ts";
import { ACCOUNT, EVE, inStore, type OpenStore, setUp, T0 } from "./world.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };
const LINK_END = T0 + LIMITS.signInLinkMs;
const SESSION_END = T0 + daysMs(7);

interface SignIn {
  readonly account?: string;
  readonly person?: string;
  /** When; sessions of later instants have later ids. */
  readonly atMs?: number;
  readonly replaces?: string | null;
}

const setUpBoth = async (store: Store): Promise<void> => {
  await setUp(store, []);
  await setUp(store, [], OTHER);
};

const makeLink = (store: Store, name: string, { account = accountId, person = "ana", atMs = T0 }: SignIn = {}) =>
  store.createSignInLink({
    accountId: account,
    person,
    role: "owner",
    tokenHash: `link ${name}`,
    expiresAtMs: atMs + LIMITS.signInLinkMs,
    nowMs: atMs,
  });

const openBy = (store: Store, name: string, { atMs = T0, replaces = null }: SignIn = {}) =>
  store.openSession({
    tokenHash: `link ${name}`,
    sessionHash: `hash of ${name}`,
    sessionId: `ses_${name}`,
    replacedHash: replaces === null ? null : `hash of ${replaces}`,
    expiresAtMs: SESSION_END,
    nowMs: atMs,
  });

/** By a link of its own. */
async function signIn(store: Store, name: string, who: SignIn = {}) {
  await makeLink(store, name, who);
  return await openBy(store, name, who);
}

const list = (store: Store, nowMs = T0 + 1, account = accountId) =>
  store.listSessions({ accountId: account, before: null, limit: 1_000, nowMs });

const names = async (store: Store, nowMs?: number, account?: string): Promise<string[]> =>
  (await list(store, nowMs, account)).map(({ id }) => id.slice(4));

const end = (store: Store, which: SessionChoice, account = accountId) =>
  store.endSessions({ accountId: account, which, by: EVE, nowMs: T0 + 1 });

const load = (store: Store, name: string) =>
  store.loadSession({ sessionHash: `hash of ${name}`, isUse: false, nowMs: T0 + 1 });

/** Newest first: what, by whom, whom it met. Sign-ins are another test's subject. */
async function audit(store: Store, account = accountId) {
  const entries = await store.listAudit({ accountId: account, before: null, limit: 50 });
  const others = entries.filter(({ action }) => action !== "signed_in");
  return others.map(({ action, person, subject }) => [action, person, subject]);
}

export function describeSessions(open: OpenStore): void {
  describe("who is signed in", () => {
    describeList(open);
    describeEnding(open);
    describeEndedLinks(open);
    describeReplacing(open);
  });
}

function describeList(open: OpenStore): void {
  const test = inStore(open);
  test("is listed newest first, with since when and the last use, and for its own account only", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1");
    await signIn(store, "2", { person: "bo", atMs: T0 + 5 });
    await signIn(store, "3", { account: OTHER.id });
    await store.loadSession({ sessionHash: "hash of 1", isUse: true, nowMs: T0 + 90_000 });
    const ofAccount = { accountId, role: "owner", expiresAtMs: SESSION_END };
    const listed = (await list(store, T0 + 90_001)).map((row) => ({ ...row }));
    assert.deepEqual(listed, [
      { ...ofAccount, id: "ses_2", person: "bo", createdAtMs: T0 + 5, seenAtMs: T0 + 5 },
      { ...ofAccount, id: "ses_1", person: "ana", createdAtMs: T0, seenAtMs: T0 + 90_000 },
    ]);
  });

  test("comes in pages, and of one person when asked", async (store) => {
    await setUpBoth(store);
    for (const n of [1, 2, 3, 4, 5]) await signIn(store, `${n}`, { person: n % 2 === 0 ? "bo" : "ana" });
    const page = async (before: string | null, person?: string) => {
      const cursor = before === null ? null : { id: before };
      const of = person === undefined ? {} : { person };
      const rows = await store.listSessions({ accountId, ...of, before: cursor, limit: 2, nowMs: T0 + 1 });
      return rows.map(({ id }) => id);
    };
    assert.deepEqual(await page(null), ["ses_5", "ses_4"]);
    assert.deepEqual(await page("ses_4"), ["ses_3", "ses_2"]);
    assert.deepEqual(await page("ses_2"), ["ses_1"]);
    assert.deepEqual(await page("ses_4", "ana"), ["ses_3", "ses_1"]);
    assert.deepEqual(await page(null, "nobody"), []);
  });

  test("does not count those whose session has expired or was not used for too long", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1");
    assert.deepEqual(await names(store, T0 + LIMITS.sessionIdleMs - 1), ["1"]);
    assert.deepEqual(await names(store, T0 + LIMITS.sessionIdleMs), []);
    assert.deepEqual(await end(store, { kind: "all" }), { ids: ["ses_1"], links: 0 });
  });
}

function describeEnding(open: OpenStore): void {
  const test = inStore(open);
  /** 1 and 2 are ana's, 3 is bo's, 4 is ana's in another account. */
  const signInAll = async (store: Store): Promise<void> => {
    await setUpBoth(store);
    for (const name of ["1", "2"]) await signIn(store, name);
    await signIn(store, "3", { person: "bo" });
    await signIn(store, "4", { account: OTHER.id });
  };
  const CASES: readonly (readonly [what: string, which: SessionChoice, ended: string[], left: string[]])[] = [
    ["one session", { kind: "one", id: "ses_2" }, ["2"], ["3", "1"]],
    ["a person's sessions", { kind: "person", person: "ana" }, ["1", "2"], ["3"]],
    ["everybody's", { kind: "all" }, ["1", "2", "3"], []],
    ["all others than the one that asks", { kind: "others", exceptId: "ses_1" }, ["2", "3"], ["1"]],
    ["a session of another account, which ends nothing", { kind: "one", id: "ses_4" }, [], ["3", "2", "1"]],
    ["a person who is not there, which ends nothing", { kind: "person", person: "Ana" }, [], ["3", "2", "1"]],
  ];
  for (const [what, which, ended, left] of CASES) {
    test(`ends ${what}`, async (store) => {
      await signInAll(store);
      const { ids } = await end(store, which);
      assert.deepEqual(ids.map((id) => id.slice(4)).toSorted(), ended);
      assert.deepEqual(await names(store), left);
      for (const name of ended) assert.equal(await load(store, name), null);
      for (const name of left) assert.notEqual(await load(store, name), null);
      assert.notEqual(await load(store, "4"), null);
    });
  }

  test("an ending is in the audit once for each person, with who did it; one that met nobody is not", async (store) => {
    await signInAll(store);
    await end(store, { kind: "person", person: "nobody" });
    assert.deepEqual(await audit(store), []);
    await end(store, { kind: "all" });
    const entries = (await audit(store)).map((entry) => entry.join(" "));
    assert.deepEqual(new Set(entries), new Set(["person_signed_out eve ana", "person_signed_out eve bo"]));
    assert.equal(entries.length, 2);
    assert.deepEqual(await audit(store, OTHER.id), []);
  });

  test("a sign-out is in the audit of its own person, once", async (store) => {
    await signInAll(store);
    for (const nowMs of [T0 + 1, T0 + 2]) await store.endSession({ sessionHash: "hash of 3", nowMs });
    assert.deepEqual(await audit(store), [["signed_out", "bo", ""]]);
  });
}

function describeEndedLinks(open: OpenStore): void {
  const test = inStore(open);
  test("a link that a person has not used ends with their sessions, and says that it has ended", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1");
    await makeLink(store, "2");
    await makeLink(store, "3", { person: "bo" });
    assert.deepEqual(await end(store, { kind: "one", id: "ses_1" }), { ids: ["ses_1"], links: 1 });
    // Also on a node with a clock that is behind.
    assert.deepEqual(await openBy(store, "2", { atMs: T0 }), { kind: "ended" });
    assert.deepEqual(await openBy(store, "1"), { kind: "used" });
    assert.equal((await openBy(store, "3")).kind, "opened");
  });

  test("links end although nobody is signed in: of one person, or of the account and no other", async (store) => {
    await setUpBoth(store);
    await makeLink(store, "1");
    await makeLink(store, "2", { person: "bo" });
    await makeLink(store, "3", { account: OTHER.id });
    assert.deepEqual(await end(store, { kind: "person", person: "ana" }), { ids: [], links: 1 });
    assert.deepEqual(await end(store, { kind: "all" }), { ids: [], links: 1 });
    assert.deepEqual(await end(store, { kind: "all" }), { ids: [], links: 0 });
    assert.equal((await openBy(store, "3", { account: OTHER.id })).kind, "opened");
    assert.deepEqual(await audit(store), [
      ["person_signed_out", "eve", "bo"],
      ["person_signed_out", "eve", "ana"],
    ]);
  });

  test("a link that is made afterwards works", async (store) => {
    await setUpBoth(store);
    await end(store, { kind: "all" });
    assert.equal((await signIn(store, "1", { atMs: T0 + 2 })).kind, "opened");
    assert.ok(T0 + 2 < LINK_END);
  });
}

function describeReplacing(open: OpenStore): void {
  const test = inStore(open);
  test("a sign-in ends what its browser held before, in its holder's name", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1", { person: "bo" });
    const opened = await signIn(store, "2", { replaces: "1" });
    assert.ok(opened.kind === "opened");
    assert.deepEqual(opened.ended, [{ accountId, id: "ses_1" }]);
    assert.equal(await load(store, "1"), null);
    assert.deepEqual(await audit(store), [["session_replaced", "bo", ""]]);
  });

  test("what its browser held in another account ends once: with the sign-in or right after it", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1", { account: OTHER.id, person: "bo" });
    const opened = await signIn(store, "2", { replaces: "1" });
    assert.ok(opened.kind === "opened");
    const after = await store.endSession({ sessionHash: "hash of 1", isReplaced: true, nowMs: T0 + 1 });
    assert.deepEqual([...opened.ended, ...after], [{ accountId: OTHER.id, id: "ses_1" }]);
    assert.equal(await load(store, "1"), null);
    assert.deepEqual(await audit(store, OTHER.id), [["session_replaced", "bo", ""]]);
    assert.deepEqual(await audit(store), []);
  });

  test("an ended session says which one it was, once, and that another one has replaced it", async (store) => {
    await setUpBoth(store);
    await signIn(store, "1", { account: OTHER.id, person: "bo" });
    const ending = { sessionHash: "hash of 1", isReplaced: true, nowMs: T0 + 1 };
    assert.deepEqual(await store.endSession(ending), [{ accountId: OTHER.id, id: "ses_1" }]);
    assert.deepEqual(await store.endSession(ending), []);
    assert.equal(await load(store, "1"), null);
    assert.deepEqual(await audit(store, OTHER.id), [["session_replaced", "bo", ""]]);
  });

  test("a sign-in works when what its browser held has ended; a refused one ends nothing", async (store) => {
    await setUpBoth(store);
    const opened = await signIn(store, "1", { replaces: "nothing" });
    assert.ok(opened.kind === "opened");
    assert.deepEqual(opened.ended, []);
    assert.equal((await openBy(store, "1", { replaces: "1" })).kind, "used");
    assert.notEqual(await load(store, "1"), null);
  });

  test("at an account's most sessions the one used longest ago ends, and the audit says so", async (store) => {
    await setUpBoth(store);
    const most = LIMITS.sessionsPerAccountMax;
    for (let n = 1; n <= most; n += 1) await signIn(store, `${n}`, { person: `p${n}`, atMs: T0 + n });
    await signIn(store, "elsewhere", { account: OTHER.id });
    await store.loadSession({ sessionHash: "hash of 1", isUse: true, nowMs: T0 + 100_000 });
    const opened = await signIn(store, "new", { atMs: T0 + 100_001 });
    assert.ok(opened.kind === "opened");
    assert.deepEqual(opened.ended, [{ accountId, id: "ses_2" }]);
    const left = await names(store, T0 + 100_002);
    assert.deepEqual([left.length, left.includes("1"), left.includes("2")], [most, true, false]);
    assert.deepEqual(await audit(store), [["session_crowded_out", "system", "p2"]]);
    assert.notEqual(await load(store, "elsewhere"), null);
  });
}
