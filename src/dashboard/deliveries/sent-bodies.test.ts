/** What the log shows of bodies that were made of an event: as they were sent, also after the template has changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answers, createAnswers } from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import type { BodySettings } from "../../domain/body.ts";

const template = (text: string): BodySettings => ({ body: "template", template: text });

async function save(answers: Answers, url: string, settings: BodySettings): Promise<void> {
  const { alerts } = toValue(await answers.call("GET /alerts"));
  const body = makeAlertForm({ name: "CRM", webhook: { ...makeWebhookForm({ url }), ...settings } });
  const [saved] = alerts;
  if (saved === undefined) return void toValue(await answers.call("POST /alerts", { body }));
  const { revision } = toValue(await answers.call("GET /alerts/:id", { params: { id: saved.id } }));
  toValue(await answers.call("PUT /alerts/:id", { params: { id: saved.id }, body, ifMatch: revision }));
}

async function load(answers: Answers) {
  const { deliveries } = toValue(await answers.call("GET /deliveries", { query: {} }));
  const [row] = deliveries;
  assert.ok(row !== undefined);
  return toValue(await answers.call("GET /deliveries/:id", { params: { id: row.id } }));
}

async function resend(answers: Answers): Promise<void> {
  const { id } = await load(answers);
  toValue(await answers.call("POST /deliveries/:id/resend", { params: { id } }));
  await answers.run();
}

test("each attempt names what it has sent, once for those that have sent the same", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const first = template('{"who":"{{lead.email}}"}');
  await save(answers, receiver.url, first);
  toValue(await answers.accept(session(1)));
  await answers.run();
  await resend(answers);
  await save(answers, receiver.url, template('{"email":"{{lead.email}}","id":"{{webhook_id}}"}'));
  await resend(answers);
  await save(answers, receiver.url, { body: "event", template: null });
  await resend(answers);
  await save(answers, receiver.url, { body: "slack", template: null });
  await resend(answers);
  const { attempts, sentBodies, body } = await load(answers);
  assert.deepEqual(
    attempts.map(({ sent }) => sent),
    [0, 0, 1, null, 2],
  );
  assert.deepEqual(
    sentBodies.map(({ kind, differs }) => [kind, differs]),
    [
      ["template", false],
      ["template", false],
      ["slack", false],
    ],
  );
  const shown = attempts.map(({ sent }) => (sent === null ? body : sentBodies[sent]?.body));
  assert.deepEqual(
    shown,
    receiver.requests.map((request) => request.body.toString()),
  );
});

test("where the event is purged, nothing can be shown of what was made of it", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  await save(answers, receiver.url, template('{"who":"{{lead.email}}"}'));
  toValue(await answers.accept(session(1)));
  await answers.run();
  const nowMs = answers.app.accounts.clock.nowMs() + 1_000;
  const before = { payloadsBeforeMs: nowMs, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };
  await answers.app.store.purge({ nowMs, rowsMax: 500, ...before });
  const { sentBodies, body } = await load(answers);
  assert.deepEqual([body, sentBodies], [null, [{ kind: "template", body: null, differs: false }]]);
});
