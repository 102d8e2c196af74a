/**
 * The product lists the people who are signed in to an account, and signs them out, for example when a person leaves.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { SAME_ORIGIN, callRoute, linkToken, signIn } from "../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";

const URL = "/v1/accounts/acme/sessions";
const BO = "bo@example.com";

async function openService() {
  const clock = createVirtualClock();
  const service = await createTestApp({}, { clock });
  for (const id of ["acme", "other"]) {
    await service.put(`/v1/accounts/${id}`, { name: id, plan: "free", app_url: "https://app.example.com" });
  }
  const get = (url = URL) => service.call({ method: "GET", url });
  const end = (url = URL) => service.call({ method: "DELETE", url });
  return { ...service, clock, get, end };
}

const signInTo = ({ app }: Pick<Awaited<ReturnType<typeof openService>>, "app">, person: string, accountId = "acme") =>
  signIn(app, { accountId, person, role: "viewer" });

test("who is signed in is listed with ids that open nothing", async () => {
  await using service = await openService();
  const bo = await signInTo(service, BO);
  await signInTo(service, "stranger@example.com", "other");
  const answer = await service.get();
  const { sessions, has_more } = answer.json();
  assert.deepEqual([answer.statusCode, sessions.length, has_more], [200, 1, false]);
  const { id, ...rest } = sessions[0];
  const since = new Date(service.clock.nowMs()).toISOString();
  const expires_at = new Date(service.clock.nowMs() + 7 * 86_400_000).toISOString();
  assert.deepEqual(rest, { person: BO, role: "viewer", since, last_seen: since, expires_at });
  for (const token of [id, id.slice(4)]) {
    const headers = { ...SAME_ORIGIN, cookie: `bellwire_session=${token}` };
    assert.equal((await callRoute(service.app, "GET /session", { headers })).status, 401);
  }
  const [, token = ""] = bo.cookie.split("=");
  assert.ok(!answer.body.includes(token));
});

test("a list of more than a page goes on behind its last id, and one person's can be asked for", async () => {
  await using service = await openService();
  for (let n = 1; n <= 101; n += 1) await signInTo(service, n === 50 ? BO : `p${n}@example.com`);
  const first = (await service.get()).json();
  assert.deepEqual([first.sessions.length, first.has_more], [100, true]);
  const second = (await service.get(`${URL}?before=${first.sessions.at(-1).id}`)).json();
  assert.deepEqual([second.sessions.length, second.has_more], [1, false]);
  const bos = (await service.get(`${URL}?person=${encodeURIComponent(BO)}`)).json();
  assert.deepEqual(
    bos.sessions.map(({ person }: { person: string }) => person),
    [BO],
  );
});

describe("a leaver", () => {
  test("is found in either form of Unicode of their name", async () => {
    await using service = await openService();
    const [whole, apart] = ["NFC", "NFD"].map((form) => "José Nuñez".normalize(form));
    for (const [signedIn = "", asked = ""] of [
      [apart, whole],
      [whole, apart],
    ]) {
      const browser = await signInTo(service, signedIn);
      const url = `${URL}?person=${encodeURIComponent(asked)}`;
      assert.equal((await service.get(url)).json().sessions.length, 1);
      assert.equal((await service.end(url)).json().sessions_ended, 1);
      assert.equal((await browser.call("GET /deliveries")).status, 401);
    }
  });

  test("is refused from the next call on, everywhere, and does not come back by a link from before", async () => {
    await using service = await openService();
    const browsers = [await signInTo(service, BO), await signInTo(service, BO)];
    const [ana, stranger] = [await signInTo(service, "ana@example.com"), await signInTo(service, BO, "other")];
    const token = await linkToken(service.app, { accountId: "acme", person: BO });
    const ended = await service.end(`${URL}?person=${encodeURIComponent(BO)}`);
    assert.deepEqual([ended.statusCode, ended.json()], [200, { sessions_ended: 2, links_ended: 1 }]);
    for (const browser of browsers) assert.equal((await browser.call("GET /deliveries")).status, 401);
    for (const other of [ana, stranger]) assert.equal((await other.call("GET /deliveries")).status, 200);
    const entered = await callRoute(service.app, "POST /sign-in", { body: { token }, headers: SAME_ORIGIN });
    assert.deepEqual([entered.status, entered.code], [410, "link_expired"]);
    const again = await service.end(`${URL}?person=${encodeURIComponent(BO)}`);
    assert.deepEqual(again.json(), { sessions_ended: 0, links_ended: 0 });
    const { answer } = await ana.call("GET /audit");
    const { entries } = answer as { entries: Record<"person" | "role" | "address" | "action" | "subject", string>[] };
    const [entry] = entries.filter(({ action }) => action === "Signed a person out");
    const { person, role, address, subject } = entry ?? {};
    assert.deepEqual([person, role, address, subject], ["intake key", "system", "127.0.0.1", BO]);
  });

  test("comes back by a link that is made afterwards: that is the product's decision", async () => {
    await using service = await openService();
    await service.end();
    assert.equal((await (await signInTo(service, BO)).call("GET /session")).status, 200);
  });
});

test("every person of the account is signed out when none is named, and no person of another account", async () => {
  await using service = await openService();
  const here = [await signInTo(service, BO), await signInTo(service, "ana@example.com")];
  const there = await signInTo(service, BO, "other");
  assert.deepEqual((await service.end()).json(), { sessions_ended: 2, links_ended: 0 });
  for (const each of here) assert.equal((await each.call("GET /session")).status, 401);
  assert.equal((await there.call("GET /session")).status, 200);
});

describe("is refused, and no one is signed out:", () => {
  const CASES: readonly (readonly [method: "GET" | "DELETE", query: string, path: string])[] = [
    ["DELETE", "?person=", "person"],
    ["DELETE", `?person=${"x".repeat(321)}`, "person"],
    ["DELETE", "?person=a&person=b", "person"],
    ["DELETE", "?persn=bo@example.com", "persn"],
    ["DELETE", "?Person=bo@example.com", "Person"],
    ["DELETE", "?before=ses_00000000000000000000000000", "before"],
    ["GET", "?before=1", "before"],
    ["GET", "?limit=1", "limit"],
  ];
  for (const [method, query, path] of CASES) {
    test(`${method} ${query.slice(0, 40)}`, async () => {
      await using service = await openService();
      const bo = await signInTo(service, BO);
      const answer = await service.call({ method, url: URL + query });
      assert.deepEqual(
        [answer.statusCode, answer.json().code, answer.json().errors[0].path],
        [400, "invalid_parameter", path],
      );
      assert.equal((await bo.call("GET /session")).status, 200);
    });
  }

  for (const method of ["GET", "DELETE"] as const) {
    test(`${method} of an account that is not there, and without the key`, async () => {
      await using service = await openService();
      const missing = await service.call({ method, url: "/v1/accounts/nobody/sessions" });
      assert.deepEqual([missing.statusCode, missing.json().code], [404, "account_not_found"]);
      const bo = await signInTo(service, BO);
      const keyless = await service.app.server.inject({ method, url: URL, headers: { cookie: bo.cookie } });
      assert.deepEqual([keyless.statusCode, keyless.json().code], [401, "unauthorized"]);
    });
  }
});
