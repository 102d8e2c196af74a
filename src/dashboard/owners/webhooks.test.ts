import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { newFolder } from "../../../test/kit/folder.ts";
import {
  ANA,
  type Answers,
  type AnswersOptions,
  BEN,
  createAnswers,
  listPaths,
  OTHER_ACCOUNT,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { ACCOUNT, conversation, session, toValue } from "../../../test/kit/world/world.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";
import { systemRandom } from "../../lib/random.ts";
import type { SaveWebhookBody } from "../contract/webhooks.ts";

const CANARY = "Bearer c4nary-value";
const LEAD = "lead_identified";

const types = createEventTypes([
  toDeclaration({
    type: LEAD,
    title: "Lead identified",
    description: "A visitor got a name. Once for each lead.",
    schema: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" }, score: { type: "integer" } },
    },
    exampleText: '{"id":"example","score":90}',
  }),
  toDeclaration({ type: "meeting_booked", title: "Meeting booked", plan: "growth" }),
]);

const open = (options: AnswersOptions = {}) => createAnswers({ types, ...options });

const HIGH = { join: "all", list: [{ field: "score", operator: "at_least", value: "80" }] } as const;
const DEAD = "http://127.0.0.1:9/in";

function form(changes: Partial<SaveWebhookBody> = {}, url = DEAD): SaveWebhookBody {
  const headers = [{ name: "Authorization", value: CANARY, secret: true }];
  return {
    name: "Leads",
    events: [{ type: LEAD, conditions: HIGH }, { type: "demo_viewed" }],
    webhook: makeWebhookForm({ url, headers }),
    ...changes,
  };
}

const create = async (answers: Answers, body = form()) => toValue(await answers.call("POST /webhooks", { body }));

const parse = (type: string, text: string) => toValue(types.find(type)?.parse(text) ?? assert.fail());

test("a webhook is saved, listed and shown, and its secret value is in no answer", async () => {
  await using answers = await open();
  const saved = await create(answers);
  const list = toValue(await answers.call("GET /webhooks"));
  const detail = toValue(await answers.call("GET /webhooks/:id", { params: { id: saved.id } }));
  const events = [
    { type: LEAD, conditions: HIGH },
    { type: "demo_viewed", conditions: null },
  ];
  assert.match(saved.id, /^whk_/);
  assert.deepEqual(
    list.webhooks.map((each) => [each.name, each.events, each.destination?.url, each.destination?.owner]),
    [["Leads", events, DEAD, { kind: "webhook", id: saved.id, name: "Leads", isDeleted: false }]],
  );
  assert.deepEqual([detail.revision, detail.events, detail.changed?.by], [1, events, ANA.person]);
  assert.deepEqual(detail.webhook?.headers, [{ name: "Authorization", value: null, secret: true }]);
  assert.doesNotMatch(JSON.stringify([saved, list, detail]), /c4nary/);
});

test("it gets the events that it wants and that its conditions let through, with the saved secret", async () => {
  await using receiver = await startReceiver();
  await using answers = await open();
  const { id } = await create(answers, form({}, `${receiver.url}/first`));
  const { webhook } = form({}, `${receiver.url}/in`);
  const kept = { ...webhook, headers: [{ name: "Authorization", value: null, secret: true }] };
  const body = form({ webhook: kept });
  assert.deepEqual(toValue(await answers.call("PUT /webhooks/:id", { params: { id }, body, ifMatch: 1 })), {
    id,
    revision: 2,
  });
  toValue(await answers.accept(parse(LEAD, '{"id":"cold","score":7}'), parse(LEAD, '{"id":"hot","score":88}')));
  toValue(await answers.accept(session(1), conversation(1), parse("meeting_booked", '{"id":"m"}')));
  await answers.run();
  const got = receiver.requests.map(({ path, body: sent, headers }) => {
    const { event, id: sourceId } = JSON.parse(sent.toString()) as { event: string; id: string };
    return [path, event, sourceId, headers["authorization"]];
  });
  assert.deepEqual(got.map((each) => each.join(" ")).toSorted(), [
    `/in demo_viewed ${session(1).sourceId} ${CANARY}`,
    `/in ${LEAD} hot ${CANARY}`,
  ]);
});

describe("a test", () => {
  test("sends the chosen type's latest event, or its example, to a webhook that need not be saved", async () => {
    await using receiver = await startReceiver();
    await using answers = await open();
    const { webhook } = form({}, `${receiver.url}/in`);
    const send = (type: string, id = "new") =>
      answers.call("POST /webhooks/:id/test", { params: { id }, body: { webhook, type } });

    const first = toValue(await send(LEAD));
    assert.equal(first.outcome.class, "success");
    assert.deepEqual(JSON.parse(first.request.body), { id: "example", score: 90, event: LEAD });

    toValue(await answers.accept(parse(LEAD, '{"id":"real","score":1}'), session(1)));
    const { id } = await create(answers, form({ events: "all" }, `${receiver.url}/saved`));
    const second = toValue(await send(LEAD, id));
    assert.deepEqual(JSON.parse(second.request.body), { id: "real", score: 1, event: LEAD });
    assert.equal(JSON.parse(toValue(await send("demo_viewed", id)).request.body).id, session(1).sourceId);
    assert.equal(receiver.requests.length, 3);
  });

  test("is refused for a type that nobody declares, and for one that the plan does not have", async () => {
    await using receiver = await startReceiver();
    await using answers = await open();
    const { webhook } = form({}, `${receiver.url}/in`);
    const send = (type: string) =>
      answers.call("POST /webhooks/:id/test", { params: { id: "new" }, body: { webhook, type } });
    assert.match(toProblem(await send("lead_identifed")).detail, /did you mean lead_identified/);
    const gated = toProblem(await send("meeting_booked"));
    assert.equal(gated.code, "plan_too_low");
    assert.match(gated.detail, /Growth plan/);
    assert.equal(receiver.requests.length, 0);
  });

  test("of the saved settings sends the first wanted type that the plan has", async () => {
    await using receiver = await startReceiver();
    await using answers = await open({ plan: "growth" });
    const { id } = await create(
      answers,
      form({ events: [{ type: "meeting_booked" }, { type: LEAD }] }, `${receiver.url}/in`),
    );
    const { destination } = toValue(await answers.call("GET /webhooks/:id", { params: { id } }));
    const send = () => answers.call("POST /destinations/:id/test", { params: { id: destination?.id ?? "" } });
    const sent = async () => JSON.parse(toValue(await send()).request.body).event as unknown;
    // In the order of pages.
    assert.equal(await sent(), LEAD);
    await answers.put(ACCOUNT, "free");
    assert.equal(await sent(), LEAD);
  });

  test("of a webhook whose types are all gone says so", async () => {
    using folder = newFolder();
    const keys = { encryptionKey: systemRandom.bytes(32), apiKeys: ["key-0123456789-of-this-test"], madeFiles: [] };
    const env = { BELLWIRE_DATABASE: `sqlite:${join(folder.path, "bellwire.db")}` };
    const id = await (async () => {
      await using before = await open({ keys, env });
      return (await create(before, form({ events: [{ type: LEAD }] }))).id;
    })();

    await using answers = await createAnswers({ keys, env });
    const { destination, events } = toValue(await answers.call("GET /webhooks/:id", { params: { id } }));
    assert.deepEqual(events, [{ type: LEAD, conditions: null }]);
    const params = { id: destination?.id ?? "" };
    const refused = toProblem(await answers.call("POST /destinations/:id/test", { params }));
    assert.equal(refused.code, "unknown_event_type");
    assert.match(refused.detail, /nothing to send/);
    assert.equal(toValue(await answers.call("GET /session")).hasWebhooks, true);
    const body = form({ events: [{ type: LEAD }], name: "Renamed" });
    toValue(await answers.call("PUT /webhooks/:id", { params: { id }, body, ifMatch: 1 }));
  });
});

describe("a wrong form", () => {
  test("is told each field that is wrong, in its own type where it is a condition", async () => {
    await using answers = await open();
    const refused = async (changes: Partial<SaveWebhookBody>) => {
      const answer = await answers.call("POST /webhooks", { body: form(changes) });
      return [toProblem(answer).code, ...listPaths(answer)];
    };
    const wrong = { join: "all", list: [{ field: "scroe", operator: "is", value: "1" }] } as const;
    assert.deepEqual(
      await refused({
        events: [{ type: "nothing" }, { type: LEAD, conditions: wrong }, { type: "demo_viewed" }, { type: LEAD }],
      }),
      ["invalid_event_types", "events[3].type", "events[0].type", "events[1].conditions.list[0].field"],
    );
    assert.deepEqual(await refused({ events: [] }), ["invalid_event_types", "events"]);
    assert.deepEqual(await refused({ events: [{ type: "meeting_booked" }] }), ["plan_too_low"]);
    const headers = [{ name: "Host", value: "a", secret: false }];
    assert.deepEqual(
      await refused({ webhook: makeWebhookForm({ url: "ftp://example.com", headers, ratePerSecond: 0 }) }),
      ["invalid_webhook_url", "webhook.url", "webhook.headers[0].name", "webhook.ratePerSecond"],
    );
    assert.deepEqual(toValue(await answers.call("GET /webhooks")).webhooks, []);
  });

  test("another origin asks for the secret value again, at Save and at Test", async () => {
    await using thief = await startReceiver();
    await using answers = await open();
    const { id } = await create(answers);
    const headers = [{ name: "Authorization", value: null, secret: true }];
    const webhook = makeWebhookForm({ url: `${thief.url}/in`, headers });
    const refusals = [
      await answers.call("PUT /webhooks/:id", { params: { id }, body: form({ webhook }), ifMatch: 1 }),
      await answers.call("POST /webhooks/:id/test", { params: { id }, body: { webhook, type: LEAD } }),
    ];
    for (const each of refusals) assert.deepEqual(listPaths(each), ["webhook.headers[0].value"]);
    assert.equal(thief.requests.length, 0);
  });
});

test("of two people who edit one webhook the second is told who was first", async () => {
  await using answers = await open();
  const { id } = await create(answers);
  const put = (name: string, by: typeof ANA | typeof BEN) =>
    answers.call("PUT /webhooks/:id", { params: { id }, body: form({ name }), ifMatch: 1 }, { by });
  toValue(await put("Ben's", BEN));
  const refused = toProblem(await put("Ana's", ANA));
  assert.equal(refused.code, "edited_meanwhile");
  assert.match(refused.detail, /^ben@example\.com changed this webhook at /);
});

test("on a lower plan a webhook keeps what it wanted, and no such type is added", async () => {
  await using answers = await open({ plan: "growth" });
  const both = { events: [{ type: LEAD }, { type: "meeting_booked" }] };
  const { id } = await create(answers, form(both));
  await answers.put(ACCOUNT, "free");
  const put = (changes: Partial<SaveWebhookBody>, ifMatch: number) =>
    answers.call("PUT /webhooks/:id", { params: { id }, body: form(changes), ifMatch });
  toValue(await put({ ...both, name: "Renamed" }, 1));
  toValue(await put({ events: [{ type: LEAD }] }, 2));
  assert.equal(toProblem(await put(both, 3)).code, "plan_too_low");
});

test("a deleted webhook is gone, what waits for it is cancelled, and the log keeps its name", async () => {
  await using answers = await open();
  const { id } = await create(answers);
  const { destination } = toValue(await answers.call("GET /webhooks/:id", { params: { id } }));
  const params = { id: destination?.id ?? "" };
  toValue(await answers.call("PUT /destinations/:id/state", { params, body: { state: "paused" } }));
  toValue(await answers.accept(parse(LEAD, '{"id":"hot","score":88}')));
  const stale = await answers.call("DELETE /webhooks/:id", { params: { id }, ifMatch: 7 });
  assert.equal(toProblem(stale).code, "edited_meanwhile");
  assert.equal(toValue(await answers.call("DELETE /webhooks/:id", { params: { id }, ifMatch: 1 })), null);
  assert.equal(toProblem(await answers.call("GET /webhooks/:id", { params: { id } })).code, "webhook_not_found");
  const { deliveries } = toValue(await answers.call("GET /deliveries"));
  assert.deepEqual(
    deliveries.map(({ status, destination: shown }) => [status, shown?.owner.name, shown?.owner.isDeleted]),
    [["cancelled", "Leads", true]],
  );
});

test("another account's webhook is not found, whatever is asked of it", async () => {
  await using answers = await open();
  const { id } = await create(answers);
  const { webhook } = form();
  const other = { accountId: OTHER_ACCOUNT };
  const refusals = [
    await answers.call("GET /webhooks/:id", { params: { id } }, other),
    await answers.call("PUT /webhooks/:id", { params: { id }, body: form(), ifMatch: 1 }, other),
    await answers.call("DELETE /webhooks/:id", { params: { id }, ifMatch: 1 }, other),
    await answers.call("POST /webhooks/:id/test", { params: { id }, body: { webhook, type: LEAD } }, other),
  ];
  for (const each of refusals) assert.equal(toProblem(each).code, "webhook_not_found");
  assert.deepEqual(toValue(await answers.call("GET /webhooks", {}, other)).webhooks, []);
});

describe("what the session's answer tells of event types", () => {
  const tell = async (answers: Answers) => toValue(await answers.call("GET /session"));

  test("without a declared type there are no webhooks to show", async () => {
    await using answers = await createAnswers();
    const { hasWebhooks, eventTypes } = await tell(answers);
    assert.equal(hasWebhooks, false);
    assert.deepEqual(
      eventTypes.map(({ type }) => type),
      ["demo_viewed", "chat_conversation_completed"],
    );
  });

  test("a declared type comes with the beginning of its description, and with what its plan keeps away", async () => {
    await using answers = await open();
    const { hasWebhooks, eventTypes } = await tell(answers);
    assert.equal(hasWebhooks, true);
    const declared = eventTypes.slice(2).map(({ title, hint, planGate }) => [title, hint, planGate]);
    assert.deepEqual(declared, [
      ["Lead identified", "A visitor got a name.", null],
      [
        "Meeting booked",
        "",
        "Webhooks on meeting_booked need the Growth plan or higher; this account is on the starter plan.",
      ],
    ]);
  });
});
