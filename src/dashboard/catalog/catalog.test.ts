import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, ADA, APP_URL, createWorld, HOOK, toValue } from "../../../test/kit/world/world.ts";
import type { AccountView } from "../../accounts/account-view.ts";
import { saveWebhook } from "../../accounts/save-webhook.ts";
import type { SaveWebhookBody } from "../contract/webhooks.ts";
import { toEventTypeView } from "./catalog.ts";
import { BUILT_IN_TYPES, createEventTypes } from "../../events/event-types.ts";
import { eventType } from "../../../test/kit/event-type.ts";
import { createAnswers, toProblem } from "../../../test/kit/world/answers.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";

const TSC = join(dirname(dirname(dirname(import.meta.dirname))), "node_modules", ".bin", "tsc");

async function readView(type: string, prepare: (world: Awaited<ReturnType<typeof createWorld>>) => unknown = () => {}) {
  const world = await createWorld();
  await world.setUpAccount();
  await prepare(world);
  world.accounts.accounts.forget(ACCOUNT);
  const view = await world.accounts.accounts.load(ACCOUNT);
  await world.store[Symbol.asyncDispose]();
  assert.ok(view !== null);
  return toEventTypeView(eventType(type), view satisfies AccountView);
}

for (const type of BUILT_IN_TYPES.all.map(({ type: name }) => name)) {
  describe(type, () => {
    test("the sample is a body of this account that its own JSON Schema takes", async () => {
      const { sample, jsonSchema } = await readView(type);
      assert.equal(Compile(jsonSchema).Check(JSON.parse(sample)), true);
      if (type === "demo_viewed") assert.match(sample, new RegExp(`"${APP_URL}/share/`));
    });

    test("every field of the sample is listed in its order, with type, meaning and the sample's value", async () => {
      const { sample, fields } = await readView(type);
      const top = fields.filter(({ path }) => !path.includes("."));
      assert.deepEqual(
        top.map(({ path }) => path),
        Object.keys(JSON.parse(sample)),
      );
      for (const { path, type: words, description, example } of fields) {
        assert.notEqual(words, "any value", path);
        assert.match(description, /[.…]$/, `${path} has a sentence`);
        assert.deepEqual(JSON.parse(example), valueAt(JSON.parse(sample), path), path);
      }
    });

    test("the TypeScript declaration compiles, takes the sample, and refuses a body without its id", async () => {
      const { sample, typescript } = await readView(type);
      const [, name = ""] = /export interface (\w+)/.exec(typescript) ?? [];
      assert.equal(compile(`${typescript}\nexport const body: ${name} = ${sample};`), "");
      const { id: _, ...rest } = JSON.parse(sample);
      assert.match(compile(`${typescript}\nexport const body: ${name} = ${JSON.stringify(rest)};`), /'id' is missing/);
    });
  });
}

test("names the fields of nested objects with dotted paths, and types in words", async () => {
  const { fields } = await readView("demo_viewed");
  const types = Object.fromEntries(fields.map(({ path, type }) => [path, type]));
  assert.equal(types["id"], "string (UUID)");
  assert.equal(types["lead"], "object or null");
  assert.equal(types["lead.client_tracking_id"], "string or null");
  assert.equal(types["referers"], "array of strings");
  assert.equal(types["event"], '"demo_viewed"');
  const conversation = Object.fromEntries(
    (await readView("chat_conversation_completed")).fields.map((field) => [field.path, field.type]),
  );
  assert.equal(conversation["intent_level"], '"high", "medium" or "low"');
  assert.equal(conversation["extracted_variables.qualified"], "boolean");
});

test("says who is called: alerts with webhooks on, assistants with a Webhook URL, webhooks that want it", async () => {
  const unused = await readView("demo_viewed", (world) => world.setUpAlert({ settings: { webhooksOn: false } }));
  assert.deepEqual(unused.usedBy, []);
  const { usedBy } = await readView("demo_viewed", (world) => world.setUpAlert({ settings: { name: "Leads" } }));
  assert.deepEqual(
    usedBy.map(({ kind, name }) => [kind, name]),
    [["alert", "Leads"]],
  );
  const chat = await readView("chat_conversation_completed", (world) => world.setUpAssistant("website"));
  assert.deepEqual(chat.usedBy, [{ kind: "assistant", id: "website", name: "website" }]);
  const save = ({ accounts }: Awaited<ReturnType<typeof createWorld>>) => {
    const settings = { name: "CRM", events: [{ type: "demo_viewed" }] };
    const draft = { accountId: ACCOUNT, existing: null, webhook: makeWebhookForm({ url: HOOK }), by: ADA };
    return saveWebhook(accounts, { ...draft, settings });
  };
  assert.deepEqual(
    (await readView("demo_viewed", save)).usedBy.map(({ kind, name }) => [kind, name]),
    [["webhook", "CRM"]],
  );
  assert.deepEqual((await readView("chat_conversation_completed", save)).usedBy, []);
});

test("a declared type is shown like a built-in one, with its digits, and who wants it", async () => {
  const declaration = toDeclaration({
    type: "order.paid",
    title: "Order paid",
    description: "Sent when it is paid.",
    schema: {
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "integer", description: "Its number." },
        note: { type: ["string", "null"] },
        lines: { type: "array", items: { $ref: "#/$defs/line" } },
      },
      $defs: { line: { type: "object", required: ["sku"], properties: { sku: { type: "string", format: "email" } } } },
    },
    exampleText: '{"id":12345678901234567890,"lines":[{"sku":"a@b"},{"sku":"c@d"}]}',
  });
  await using answers = await createAnswers({ types: createEventTypes([declaration]) });
  const conditions = null;
  const webhook = makeWebhookForm({ url: "http://127.0.0.1:9/in" });
  const save = (name: string, events: SaveWebhookBody["events"]) =>
    answers.call("POST /webhooks", { body: { name, events, webhook } });
  toValue(await save("Orders", [{ type: "order.paid", conditions }]));
  toValue(await save("All", "all"));
  toValue(await save("Demos", [{ type: "demo_viewed", conditions }]));
  const params = { type: "order.paid" };
  const view = toValue(await answers.call("GET /event-types/:type", { params }));
  assert.deepEqual([view.title, view.description], ["Order paid", "Sent when it is paid."]);
  assert.deepEqual(view.usedBy.map(({ name }) => name).toSorted(), ["All", "Orders"]);
  assert.deepEqual(
    view.fields.map(({ path, type, description, example }) => [path, type, description, example]),
    [
      ["id", "integer", "Its number.", "12345678901234567890"],
      ["note", "string or null, optional", "", ""],
      ["lines", "array of objects, optional", "", '[{"sku":"a@b"},{"sku":"c@d"}]'],
      ["lines[].sku", "string (e-mail address)", "", '"a@b"'],
      ["event", '"order.paid"', "Always order.paid.", '"order.paid"'],
    ],
  );
  assert.match(view.sample, /"id": 12345678901234567890,/);
  assert.match(JSON.stringify(view.jsonSchema), /"examples":\[\{"id":12345678901234567890,/);
  const sample = view.sample.replace("12345678901234567890", "1");
  assert.equal(compile(`${view.typescript}\nexport const body: OrderPaid = ${sample};`), "");
  const { fields } = toValue(await answers.call("GET /event-types/:type", { params: { type: "demo_viewed" } }));
  assert.ok(fields.length > 20);
  const refused = await answers.call("GET /event-types/:type", { params: { type: "order.payed" } });
  assert.equal(toProblem(refused).code, "unknown_event_type");
});

test("the playground has a new record of each type, with its digits, and takes it", async () => {
  const declaration = toDeclaration({ type: "order.paid", title: "Order paid", exampleText: '{"id":"1","n":1e400}' });
  await using answers = await createAnswers({
    types: createEventTypes([declaration]),
    env: { BELLWIRE_PLAYGROUND: "1" },
  });
  const { types } = toValue(await answers.call("GET /playground/types"));
  assert.deepEqual(
    types.map(({ label }) => label),
    ["Demo session", "Chat conversation", "Order paid"],
  );
  for (const { type } of types) {
    const { record } = toValue(await answers.call("GET /playground/samples/:type", { params: { type } }));
    const sent = toValue(await answers.call("POST /playground", { body: { type, record } }));
    assert.equal(sent.isDuplicate, false);
  }
  const { record } = toValue(await answers.call("GET /playground/samples/:type", { params: { type: "order.paid" } }));
  assert.match(record, /"n": 1e400/);
});

function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((object, name) => (object as Record<string, unknown> | null)?.[name] ?? null, value);
}

/** The compiler's errors in strict mode; empty when it takes the text. */
function compile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-catalog-"));
  try {
    writeFileSync(join(folder, "body.ts"), text);
    return spawnSync(TSC, ["--strict", "--noEmit", "--ignoreConfig", "body.ts"], { cwd: folder, encoding: "utf8" })
      .stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
