import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { conversation, session, uuid, toValue } from "../../../test/kit/world/world.ts";
import {
  ASSISTANT,
  type Answers,
  BEN,
  OTHER_ACCOUNT,
  createAnswers,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";

async function setUpAlert(answers: Answers, receiver: Receiver): Promise<string> {
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  const saved = await answers.call("POST /alerts", { body: makeAlertForm({ webhook }) });
  const { destination } = toValue(await answers.call("GET /alerts/:id", { params: { id: toValue(saved).id } }));
  return destination?.id ?? "";
}

async function setUpAssistant(answers: Answers, receiver: Receiver): Promise<void> {
  const params = { id: ASSISTANT };
  const { revision } = toValue(await answers.call("GET /assistants/:id", { params }));
  const webhook = makeWebhookForm({ url: `${receiver.url}/chat` });
  toValue(await answers.call("PUT /assistants/:id/webhook", { params, body: { webhook }, ifMatch: revision }));
}

const list = async (answers: Answers, query: Readonly<Record<string, string>> = {}) =>
  toValue(await answers.call("GET /deliveries", { query })).deliveries;

test("the log has a row for each delivery, newest first, with what came back and what happens next", async () => {
  await using receiver = await startReceiver((request) => ({ status: request.path === "/in" ? 503 : 200 }));
  await using answers = await createAnswers();
  await setUpAlert(answers, receiver);
  await setUpAssistant(answers, receiver);
  toValue(await answers.accept(session(1)));
  await answers.run();
  toValue(await answers.accept(conversation(2, { assistant_id: ASSISTANT })));
  await answers.run();
  const [chat, demo, ...more] = await list(answers);
  assert.ok(chat !== undefined && demo !== undefined && more.length === 0);
  assert.deepEqual(
    [chat.status, chat.last?.code, chat.last?.class, chat.destination?.owner.kind, chat.nextAttemptAtMs],
    ["delivered", "200", "success", "assistant", null],
  );
  assert.deepEqual(
    [demo.status, demo.last?.code, demo.attemptsInSchedule, demo.attemptsMax, demo.destination?.owner.name],
    ["retrying", "503", 1, 10, "Everyone"],
  );
  assert.ok((demo.nextAttemptAtMs ?? 0) > answers.app.accounts.clock.nowMs());
});

test("each filter finds what it names, and nothing of another account", async () => {
  await using receiver = await startReceiver((request) => ({ status: request.path === "/in" ? 503 : 200 }));
  await using answers = await createAnswers();
  const destination = await setUpAlert(answers, receiver);
  await setUpAssistant(answers, receiver);
  toValue(await answers.accept(session(1), conversation(2, { assistant_id: ASSISTANT })));
  await answers.run();
  const webhook = makeWebhookForm({ url: `${receiver.url}/test` });
  toValue(await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }));
  const [demo] = await list(answers, { event: "demo_viewed" });
  const COUNTS: readonly (readonly [query: Record<string, string>, count: number])[] = [
    [{}, 2],
    [{ tests: "1" }, 3],
    [{ status: "retrying" }, 1],
    [{ status: "retrying,delivered" }, 2],
    [{ status: "waiting" }, 0],
    [{ event: "chat_conversation_completed" }, 1],
    [{ destination }, 1],
    [{ destination: "dst_nobody" }, 0],
    [{ response: "5xx" }, 1],
    [{ response: "200" }, 1],
    [{ response: "none" }, 0],
    [{ q: uuid(1) }, 1],
    [{ q: demo?.id ?? "" }, 1],
    [{ q: demo?.id.toUpperCase() ?? "" }, 1],
    [{ to: String(demo?.createdAtMs ?? 0) }, 0],
    [{ from: String(demo?.createdAtMs ?? 0) }, 2],
  ];
  for (const [query, count] of COUNTS) {
    assert.equal((await list(answers, query)).length, count, JSON.stringify(query));
    const others = await answers.call("GET /deliveries", { query }, { accountId: OTHER_ACCOUNT });
    assert.deepEqual(toValue(others), { deliveries: [], nextCursor: null, search: null });
  }
});

test("pages follow each other without gap or repeat, while new rows come in", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  await setUpAlert(answers, receiver);
  const records = Array.from({ length: 120 }, (_, number) => session(number + 1));
  toValue(await answers.accept(...records));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = cursor === null ? {} : { cursor };
    const page = toValue(await answers.call("GET /deliveries", { query }));
    seen.push(...page.deliveries.map(({ id }) => id));
    cursor = page.nextCursor;
    toValue(await answers.accept(session(1_000 + seen.length)));
  } while (cursor !== null);
  assert.equal(seen.length, 120);
  assert.equal(new Set(seen).size, 120);
});

test("a delivery explains each attempt, and says when the next and the last one are planned", async () => {
  const clock = createVirtualClock();
  await using receiver = await startReceiver({ status: 503, body: Uint8Array.of(0xff, 0) });
  await using answers = await createAnswers({ clock });
  await setUpAlert(answers, receiver);
  toValue(await answers.accept(session(1)));
  await answers.run();
  const [row] = await list(answers);
  const detail = toValue(await answers.call("GET /deliveries/:id", { params: { id: row?.id ?? "" } }));
  const [attempt] = detail.attempts;
  assert.equal(attempt?.outcome.sentence, "Your endpoint had an error.");
  assert.deepEqual(attempt?.outcome.response?.body, { kind: "binary", base64: "/wA=", bytes: 2 });
  assert.equal(detail.sourceId, uuid(1));
  assert.equal(JSON.parse(detail.body ?? "").id, uuid(1));
  assert.equal(detail.notResendable, null);
  assert.equal(detail.destinationNow?.health.waiting.count, 1);
  assert.ok((detail.lastAttemptAtMs ?? 0) > (detail.nextAttemptAtMs ?? 0) + 3 * 24 * 3_600_000);
});

describe("sending again", () => {
  test("sends what was delivered once more, with the same id, and says who asked", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    toValue(await answers.accept(session(1)));
    await answers.run();
    const [row] = await list(answers);
    const params = { id: row?.id ?? "" };
    assert.equal(toValue(await answers.call("POST /deliveries/:id/resend", { params }, { by: BEN })), null);
    await answers.run();
    const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(ids, [params.id, params.id]);
    const detail = toValue(await answers.call("GET /deliveries/:id", { params }));
    assert.deepEqual([detail.status, detail.attemptsMade, detail.resent?.by], ["delivered", 2, BEN.person]);
  });

  test("is refused for tests, and for what is another account's", async () => {
    await using receiver = await startReceiver({ status: 500 });
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    toValue(await answers.accept(session(1)));
    await answers.run();
    const webhook = makeWebhookForm({ url: `${receiver.url}/test` });
    const tested = toValue(await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }));
    const [row] = await list(answers);
    const resend = (id: string, accountId?: string) =>
      answers.call("POST /deliveries/:id/resend", { params: { id } }, accountId === undefined ? {} : { accountId });
    assert.match(toProblem(await resend(tested.deliveryId)).detail, /test/);
    assert.equal(toProblem(await resend(row?.id ?? "", OTHER_ACCOUNT)).code, "delivery_not_found");
    assert.equal(toProblem(await resend("dlv_nobody")).code, "delivery_not_found");
  });
});

describe("sessions and conversations", () => {
  test("are listed as accepted, and found by their id in either case with their deliveries", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    const id = "ABCDEF00-0000-4000-8000-00000000000A";
    toValue(await answers.accept(session(1, { id }), conversation(2, { assistant_id: ASSISTANT })));
    await answers.run();
    const { events } = toValue(await answers.call("GET /sessions"));
    assert.deepEqual(
      events.map(({ sourceId, about, deliveries }) => [sourceId, about, deliveries.delivered]),
      [[id.toLowerCase(), { who: "Ada Lovelace", what: "Product tour" }, 1]],
    );
    for (const asked of [id, id.toLowerCase()]) {
      const detail = toValue(await answers.call("GET /sessions/:id", { params: { id: asked } }));
      assert.deepEqual([detail.rows.length, detail.assistant, detail.isPurged], [1, null, false]);
    }
    const params = { id: uuid(2) };
    const chat = toValue(await answers.call("GET /conversations/:id", { params }));
    assert.deepEqual([chat.assistant, chat.rows], [{ id: ASSISTANT, name: "Website assistant" }, []]);
    const ofAssistant = await answers.call("GET /assistants/:id/conversations", { params: { id: ASSISTANT } });
    assert.equal(toValue(ofAssistant).events.length, 1);
    assert.equal(toProblem(await answers.call("GET /sessions/:id", { params })).code, "not_found");
    const others = await answers.call("GET /conversations/:id", { params }, { accountId: OTHER_ACCOUNT });
    assert.equal(toProblem(others).code, "not_found");
  });

  test("come in pages", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(...Array.from({ length: 60 }, (_, number) => session(number + 1))));
    const first = toValue(await answers.call("GET /sessions"));
    const query = { cursor: first.nextCursor ?? "" };
    const second = toValue(await answers.call("GET /sessions", { query }));
    assert.deepEqual([first.events.length, second.events.length, second.nextCursor], [50, 10, null]);
    assert.equal(new Set([...first.events, ...second.events].map(({ sourceId }) => sourceId)).size, 60);
    const bad = await answers.call("GET /sessions", { query: { cursor: "x" } });
    assert.equal(toProblem(bad).code, "invalid_parameter");
  });
});

test("a failure has its answer's first line; one that waits behind it has that of another", async () => {
  const clock = createVirtualClock();
  await using receiver = await startReceiver(() => ({ status: 503, body: "\nupstream is down\nat line 7" }));
  await using answers = await createAnswers({ clock });
  await setUpAlert(answers, receiver);
  toValue(await answers.accept(...Array.from({ length: 9 }, (_, place) => session(place + 1))));
  await answers.run();
  toValue(await answers.accept(session(10)));
  await answers.run();
  const rows = await list(answers);
  const waiting = rows.find(({ last }) => last === null)?.id ?? "";
  const tried = rows.find(({ last }) => last?.code === "503")?.id ?? "";
  const detail = async (id: string) => toValue(await answers.call("GET /deliveries/:id", { params: { id } }));
  const { attempts, evidence, incidentId } = await detail(waiting);
  assert.deepEqual(
    [attempts.length, evidence?.status, evidence?.line],
    [0, "503 Service Unavailable", "upstream is down"],
  );
  const named = await detail(evidence?.deliveryId ?? "");
  assert.equal(named.attempts.at(-1)?.startedAtMs, evidence?.atMs);
  const own = await detail(tried);
  assert.deepEqual([own.evidence?.deliveryId, own.evidence?.line], [tried, "upstream is down"]);
  const params = { id: own.destination?.id ?? "" };
  const { incidents } = toValue(await answers.call("GET /destinations/:id/incidents", { params }));
  assert.deepEqual([incidentId, own.incidentId], [incidents[0]?.id, incidents[0]?.id]);
});
