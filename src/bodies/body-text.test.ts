/** The texts that bodies are made of: what they have in them, and when they are the same. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { eventType } from "../../test/kit/event-type.ts";
import { type BodySettings, CHAT_TOOLS } from "../domain/body.ts";
import { bodyTextOf, type TypeOfEvent } from "./body-text.ts";
import { newestVersion } from "./chat/tools.ts";
import { renderBody } from "./render-body.ts";

const DEMO: TypeOfEvent = { eventType: eventType("demo_viewed"), name: "demo_viewed" };
const CHAT: TypeOfEvent = { eventType: eventType("chat_conversation_completed"), name: "chat_conversation_completed" };
const GONE: TypeOfEvent = { eventType: undefined, name: "order_placed" };
const TEMPLATE: BodySettings = { body: "template", template: '{ "a": "{{id}}" }' };

test("the event itself has no text", () => {
  assert.equal(bodyTextOf({ body: "event", template: null }, DEMO), null);
});

test("a template's text is the template as it was written, for every type", () => {
  for (const type of [DEMO, CHAT, GONE]) {
    const text = String.raw`{"kind":"template","template":"{ \"a\": \"{{id}}\" }"}`;
    assert.equal(bodyTextOf(TEMPLATE, type)?.text, text);
    assert.equal(bodyTextOf(TEMPLATE, type)?.id, createHash("sha256").update(text).digest("hex").slice(0, 32));
  }
});

for (const body of CHAT_TOOLS) {
  test(`a ${body} text has everything that the type says, so that the type may change`, () => {
    const settings: BodySettings = { body, template: null };
    const { title, noun } = JSON.parse(bodyTextOf(settings, DEMO)?.text ?? "").recipe;
    assert.deepEqual([title, noun], ["Demo viewed", "session"]);
    const gone = JSON.parse(bodyTextOf(settings, GONE)?.text ?? "");
    assert.deepEqual([gone.kind, gone.version, gone.recipe.title], [body, newestVersion(body), "order_placed"]);
    const renamed = { ...eventType("demo_viewed"), makeRecipe: () => ({ ...gone.recipe, title: "Renamed" }) };
    const changed = bodyTextOf({ body, template: null }, { eventType: renamed, name: "demo_viewed" });
    assert.notEqual(changed?.id, bodyTextOf(settings, DEMO)?.id);
    const made = (text = bodyTextOf(settings, DEMO)) =>
      text === null
        ? assert.fail()
        : renderBody(text, { body: '{"name":"Tour"}', webhookId: "dlv_1", acceptedAtMs: 0 });
    const [before = "", after = ""] = [made(), made(changed)].map((each) => (each.ok ? each.value : assert.fail()));
    assert.match(before, /Demo viewed/);
    assert.match(after, /Renamed/);
  });
}

test("a text is written once for the settings and a type, and anew for other settings", () => {
  const settings: BodySettings = { body: "slack", template: null };
  assert.equal(bodyTextOf(settings, DEMO), bodyTextOf(settings, DEMO));
  assert.notEqual(bodyTextOf(settings, DEMO)?.id, bodyTextOf(settings, CHAT)?.id);
  assert.notEqual(bodyTextOf(settings, DEMO), bodyTextOf({ ...settings }, DEMO));
  assert.deepEqual(bodyTextOf(settings, DEMO), bodyTextOf({ ...settings }, DEMO));
});
