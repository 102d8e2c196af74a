/** Conditions on events of a declared type: what can be chosen, what is refused, and which events they let through. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";
import type { SchemaObject } from "../../events/schema/keywords.ts";
import type { ConditionForm } from "../contract/conditions.ts";

const TYPE = "order.paid";

const schema: SchemaObject = {
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "integer" },
    total: { type: "number", description: "In euros." },
    customer: { oneOf: [{ type: "null" }, { $ref: "#/$defs/customer" }] },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
    channel: { enum: ["web", "shop", null] },
    is_gift: { type: "boolean" },
    paid_at: { type: "string", format: "date-time" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    payment: {
      oneOf: [
        { type: "object", properties: { kind: { const: "card" }, last4: { type: "string" } } },
        { type: "object", properties: { kind: { const: "transfer" }, iban: { type: "string" } } },
      ],
    },
  },
  $defs: {
    customer: { type: "object", properties: { name: { type: "string" }, parent: { $ref: "#/$defs/customer" } } },
    line: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } },
  },
};

const types = createEventTypes([
  toDeclaration({ type: TYPE, schema, exampleText: '{"id":12345678901234567890,"total":0.10}' }),
]);

const RECORDS = [
  '{"id":12345678901234567890,"total":0.10,"customer":{"name":"Ada","parent":{"name":"Ltd"}},"channel":"web"}',
  '{"id":12345678901234567891,"total":100,"lines":[{"sku":"A-1","count":2},{"sku":"B-2"}],"is_gift":true}',
  '{"id":3,"total":1e2,"lines":[],"customer":null,"channel":null,"paid_at":"2026-11-20T12:00:00Z"}',
  '{"id":4,"labels":{"my.own":"x"},"payment":{"kind":"transfer","iban":"DE02"},"is_gift":false}',
];

async function createShop() {
  const answers = await createAnswers({ types });
  const type = types.find(TYPE);
  assert.ok(type !== undefined);
  toValue(await answers.accept(...RECORDS.map((text) => toValue(type.parse(text)))));
  return answers;
}

const params = { type: TYPE };

/** The numbers of the records that one condition lets through. */
const CASES: readonly (readonly [condition: ConditionForm, fired: readonly number[]])[] = [
  [{ field: "id", operator: "is", value: "12345678901234567890" }, [1]],
  [{ field: "id", operator: "at_least", value: "12345678901234567891" }, [2]],
  [{ field: "total", operator: "is", value: "0.1" }, [1]],
  [{ field: "total", operator: "is", value: "100.00" }, [2, 3]],
  [{ field: "customer.name", operator: "is", value: "ada" }, [1]],
  [{ field: "customer.parent.name", operator: "known" }, [1]],
  [{ field: "customer", operator: "not_known" }, [2, 3, 4]],
  [{ field: "lines[].sku", operator: "is", value: "b-2" }, [2]],
  [{ field: "lines[].sku", operator: "is_not", value: "B-2" }, [1, 3, 4]],
  [{ field: "lines[].count", operator: "at_least", value: "2" }, [2]],
  [{ field: "lines", operator: "contains", value: "a-1" }, [2]],
  [{ field: "channel", operator: "is", value: "web" }, [1]],
  [{ field: "id", operator: "one_of", values: ["12345678901234567890", "4.0"] }, [1, 4]],
  [{ field: "lines[].sku", operator: "none_of", values: ["a-1", "C-3"] }, [1, 3, 4]],
  [{ field: "lines[].sku", operator: "begins_with", value: "b-" }, [2]],
  [{ field: "paid_at", operator: "begins_not", value: "2026-" }, [1, 2, 4]],
  [{ field: "total", operator: "at_most", value: "0.10" }, [1]],
  [{ field: "is_gift", operator: "is", value: "true" }, [2]],
  [{ field: "paid_at", operator: "contains", value: "2026-11-20" }, [3]],
  [{ field: "labels.my.own", operator: "is", value: "x" }, [4]],
  [{ field: "payment.iban", operator: "known" }, [4]],
  [{ field: "event", operator: "is", value: TYPE }, [1, 2, 3, 4]],
];

test("a condition reads fields through references, alternatives, lists and exact numbers", async () => {
  await using answers = await createShop();
  for (const [condition, fired] of CASES) {
    const body = { conditions: { join: "all", list: [condition] } } as const;
    const preview = toValue(await answers.call("POST /event-types/:type/preview", { params, body }));
    const ids = preview.examples.filter(({ fires }) => fires).map(({ sourceId }) => sourceId);
    const expected = fired.map((place) => /\d+/.exec(RECORDS[place - 1] ?? "")?.[0]);
    assert.deepEqual([preview.events, preview.fired], [4, fired.length], JSON.stringify(condition));
    // Three of each kind are shown, newest first.
    assert.deepEqual(ids, expected.toReversed().slice(0, 3), JSON.stringify(condition));
  }
});

test("an event that is kept away says the values that it has, in all of a list's items", async () => {
  await using answers = await createShop();
  const list = [{ field: "lines[].sku", operator: "is", value: "C-3" }] as const;
  const body = { conditions: { join: "all", list } } as const;
  const { examples } = toValue(await answers.call("POST /event-types/:type/preview", { params, body }));
  assert.deepEqual(
    examples.map(({ why }) => why),
    [
      "lines[].sku is not known, and the webhook wants C-3",
      "lines[].sku is not known, and the webhook wants C-3",
      "lines[].sku is A-1, B-2, and the webhook wants C-3",
    ],
  );
});

describe("the fields to choose from", () => {
  test("are those of the schema and the account’s own, with values seen and then those that it lists", async () => {
    await using answers = await createShop();
    const { fields } = toValue(await answers.call("GET /event-types/:type/fields", { params }));
    const seen = Object.fromEntries(fields.map((field) => [field.path, field.seen]));
    assert.deepEqual(seen["id"], ["4", "3", "12345678901234567891", "12345678901234567890"]);
    assert.deepEqual(seen["channel"], ["web", "shop"]);
    assert.deepEqual(seen["is_gift"], ["false", "true"]);
    assert.deepEqual(seen["lines[].sku"], ["A-1", "B-2"]);
    assert.deepEqual(seen["payment.kind"], ["transfer", "card"]);
    assert.deepEqual(seen["labels.my.own"], ["x"]);
    assert.equal(fields.find(({ path }) => path === "total")?.about, "In euros.");
    assert.equal(fields.find(({ path }) => path === "labels")?.isOpen, true);
    assert.deepEqual(
      fields.filter(({ path }) => path.startsWith("customer")).map(({ path }) => path),
      ["customer", "customer.name", "customer.parent", "customer.parent.name"],
    );
  });

  test("are refused where the type is unknown, with the nearest name", async () => {
    await using answers = await createShop();
    const refused = await answers.call("GET /event-types/:type/fields", { params: { type: "order.payed" } });
    assert.equal(toProblem(refused).code, "unknown_event_type");
    assert.match(toProblem(refused).detail, /did you mean order\.paid\?/);
  });

  test("are named when a condition has a field that no record can have", async () => {
    await using answers = await createShop();
    const list = ["lines.sku", "custmer.name", "labels."].map((field) => ({ field, operator: "known" }) as const);
    const body = { conditions: { join: "all", list } } as const;
    const refused = await answers.call("POST /event-types/:type/preview", { params, body });
    assert.deepEqual(
      listPaths(refused),
      [0, 1, 2].map((place) => `conditions.list[${place}].field`),
    );
    const messages = (toProblem(refused).errors ?? []).map(({ message }) => message);
    assert.match(messages[0] ?? "", /did you mean lines\[\]\.sku\?$/);
    assert.match(messages[1] ?? "", /did you mean customer\.name\?$/);
    assert.match(messages[2] ?? "", /needs a name behind labels, such as labels\.name$/);
  });
});
