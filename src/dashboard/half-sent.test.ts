/**
 * Bodies that are sent by halves, to every route of the dashboard and over real sockets: a caller that may not make a
 * call is told so by its head alone, so that no stranger can fill the service's memory. The list is the table of routes
 * itself: a new route is tried from its first day.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAccount } from "../../test/kit/make.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { openRawCaller, postHead } from "../../test/kit/servers/raw-caller.ts";
import { SAME_ORIGIN, type SignedIn, signIn } from "../../test/kit/world/signed-in.ts";
import { putAccount } from "../accounts/put-account.ts";
import { LIMITS } from "../domain/limits.ts";
import { LINK_BYTES_MAX } from "./call/operation.ts";
import { type RouteName, type RouteRow, ROUTES } from "./contract/routes.ts";
import { EVENT_FORM_BYTES_MAX, FORM_BYTES_MAX } from "./forms/bodies.ts";
import { HANDLERS } from "./handlers.ts";

const NAMES = [...Object.keys(HANDLERS), "POST /sign-out"] as RouteName[];
const CHANGING = NAMES.filter((name) => !name.startsWith("GET "));
const rowOf = (name: RouteName): RouteRow => ROUTES[name];
const isForOwners = (name: RouteName): boolean => rowOf(name).role === "owner";

let stack: AsyncDisposableStack;
let port: number;
let owner: SignedIn;
let viewer: SignedIn;

before(async () => {
  await using building = new AsyncDisposableStack();
  const { app } = building.use(await createTestApp({ BELLWIRE_PLAYGROUND: "1" }));
  await putAccount(app.accounts, makeAccount({ id: "acme", plan: "growth" }));
  owner = await signIn(app, { accountId: "acme" });
  viewer = await signIn(app, { accountId: "acme", role: "viewer" });
  ({ port } = await app.start());
  stack = building.move();
});
after(() => stack.disposeAsync());

/** The answer to a head with a small part of its body. */
async function half(name: string, bodyBytes: number, headers: Readonly<Record<string, string>>) {
  const [method = "", path = ""] = name.split(" ");
  using caller = await openRawCaller(port);
  const head = postHead(path.replace(":id", "new"), bodyBytes, headers).replace("POST", method);
  caller.write(`${head}{"half":`);
  const text = await caller.answered(/\}$/);
  const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  const [, code = ""] = /"code":"(\w+)"/.exec(text) ?? [];
  return [name, Number(status), code];
}

const dashboard = (name: RouteName): string => name.replace(" ", " /dashboard");
const as = ({ cookie, session }: SignedIn) => ({ ...SAME_ORIGIN, cookie, "x-bellwire-csrf": session.csrfToken });

describe("half a body", () => {
  for (const name of NAMES) {
    test(`of somebody who is not signed in is not waited for by ${name}`, async () => {
      const path = dashboard(name);
      assert.deepEqual(await half(path, 100_000, SAME_ORIGIN), [path, 401, "not_signed_in"]);
    });
  }

  for (const name of CHANGING) {
    test(`from another site is not waited for by ${name}`, async () => {
      const path = dashboard(name);
      const foreign = { ...as(owner), "sec-fetch-site": "cross-site" };
      assert.deepEqual(await half(path, 100_000, foreign), [path, 403, "foreign_origin"]);
      const { cookie } = owner;
      assert.deepEqual(await half(path, 100_000, { ...SAME_ORIGIN, cookie }), [path, 403, "foreign_origin"]);
    });
  }

  for (const name of CHANGING.filter(isForOwners)) {
    test(`of a viewer is not waited for by ${name}`, async () => {
      const path = dashboard(name);
      assert.deepEqual(await half(path, 100_000, as(viewer)), [path, 403, "not_allowed"]);
    });
  }

  for (const name of CHANGING) {
    test(`that says it is larger than ${name} takes is not waited for`, async () => {
      const { bodyBytesMax = FORM_BYTES_MAX } = rowOf(name);
      const path = dashboard(name);
      assert.deepEqual(await half(path, bodyBytesMax + 1, as(owner)), [path, 413, "body_too_large"]);
    });
  }

  test("from another site is not waited for by the sign-in", async () => {
    const [name, foreign] = ["POST /dashboard/sign-in", { "sec-fetch-site": "cross-site" }];
    assert.deepEqual(await half(name, 100, foreign), [name, 403, "foreign_origin"]);
  });

  test("of more than 4 KiB is not waited for by the sign-in", async () => {
    const name = "POST /dashboard/sign-in";
    assert.equal(LINK_BYTES_MAX, 4_096);
    assert.deepEqual(await half(name, 4_097, SAME_ORIGIN), [name, 413, "body_too_large"]);
  });

  test("with a method that an address does not take is not waited for", async () => {
    for (const [name, code] of [
      ["PATCH /dashboard/alerts", "method_not_allowed"],
      ["QUERY /dashboard/alerts", "method_not_allowed"],
      ["DELETE /dashboard/session", "method_not_allowed"],
    ] as const) {
      assert.deepEqual(await half(name, 100_000, SAME_ORIGIN), [name, 405, code]);
    }
  });

  for (const name of [
    "PUT /v1/accounts/a",
    "PUT /v1/accounts/a/chat-assistants/b",
    "POST /v1/accounts/a/demo-sessions",
    "POST /v1/accounts/a/chat-conversations",
    "POST /v1/accounts/a/dashboard-links",
    "PATCH /v1/accounts/a",
  ]) {
    test(`without an intake key is not waited for by ${name}`, async () => {
      assert.deepEqual(await half(name, 1_000, {}), [name, 401, "unauthorized"]);
      const batch = { "content-type": "application/x-ndjson" };
      assert.deepEqual(await half(name, LIMITS.batchBytesMax, batch), [name, 401, "unauthorized"]);
    });
  }

  test("of more than a record may have is not waited for by intake, whoever sends it", async () => {
    const name = "POST /v1/accounts/acme/demo-sessions";
    const authorization = `Bearer ${API_KEY}`;
    assert.deepEqual(await half(name, LIMITS.recordBytesMax + 1, { authorization }), [name, 413, "body_too_large"]);
  });
});

test("only bodies that carry an event may be larger than a form, and none is larger than 2 MiB and a form", () => {
  const larger = Object.entries(ROUTES).filter(([, route]) => "bodyBytesMax" in route);
  assert.deepEqual(larger.map(([name]) => name).toSorted(), [
    "POST /alerts/:id/test",
    "POST /assistants/:id/test",
    "POST /playground",
    "POST /verification/check",
    "POST /webhooks/:id/test",
  ]);
  for (const [, route] of larger) assert.equal("bodyBytesMax" in route && route.bodyBytesMax, EVENT_FORM_BYTES_MAX);
  assert.deepEqual([FORM_BYTES_MAX, EVENT_FORM_BYTES_MAX], [128 * 1024, 2 * 1024 * 1024 + 128 * 1024]);
});
