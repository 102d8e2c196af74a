import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { ACCOUNT, ADA, APP_URL, createWorld, HOOK } from "../../../test/kit/world/world.ts";
import type { AccountView } from "../../accounts/account-view.ts";
import { saveWebhook } from "../../accounts/save-webhook.ts";
import { toEventTypeView } from "./catalog.ts";
import { BUILT_IN_TYPES } from "../../events/event-types.ts";
import { eventType } from "../../../test/kit/event-type.ts";

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
    const draft = { accountId: ACCOUNT, existing: null, webhook: { url: HOOK, headers: [] }, by: ADA };
    return saveWebhook(accounts, { ...draft, settings });
  };
  assert.deepEqual(
    (await readView("demo_viewed", save)).usedBy.map(({ kind, name }) => [kind, name]),
    [["webhook", "CRM"]],
  );
  assert.deepEqual((await readView("chat_conversation_completed", save)).usedBy, []);
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
