/**
 * Every call that the OpenAPI document tells programs of, when all of them are open, tried with every kind of key, of
 * token and of session: whom it refuses, and how. Who may look is let in; what the other calls do has tests of its own.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { setUpWithEverything, toCanary } from "../../test/kit/world/two-accounts.ts";
import { type CalledWorld, type Caller, type CallerName, CALLERS, signAll } from "./callers.kit.ts";

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Listed {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The kinds of keys that open it. */
  readonly schemes: readonly string[];
}

let stack: AsyncDisposableStack;
let world: CalledWorld;
let headers: Awaited<ReturnType<typeof signAll>>;
let operations: readonly Listed[];

before(async () => {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1" };
  const { app, call } = building.use(await createTestApp(env));
  const own = await setUpWithEverything(app, receiver, { accountId: "acme", number: 1 });
  const other = await setUpWithEverything(app, receiver, { accountId: "other", number: 2 });
  world = { app, own, other };
  headers = await signAll(world);
  const { paths, security: usual } = (await call({ method: "GET", url: "/openapi.json" })).json();
  operations = Object.entries<Readonly<Record<string, Operation>>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, security = usual }]) => {
      const schemes = (security as Required<Operation>["security"]).flatMap((each) => Object.keys(each));
      return { operationId, method: method.toUpperCase(), path, schemes };
    }),
  );
  stack = building.move();
});
after(() => stack.disposeAsync());

/** What a caller is refused with; `null`: it is let in. */
function refusalOf({ operationId, path, schemes }: Listed, { opens, of }: Caller): number | null {
  if (opens === null) return 401;
  if (opens === "readKey" && schemes.includes("manageKey")) return 403;
  // A key that manages reads too.
  if (!schemes.includes(opens) && !(opens === "manageKey" && schemes.includes("readKey"))) return 401;
  if (operationId === "askAsAgent") return of === "all" ? 403 : null;
  if (operationId === "listAccounts") return of === "all" ? null : 403;
  return of === "other" && path.includes("{account_id}") ? 404 : null;
}

function addressOf({ path }: Listed): string {
  const { accountId, ids } = world.own;
  const known: Readonly<Record<string, string | undefined>> = {
    account_id: accountId,
    assistant_id: ids["assistants"],
    delivery_id: ids["deliveries"],
    event: ids["sessions"],
    key_id: ids["read-keys"],
    webhook_id: ids["destinations"],
  };
  return path.replace(/\{(\w+)\}/g, (_, part: string) => known[part] ?? assert.fail(part));
}

/** Each from an address of its own, as wrong keys are counted by it. */
let calls = 0;
async function send(listed: Listed, caller: CallerName) {
  const { method } = listed;
  const content = { headers: { ...headers[caller], "content-type": "application/json" }, payload: "{}" };
  return await world.app.server.inject({
    method: method as "GET",
    url: addressOf(listed),
    ...(method === "GET" || method === "DELETE" ? { headers: headers[caller] } : content),
    remoteAddress: `198.51.100.${(calls += 1) % 250}`,
  });
}

describe("each call", () => {
  for (const [name, caller] of Object.entries(CALLERS)) {
    test(`is answered to ${name} as it may`, async () => {
      const closed = operations.filter(({ schemes }) => schemes.length > 0);
      assert.ok(closed.length > 35, `${closed.length} calls`);
      for (const listed of closed) {
        const refusal = refusalOf(listed, caller);
        if (refusal === null && listed.method !== "GET") continue;
        const { statusCode, body, headers: answered } = await send(listed, name as CallerName);
        const what = `${listed.operationId}: ${body}`;
        assert.equal(statusCode, refusal ?? 200, what);
        if (refusal !== null) assert.ok(!body.includes(toCanary("acme")), what);
        assert.ok(!body.includes(caller.of === "other" ? toCanary("acme") : toCanary("other")) || caller.of === "all");
        if (refusal === 401) assert.match(String(answered["www-authenticate"]), /^Bearer/, what);
        if (!listed.schemes.includes("intakeKey")) assert.equal(answered["cache-control"], "no-store", what);
      }
    });
  }
});
