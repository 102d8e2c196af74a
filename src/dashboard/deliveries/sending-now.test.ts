/** From a mended receiver to everything delivered: one that waits, a selection, all that wait, another URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, session, toValue } from "../../../test/kit/world/world.ts";
import { type Answers, BEN, OTHER_ACCOUNT, createAnswers, toProblem } from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";

const toAlert = (url: string) => makeAlertForm({ webhook: makeWebhookForm({ url }) });

/** A receiver that answers 503 at `/in` until it is mended, and 200 elsewhere. */
async function createOutage(options: { readonly deliveries: number }) {
  let isMended = false;
  const receiver = await startReceiver(({ path }) => ({ status: path === "/in" && !isMended ? 503 : 200 }));
  const answers = await createAnswers();
  const body = toAlert(`${receiver.url}/in`);
  const alert = toValue(await answers.call("POST /alerts", { body }));
  for (let number = 1; number <= options.deliveries; number += 1) {
    toValue(await answers.accept(session(number)));
    await answers.run();
  }
  const detail = toValue(await answers.call("GET /alerts/:id", { params: { id: alert.id } }));
  const rows = await list(answers);
  return {
    receiver,
    answers,
    alert,
    destinationId: detail.destination?.id ?? "",
    /** Oldest first. */
    ids: rows.map(({ id }) => id).toReversed(),
    mend: () => void (isMended = true),
    async [Symbol.asyncDispose]() {
      await answers[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const list = async (answers: Answers, query: Readonly<Record<string, string>> = {}) =>
  toValue(await answers.call("GET /deliveries", { query })).deliveries;

const countByStatus = async (answers: Answers, status: string) => (await list(answers, { status })).length;

const find = async (answers: Answers, id: string) =>
  toValue(await answers.call("GET /destinations/:id", { params: { id } }));

test("what waits for its retry is tried now, under the same webhook-id, in its schedule", async () => {
  await using outage = await createOutage({ deliveries: 1 });
  const { answers, receiver, ids } = outage;
  const params = { id: ids[0] ?? "" };
  outage.mend();
  toValue(await answers.call("POST /deliveries/:id/resend", { params }, { by: BEN }));
  await answers.run();
  assert.deepEqual(
    receiver.requests.map(({ headers }) => headers["webhook-id"]),
    [params.id, params.id],
  );
  const detail = toValue(await answers.call("GET /deliveries/:id", { params }));
  assert.deepEqual([detail.status, detail.attemptsInSchedule, detail.resent], ["delivered", 2, null]);
});

test("while its webhook rests one try is made, and a success sends everything", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, destinationId, ids, receiver } = outage;
  assert.notEqual((await find(answers, destinationId)).health.heldUntilMs, null);
  const before = receiver.requests.length;
  const tryNow = async () =>
    toValue(await answers.call("POST /deliveries/:id/resend", { params: { id: ids.at(-1) ?? "" } }));
  await tryNow();
  await answers.run();
  assert.equal(receiver.requests.length, before + 1, "one try, and no flood");
  outage.mend();
  await tryNow();
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 4, "the try, and what had not been tried yet");
  assert.equal((await find(answers, destinationId)).health.heldUntilMs, null);
});

test("one call sends everything that waits, after one try", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, destinationId, receiver } = outage;
  const params = { id: destinationId };
  const before = receiver.requests.length;
  toValue(await answers.call("POST /destinations/:id/send-waiting", { params }));
  await answers.run();
  assert.equal(receiver.requests.length, before + 1, "it still fails: one attempt is spent");
  outage.mend();
  const sent = toValue(await answers.call("POST /destinations/:id/send-waiting", { params }, { by: BEN }));
  assert.equal(sent.health.waiting.count, 12);
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 12);
  const after = await find(answers, destinationId);
  assert.deepEqual([after.health.waiting.count, after.health.failingSinceMs], [0, null]);
  const paused = { params, body: { state: "paused" } } as const;
  toValue(await answers.call("PUT /destinations/:id/state", paused));
  const refused = toProblem(await answers.call("POST /destinations/:id/send-waiting", { params }));
  assert.deepEqual([refused.code, /Turn it on/.test(refused.detail)], ["destination_not_on", true]);
  const others = await answers.call("POST /destinations/:id/send-waiting", { params }, { accountId: OTHER_ACCOUNT });
  assert.equal(toProblem(others).code, "destination_not_found");
});

test("one call sends what waits for many webhooks, and refuses each by itself, in words", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, destinationId, receiver } = outage;
  const second = toValue(await answers.call("POST /alerts", { body: toAlert(`${receiver.url}/in`) }));
  const { destination } = toValue(await answers.call("GET /alerts/:id", { params: { id: second.id } }));
  const secondId = destination?.id ?? "";
  toValue(await answers.accept(session(13)));
  await answers.run();
  toValue(await answers.call("PUT /destinations/:id/state", { params: { id: secondId }, body: { state: "paused" } }));
  outage.mend();
  const ids = [destinationId, secondId, "dst_nobody"];
  const send = async (accountId = ACCOUNT) =>
    toValue(
      await answers.call(
        "POST /destinations/send-waiting",
        { body: { ids: [...ids, destinationId] } },
        { by: BEN, accountId },
      ),
    ).results;
  assert.deepEqual(
    (await send(OTHER_ACCOUNT)).map(({ refusal }) => refusal),
    ids.map(() => "This account has no such destination."),
    "another account's are as if they were not there",
  );
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 0);
  assert.deepEqual(await send(), [
    { id: destinationId, refusal: null },
    { id: secondId, refusal: "It is paused. Turn it on: what waits goes out then." },
    { id: "dst_nobody", refusal: "This account has no such destination." },
  ]);
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 13, "the first one's; the paused one's still waits");
  const { entries } = toValue(await answers.call("GET /audit"));
  assert.deepEqual(
    entries.filter(({ person }) => person === BEN.person).map(({ action }) => action),
    ["Sent what was waiting for a webhook"],
  );
  const many = Array.from({ length: 201 }, (_, number) => `dst_${number}`);
  const tooMany = answers.call("POST /destinations/send-waiting", { body: { ids: many } });
  await assert.rejects(tooMany, /must have at most 200 items/);
});

test("the answer counts what waited at the press, however quick the first of them are", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, destinationId, mend } = outage;
  mend();
  const { store } = answers.app;
  const { sendWaiting } = store;
  store.sendWaiting = async (request) => {
    const sent = await sendWaiting.call(store, request);
    await answers.run();
    return sent;
  };
  const params = { id: destinationId };
  const { health } = toValue(await answers.call("POST /destinations/:id/send-waiting", { params }));
  assert.deepEqual([health.waiting.count, (await find(answers, destinationId)).health.waiting.count], [12, 0]);
});

test("turning on sends what waits now, also what would be tried again only later", async () => {
  await using outage = await createOutage({ deliveries: 2 });
  const { answers, destinationId, receiver } = outage;
  const put = async (state: "on" | "paused") =>
    toValue(await answers.call("PUT /destinations/:id/state", { params: { id: destinationId }, body: { state } }));
  await put("paused");
  outage.mend();
  const before = receiver.requests.length;
  await put("on");
  await answers.run();
  assert.equal(receiver.requests.length, before + 2);
  assert.equal(await countByStatus(answers, "delivered"), 2);
});

test("another URL sends the backlog at once, and is not blamed for the failures of the one before", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, alert, destinationId, receiver } = outage;
  const body = toAlert(`${receiver.url}/mended`);
  const change = { params: { id: alert.id }, body, ifMatch: alert.revision };
  toValue(await answers.call("PUT /alerts/:id", change));
  const saved = await find(answers, destinationId);
  assert.deepEqual(
    [saved.health.failingSinceMs, saved.health.lastFailure, saved.health.heldUntilMs, saved.changes[0]?.reason],
    [null, null, null, "url_changed"],
  );
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 12);
  assert.equal(receiver.requests.filter(({ path }) => path === "/mended").length, 12);
});

test("a webhook that was turned off by its receiver's 410 is on again with another URL", async () => {
  await using receiver = await startReceiver(({ path }) => ({ status: path === "/gone" ? 410 : 200 }));
  await using answers = await createAnswers();
  const gone = toAlert(`${receiver.url}/gone`);
  const alert = toValue(await answers.call("POST /alerts", { body: gone }));
  toValue(await answers.accept(session(1)));
  await answers.run();
  const body = toAlert(`${receiver.url}/new`);
  toValue(await answers.call("PUT /alerts/:id", { params: { id: alert.id }, body, ifMatch: alert.revision }));
  toValue(await answers.accept(session(2)));
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 2);
});

test("of a selection each is sent or refused by itself, in words", async () => {
  await using outage = await createOutage({ deliveries: 3 });
  const { answers, ids } = outage;
  outage.mend();
  const asked = [...ids, "dlv_nobody"];
  const { results } = toValue(await answers.call("POST /deliveries/resend", { body: { ids: asked } }));
  assert.deepEqual(
    results.map(({ id, refusal }) => [id, refusal]),
    [...ids.map((id) => [id, null]), ["dlv_nobody", "This account has no such delivery."]],
  );
  await answers.run();
  assert.equal(await countByStatus(answers, "delivered"), 3);
  const many = Array.from({ length: 201 }, (_, number) => `dlv_${number}`);
  await assert.rejects(answers.call("POST /deliveries/resend", { body: { ids: many } }), /must have at most 200 items/);
});

test("as many as are said to wait are in the list that the link leads to", async () => {
  await using outage = await createOutage({ deliveries: 12 });
  const { answers, destinationId } = outage;
  const { waiting } = (await find(answers, destinationId)).health;
  const rows = await list(answers, { destination: destinationId, status: "waiting,retrying" });
  assert.deepEqual([waiting.count, rows.length], [12, 12]);
});
