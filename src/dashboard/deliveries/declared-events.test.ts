/** Events of declared types in lists, searches, the log and by themselves, with keys that a float would change. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { ANA, createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { ACCOUNT, toValue } from "../../../test/kit/world/world.ts";
import { saveWebhook } from "../../accounts/save-webhook.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";

const ORDER = "order.paid";
const LEAD = "lead_identified";
const LONG = "12345678901234567890";
/** The same number to a float. */
const NEXT = "12345678901234567891";

const types = createEventTypes([
  toDeclaration({
    type: ORDER,
    schema: {
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "integer", description: "The order’s number." },
        customer: { type: "object", properties: { account: { type: "number", description: "Theirs." } } },
        lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
      },
    },
    headline: ["/customer/account"],
    search: ["/customer/account"],
    exampleText: '{"id":1}',
  }),
  toDeclaration({ type: LEAD, headline: ["/id"] }),
]);

const orderOf = (id: string, account: string): string => `{"id":${id},"customer":{"account":${account}}}`;

async function createShop() {
  const answers = await createAnswers({ types });
  const send = async (type: string, ...records: readonly string[]): Promise<void> => {
    const found = types.find(type);
    assert.ok(found !== undefined);
    toValue(await answers.accept(...records.map((text) => toValue(found.parse(text)))));
  };
  await send(ORDER, orderOf(LONG, "98765432109876543210"), orderOf(NEXT, "1.50"));
  await send(LEAD, '{"id":"Ada"}', '{"id":"ada"}');
  await answers.index();
  const list = async (query: Readonly<Record<string, string>> = {}) =>
    toValue(await answers.call("GET /events", { query })).events.map(({ sourceId }) => sourceId);
  return { answers, send, list, [Symbol.asyncDispose]: () => answers[Symbol.asyncDispose]() };
}

describe("events of declared types", () => {
  test("are one list, by type if asked, and found by words, ids and their keys", async () => {
    await using shop = await createShop();
    assert.deepEqual(await shop.list(), ["ada", "Ada", NEXT, LONG]);
    assert.deepEqual(await shop.list({ type: ORDER }), [NEXT, LONG]);
    assert.deepEqual(await shop.list({ type: "gone_by_now" }), []);
    assert.deepEqual(await shop.list({ q: "98765432109876543210" }), [LONG]);
    assert.deepEqual(await shop.list({ q: NEXT }), [NEXT]);
    assert.deepEqual(await shop.list({ q: NEXT, type: LEAD }), []);
    assert.deepEqual(await shop.list({ not_sent: "1" }), ["ada", "Ada", NEXT, LONG]);
    const bad = await shop.answers.call("GET /events", { query: { type: "No Type" } });
    assert.deepEqual(listPaths(bad), ["type"]);
  });

  test("lead to and from the deliveries of a webhook that gets several types", async () => {
    await using shop = await createShop();
    const { answers } = shop;
    const webhook = makeWebhookForm({ url: "http://127.0.0.1:9/hook", authentication: null });
    const settings = { name: "All", events: "all" } as const;
    toValue(
      await saveWebhook(answers.app.accounts, { accountId: ACCOUNT, existing: null, settings, webhook, by: ANA }),
    );
    const key = "30000000000000000001";
    await shop.send(ORDER, orderOf(key, "1"), orderOf("30000000000000000002", "2"));
    await shop.send(LEAD, '{"id":"Bob"}');
    await answers.index();
    const log = async (query: Readonly<Record<string, string>>) =>
      toValue(await answers.call("GET /deliveries", { query })).deliveries;
    assert.deepEqual((await log({})).map(({ eventType }) => eventType).toSorted(), [LEAD, ORDER, ORDER]);
    assert.equal((await log({ event: ORDER })).length, 2);
    assert.deepEqual(toValue(await answers.call("GET /deliveries/total", { query: { event: ORDER } })).count, 2);
    const [found, ...others] = await log({ event: ORDER, q: key });
    assert.ok(found !== undefined && others.length === 0);
    const detail = toValue(await answers.call("GET /deliveries/:id", { params: { id: found.id } }));
    assert.equal(detail.sourceId, key);
    const event = toValue(await answers.call("GET /events/:type/:id", { params: { type: ORDER, id: key } }));
    assert.deepEqual(
      event.rows.map(({ id }) => id),
      [found.id],
    );
  });

  test("open by their exact keys, with what their fields mean", async () => {
    await using shop = await createShop();
    const open = (type: string, id: string) => shop.answers.call("GET /events/:type/:id", { params: { type, id } });
    const order = toValue(await open(ORDER, LONG));
    assert.deepEqual([order.sourceId, order.type, order.about.who], [LONG, ORDER, "98765432109876543210"]);
    assert.equal(order.body, `{"id":${LONG},"customer":{"account":98765432109876543210},"event":"${ORDER}"}`);
    assert.deepEqual(
      order.fields.map(({ path, description }) => [path, description]),
      [
        ["id", "The order’s number."],
        ["customer", ""],
        ["customer.account", "Theirs."],
        ["lines", ""],
        ["lines[].sku", ""],
        ["event", order.fields.at(-1)?.description],
      ],
    );
    assert.equal(toValue(await open(LEAD, "Ada")).about.who, "Ada");
    assert.equal(toValue(await open(LEAD, "ada")).about.who, "ada");
    for (const [type, id] of [
      [LEAD, "ADA"],
      [ORDER, "12345678901234567000"],
      ["gone_by_now", LONG],
    ] as const) {
      assert.equal(toProblem(await open(type, id)).code, "not_found");
    }
  });
});
