/**
 * Every route of the dashboard, tried by everybody who must not get in: a caller without a session, a viewer, another
 * site, and the owner of another account who knows every id. The list is the table of routes, so a new route is tried
 * at once.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../test/kit/make.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { readCertificate, startReceiver } from "../../test/kit/servers/receiver.ts";
import { type Parts, callRoute } from "../../test/kit/world/signed-in.ts";
import { type AccountThings, toCanary, setUpWithEverything } from "../../test/kit/world/two-accounts.ts";
import { writeDeliveryCursor, writeSeqCursor } from "./call/cursor.ts";
import type { TableRoute } from "./call/operation.ts";
import type { DeliveryList } from "./contract/deliveries.ts";
import { ROUTES } from "./contract/routes.ts";
import { HANDLERS } from "./handlers.ts";

const NAMES = Object.keys(HANDLERS) as TableRoute[];
const OWNERS_ONLY = NAMES.filter((name) => ROUTES[name].role === "owner");
const BY_ID = NAMES.filter((name) => name.includes(":id"));

const WEBHOOK = makeWebhookForm({
  url: "http://127.0.0.1:8099/in",
  headers: [{ name: "x-token", value: null, secret: true }],
});
const TYPED = { ...WEBHOOK, headers: [{ name: "x-token", value: "typed", secret: true }] };
const ALERT = makeAlertForm({ name: "Mine now", webhook: TYPED });

/** A body that the route's own schema takes, so that nothing but the auth hook can refuse it. */
const BODIES: Partial<Record<TableRoute, unknown>> = {
  "POST /alerts": { ...ALERT, webhooksOn: false, webhook: null },
  "PUT /alerts/:id": ALERT,
  "POST /webhooks": { name: "Mine now", events: "all", webhook: TYPED },
  "PUT /webhooks/:id": { name: "Mine now", events: "all", webhook: TYPED },
  "POST /webhooks/:id/test": { webhook: WEBHOOK, type: "demo_viewed" },
  "POST /event-types/:type/preview": { conditions: null },
  "POST /alerts/body-preview": { body: "slack", template: null, shown: null },
  "POST /assistants/:id/body-preview": { body: "slack", template: null, shown: null },
  "POST /webhooks/body-preview": { body: "slack", template: null, shown: null, types: "all" },
  "POST /alerts/preview": { audience: "all", demos: [], intentLevels: [], conditions: null },
  "POST /assistants/:id/preview": { conditions: null },
  "POST /alerts/:id/test": { webhook: WEBHOOK },
  "PUT /assistants/:id/webhook": { webhook: WEBHOOK },
  "POST /assistants/:id/test": { webhook: WEBHOOK },
  "POST /deliveries/resend": { ids: ["dlv_1"] },
  "PUT /destinations/:id/state": { state: "paused" },
  "POST /destinations/:id/skip": { deliveryId: "dlv_1" },
  "POST /replays": { filter: { states: ["delivered"] }, ratePerSecond: 1 },
  "PUT /views": { name: "Mine now", search: "status=failed" },
  "PUT /replays/:id/state": { state: "cancelled" },
  "POST /verification/reveal": { which: "current" },
  "POST /verification/rotate": { kind: "secret", overlap: "24h" },
  "POST /verification/end-rotation": { kind: "secret", keep: "current" },
  "POST /verification/signing-key": { isOn: true },
  "POST /verification/check": { headers: "", body: "{}" },
  "POST /client-certificate": { chain: readCertificate("hook.test") },
  "POST /failure-mail": { address: "ops@example.com" },
  "POST /news-channels": { kind: "slack", name: "Mine now", url: "http://127.0.0.1:8099/in" },
  "POST /read-keys": { name: "Mine now" },
  "POST /people": { email: "jane@acme.example" },
  "POST /people/replays": { email: "jane@acme.example", states: ["failed"] },
  "POST /people/erase": { email: "jane@acme.example" },
  "POST /playground": { type: "demo_viewed", record: "{}" },
};

const QUERIES: Partial<Record<TableRoute, Readonly<Record<string, string>>>> = {
  "GET /statistics": { range: "1h" },
  "GET /destinations/:id/report": { range: "1h" },
  "GET /destinations/:id/incident-figures": { incident: "inc_1" },
};

function makeParts(name: TableRoute, { ids }: Pick<AccountThings, "ids">): Parts {
  const [, , noun = ""] = /^(\S+) \/([\w-]+)/.exec(name) ?? [];
  return {
    params: { id: ids[noun] ?? "", type: "demo_viewed" },
    query: QUERIES[name] ?? {},
    ...(BODIES[name] === undefined ? {} : { body: BODIES[name] }),
    ...("ifMatch" in ROUTES[name] ? { ifMatch: 1 } : {}),
  };
}

let stack: AsyncDisposableStack;
let app: Awaited<ReturnType<typeof createTestApp>>["app"];
let acme: AccountThings;
let other: AccountThings;

before(async () => {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_PLAYGROUND: "1" };
  ({ app } = building.use(await createTestApp(env)));
  acme = await setUpWithEverything(app, receiver, { accountId: "acme", number: 1 });
  other = await setUpWithEverything(app, receiver, { accountId: "other", number: 2 });
  stack = building.move();
});
after(() => stack.disposeAsync());

test("every id that the walk tries is a real one of its account", async () => {
  for (const name of BY_ID.filter((each) => each.startsWith("GET "))) {
    for (const things of [acme, other]) {
      const { status, text } = await things.owner.call(name, makeParts(name, things));
      assert.equal(status, 200, `${name}: ${text}`);
    }
  }
});

describe("nobody signed in", () => {
  for (const name of NAMES) {
    test(`${name} is refused`, async () => {
      const parts = makeParts(name, acme);
      const { status, code, text } = await callRoute(app, name, {
        ...parts,
        headers: { "sec-fetch-site": "same-origin" },
      });
      assert.deepEqual([status, code], [401, "not_signed_in"]);
      assert.ok(!text.includes(toCanary("acme")));
    });
  }
});

describe("a viewer", () => {
  for (const name of OWNERS_ONLY) {
    test(`${name} is refused, in words`, async () => {
      const { status, code, text } = await acme.viewer.call(name, makeParts(name, acme));
      assert.deepEqual([status, code], [403, "not_allowed"]);
      assert.match(text, /viewer.*only owners/);
    });
  }

  test("sees whatever does not change anything", async () => {
    for (const name of NAMES.filter((each) => !OWNERS_ONLY.includes(each))) {
      const { status, text } = await acme.viewer.call(name, makeParts(name, acme));
      assert.equal(status, 200, `${name}: ${text}`);
    }
  });

  test("may do nothing that changes, sends or reveals: all of it is for owners", () => {
    const open = NAMES.filter((name) => !name.startsWith("GET ") && !OWNERS_ONLY.includes(name));
    // They check, try and look up what somebody types or pastes, and change nothing.
    assert.deepEqual(open.toSorted(), [
      "POST /alerts/body-preview",
      "POST /alerts/preview",
      "POST /assistants/:id/body-preview",
      "POST /assistants/:id/preview",
      "POST /event-types/:type/preview",
      "POST /people",
      "POST /verification/check",
      "POST /webhooks/body-preview",
    ]);
  });
});

describe("another site", () => {
  const changing = NAMES.filter((name) => !name.startsWith("GET "));
  const CASES: readonly (readonly [what: string, headers: Readonly<Record<string, string | undefined>>])[] = [
    ["without the CSRF token", { "x-bellwire-csrf": undefined }],
    ["with a wrong CSRF token", { "x-bellwire-csrf": "A".repeat(43) }],
    ["as the browser says: cross-site", { "sec-fetch-site": "cross-site" }],
    ["as the browser says: same-site, from a neighbour's host", { "sec-fetch-site": "same-site" }],
    ["by its Origin", { "sec-fetch-site": undefined, origin: "https://evil.example" }],
    ["from a sandboxed frame", { "sec-fetch-site": undefined, origin: "null" }],
    ["saying nothing of where it comes from", { "sec-fetch-site": undefined }],
  ];
  for (const [what, headers] of CASES) {
    test(`changes nothing: ${what}`, async () => {
      for (const name of [...changing, "POST /sign-out"] as const) {
        const parts = name === "POST /sign-out" ? {} : makeParts(name, acme);
        const { status, code } = await acme.owner.call(name, { ...parts, headers });
        assert.deepEqual([name, status, code], [name, 403, "foreign_origin"]);
      }
    });
  }

  for (const site of ["cross-site", "same-site"]) {
    test(`reads nothing either, though the cookie of a frame came along: ${site}`, async () => {
      for (const name of NAMES.filter((each) => each.startsWith("GET "))) {
        const { status, code } = await acme.owner.call(name, {
          ...makeParts(name, acme),
          headers: { "sec-fetch-site": site },
        });
        assert.deepEqual([name, status, code], [name, 403, "foreign_origin"]);
      }
    });
  }

  test("the CSRF token of another session is a wrong one", async () => {
    const headers = { "x-bellwire-csrf": acme.viewer.session.csrfToken };
    assert.equal(
      (await acme.owner.call("POST /failure-mail", { body: { address: "a@b.example" }, headers })).status,
      403,
    );
  });

  for (const origin of ["http://localhost:80", "http://LOCALHOST:80", "http://127.0.0.1:7070"]) {
    test(`our own page over plain http, where browsers send Origin only: ${origin}`, async () => {
      const host = new URL(origin).host;
      const headers = { "sec-fetch-site": undefined, origin, host };
      const body = { headers: "", body: "{}" };
      assert.equal((await acme.owner.call("POST /verification/check", { body, headers })).status, 200);
    });
  }

  for (const [type, body] of [
    ["application/x-www-form-urlencoded", "address=a@b.example"],
    ["text/plain", '{"address":"a@b.example"}'],
    ["multipart/form-data; boundary=x", "--x--"],
  ] as const) {
    test(`${type}, which forms can send, is not taken`, async () => {
      const { cookie, session } = acme.owner;
      const headers = {
        cookie,
        "x-bellwire-csrf": session.csrfToken,
        "sec-fetch-site": "same-origin",
        "content-type": type,
      };
      const url = "/dashboard/failure-mail";
      const answer = await app.server.inject({ method: "POST", url, headers, payload: body });
      assert.equal(answer.statusCode, 415);
    });
  }
});

describe("the owner of another account", () => {
  for (const name of BY_ID) {
    test(`${name} finds nothing by an id that exists elsewhere`, async () => {
      const { status, text } = await other.owner.call(name, makeParts(name, acme));
      assert.equal(status, 404, text);
      assert.ok(!text.includes(toCanary("acme")), text);
    });
  }

  test("meets nothing of the first account in any answer, whatever is asked for", async () => {
    const strangers = [toCanary("acme"), ...acme.secrets];
    for (const name of NAMES) {
      const isById = name.includes(":id");
      const { text } = await other.owner.call(name, makeParts(name, isById ? acme : other));
      // A refusal may repeat the id that it was asked for.
      const unseen = isById ? strangers : [...strangers, ...listIds(acme)];
      for (const stranger of unseen) assert.ok(!text.includes(stranger), `${name} shows ${stranger}`);
    }
  });

  const BY_QUERY: readonly (readonly [name: TableRoute, key: string, noun: string])[] = [
    ["GET /deliveries", "destination", "destinations"],
    ["GET /deliveries", "q", "deliveries"],
    ["GET /deliveries", "q", "sessions"],
    ["GET /statistics", "destination", "destinations"],
  ];
  for (const [name, key, noun] of BY_QUERY) {
    test(`${name} with ?${key}= of the first account's ${noun} brings nothing`, async () => {
      const query = { ...QUERIES[name], [key]: acme.ids[noun] ?? "" };
      const { status, text } = await other.owner.call(name, { query });
      assert.ok(status === 404 || status === 200, text);
      assert.ok(!text.includes(toCanary("acme")), text);
      if (name === "GET /deliveries" && status === 200) assert.deepEqual(JSON.parse(text).deliveries, []);
    });
  }

  for (const name of ["GET /deliveries", "GET /audit", "GET /sessions"] as const) {
    test(`${name} with a cursor of the first account's lists shows its own rows only`, async () => {
      const ahead = { createdAtMs: Number.MAX_SAFE_INTEGER, id: acme.ids["deliveries"] ?? "" };
      const cursor = name === "GET /deliveries" ? writeDeliveryCursor(ahead) : writeSeqCursor(Number.MAX_SAFE_INTEGER);
      const { status, text } = await other.owner.call(name, { query: { cursor } });
      assert.equal(status, 200, text);
      assert.ok(text.includes(toCanary("other")), "there is a row, so the cursor was followed");
      assert.ok(!text.includes(toCanary("acme")), text);
    });
  }

  test("signs nobody out of the first account: not by an id, and not by all others", async () => {
    const signedIn = async () => (await acme.owner.call("GET /signed-in")).text;
    const listed = await signedIn();
    assert.ok(listed.includes(acme.ids["signed-in"] ?? "none"), listed);
    await other.owner.call("DELETE /signed-in/:id", makeParts("DELETE /signed-in/:id", acme));
    assert.equal((await other.owner.call("DELETE /signed-in")).status, 204);
    assert.equal(await signedIn(), listed);
    assert.equal((await acme.viewer.call("GET /session")).status, 200);
  });

  test("prepares no replay of a destination that a body names", async () => {
    const filter = { destinationId: acme.ids["destinations"] ?? "", states: ["delivered"] };
    const { status, code } = await other.owner.call("POST /replays", { body: { filter, ratePerSecond: 1 } });
    assert.deepEqual([status, code], [404, "destination_not_found"]);
  });

  test("learns nothing of a delivery that pasted headers name", async () => {
    const check = async (id: string) => {
      const body = { headers: `webhook-id: ${id}\nx-service-signature: ${"A".repeat(43)}=`, body: '{"a":1}' };
      return (await other.owner.call("POST /verification/check", { body })).text;
    };
    assert.equal(await check(acme.ids["deliveries"] ?? ""), await check("dlv_nobodys"));
    assert.notEqual(await check(other.ids["deliveries"] ?? ""), await check("dlv_nobodys"));
  });

  test("changed nothing: the first account's audit names its own people only", async () => {
    const { answer } = await acme.owner.call("GET /audit");
    const people = (answer as { entries: { person: string }[] }).entries.map(({ person }) => person);
    assert.ok(people.length > 0);
    for (const person of people) assert.ok(person.includes(toCanary("acme")), person);
    const { answer: alert } = await acme.owner.call("GET /alerts/:id", makeParts("GET /alerts/:id", acme));
    assert.deepEqual(
      [(alert as { name: string }).name, (alert as { revision: number }).revision],
      [toCanary("acme"), 1],
    );
  });
});

test("no answer carries a secret before Reveal, a session's token, or a stack", async () => {
  const hidden = [...acme.secrets, acme.owner.cookie.split("=")[1] ?? "", acme.viewer.cookie.split("=")[1] ?? ""];
  for (const name of NAMES.filter((each) => each !== "POST /verification/reveal")) {
    // A wrong revision and a body that is refused show the refusals' own words.
    for (const parts of [
      makeParts(name, acme),
      { ...makeParts(name, acme), ifMatch: 999, body: { x: acme.secrets[1] } },
    ]) {
      const { text, headers } = await acme.viewer.call(name, parts);
      for (const secret of hidden) assert.ok(!text.includes(secret), `${name} shows ${secret}`);
      assert.doesNotMatch(text, /\n\s+at |node_modules|\.ts:\d/, name);
      assert.equal(headers["cache-control"], "no-store", name);
    }
  }
});

test("a route that needs a revision refuses a call without one, and one in another form", async () => {
  const parts = makeParts("DELETE /alerts/:id", other);
  for (const value of [undefined, "1", '"x"', 'W/"1"', "*"]) {
    const { status, code } = await other.owner.call("DELETE /alerts/:id", {
      params: parts.params ?? {},
      headers: { "if-match": value },
    });
    assert.deepEqual([status, code], [428, "revision_missing"]);
  }
});

test("a body that is refused names each field, and unknown fields too", async () => {
  const body = { address: "a@b.example\r\nBcc: c@d.example", also: 1 };
  const { status, answer } = await other.owner.call("POST /failure-mail", { body });
  assert.equal(status, 422);
  const { errors } = answer as { errors: { path: string; message: string }[] };
  assert.deepEqual(
    errors.map(({ path }) => path),
    ["address", "also"],
  );
});

test("a query that says something twice is refused", async () => {
  const { cookie } = other.owner;
  const answer = await app.server.inject({ method: "GET", url: "/dashboard/deliveries?q=a&q=b", headers: { cookie } });
  assert.deepEqual([answer.statusCode, answer.json().code], [400, "invalid_parameter"]);
});

test("what is searched for may come in a header, and counts before what the address says", async () => {
  const { cookie } = acme.owner;
  const ask = async (url: string, words?: string): Promise<number> => {
    const headers = { cookie, ...(words !== undefined && { "x-bellwire-search": words }) };
    const answer = await app.server.inject({ method: "GET", url, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<DeliveryList>().deliveries.length;
  };
  const id = acme.ids["deliveries"] ?? "";
  assert.equal(await ask("/dashboard/deliveries?tests=1", `q=${id}`), 1);
  assert.equal(await ask("/dashboard/deliveries?tests=1&q=dlv_none"), 0);
  assert.equal(await ask("/dashboard/deliveries?tests=1&q=dlv_none", `q=${id}`), 1);
  assert.ok((await ask("/dashboard/deliveries?tests=1", "%ff%=q")) >= 1, "a header that says nothing is none");
});

const listIds = ({ ids }: AccountThings): string[] => [...new Set(Object.values(ids))];
