import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { makeAccount } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { callRoute, linkToken, SAME_ORIGIN, signIn } from "../../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { putAccount } from "../../accounts/put-account.ts";
import type { App } from "../../app.ts";
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";

const ACCOUNT = "acme";

async function openApp(env: Readonly<Record<string, string>> = {}) {
  const clock = createVirtualClock();
  const service = await createTestApp(env, { clock });
  const { app } = service;
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT, plan: "free" }));
  return { app, clock, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const enter = (app: App, token: unknown, headers: Readonly<Record<string, string>> = SAME_ORIGIN) =>
  callRoute(app, "POST /sign-in", { body: { token }, headers });

describe("a link", () => {
  test("signs its person in, in its role, to its account", async () => {
    await using opened = await openApp();
    const who = { accountId: ACCOUNT, person: "Ben", role: "viewer" } as const;
    const { status, answer } = await enter(opened.app, await linkToken(opened.app, who));
    assert.equal(status, 200);
    const { account, person, role, alertWebhooksGate } = answer as Record<string, unknown>;
    assert.deepEqual([account, person, role], [makeAccount({ id: ACCOUNT, plan: "free" }), "Ben", "viewer"]);
    assert.match(String(alertWebhooksGate), /Starter plan/);
  });

  test("works once; the page is told that it was used and what to do", async () => {
    await using opened = await openApp();
    const token = await linkToken(opened.app, { accountId: ACCOUNT });
    assert.equal((await enter(opened.app, token)).status, 200);
    const again = await enter(opened.app, token);
    assert.deepEqual([again.status, again.code], [410, "link_used"]);
    assert.match(again.text, /bellwire dashboard-link/);
    assert.equal(again.headers["set-cookie"], undefined);
  });

  test("that is opened twice at once signs in once", async () => {
    await using opened = await openApp();
    const token = await linkToken(opened.app, { accountId: ACCOUNT });
    const answers = await Promise.all([1, 2, 3].map(() => enter(opened.app, token)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ code }) => code === "link_used").length, 2);
  });

  test("works for five minutes", async () => {
    await using opened = await openApp();
    const token = await linkToken(opened.app, { accountId: ACCOUNT });
    await opened.clock.advance(minutesMs(5));
    const late = await enter(opened.app, token);
    assert.deepEqual([late.status, late.code], [410, "link_expired"]);
  });

  for (const token of ["", "abc", "A".repeat(42), "A".repeat(43), "../../etc/passwd"]) {
    test(`that nobody made is unknown: ${JSON.stringify(token)}`, async () => {
      await using opened = await openApp();
      const { status, code, text } = await enter(opened.app, token);
      assert.deepEqual([status, code], [404, "link_unknown"]);
      assert.ok(token === "" || !text.includes(token));
    });
  }

  for (const [what, body] of [
    ["no token", {}],
    ["a token that is no text", { token: 7 }],
    ["more than a token", { token: "abc", role: "owner" }],
  ] as const) {
    test(`${what} is refused with the field's path`, async () => {
      await using opened = await openApp();
      const { status, answer } = await callRoute(opened.app, "POST /sign-in", { body, headers: SAME_ORIGIN });
      assert.equal(status, 422);
      assert.equal((answer as { errors: unknown[] }).errors.length, 1);
    });
  }

  for (const [what, payload, type] of [
    ["is no JSON", "{", "application/json"],
    ["is empty", "", "application/json"],
    ["has no token", "{}", "application/json"],
    ["is no UTF-8", Buffer.from([0xff]), "application/json"],
    ["is of another type", "token=abc", "application/x-www-form-urlencoded"],
    ["has more than 4 KiB", JSON.stringify({ token: "a".repeat(4_096) }), "application/json"],
    ["names a link that there is not", JSON.stringify({ token: "A".repeat(43) }), "application/json"],
  ] as const) {
    test(`is tried too often when the twenty-first body in a minute ${what}; a good one goes on working`, async () => {
      await using opened = await openApp();
      const { server } = opened.app;
      const headers = { ...SAME_ORIGIN, "content-type": type };
      const tryOnce = async () => await server.inject({ method: "POST", url: "/dashboard/sign-in", headers, payload });
      for (let tries = 0; tries < 20; tries += 1) assert.notEqual((await tryOnce()).statusCode, 429);
      const refused = await tryOnce();
      assert.deepEqual([refused.statusCode, refused.json().code], [429, "too_many_bad_links"]);
      assert.equal(refused.headers["retry-after"], "60");
      assert.equal((await enter(opened.app, await linkToken(opened.app, { accountId: ACCOUNT }))).status, 200);
      await opened.clock.advance(minutesMs(1));
      assert.notEqual((await tryOnce()).statusCode, 429);
    });
  }

  test("cannot be used by a page of another site, and stays good", async () => {
    await using opened = await openApp();
    const token = await linkToken(opened.app, { accountId: ACCOUNT });
    const foreign = await enter(opened.app, token, { "sec-fetch-site": "cross-site" });
    assert.deepEqual([foreign.status, foreign.code], [403, "foreign_origin"]);
    assert.equal((await enter(opened.app, token)).status, 200);
  });

  test("guessing is answered with 429 after a while; a right link works all the same", async () => {
    await using opened = await openApp();
    for (let tries = 0; tries < 20; tries += 1) assert.equal((await enter(opened.app, "A".repeat(43))).status, 404);
    const refused = await enter(opened.app, "A".repeat(43));
    assert.deepEqual([refused.status, refused.code, refused.headers["retry-after"]], [429, "too_many_bad_links", "60"]);
    assert.equal((await enter(opened.app, await linkToken(opened.app, { accountId: ACCOUNT }))).status, 200);
    await opened.clock.advance(minutesMs(1));
    assert.equal((await enter(opened.app, "A".repeat(43))).status, 404);
  });
});

describe("the cookie", () => {
  const readCookie = async (env: Readonly<Record<string, string>>): Promise<string> => {
    await using opened = await openApp(env);
    const answer = await enter(opened.app, await linkToken(opened.app, { accountId: ACCOUNT }));
    return String(answer.headers["set-cookie"]);
  };

  test("is out of reach for scripts and other sites, and lasts seven days", async () => {
    const [value, ...flags] = (await readCookie({})).split("; ");
    assert.match(value ?? "", /^bellwire_session=[\w-]{43}$/);
    assert.deepEqual(flags, ["Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Strict"]);
  });

  test("goes over https only where people use https, and only below the service's path", async () => {
    const [value, ...flags] = (await readCookie({ BELLWIRE_PUBLIC_URL: "https://example.com/bellwire" })).split("; ");
    assert.match(value ?? "", /^__Secure-bellwire_session=/);
    assert.ok(flags.includes("Secure"));
    assert.ok(flags.includes("Path=/bellwire"));
  });

  test("has a name over https that no neighbour's host can write", async () => {
    const env = { BELLWIRE_PUBLIC_URL: "https://hooks.example.com" };
    const [value, ...flags] = (await readCookie(env)).split("; ");
    assert.match(value ?? "", /^__Host-bellwire_session=[\w-]{43}$/);
    assert.deepEqual(flags, ["Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Strict", "Secure"]);
    await using opened = await openApp(env);
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    assert.equal((await ana.call("GET /session")).status, 200);
    const planted = await ana.call("GET /session", { headers: { cookie: ana.cookie.replace("__Host-", "") } });
    assert.equal(planted.status, 401);
  });

  describe("where pages of other origins may frame ours", () => {
    const env = {
      BELLWIRE_PUBLIC_URL: "https://hooks.example.com",
      BELLWIRE_EMBED_ORIGINS: "https://app.example.com",
    };
    const enterFrom = async (isFramed: boolean): Promise<readonly string[]> => {
      await using opened = await openApp(env);
      const token = await linkToken(opened.app, { accountId: ACCOUNT });
      const headers = { ...SAME_ORIGIN, "content-type": "application/json" };
      const request = { method: "POST", url: "/dashboard/sign-in", headers, payload: { token, isFramed } } as const;
      return [(await opened.app.server.inject(request)).headers["set-cookie"] ?? []].flat();
    };

    test("is kept for the site around a frame alone, and the one of a page of its own goes", async () => {
      const [gone = "", kept = ""] = await enterFrom(true);
      assert.match(gone, /^__Host-bellwire_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict; Secure$/);
      assert.match(kept, /^__Host-bellwire_session=[\w-]{43}; .*; SameSite=None; Secure; Partitioned$/);
    });

    test("is of our site alone for a page of its own, and the one of a frame goes", async () => {
      const [gone = "", kept = ""] = await enterFrom(false);
      assert.match(gone, /^__Host-bellwire_session=; .*Max-Age=0; .*; SameSite=None; Secure; Partitioned$/);
      assert.match(kept, /^__Host-bellwire_session=[\w-]{43}; .*; SameSite=Strict; Secure$/);
    });

    test("is not kept for a frame where the operator lets nobody frame the page", async () => {
      await using opened = await openApp({ BELLWIRE_PUBLIC_URL: env.BELLWIRE_PUBLIC_URL });
      const token = await linkToken(opened.app, { accountId: ACCOUNT });
      const headers = { ...SAME_ORIGIN, "content-type": "application/json" };
      const payload = { token, isFramed: true };
      const answer = await opened.app.server.inject({ method: "POST", url: "/dashboard/sign-in", headers, payload });
      assert.match(String(answer.headers["set-cookie"]), /SameSite=Strict; Secure$/);
    });
  });

  test("is in no answer's body, and what the store keeps does not open a session", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const [, token = ""] = ana.cookie.split("=");
    assert.ok(!JSON.stringify(ana.session).includes(token));
    assert.notEqual(ana.session.csrfToken, token);
    const stored = createHash("sha256").update(token).digest("hex");
    const answer = await ana.call("GET /session", { headers: { cookie: `bellwire_session=${stored}` } });
    assert.equal(answer.status, 401);
  });
});

describe("a session", () => {
  test("lasts seven days and not longer, however much it is used", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const stepMs = daysMs(7) / 16;
    for (let step = 1; step < 16; step += 1) {
      await opened.clock.advance(stepMs);
      assert.equal((await ana.call("GET /session")).status, 200);
    }
    await opened.clock.advance(stepMs);
    const late = await ana.call("GET /session");
    assert.deepEqual([late.status, late.code], [401, "not_signed_in"]);
  });

  test("that nobody uses ends after twelve hours", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    await opened.clock.advance(hoursMs(12));
    const late = await ana.call("GET /session");
    assert.deepEqual([late.status, late.code], [401, "not_signed_in"]);
  });

  test("ends when somebody signs out, and the browser forgets its cookie", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const ended = await ana.call("POST /sign-out");
    assert.equal(ended.status, 204);
    assert.match(String(ended.headers["set-cookie"]), /^bellwire_session=; .*Max-Age=0/);
    assert.equal((await ana.call("GET /session")).status, 401);
  });

  test("ends when the same browser signs in again, and leaves other people's alone", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const ben = await signIn(opened.app, { accountId: ACCOUNT, person: "ben@example.com" });
    const token = await linkToken(opened.app, { accountId: ACCOUNT });
    await enter(opened.app, token, { ...SAME_ORIGIN, cookie: ana.cookie });
    assert.equal((await ana.call("GET /session")).status, 401);
    assert.equal((await ben.call("GET /session")).status, 200);
  });

  test("is found among other cookies of the same host", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const cookie = `theme=dark; bellwire_session=nonsense; ${ana.cookie}; other="a=b"`;
    assert.equal((await ana.call("GET /session", { headers: { cookie } })).status, 200);
  });

  test("is written down in the account's audit", async () => {
    await using opened = await openApp();
    const ana = await signIn(opened.app, { accountId: ACCOUNT });
    const { answer } = await ana.call("GET /audit");
    const { entries } = answer as { entries: { person: string; action: string }[] };
    assert.deepEqual(
      entries.map(({ person, action }) => [person, action]),
      [["ana@example.com", "Signed in"]],
    );
  });
});

describe("the link's person and role, as the product names them", () => {
  const ask = async (body: unknown, raw: Readonly<Record<string, string>> = {}) => {
    await using opened = await createTestApp();
    await opened.put(`/v1/accounts/${ACCOUNT}`, { name: "Acme", plan: "free", app_url: "https://app.example.com" });
    const asked = await opened.post(`/v1/accounts/${ACCOUNT}/dashboard-links`, body, raw);
    if (asked.statusCode !== 201) return { status: asked.statusCode, problem: asked.json() };
    const token = String(asked.json().url).split("/").at(-1);
    const { answer } = await enter(opened.app, token);
    const { person, role } = answer as { person: string; role: string };
    return { status: 201, person, role };
  };

  test("are an unnamed owner when nothing is said", async () => {
    assert.deepEqual(await ask(undefined), { status: 201, person: "Account owner", role: "owner" });
    assert.deepEqual(await ask({}), { status: 201, person: "Account owner", role: "owner" });
    assert.deepEqual(await ask("", { "content-type": "application/json" }), await ask(undefined));
  });

  for (const person of ["ana@example.com", "Ana Müller", "山田 太郎", "a"]) {
    test(`may be ${person}`, async () => {
      assert.deepEqual(await ask({ person, role: "viewer" }), { status: 201, person, role: "viewer" });
    });
  }

  for (const [what, body, path] of [
    ["a person of nothing", { person: "" }, "person"],
    ["a person with a line break", { person: "Ana\nBcc: x" }, "person"],
    ["a person that is drawn backwards", { person: "Ana\u202egnp" }, "person"],
    ["a person with spaces around", { person: " Ana " }, "person"],
    ["a person too long for a line", { person: "a".repeat(321) }, "person"],
    ["a role that does not exist", { role: "admin" }, "role"],
    ["a field that is not known", { email: "ana@example.com" }, "email"],
  ] as const) {
    test(`cannot be ${what}`, async () => {
      const { status, problem } = await ask(body);
      assert.equal(status, 422);
      assert.deepEqual(
        problem.errors.map((error: { path: string }) => error.path),
        [path],
      );
    });
  }
});

describe("below a path, behind a proxy that rewrites the host", () => {
  for (const prefix of ["/bellwire/dashboard", "/dashboard"]) {
    test(`signing in and changing something work at ${prefix}`, async () => {
      await using opened = await openApp({ BELLWIRE_PUBLIC_URL: "https://example.com/bellwire" });
      const { server } = opened.app;
      const from = { origin: "https://example.com", host: "127.0.0.1:7070", "content-type": "application/json" };
      const token = await linkToken(opened.app, { accountId: ACCOUNT });
      const payload = { token };
      const entered = await server.inject({ method: "POST", url: `${prefix}/sign-in`, headers: from, payload });
      assert.equal(entered.statusCode, 200);
      const cookie = String(entered.headers["set-cookie"]).split(";", 1)[0] ?? "";
      const headers = { ...from, cookie, "x-bellwire-csrf": entered.json().csrfToken };
      const saved = { address: "ops@example.com" };
      const changed = await server.inject({ method: "POST", url: `${prefix}/failure-mail`, headers, payload: saved });
      assert.equal(changed.statusCode, 200, changed.body);
      const foreign = [{ origin: "https://example.org" }, { origin: "http://example.com", host: "example.com" }];
      for (const elsewhere of foreign) {
        const refused = await server.inject({
          method: "POST",
          url: `${prefix}/failure-mail`,
          headers: { ...headers, ...elsewhere },
          payload: saved,
        });
        assert.equal(refused.statusCode, 403, elsewhere.origin);
      }
    });
  }
});
