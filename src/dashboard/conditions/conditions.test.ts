/** Conditions by the dashboard's calls: saved and shown, tried on what came last, and told where they kept one away. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import {
  type Answers,
  ASSISTANT,
  OTHER_ACCOUNT,
  createAnswers,
  listPaths,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { AlertForm } from "../contract/alerts.ts";
import type { ConditionForm, ConditionsForm } from "../contract/conditions.ts";

const all = (...list: ConditionForm[]): ConditionsForm => ({ join: "all", list });
const LINKEDIN: ConditionForm = { field: "utm_params.utm_source", operator: "is", value: "linkedin" };

function form(url: string, changes: Partial<AlertForm> = {}): AlertForm {
  const webhook = makeWebhookForm({ url });
  return makeAlertForm({ name: "CRM sync", webhook, ...changes });
}
const linkedin = { utm_params: { utm_source: "LinkedIn" } };
const load = async (answers: Answers, n: number) =>
  toValue(await answers.call("GET /sessions/:id", { params: { id: uuid(n) } }));

describe("an alert with conditions", () => {
  test("fires for the sessions that meet them, and a session that it does not fire for says why", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const body = form(receiver.url, { intentLevels: ["high"], conditions: all(LINKEDIN) });
    const { id } = toValue(await answers.call("POST /alerts", { body }));
    const detail = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
    assert.deepEqual(detail.conditions, all(LINKEDIN));
    toValue(
      await answers.accept(
        session(1, { ...linkedin, intent_level: "high" }),
        session(2, { ...linkedin, intent_level: "low" }),
        session(3, { utm_params: { utm_source: "google" }, intent_level: "high" }),
        session(4, { intent_level: "high", utm_params: {} }),
      ),
    );
    await answers.run();
    assert.deepEqual(
      receiver.requests.map(({ body: sent }) => (JSON.parse(String(sent)) as { id: string }).id),
      [uuid(1)],
    );
    assert.deepEqual((await load(answers, 1)).notSent, { webhooks: [], more: 0 });
    const why = async (n: number) =>
      (await load(answers, n)).notSent.webhooks.map((each) => `${each.destination?.owner.name}: ${each.why}`);
    assert.deepEqual(await why(2), ["CRM sync: intent_level is low, and the alert wants high"]);
    assert.deepEqual(await why(3), ["CRM sync: utm_params.utm_source is google, and the alert wants linkedin"]);
    assert.deepEqual(await why(4), ["CRM sync: utm_params.utm_source is not known, and the alert wants linkedin"]);
  });

  test("what it kept away is a filter of the list, with its reason, alone and with a search", async () => {
    await using receiver = await startReceiver();
    let stillAtMs: number | null = null;
    const clock: Clock = { ...systemClock, monotonicMs: () => stillAtMs ?? systemClock.monotonicMs() };
    await using answers = await createAnswers({ clock });
    toValue(await answers.accept(session(1, { name: "Before any alert" })));
    toValue(await answers.call("POST /alerts", { body: form(receiver.url, { intentLevels: ["high"] }) }));
    const low = Array.from({ length: 3 }, (_, n) => session(n + 2, { intent_level: "low", name: "Pricing" }));
    const high = Array.from({ length: 120 }, (_, n) => session(n + 10, { intent_level: "high", name: "Pricing" }));
    toValue(await answers.accept(...low));
    toValue(await answers.accept(...high));
    await answers.run();
    await answers.index();
    // A busy machine would end the look back before all is read.
    stillAtMs = systemClock.monotonicMs();
    const list = async (query: Readonly<Record<string, string>>) =>
      toValue(await answers.call("GET /sessions", { query }));
    assert.equal((await list({})).notSent, null);
    const { events, notSent, nextCursor, search } = await list({ not_sent: "1" });
    assert.deepEqual([nextCursor, search?.searchedBackToMs], [null, null]);
    const why = ({ eventId }: { eventId: string }) => notSent?.[eventId]?.webhooks.map((each) => each.why);
    const tooLow = "intent_level is low, and the alert wants high";
    assert.deepEqual(
      events.map((event) => [event.sourceId, why(event)]),
      [
        [uuid(4), [tooLow]],
        [uuid(3), [tooLow]],
        [uuid(2), [tooLow]],
        [uuid(1), []],
      ],
    );
    const found = await list({ not_sent: "1", q: "pricing" });
    assert.deepEqual(found.events.map(({ sourceId }) => sourceId).toSorted(), [uuid(2), uuid(3), uuid(4)]);
    assert.ok(found.events.every(({ eventId }) => found.search?.matches[eventId]?.field === "demo"));
    assert.deepEqual(listPaths(await answers.call("GET /sessions", { query: { not_sent: "yes" } })), ["not_sent"]);
  });

  test("where most was sent the list is read back for a moment, and the next page goes on", async () => {
    const clock = createVirtualClock();
    await using receiver = await startReceiver();
    await using answers = await createAnswers({ clock });
    toValue(await answers.accept(session(1)));
    toValue(await answers.call("POST /alerts", { body: form(receiver.url) }));
    toValue(await answers.accept(...Array.from({ length: 120 }, (_, n) => session(n + 10))));
    const { store } = answers.app;
    const listEvents = store.listEvents.bind(store);
    store.listEvents = async (params) => {
      await clock.advance(100);
      return await listEvents(params);
    };
    const first = toValue(await answers.call("GET /sessions", { query: { not_sent: "1" } }));
    assert.equal(first.events.length, 0);
    assert.ok((first.search?.searchedBackToMs ?? 0) > 0);
    const next = async (cursor: string | null) =>
      toValue(await answers.call("GET /sessions", { query: { not_sent: "1", cursor: cursor ?? "" } }));
    const second = await next(first.nextCursor);
    const third = await next(second.nextCursor);
    assert.deepEqual([second.events.length, third.events.length, third.nextCursor], [0, 1, null]);
    assert.equal(third.search?.searchedBackToMs, null);
  });

  test("keeps them when a form that knows none is saved, and loses them with null", async () => {
    await using answers = await createAnswers();
    const url = "http://127.0.0.1:9/in";
    const { id } = toValue(await answers.call("POST /alerts", { body: form(url, { conditions: all(LINKEDIN) }) }));
    const conditions = async () => toValue(await answers.call("GET /alerts/:id", { params: { id } })).conditions;
    toValue(await answers.call("PUT /alerts/:id", { params: { id }, ifMatch: 1, body: form(url, { name: "B" }) }));
    assert.deepEqual(await conditions(), all(LINKEDIN));
    const body = form(url, { conditions: null });
    toValue(await answers.call("PUT /alerts/:id", { params: { id }, ifMatch: 2, body }));
    assert.equal(await conditions(), null);
  });

  test("is refused with every mistake at its row", async () => {
    await using answers = await createAnswers();
    const conditions = all(LINKEDIN, { field: "email", operator: "is", value: "a" }, { field: "name", operator: "is" });
    const refused = await answers.call("POST /alerts", { body: form("http://127.0.0.1:9/in", { conditions }) });
    assert.equal(toProblem(refused).code, "invalid_conditions");
    assert.deepEqual(listPaths(refused), ["conditions.list[1].field", "conditions.list[2].value"]);
    assert.match(toProblem(refused).errors?.[0]?.message ?? "", /did you mean lead\.email\?/);
  });
});

test("an assistant's webhook with conditions, and the conversation that it kept away", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const conditions: ConditionsForm = {
    join: "any",
    list: [
      { field: "intent_level", operator: "at_least", value: "medium" },
      { field: "extracted_variables.team_size", operator: "at_least", value: "50" },
    ],
  };
  const webhook = makeWebhookForm({ url: receiver.url });
  const params = { id: ASSISTANT };
  const put = (body: object, ifMatch: number) =>
    answers.call("PUT /assistants/:id/webhook", { params, ifMatch, body: { webhook, ...body } });
  toValue(await put({ conditions }, 1));
  toValue(await put({}, 2));
  const detail = toValue(await answers.call("GET /assistants/:id", { params }));
  assert.deepEqual(detail.conditions, conditions);
  const low = { intent_level: "low", assistant_id: ASSISTANT };
  toValue(
    await answers.accept(
      conversation(1, { ...low, extracted_variables: { team_size: "120" } }),
      conversation(2, { ...low, extracted_variables: { team_size: 12 } }),
    ),
  );
  await answers.run();
  assert.equal(receiver.requests.length, 1);
  const kept = toValue(await answers.call("GET /conversations/:id", { params: { id: uuid(2) } }));
  assert.deepEqual(
    kept.notSent.webhooks.map(({ destination, why }) => [destination?.owner.name, why]),
    [
      [
        "Website assistant",
        "no condition is met: intent_level is low, and the webhook wants at least medium; " +
          "extracted_variables.team_size is 12, and the webhook wants at least 50",
      ],
    ],
  );
  const refused = await put({ conditions: all({ field: "viewed_at", operator: "known" }) }, 3);
  assert.deepEqual(listPaths(refused), ["conditions.list[0].field"]);
  toValue(await answers.call("PUT /assistants/:id/webhook", { params, ifMatch: 3, body: { webhook: null } }));
  assert.equal(toValue(await answers.call("GET /assistants/:id", { params })).conditions, null);
});

describe("a preview", () => {
  const preview = (answers: Answers, changes: object = {}) =>
    answers.call("POST /alerts/preview", {
      body: { audience: "all", demos: [], intentLevels: [], conditions: all(LINKEDIN), ...changes },
    });

  test("says for how many of the last 50 sessions an alert would have fired, with a few of both kinds", async () => {
    await using answers = await createAnswers();
    const records = Array.from({ length: 60 }, (_, n) => session(n, n % 4 === 0 ? linkedin : { utm_params: {} }));
    toValue(await answers.accept(...records));
    const { events, fired, examples } = toValue(await preview(answers));
    assert.deepEqual([events, fired, examples.length], [50, 12, 6]);
    const [newest] = examples;
    assert.deepEqual([newest?.sourceId, newest?.fires], [uuid(59), false]);
    assert.equal(newest?.why, "utm_params.utm_source is not known, and the alert wants linkedin");
    assert.equal(examples.filter(({ fires }) => fires).length, 3);
  });

  test("counts what the alert has always asked too", async () => {
    await using answers = await createAnswers();
    toValue(
      await answers.accept(
        session(1, { ...linkedin, intent_level: "high", lead: null, buyer_reveal: null }),
        session(2, { ...linkedin, intent_level: "low" }),
        session(3, { ...linkedin, name: "Other" }),
      ),
    );
    const fired = async (changes: object) => toValue(await preview(answers, changes)).fired;
    assert.equal(await fired({}), 3);
    assert.equal(await fired({ audience: "known_lead" }), 2);
    assert.equal(await fired({ demos: ["Other"] }), 1);
    assert.equal(await fired({ intentLevels: ["low"], conditions: null }), 1);
  });

  test("decides as the acceptance does", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const conditions: ConditionsForm = {
      join: "any",
      list: [
        { field: "completion", operator: "at_least", value: "50" },
        { field: "referers", operator: "contains", value: "pricing" },
        { field: "lead.client_tracking_id", operator: "not_known" },
      ],
    };
    toValue(await answers.call("POST /alerts", { body: form(receiver.url, { conditions }) }));
    const records = Array.from({ length: 20 }, (_, n) =>
      session(n, {
        completion: n * 5,
        referers: n % 3 === 0 ? ["https://example.com/Pricing"] : [],
        utm_params: { n: String(n) },
      }),
    );
    toValue(await answers.accept(...records));
    await answers.run();
    const { fired } = toValue(await preview(answers, { conditions }));
    assert.ok(fired > 0 && fired < 20, String(fired));
    assert.equal(receiver.requests.length, fired);
  });

  test("reads a few megabytes at most, however large the payloads are", async () => {
    await using answers = await createAnswers();
    const large = "x".repeat(900_000);
    for (let n = 0; n < 12; n += 1) {
      toValue(
        await answers.accept(conversation(n, { assistant_id: ASSISTANT, messages: [{ role: "user", text: large }] })),
      );
    }
    const params = { id: ASSISTANT };
    const body = { conditions: all({ field: "transcript", operator: "contains", value: "xyz" }) };
    const { events, fired } = toValue(await answers.call("POST /assistants/:id/preview", { params, body }));
    assert.deepEqual([events, fired], [5, 0]);
  });

  test("of another account's assistant is not found, and sees no sessions of others", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1, linkedin)));
    const who = { accountId: OTHER_ACCOUNT };
    const body = { audience: "all", demos: [], intentLevels: [], conditions: null } as const;
    assert.equal(toValue(await answers.call("POST /alerts/preview", { body }, who)).events, 0);
    const refused = await answers.call("POST /assistants/:id/preview", {
      params: { id: "theirs" },
      body: { conditions: null },
    });
    assert.equal(toProblem(refused).code, "assistant_not_found");
  });
});

test("fields are those of the payload and the account's own, with values that were seen", async () => {
  await using answers = await createAnswers();
  toValue(
    await answers.accept(
      session(1, { utm_params: { utm_source: "linkedin", "my.own": "1" }, intent_level: "high" }),
      session(2, { utm_params: { utm_source: "linkedin" }, intent_level: "high" }),
      session(3, { utm_params: { utm_source: "google" }, intent_level: "low" }),
    ),
  );
  const { fields } = toValue(await answers.call("GET /alerts/fields"));
  const find = (path: string) => fields.find((field) => field.path === path);
  assert.deepEqual(find("intent_level")?.seen, ["high", "low"]);
  assert.deepEqual(find("utm_params.utm_source")?.seen, ["linkedin", "google"]);
  assert.deepEqual(find("utm_params.my.own")?.seen, ["1"]);
  assert.match(find("lead.email")?.about ?? "", /E-mail/);
  assert.equal(find("utm_params")?.isOpen, true);
  const chat = toValue(await answers.call("GET /assistants/:id/fields", { params: { id: ASSISTANT } }));
  assert.ok(chat.fields.some(({ path }) => path === "extracted_variables.qualified"));
});
