import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsMs } from "../../lib/duration.ts";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { type Answers, BEN, OTHER_ACCOUNT, createAnswers, toProblem } from "../../../test/kit/world/answers.ts";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";

async function deliverSome(answers: Answers, receiver: Receiver, sessions: number): Promise<string> {
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  toValue(await answers.call("POST /alerts", { body: makeAlertForm({ webhook }) }));
  toValue(await answers.accept(...Array.from({ length: sessions }, (_, number) => session(number + 1))));
  await answers.run();
  const { destinations } = toValue(await answers.call("GET /destinations"));
  return destinations[0]?.id ?? "";
}

const STATES = ["delivered"] as const;

test("a prepared replay counts exactly and sends nothing until it is confirmed", async () => {
  const clock = createVirtualClock();
  await using receiver = await startReceiver();
  await using answers = await createAnswers({ clock });
  const destinationId = await deliverSome(answers, receiver, 5);
  await clock.advance(1);
  const body = { filter: { destinationId, states: STATES }, ratePerSecond: 100 };
  const prepared = toValue(await answers.call("POST /replays", { body }));
  assert.deepEqual(
    [prepared.state, prepared.isPrepared, prepared.deliveries, prepared.moved, prepared.destination?.name],
    ["paused", true, 5, 0, "Everyone"],
  );
  // Later deliveries are not in it, however long somebody thinks about it.
  toValue(await answers.accept(session(100)));
  await answers.run();
  await step(answers, secondsMs(10), clock);
  assert.equal(receiver.requests.length, 6);

  const params = { id: prepared.id };
  const started = toValue(
    await answers.call("PUT /replays/:id/state", { params, body: { state: "running" } }, { by: BEN }),
  );
  assert.deepEqual([started.state, started.isPrepared, started.stateBy], ["running", false, BEN.person]);
  await step(answers, secondsMs(10), clock);
  const ended = toValue(await answers.call("GET /replays/:id", { params }));
  assert.deepEqual([ended.state, ended.moved, ended.skipped], ["finished", 5, 0]);
  assert.equal(receiver.requests.length, 11);
});

/** As housekeeping does. */
async function step(answers: Answers, ms: number, clock: ReturnType<typeof createVirtualClock>): Promise<void> {
  await clock.advance(ms);
  await answers.app.store.stepReplays({ nowMs: clock.nowMs(), deliveriesMax: 500 });
  await answers.run();
}

test("a cancelled one ends, and nothing starts it again", async () => {
  const clock = createVirtualClock();
  await using receiver = await startReceiver();
  await using answers = await createAnswers({ clock });
  await deliverSome(answers, receiver, 3);
  await clock.advance(1);
  const body = { filter: { states: STATES }, ratePerSecond: 1 };
  const { id } = toValue(await answers.call("POST /replays", { body }));
  const put = (state: "running" | "cancelled") =>
    answers.call("PUT /replays/:id/state", { params: { id }, body: { state } });
  assert.equal(toValue(await put("cancelled")).state, "cancelled");
  const after = toValue(await put("running"));
  assert.deepEqual([after.state, after.isPrepared], ["cancelled", false]);
  await step(answers, secondsMs(10), clock);
  assert.equal(receiver.requests.length, 3);
  const { replays } = toValue(await answers.call("GET /replays"));
  assert.deepEqual(
    replays.map((replay) => [replay.id, replay.state]),
    [[id, "cancelled"]],
  );
});

test("another account's destination and replay are not found", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const destinationId = await deliverSome(answers, receiver, 1);
  const who = { accountId: OTHER_ACCOUNT };
  const body = { filter: { destinationId, states: STATES }, ratePerSecond: 1 };
  const refused = toProblem(await answers.call("POST /replays", { body }, who));
  assert.deepEqual([refused.code, refused.errors?.[0]?.path], ["destination_not_found", "filter.destinationId"]);
  const { id } = toValue(await answers.call("POST /replays", { body }));
  const params = { id };
  assert.equal(toProblem(await answers.call("GET /replays/:id", { params }, who)).code, "replay_not_found");
  const put = await answers.call("PUT /replays/:id/state", { params, body: { state: "running" } }, who);
  assert.equal(toProblem(put).code, "replay_not_found");
  assert.deepEqual(toValue(await answers.call("GET /replays", {}, who)), { replays: [] });
  const everything = { filter: { states: STATES }, ratePerSecond: 1 };
  assert.equal(toValue(await answers.call("POST /replays", { body: everything }, who)).deliveries, 0);
});

test("preparing and deciding are written down with who and what", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  await deliverSome(answers, receiver, 1);
  const body = { filter: { states: STATES }, ratePerSecond: 1 };
  const { id } = toValue(await answers.call("POST /replays", { body }));
  toValue(await answers.call("PUT /replays/:id/state", { params: { id }, body: { state: "cancelled" } }, { by: BEN }));
  const audit = await answers.app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 2 });
  assert.deepEqual(
    audit.map(({ action, person, subject }) => [action, person, subject.includes(id)]),
    [
      ["replay_cancelled", BEN.person, true],
      ["replay_prepared", "ana@example.com", true],
    ],
  );
});

test("a search narrows it to what was found, and is kept as it was typed", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  await deliverSome(answers, receiver, 3);
  const jane = { lead: { id: uuid(7), email: "jane@acme.example", first_name: "Jane", last_name: "Doe" } };
  toValue(await answers.accept(session(50, jane), session(51, jane)));
  await answers.run();
  await answers.index();
  const prepare = async (q: string, states: readonly ("delivered" | "failed")[] = STATES) =>
    await answers.call("POST /replays", { body: { filter: { states, q }, ratePerSecond: 1 } });
  const found = toValue(await prepare(" Jane@acme.example "));
  assert.deepEqual([found.deliveries, found.filter.q], [2, "Jane@acme.example"]);
  assert.equal(toValue(await prepare("jane", ["failed"])).deliveries, 0);
  const { deliveries } = toValue(await answers.call("GET /deliveries", { query: { q: "jane" } }));
  assert.equal(toValue(await prepare(deliveries[0]?.id ?? "")).deliveries, 1);
  const all = toValue(await prepare(" "));
  assert.deepEqual([all.deliveries, all.filter.q], [5, undefined]);
  const refused = toProblem(await prepare("?"));
  assert.deepEqual(
    [refused.code, refused.errors],
    ["invalid_form", [{ path: "filter.q", message: "needs a letter or a digit" }]],
  );
});

test("a search that finds little in much is ended, and the refusal says to narrow it", async (t) => {
  await using answers = await createAnswers();
  const { mock } = t.mock.method(answers.app.accounts.store, "searchDeliveries", async () => ({
    deliveries: [],
    next: { createdAtMs: 1_000 - mock.callCount(), id: "0" },
    searchedBackToMs: 1_000,
    missingFromMs: null,
    lookedAt: null,
  }));
  const body = { filter: { states: STATES, q: "jane" }, ratePerSecond: 1 };
  const refused = toProblem(await answers.call("POST /replays", { body }));
  assert.equal(refused.code, "replay_too_large");
  assert.match(refused.detail, /in the log, choose a shorter time/);
  assert.equal(mock.callCount(), 40);
  const ofPerson = { email: "jane@acme.example", states: STATES };
  const refusedOfPerson = toProblem(await answers.call("POST /people/replays", { body: ofPerson }));
  assert.equal(refusedOfPerson.code, "replay_too_large");
  assert.match(refusedOfPerson.detail, /search the log for this address/);
});
