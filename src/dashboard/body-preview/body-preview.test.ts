/** The preview of a body by the dashboard's calls: what the latest events would send, and what of them is missing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answers, ASSISTANT, createAnswers, OTHER_ACCOUNT, toProblem } from "../../../test/kit/world/answers.ts";
import { startChatTool } from "../../../test/kit/servers/chat-tools.ts";
import { conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { CHAT_TOOLS } from "../../domain/body.ts";
import type { BodyPreviewBody } from "../contract/body-preview.ts";

const template = (text: string, shown: string | null = null): BodyPreviewBody => ({
  body: "template",
  template: text,
  shown,
});
const previewAlert = async (answers: Answers, body: BodyPreviewBody) =>
  toValue(await answers.call("POST /alerts/body-preview", { body }));

const LEAD = { id: uuid(99), first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" };

describe("a template's preview", () => {
  test("shows the newest event whole, the sizes of all, and what is missing in which", async () => {
    await using answers = await createAnswers();
    for (const [number, lead] of [LEAD, null, LEAD].entries())
      toValue(await answers.accept(session(number + 1, { lead })));
    const text = '{"email": "{{lead.email}}", "hi": "Hi {{lead.first_name}}!"}';
    const found = await previewAlert(answers, template(text));
    assert.deepEqual([found.isExample, found.events.length, found.shown?.place], [false, 3, 0]);
    assert.equal(found.shown?.sent, '{"email":"ada@example.com","hi":"Hi Ada!"}');
    assert.match(found.shown?.event ?? "", /^\{"id":"00000000-0000-4000-8000-000000000003"/);
    assert.deepEqual(
      found.events.map(({ bytes }) => bytes),
      [42, 26, 42],
    );
    assert.deepEqual(found.missing, [
      { path: "lead.email", places: [1] },
      { path: "lead.first_name", places: [1] },
    ]);
    const older = await previewAlert(answers, template(text, found.events[1]?.eventId));
    assert.deepEqual([older.shown?.place, older.shown?.sent], [1, '{"email":null,"hi":"Hi !"}']);
  });

  test("looks at fifty events, of this account alone", async () => {
    await using answers = await createAnswers();
    toValue(await answers.ctx.accept(OTHER_ACCOUNT, [session(1)]));
    assert.equal((await previewAlert(answers, template('{"a":1}'))).isExample, true);
    toValue(await answers.accept(...Array.from({ length: 60 }, (_, number) => session(number + 10))));
    assert.equal((await previewAlert(answers, template('{"a":1}'))).events.length, 50);
  });

  test("is of the type's example while there is no event", async () => {
    await using answers = await createAnswers();
    const { isExample, events, shown } = await previewAlert(answers, template('{"id":"{{id}}"}'));
    assert.deepEqual([isExample, events.length, shown?.place], [true, 1, 0]);
    assert.match(shown?.sent ?? "", /^\{"id":"[\w-]{36}"\}$/);
  });

  test("says what is wrong with the template at its line, and what no event of the type has", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1)));
    const broken = await previewAlert(answers, template('{\n  "a": "{{lead.email"\n}'));
    assert.deepEqual([broken.events, broken.shown], [[], null]);
    assert.match(broken.mistakes.join(), /^has a mistake in line 2: .*no end/);
    const odd = await previewAlert(answers, template('{\n  "a": "{{lead.emial}}"\n}'));
    assert.deepEqual(odd.mistakes, []);
    assert.match(odd.warnings.join(), /^has in line 2 \{\{lead\.emial\}\}, which .*did you mean lead\.email\?/);
    assert.deepEqual(odd.missing, [{ path: "lead.emial", places: [0] }]);
  });

  test("says of an event that nothing can be made of it", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(conversation(1, { conversation_summary: "x".repeat(60_000) })));
    const body = template(`{${Array.from({ length: 5 }, (_, at) => `"a${at}":"{{conversation_summary}}"`).join()}}`);
    const found = toValue(await answers.call("POST /assistants/:id/body-preview", { params: { id: ASSISTANT }, body }));
    assert.deepEqual(
      found.events.map(({ bytes }) => bytes),
      [null],
    );
    assert.equal(found.shown?.sent, null);
    assert.match(found.shown?.fault ?? "", /more than 256 KiB/);
  });

  test("is made of the types that a webhook wants, and of an assistant's own conversations", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1), conversation(2)));
    const types = async (wanted: readonly string[] | "all") => {
      const body = { ...template('{"a":"{{event}}"}'), types: wanted };
      const found = toValue(await answers.call("POST /webhooks/body-preview", { body }));
      return found.events.map(({ type }) => type);
    };
    assert.deepEqual(await types("all"), ["chat_conversation_completed", "demo_viewed"]);
    assert.deepEqual(await types(["demo_viewed", "no_longer_declared"]), ["demo_viewed"]);
    assert.deepEqual(await types(["no_longer_declared"]), []);
    const fields = async (query: Readonly<Record<string, string>>) =>
      toValue(await answers.call("GET /webhooks/fields", { query })).fields.map(({ path }) => path);
    assert.ok((await fields({ types: "demo_viewed" })).includes("lead.email"));
    assert.ok(!(await fields({ types: "demo_viewed" })).includes("conversation_summary"));
    assert.ok((await fields({})).includes("conversation_summary"));
    const stranger = { params: { id: "nobody" }, body: template('{"a":1}') };
    assert.equal(
      toProblem(await answers.call("POST /assistants/:id/body-preview", stranger)).code,
      "assistant_not_found",
    );
  });
});

for (const kind of CHAT_TOOLS) {
  test(`a preview of a ${kind} message is what a test sends, and starts a template that works`, async () => {
    await using tool = await startChatTool(kind);
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1, { lead: LEAD, name: "Pricing tour" })));
    const { shown } = await previewAlert(answers, { body: kind, template: null, shown: null });
    assert.match(shown?.message?.headline ?? "", /Ada Lovelace/);
    const send = async (settings: Pick<BodyPreviewBody, "body" | "template">) => {
      const webhook = { ...makeWebhookForm({ url: tool.address }), ...settings };
      return toValue(await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }));
    };
    const tested = await send({ body: kind, template: null });
    assert.equal(tested.outcome.class, "success", tested.outcome.sentence);
    assert.equal(tested.request.body, shown?.sent);
    // A template of the message, on the same event, says the same but for what makes values harmless.
    const start = shown?.template ?? "";
    assert.match(start, /\{\{lead\.\w+\}\}/);
    assert.doesNotMatch(start, /Lovelace|value\d+x/);
    const changed = await send({ body: "template", template: start });
    assert.equal(changed.outcome.class, "success", changed.outcome.sentence);
    const [first, second] = tool.channel.map(({ texts }) => texts.join("\n"));
    assert.equal(tool.channel.length, 2, JSON.stringify(tool.lost));
    for (const words of ["Ada Lovelace", "ada@example.com"])
      assert.ok(second?.includes(words) && first?.includes(words));
  });
}
