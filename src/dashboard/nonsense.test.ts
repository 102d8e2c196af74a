/**
 * Input that no page sends, tried at every route: characters that no text has, numbers beyond what a store can compare,
 * made-up cursors, names that are not shown as they are. All of it is refused in words; nothing is a fault of the
 * service. PostgreSQL answers some of it with an error that SQLite does not have, so it must not come that far.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../test/kit/make.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { type AccountThings, setUpWithEverything } from "../../test/kit/world/two-accounts.ts";
import type { SessionAnswer } from "./contract/session.ts";
import type { TableRoute } from "./call/operation.ts";
import { HANDLERS } from "./handlers.ts";

const NUL = "a\0b";
const WEBHOOK = makeWebhookForm({ url: "http://127.0.0.1:8099/in" });
const ALERT = makeAlertForm({ name: "All", webhooksOn: false, webhook: null });

let stack: AsyncDisposableStack;
let acme: AccountThings;

before(async () => {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_PLAYGROUND: "1" };
  const { app } = building.use(await createTestApp(env));
  acme = await setUpWithEverything(app, receiver, { accountId: "acme", number: 1 });
  stack = building.move();
});
after(() => stack.disposeAsync());

const cursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a NUL character", () => {
  for (const name of (Object.keys(HANDLERS) as TableRoute[]).filter((each) => each.includes(":id"))) {
    test(`in the id of ${name} is nobody's id`, async () => {
      const { status, code } = await acme.owner.call(name, { params: { id: NUL }, ifMatch: 1, body: {} });
      assert.deepEqual([status, code], [404, "not_found"]);
    });
  }

  for (const [name, key, more = {}] of [
    ["GET /deliveries", "q"],
    ["GET /deliveries", "destination"],
    ["GET /statistics", "destination", { range: "1h" }],
  ] as const) {
    test(`in ?${key}= of ${name} is refused by name`, async () => {
      const { status, answer } = await acme.owner.call(name, { query: { ...more, [key]: NUL } });
      assert.equal(status, 400);
      assert.equal((answer as { errors: { path: string }[] }).errors[0]?.path, key);
    });
  }

  for (const [name, body, path] of [
    ["POST /alerts", { ...ALERT, name: NUL }, "name"],
    ["POST /alerts", { ...ALERT, demos: ["one", NUL] }, "demos[1]"],
    [
      "POST /alerts",
      { ...ALERT, conditions: { join: "all", list: [{ field: `utm_params.${NUL}`, operator: "known" }] } },
      "conditions.list[0].field",
    ],
    [
      "POST /alerts/preview",
      {
        audience: "all",
        demos: [],
        intentLevels: [],
        conditions: { join: "all", list: [{ field: "name", operator: "is", value: NUL }] },
      },
      "conditions.list[0].value",
    ],
    ["POST /alerts/:id/test", { webhook: { ...WEBHOOK, url: NUL } }, "webhook.url"],
    ["POST /failure-mail", { address: `${NUL}@example.com` }, "address"],
    ["POST /news-channels", { kind: "slack", name: NUL, url: WEBHOOK.url }, "name"],
    ["POST /news-channels", { kind: "slack", name: "Ops", url: NUL }, "url"],
    ["POST /replays", { filter: { destinationId: NUL, states: ["failed"] }, ratePerSecond: 1 }, "filter.destinationId"],
    ["POST /verification/check", { headers: `webhook-id: ${NUL}`, body: "{}" }, "headers"],
  ] as const) {
    test(`in ${path} of ${name} is refused at its field`, async () => {
      const { status, answer } = await acme.owner.call(name, { params: { id: "new" }, body });
      assert.equal(status, 422);
      assert.deepEqual(
        (answer as { errors: { path: string }[] }).errors.map((error) => error.path),
        [path],
      );
    });
  }
});

describe("a cursor that no list gave", () => {
  const CURSORS = [
    "x",
    "-1",
    "NaN",
    "x".repeat(5_000),
    cursor(null),
    cursor({ id: 1 }),
    cursor([1, NUL]),
    cursor([1.5]),
  ];
  for (const name of ["GET /deliveries", "GET /audit", "GET /sessions"] as const) {
    for (const value of [...CURSORS, cursor([1e300, "dlv_1"]), cursor(["1", "2"])]) {
      test(`${name} refuses ${value.slice(0, 20)}`, async () => {
        const { status, answer } = await acme.owner.call(name, { query: { cursor: value } });
        assert.equal(status, 400);
        assert.equal((answer as { errors: { path: string }[] }).errors[0]?.path, "cursor");
      });
    }
  }
});

test("a time that no store can compare is refused at its field", async () => {
  const filter = { states: ["failed"], createdFromMs: 1e300 };
  const { status, answer } = await acme.owner.call("POST /replays", { body: { filter, ratePerSecond: 1 } });
  assert.equal(status, 422);
  assert.equal((answer as { errors: { path: string }[] }).errors[0]?.path, "filter.createdFromMs");
});

describe("a Webhook URL that is too long", () => {
  const url = "https://example.com/";
  for (const length of [2_049, 2_130, 5_000, 100_000]) {
    test(`by ${length - 2_048} characters is refused with the limit that holds, saved and tested`, async () => {
      const webhook = { ...WEBHOOK, url: url.padEnd(length, "x") };
      for (const [name, body] of [
        ["POST /alerts", { ...ALERT, webhook }],
        ["POST /alerts/:id/test", { webhook }],
      ] as const) {
        const { status, answer } = await acme.owner.call(name, { params: { id: "new" }, body });
        assert.equal(status, 422);
        const [error] = (answer as { errors: { path: string; message: string }[] }).errors;
        assert.match(error?.path ?? "", /url$/);
        assert.equal(error?.message, `The Webhook URL has ${length} characters; at most 2048 are taken`);
      }
    });
  }
});

describe("an alert's name", () => {
  for (const name of ["", " ", "\u00a0\u3000", "two\nlines", "\ud800", "drawn\u202ebackwards", "\u200d", "a\u0007"]) {
    test(`cannot be ${JSON.stringify(name)}`, async () => {
      const { status, answer } = await acme.owner.call("POST /alerts", { body: { ...ALERT, name } });
      assert.equal(status, 422);
      assert.equal((answer as { errors: { path: string }[] }).errors[0]?.path, "name");
    });
  }

  for (const name of ["a", "Größe 漢字", "مرحبا", "👩‍💻 team", "<script>alert(1)</script>", "می‌خواهم"]) {
    test(`may be ${name}, and comes back as it is`, async () => {
      const saved = await acme.owner.call("POST /alerts", { body: { ...ALERT, name } });
      assert.equal(saved.status, 200, saved.text);
      const { id } = saved.answer as { id: string };
      const { answer } = await acme.owner.call("GET /alerts/:id", { params: { id } });
      assert.equal((answer as { name: string }).name, name);
    });
  }

  test("may be as long as the form lets it be, and no longer", async () => {
    const session = await acme.owner.call("GET /session", {});
    const { alertNameCharsMax } = (session.answer as SessionAnswer).limits;
    const statuses = [alertNameCharsMax, alertNameCharsMax + 1].map(async (chars) => {
      const { status } = await acme.owner.call("POST /alerts", { body: { ...ALERT, name: "n".repeat(chars) } });
      return status;
    });
    assert.deepEqual(await Promise.all(statuses), [200, 422]);
  });
});
