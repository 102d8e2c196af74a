import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, conversation, toValue } from "../../../test/kit/world/world.ts";
import {
  ANA,
  ASSISTANT,
  type Answers,
  BEN,
  OTHER_ACCOUNT,
  createAnswers,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";

const NOBODY = "http://127.0.0.1:9/in";

async function saveWebhook(answers: Answers, url = NOBODY, by: typeof ANA | typeof BEN = ANA) {
  const params = { id: ASSISTANT };
  const { revision } = toValue(await answers.call("GET /assistants/:id", { params }));
  const webhook = makeWebhookForm({ url, ratePerSecond: 2.5 });
  const put = await answers.call(
    "PUT /assistants/:id/webhook",
    { params, body: { webhook }, ifMatch: revision },
    { by },
  );
  const saved = toValue(put);
  const { destination } = toValue(await answers.call("GET /assistants/:id", { params }));
  return { ...saved, destinationId: destination?.id ?? "" };
}

const chat = (number: number) => conversation(number, { assistant_id: ASSISTANT });

describe("an assistant's webhook", () => {
  test("is saved, shown with its limit, and replaced only by who has seen the last change", async () => {
    await using answers = await createAnswers();
    const { revision } = await saveWebhook(answers, NOBODY, BEN);
    const params = { id: ASSISTANT };
    const detail = toValue(await answers.call("GET /assistants/:id", { params }));
    assert.deepEqual([detail.revision, detail.webhook?.ratePerSecond], [revision, 2.5]);
    const webhook = makeWebhookForm({ url: NOBODY });
    const stale = { params, body: { webhook }, ifMatch: revision - 1 };
    const refused = toProblem(await answers.call("PUT /assistants/:id/webhook", stale));
    assert.equal(refused.code, "edited_meanwhile");
    assert.match(refused.detail, /^ben@example\.com changed this chat assistant's webhook at /);
  });

  test("is removed, and what waits for it is cancelled", async () => {
    await using answers = await createAnswers();
    const { revision, destinationId } = await saveWebhook(answers);
    const on = { params: { id: destinationId }, body: { state: "paused" } } as const;
    toValue(await answers.call("PUT /destinations/:id/state", on));
    toValue(await answers.accept(chat(1)));
    const params = { id: ASSISTANT };
    const removed = await answers.call("PUT /assistants/:id/webhook", {
      params,
      body: { webhook: null },
      ifMatch: revision,
    });
    const after = toValue(await answers.call("GET /assistants/:id", { params }));
    assert.deepEqual([after.webhook, after.destination, after.revision], [null, null, toValue(removed).revision]);
    const { deliveries } = toValue(await answers.call("GET /deliveries"));
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      ["cancelled"],
    );
    assert.equal((await saveWebhook(answers)).destinationId === destinationId, false, "a new one is another one");
  });

  test("works on every plan", async () => {
    await using answers = await createAnswers({ plan: "free" });
    assert.notEqual((await saveWebhook(answers)).destinationId, "");
  });
});

test("a paused destination says who paused it; turned on again, what waited goes out", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const { destinationId } = await saveWebhook(answers, `${receiver.url}/in`);
  const params = { id: destinationId };
  const put = async (state: "on" | "paused") =>
    toValue(await answers.call("PUT /destinations/:id/state", { params, body: { state } }, { by: BEN }));
  await put("paused");
  toValue(await answers.accept(chat(1), chat(2)));
  await answers.run();
  const paused = toValue(await answers.call("GET /destinations/:id", { params }));
  assert.deepEqual(
    [paused.health.word, paused.health.changed?.by, paused.health.waiting.count, paused.health.nextAttemptAtMs],
    ["paused", BEN.person, 2, null],
  );
  await put("on");
  await answers.run();
  assert.equal(receiver.requests.length, 2);
  const on = toValue(await answers.call("GET /destinations/:id", { params }));
  assert.deepEqual([on.state, on.health.word, on.health.waiting.count], ["on", "healthy", 0]);
  assert.deepEqual(
    on.changes.map(({ from, to, by }) => [from, to, by]),
    [
      ["paused", "on", BEN.person],
      ["on", "paused", BEN.person],
    ],
  );
  const hour = on.health.lastDay.at(-1);
  assert.equal(on.health.lastDay.length, 24);
  assert.deepEqual(hour, { succeeded: 2, failed: 0 });
});

test("turned on without its backlog, nothing of it goes out, and that is written down", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const { destinationId } = await saveWebhook(answers, `${receiver.url}/in`);
  const params = { id: destinationId };
  toValue(await answers.call("PUT /destinations/:id/state", { params, body: { state: "paused" } }));
  toValue(await answers.accept(chat(1), chat(2)));
  const body = { state: "on", backlog: "cancel" } as const;
  toValue(await answers.call("PUT /destinations/:id/state", { params, body }));
  await answers.run();
  assert.equal(receiver.requests.length, 0);
  const audit = await answers.app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 10 });
  const actions = audit.map(({ action }) => action);
  assert.ok(actions.includes("backlog_cancelled") && actions.includes("destination_turned_on"), actions.join());
  toValue(await answers.accept(chat(3)));
  await answers.run();
  assert.equal(receiver.requests.length, 1, "what comes later is sent");
});

test("one that answers 410 is off, and says why and what was met", async () => {
  await using receiver = await startReceiver({ status: 410 });
  await using answers = await createAnswers();
  const { destinationId } = await saveWebhook(answers, `${receiver.url}/in`);
  toValue(await answers.accept(chat(1)));
  await answers.run();
  const { health } = toValue(await answers.call("GET /destinations/:id", { params: { id: destinationId } }));
  assert.deepEqual([health.word, health.offReason, health.lastFailure?.code], ["off", "gone", "410"]);
  assert.deepEqual([health.turnsOffAtMs, health.nextAttemptAtMs, health.waiting.count], [null, null, 1]);
});

test("another account's destination is not found, and not listed", async () => {
  await using answers = await createAnswers();
  const { destinationId } = await saveWebhook(answers);
  const who = { accountId: OTHER_ACCOUNT };
  const params = { id: destinationId };
  const refusals = [
    await answers.call("GET /destinations/:id", { params }, who),
    await answers.call("PUT /destinations/:id/state", { params, body: { state: "paused" } }, who),
    await answers.call("PUT /destinations/:id/state", { params, body: { state: "on", backlog: "cancel" } }, who),
    await answers.call("POST /destinations/:id/test", { params }, who),
  ];
  for (const refused of refusals) assert.equal(toProblem(refused).code, "destination_not_found");
  assert.deepEqual(toValue(await answers.call("GET /destinations", {}, who)), { destinations: [] });
  const { state } = toValue(await answers.call("GET /destinations/:id", { params }));
  assert.equal(state, "on");
});
