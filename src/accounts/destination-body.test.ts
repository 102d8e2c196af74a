/** What a webhook sends, as forms send it: which bodies are taken, and which field says what is wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDestinationView, makeWebhookForm } from "../../test/kit/make.ts";
import { BODY_KINDS, type BodySettings } from "../domain/body.ts";
import { checkDestinationForm } from "./destination-draft.ts";

const PLAIN = { url: "https://hook.example.com/in" };
const check = (form: Partial<Parameters<typeof makeWebhookForm>[0]>) =>
  checkDestinationForm(makeWebhookForm({ ...PLAIN, ...form }), { saved: null, signatureHeader: "x-sig", nowMs: 0 });

const TEMPLATE = '{"email": "{{lead.email}}"}';

for (const body of BODY_KINDS) {
  const settings: BodySettings = { body, template: body === "template" ? TEMPLATE : null };
  test(`the body ${body} is kept as it was given`, () => {
    const checked = check(settings);
    assert.ok(checked.ok, JSON.stringify(checked));
    assert.deepEqual({ body: checked.value.body, template: checked.value.template }, settings);
  });
}

const STRAY = 'must be null where the body is not "template": nothing is made of it';
const REFUSED: readonly (readonly [settings: BodySettings, ...messages: string[]])[] = [
  [{ body: "event", template: TEMPLATE }, STRAY],
  [{ body: "slack", template: "" }, STRAY],
  [{ body: "template", template: null }, "is empty; a JSON object is needed"],
  [{ body: "template", template: "" }, "is empty; a JSON object is needed"],
  [
    { body: "template", template: '{\n"a": "{{",\n"{{b}}": 1}' },
    "has a mistake in line 2: {{ has no end: write }} behind the name",
    "has a mistake in line 3: {{b}} is a name, which takes no placeholder",
  ],
];
for (const [settings, ...messages] of REFUSED) {
  test(`${JSON.stringify(settings)} is refused by the template's field`, () => {
    const checked = check(settings);
    assert.ok(!checked.ok, "it was taken");
    assert.equal(checked.error.code, "invalid_body");
    assert.deepEqual(
      checked.error.errors,
      messages.map((message) => ({ path: "template", message })),
    );
  });
}

test("a form that leaves settings out keeps those that are saved: a page of an older version knows fewer", () => {
  const { url, headers } = makeWebhookForm(PLAIN);
  const saved = makeDestinationView({ ratePerSecond: 3, body: "template", template: TEMPLATE });
  const checked = checkDestinationForm({ url, headers }, { saved, signatureHeader: "x-sig", nowMs: 0 });
  assert.ok(checked.ok, JSON.stringify(checked));
  const { ratePerSecond, body, template } = checked.value;
  assert.deepEqual({ ratePerSecond, body, template }, { ratePerSecond: 3, body: "template", template: TEMPLATE });
  const first = checkDestinationForm({ url, headers }, { saved: null, signatureHeader: "x-sig", nowMs: 0 });
  assert.ok(first.ok && first.value.body === "event" && first.value.ratePerSecond === null);
});

test("a template's mistakes stand beside those of other fields", () => {
  const checked = check({ url: "nowhere", ratePerSecond: 0, body: "template", template: "[]" });
  assert.ok(!checked.ok);
  assert.equal(checked.error.code, "invalid_webhook_url");
  assert.deepEqual(
    checked.error.errors?.map(({ path }) => path),
    ["url", "ratePerSecond", "template"],
  );
});
