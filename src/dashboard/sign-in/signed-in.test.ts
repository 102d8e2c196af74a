/** Who is signed in, as an owner sees it, and what a person who is signed out still can do: nothing, at once. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { makeAccount } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { listenLive } from "../../../test/kit/browser/live-page.ts";
import { SAME_ORIGIN, type SignedIn, callRoute, linkToken, signIn } from "../../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { putAccount } from "../../accounts/put-account.ts";
import type { App } from "../../app.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { OpenSession } from "../../store/contract/people.ts";
import { type Store, StoreUnavailable } from "../../store/contract/store.ts";
import type { AuditAnswer, SignedInAnswer } from "../contract/session.ts";

const ACCOUNT = "acme";
const BO = "bo@example.com";

async function openApp() {
  const clock = createVirtualClock();
  const service = await createTestApp({}, { clock });
  const { app } = service;
  for (const id of [ACCOUNT, "other"]) {
    await putAccount(app.accounts, makeAccount({ id, plan: "free" }));
  }
  return { app, clock, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const signInTo = (app: App, person: string, role: "owner" | "viewer" = "owner") =>
  signIn(app, { accountId: ACCOUNT, person, role });

async function list(who: SignedIn): Promise<SignedInAnswer["sessions"]> {
  return ((await who.call("GET /signed-in")).answer as SignedInAnswer).sessions;
}

async function readId(who: SignedIn): Promise<string> {
  return (await list(who)).find(({ isYou }) => isYou)?.id ?? "";
}

const readStatus = async (who: SignedIn): Promise<number> => (await who.call("GET /session")).status;

async function readAudit(who: SignedIn): Promise<string[]> {
  const { entries } = (await who.call("GET /audit")).answer as AuditAnswer;
  return entries.map(({ person, action, subject }) => `${person}: ${action} ${subject}`.trim());
}

/** As where accounts lie in several shards: a sign-in ends nothing outside of its own. */
function leaveHeldSessions(t: TestContext, store: Store): void {
  const { openSession } = store;
  t.mock.method(store, "openSession", (params: OpenSession) => openSession({ ...params, replacedHash: null }));
}

/** A second sign-in of the browser that has `cookie`. */
async function signInAgain(app: App, cookie: string, who: Parameters<typeof linkToken>[1]) {
  const body = { token: await linkToken(app, who) };
  return await callRoute(app, "POST /sign-in", { body, headers: { ...SAME_ORIGIN, cookie } });
}

describe("an owner", () => {
  test("sees each browser with person, role, since when and when last, and which is their own", async () => {
    await using opened = await openApp();
    const { app, clock } = opened;
    const ana = await signInTo(app, "ana@example.com");
    await clock.advance(minutesMs(2));
    await signInTo(app, "vic@example.com", "viewer");
    await clock.advance(minutesMs(3));
    const nowMs = clock.nowMs();
    const listed = await list(ana);
    assert.deepEqual(
      listed.map(({ person, role, sinceMs, seenMs, isYou }) => [person, role, nowMs - sinceMs, nowMs - seenMs, isYou]),
      [
        ["vic@example.com", "viewer", minutesMs(3), minutesMs(3), false],
        ["ana@example.com", "owner", minutesMs(5), 0, true],
      ],
    );
    for (const { id } of listed) assert.match(id, /^ses_[0-9a-z]{26}$/);
  });

  test("pages through them", async () => {
    await using opened = await openApp();
    const ana = await signInTo(opened.app, "ana@example.com");
    await opened.clock.advance(1);
    for (let n = 1; n <= 24; n += 1) await signInTo(opened.app, `p${n}@example.com`);
    const first = (await ana.call("GET /signed-in")).answer as SignedInAnswer;
    const query = { cursor: first.nextCursor ?? "" };
    const second = (await ana.call("GET /signed-in", { query })).answer as SignedInAnswer;
    assert.deepEqual([first.sessions.length, second.sessions.length, second.nextCursor], [20, 5, null]);
    assert.equal(second.sessions.at(-1)?.isYou, true);
    const bad = await ana.call("GET /signed-in", { query: { cursor: "x" } });
    assert.deepEqual([bad.status, bad.code], [400, "invalid_parameter"]);
  });

  test("signs out one browser, which is refused from its next call on; a second time it is gone", async () => {
    await using opened = await openApp();
    const [ana, bo, boElsewhere] = [
      await signInTo(opened.app, "ana@example.com"),
      await signInTo(opened.app, BO),
      await signInTo(opened.app, BO),
    ];
    const params = { id: await readId(bo) };
    assert.equal((await ana.call("DELETE /signed-in/:id", { params })).status, 204);
    const refused = await bo.call("POST /failure-mail", { body: { address: "a@b.example" } });
    assert.deepEqual([refused.status, refused.code], [401, "not_signed_in"]);
    assert.deepEqual([await readStatus(ana), await readStatus(boElsewhere)], [200, 200]);
    const again = await ana.call("DELETE /signed-in/:id", { params });
    assert.deepEqual([again.status, again.code], [404, "session_not_found"]);
    assert.deepEqual(
      (await readAudit(ana)).filter((entry) => entry.includes("Signed a person out")),
      [`ana@example.com: Signed a person out ${BO}`],
    );
  });

  test("signs out all others, and stays", async () => {
    await using opened = await openApp();
    const ana = await signInTo(opened.app, "ana@example.com");
    const others = [await signInTo(opened.app, "ana@example.com"), await signInTo(opened.app, BO)];
    assert.equal((await ana.call("DELETE /signed-in")).status, 204);
    for (const other of others) assert.equal(await readStatus(other), 401);
    assert.equal((await list(ana)).length, 1);
  });

  test("takes with a browser its person's unused links, and nobody else's", async () => {
    await using opened = await openApp();
    const { app } = opened;
    const [ana, bo] = [await signInTo(app, "ana@example.com"), await signInTo(app, BO)];
    const tokens = [
      await linkToken(app, { accountId: ACCOUNT, person: BO }),
      await linkToken(app, { accountId: ACCOUNT }),
    ];
    await ana.call("DELETE /signed-in/:id", { params: { id: await readId(bo) } });
    const enter = (token: string | undefined) =>
      callRoute(app, "POST /sign-in", { body: { token }, headers: SAME_ORIGIN });
    const ended = await enter(tokens[0]);
    assert.deepEqual([ended.status, ended.code], [410, "link_expired"]);
    assert.match(ended.text, /was signed out after it was made/);
    assert.equal((await enter(tokens[1])).status, 200);
  });
});

describe("a browser that signs in again", () => {
  test("as a viewer is no owner any more, also with the cookie that it had before", async () => {
    await using opened = await openApp();
    const { app, clock } = opened;
    const ana = await signInTo(app, "ana@example.com");
    const again = await signInAgain(app, ana.cookie, { accountId: ACCOUNT, person: "vic@example.com", role: "viewer" });
    assert.equal(again.status, 200);
    assert.equal(await readStatus(ana), 401);
    await clock.advance(1);
    const bo = await signInTo(app, BO);
    assert.deepEqual(
      (await list(bo)).map(({ person, role }) => `${person} ${role}`),
      [`${BO} owner`, "vic@example.com viewer"],
    );
    assert.ok((await readAudit(bo)).includes("ana@example.com: Signed out by signing in again in the same browser"));
  });

  for (const where of ["beside it", "in another shard"]) {
    test(`to another account ${where} leaves the first one, whose audit names its own person only`, async (t) => {
      await using opened = await openApp();
      const { app } = opened;
      const [ana, bo] = [await signInTo(app, "ana@example.com"), await signInTo(app, BO)];
      if (where === "in another shard") leaveHeldSessions(t, app.accounts.store);
      const again = await signInAgain(app, bo.cookie, { accountId: "other", person: "stranger@example.com" });
      assert.equal(again.status, 200);
      assert.equal(await readStatus(bo), 401);
      const audit = await readAudit(ana);
      const told = audit.filter((entry) => entry === `${BO}: Signed out by signing in again in the same browser`);
      assert.equal(told.length, 1);
      assert.ok(!audit.join().includes("unauthenticated"));
    });
  }

  test("to another account gets in also while the first one's shard is away", async (t) => {
    await using opened = await openApp();
    const { app } = opened;
    const bo = await signInTo(app, BO);
    leaveHeldSessions(t, app.accounts.store);
    const away = () => Promise.reject(new StoreUnavailable("its server cannot be reached"));
    const { mock } = t.mock.method(app.accounts.store, "endSession", away);
    const again = await signInAgain(app, bo.cookie, { accountId: "other", person: BO });
    assert.deepEqual([again.status, mock.callCount()], [200, 1]);
    mock.restore();
    // It was not ended: it ends unused, because the browser has another cookie now.
    assert.equal(await readStatus(bo), 200);
  });

  test("by a link that is refused stays signed in; one whose session was ended before gets in", async () => {
    await using opened = await openApp();
    const { app } = opened;
    const [ana, bo] = [await signInTo(app, "ana@example.com"), await signInTo(app, BO)];
    const body = { token: "A".repeat(43) };
    const headers = { ...SAME_ORIGIN, cookie: ana.cookie };
    assert.equal((await callRoute(app, "POST /sign-in", { body, headers })).status, 404);
    assert.equal(await readStatus(ana), 200);
    await ana.call("DELETE /signed-in/:id", { params: { id: await readId(bo) } });
    assert.equal((await signInAgain(app, bo.cookie, { accountId: ACCOUNT, person: BO })).status, 200);
  });
});

test("an open page of a browser that is signed out is told so and ends at once; others stay", async () => {
  await using opened = await openApp();
  const { app } = opened;
  const { port } = await app.start();
  const [ana, bo, cy] = [
    await signInTo(app, "ana@example.com"),
    await signInTo(app, BO),
    await signInTo(app, "cy@example.com"),
  ];
  using bosPage = await listenLive({ port, cookie: bo.cookie });
  using cysPage = await listenLive({ port, cookie: cy.cookie });
  const heard = bosPage.next(({ topic }) => topic === "ended");
  await ana.call("DELETE /signed-in/:id", { params: { id: await readId(bo) } });
  await Promise.all([heard, bosPage.ended]);
  assert.deepEqual(
    cysPage.frames.filter(({ topic }) => topic === "ended"),
    [],
  );
  const over = cysPage.next(({ topic }) => topic === "ended");
  await signInAgain(app, cy.cookie, { accountId: ACCOUNT, person: "cy@example.com" });
  await Promise.all([over, cysPage.ended]);
});
