/** A webhook's own page by the dashboard's calls, on both stores: what failed, by type, who did what, and decisions. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setDestinationState } from "../../accounts/set-destination-state.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";
import { computeSuccess } from "../../domain/success.ts";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import {
  ANA,
  type Answers,
  ASSISTANT,
  createAnswers,
  OTHER_ACCOUNT,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { type SharedCluster, shareCluster } from "../../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { ACCOUNT, conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import type { AlertForm } from "../contract/alerts.ts";

type Store = "sqlite" | "postgres";

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

async function start(store: Store): Promise<Answers> {
  return await createAnswers(
    store === "sqlite" ? {} : { env: { BELLWIRE_DATABASE: await cluster.createStoreDatabase() } },
  );
}

async function addAlert(answers: Answers, url: string, changes: Partial<AlertForm> = {}): Promise<string> {
  const body = makeAlertForm({ name: "CRM", webhook: makeWebhookForm({ url }), ...changes });
  const { id } = toValue(await answers.call("POST /alerts", { body }));
  const detail = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
  return detail.destination?.id ?? assert.fail("it has no webhook");
}

const report = async (answers: Answers, id: string) =>
  toValue(await answers.call("GET /destinations/:id/report", { params: { id }, query: { range: "24h" } }));
const decisions = async (answers: Answers, id: string, query: Readonly<Record<string, string>> = {}) =>
  toValue(await answers.call("GET /destinations/:id/decisions", { params: { id }, query })).decisions;
const low = { intent_level: "low" };
const high = { intent_level: "high" };

for (const store of ["sqlite", "postgres"] as const) {
  describe(`the page of a webhook on ${store}`, () => {
    test("has its last failures with the answer’s sentence, its events by type, and who did what with it", async () => {
      await using receiver = await startReceiver({ status: 400, body: "field email is missing" });
      await using answers = await start(store);
      const id = await addAlert(answers, receiver.url);
      await addAlert(answers, receiver.url, { name: "Other" });
      toValue(await answers.accept(session(1), session(2)));
      await answers.run();
      const paused = { accountId: ACCOUNT, destinationId: id, state: "paused", reason: "paused", by: ANA } as const;
      toValue(await setDestinationState(answers.app.accounts, paused));
      const { failures, types, areTypesWhole, acts, actsSinceMs } = await report(answers, id);
      assert.deepEqual(
        failures.map(({ row, evidence }) => [row.sourceId, row.status, evidence?.line]),
        [2, 1].map((number) => [uuid(number), "retrying", "field email is missing"]),
      );
      assert.match(failures[0]?.sentence ?? "", /^Your endpoint /);
      assert.deepEqual(
        types.map(({ bars, ...type }) => [type, bars.length, bars.reduce((sum, { failed }) => sum + failed, 0)]),
        [[{ type: "demo_viewed", delivered: 0, failed: 0, waiting: 2 }, 24, 0]],
      );
      assert.deepEqual(
        acts.map(({ action, subject }) => [action, subject]),
        [
          ["Paused a webhook", "CRM"],
          ["Created an alert", "CRM"],
        ],
      );
      assert.deepEqual([areTypesWhole, actsSinceMs], [true, null]);
      const view = toValue(await answers.call("GET /destinations/:id", { params: { id } }));
      assert.deepEqual(view.health.waiting, { count: 2, isCapped: false });
      const page = { accountId: ACCOUNT, type: null, before: null, limit: 2 };
      const accepted = (await answers.app.store.listEvents(page)).map(({ acceptedAtMs }) => acceptedAtMs);
      // The delivery's id was made some moments before the commit that accepted it.
      const beforeMs = Math.min(...accepted) - (view.health.oldestWaitingAtMs ?? 0);
      assert.ok(beforeMs >= 0 && beforeMs < 1_000, `${beforeMs} ms before the first event`);
    });

    test("is not there for another account, nor is a decision", async () => {
      await using answers = await start(store);
      const params = { id: await addAlert(answers, "http://127.0.0.1:9/in") };
      const who = { accountId: OTHER_ACCOUNT };
      const query = { range: "24h" };
      const asked = [
        await answers.call("GET /destinations/:id/report", { params, query }, who),
        await answers.call("GET /destinations/:id/decisions", { params }, who),
        await answers.call("GET /sessions", { query: { not_sent: "1", webhook: params.id } }, who),
      ];
      assert.deepEqual(
        asked.map((each) => toProblem(each).code),
        Array(3).fill("destination_not_found"),
      );
    });

    test("says what it would do with the newest events, and with one that is looked for", async () => {
      await using receiver = await startReceiver();
      await using answers = await start(store);
      toValue(await answers.accept(session(1, high), session(2, low), conversation(3, { assistant_id: ASSISTANT })));
      const id = await addAlert(answers, receiver.url, { intentLevels: ["high"] });
      await answers.index();
      const shown = (list: Awaited<ReturnType<typeof decisions>>) =>
        list.map(({ sourceId, fires, why }) => [sourceId, fires, why]);
      const tooLow = [uuid(2), false, "intent_level is low, and the alert wants high"];
      assert.deepEqual(shown(await decisions(answers, id)), [tooLow, [uuid(1), true, ""]]);
      assert.deepEqual(shown(await decisions(answers, id, { q: uuid(2) })), [tooLow]);
      const [chat] = await decisions(answers, id, { q: uuid(3) });
      assert.deepEqual([chat?.fires, chat?.why], [false, "an alert is sent no events of this type"]);
      assert.deepEqual(await decisions(answers, id, { q: uuid(9) }), []);
      const paused = { accountId: ACCOUNT, destinationId: id, state: "paused", reason: "paused", by: ANA } as const;
      toValue(await setDestinationState(answers.app.accounts, paused));
      const [, fires] = shown(await decisions(answers, id));
      assert.deepEqual(fires, [uuid(1), true, "it waits, because the webhook is paused"]);
    });

    test("decides as acceptance does", async () => {
      await using receiver = await startReceiver();
      await using answers = await start(store);
      const id = await addAlert(answers, receiver.url, {
        audience: "known_lead",
        conditions: { join: "any", list: [{ field: "intent_level", operator: "at_least", value: "high" }] },
      });
      const records = Array.from({ length: 8 }, (_, number) =>
        session(number + 1, { ...(number % 2 === 0 ? low : high), ...(number % 3 === 0 && { lead: null }) }),
      );
      toValue(await answers.accept(...records));
      await answers.run();
      const sent = new Set(receiver.requests.map(({ body }) => (JSON.parse(String(body)) as { id: string }).id));
      const decided = await decisions(answers, id);
      assert.equal(decided.length, 8);
      for (const { sourceId, fires } of decided) assert.equal(fires, sent.has(sourceId), sourceId);
      assert.ok(sent.size > 0 && sent.size < 8);
    });

    test("has the success rate that Overview has for it, and its own answers alone", async () => {
      await using receiver = await startReceiver(({ path }) => ({ status: path === "/in" ? 200 : 410 }));
      await using answers = await start(store);
      const id = await addAlert(answers, `${receiver.url}/in`);
      await addAlert(answers, `${receiver.url}/gone`, { name: "Other" });
      toValue(await answers.accept(...Array.from({ length: 24 }, (_, number) => session(number + 1))));
      await answers.run();
      const query = { range: "24h", destination: id };
      const statistics = toValue(await answers.call("GET /statistics", { query }));
      const { destinations } = toValue(await answers.call("GET /destinations"));
      const { successRate } = destinations.find((each) => each.id === id)?.health ?? assert.fail();
      const { delivered, failed } = statistics.totals;
      assert.deepEqual([delivered, failed, successRate], [24, 0, computeSuccess({ delivered, failed, overdue: 0 })]);
      const [answered] = statistics.answers ?? [];
      assert.deepEqual([answered?.kind, answered?.counts.reduce((sum, each) => sum + each, 0)], ["2xx", 24]);
      assert.equal(statistics.answers?.length, 1);
      assert.equal(toValue(await answers.call("GET /statistics", { query: { range: "24h" } })).answers, undefined);
    });

    test("what one webhook did not get is found by one question to the store at a time", async (t) => {
      await using receiver = await startReceiver();
      await using answers = await start(store);
      const crm = await addAlert(answers, receiver.url, { intentLevels: ["high"] });
      await addAlert(answers, receiver.url, { name: "Other" });
      toValue(await answers.accept(...Array.from({ length: 12 }, (_, n) => session(n + 1, n % 2 === 0 ? high : low))));
      const verbs = answers.app.accounts.store;
      let [asked, most] = [0, 0];
      for (const verb of ["listDeliveries", "listEventBodies", "loadEvent"] as const) {
        const ask = verbs[verb] as (params: unknown) => Promise<unknown>;
        t.mock.method(verbs, verb, async (params: unknown) => {
          most = Math.max(most, ++asked);
          return await ask(params).finally(() => (asked -= 1));
        });
      }
      const { events } = toValue(await answers.call("GET /sessions", { query: { not_sent: "1", webhook: crm } }));
      assert.deepEqual([events.length, most], [6, 1]);
    });

    test("what one webhook did not get says why of that one alone, then or by now", async () => {
      await using receiver = await startReceiver();
      await using answers = await start(store);
      toValue(await answers.accept(session(1, high), session(2, low)));
      const crm = await addAlert(answers, receiver.url, { intentLevels: ["high"] });
      await addAlert(answers, receiver.url, { name: "Other", intentLevels: ["low"] });
      toValue(await answers.accept(session(3, high), session(4, low)));
      await answers.run();
      const list = async (query: Readonly<Record<string, string>>) => {
        const answer = toValue(
          await answers.call("GET /sessions", { query: { not_sent: "1", webhook: crm, ...query } }),
        );
        return answer.events.map(({ sourceId, eventId }) => [
          sourceId,
          answer.notSent?.[eventId]?.webhooks.map(({ destination, why }) => `${destination?.owner.name}: ${why}`),
        ]);
      };
      const tooLow = "intent_level is low, and the alert wants high";
      assert.deepEqual(await list({}), [
        [uuid(4), [`CRM: ${tooLow}`]],
        [uuid(2), [`CRM: by its settings of now, ${tooLow}`]],
        [uuid(1), ["CRM: by its settings of now it would be; they were others, or it was not there"]],
      ]);
      assert.deepEqual((await list({ q: uuid(4) })).length, 1);
      assert.deepEqual(await list({ q: uuid(3) }), [], "it went there");
    });
  });
}

const ORDERS = createEventTypes(
  ["order.created", "order.paid", "lead_identified"].map((type) => toDeclaration({ type })),
);

/** A webhook of the product’s own for all orders, and an event of each type from before it. */
async function startOrders() {
  const answers = await createAnswers({ types: ORDERS });
  const records = ORDERS.declarations.map(({ type }) => ORDERS.find(type)?.parse(JSON.stringify({ id: type })));
  toValue(await answers.accept(...records.map((each) => toValue(each ?? assert.fail()))));
  const events = [{ type: "order.*", conditions: null }];
  const body = { name: "Orders", events, webhook: makeWebhookForm({ url: "http://127.0.0.1:9/in" }) };
  const { id } = toValue(await answers.call("POST /webhooks", { body }));
  const { destination } = toValue(await answers.call("GET /webhooks/:id", { params: { id } }));
  await answers.index();
  return { answers, id: destination?.id ?? "", [Symbol.asyncDispose]: () => answers[Symbol.asyncDispose]() };
}

test("a webhook on a group of types is asked about events of each of them", async () => {
  await using orders = await startOrders();
  const decided = await decisions(orders.answers, orders.id);
  assert.deepEqual(
    decided.map(({ type, fires }) => [type, fires]),
    [
      ["order.paid", true],
      ["order.created", true],
    ],
  );
});

test("what a webhook did not get is of the types that it wants, unless somebody looks for others", async () => {
  await using orders = await startOrders();
  const list = async (more: Readonly<Record<string, string>> = {}) => {
    const query = { not_sent: "1", webhook: orders.id, ...more };
    return toValue(await orders.answers.call("GET /events", { query })).events.map(({ type }) => type);
  };
  assert.deepEqual(await list(), ["order.paid", "order.created"]);
  assert.deepEqual(await list({ q: "lead_identified" }), ["lead_identified"]);
});
