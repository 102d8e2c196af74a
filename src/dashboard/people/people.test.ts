/** A person's page on both stores: whose events it has, what went where, sending again, and erasing. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { type SharedCluster, shareCluster } from "../../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventTypes } from "../../events/event-types.ts";

const JANE = "Jane@acme.example";
const ORDER = "order.paid";
const types = createEventTypes([toDeclaration({ type: ORDER, search: ["/customer"] })]);

const leadOf = (email: string, n = 900) => ({
  lead: { id: uuid(n), email, first_name: "Jane", last_name: "Doe" },
});

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const STORES = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ BELLWIRE_DATABASE: await cluster.createDatabase() }),
};

async function createPerson(env: Readonly<Record<string, string>>) {
  const stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const answers = stack.use(await createAnswers({ types, env }));
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  toValue(await answers.call("POST /alerts", { body: makeAlertForm({ name: "CRM", webhook }) }));
  const never = makeAlertForm({ name: "High only", webhook, intentLevels: ["none such"] });
  toValue(await answers.call("POST /alerts", { body: never }));
  const order = toValue(
    types.find(ORDER)?.parse(JSON.stringify({ id: "o-1", customer: "jane@ACME.example" })) ?? assert.fail(),
  );
  toValue(
    await answers.accept(
      session(1, leadOf(JANE)),
      session(2, leadOf("mary.jane@acme.example", 901)),
      session(3, leadOf("jane@acme.example.org", 902)),
      conversation(4, leadOf("jane@acme.example")),
      order,
    ),
  );
  await answers.run();
  await answers.index();
  return { answers, receiver, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

for (const [name, openEnv] of Object.entries(STORES)) {
  describe(`a person's page on ${name}`, () => {
    test("has all of their events and nobody else's, with what went where and what did not", async () => {
      await using person = await createPerson(await openEnv());
      const page = toValue(await person.answers.call("POST /people", { body: { email: "JANE@acme.example" } }));
      assert.deepEqual(page.events.map(({ type }) => type).toSorted(), [
        "chat_conversation_completed",
        "demo_viewed",
        ORDER,
      ]);
      assert.equal(page.nextCursor, null);
      const visit = page.events.find(({ type }) => type === "demo_viewed");
      assert.deepEqual(
        visit?.rows.map(({ status, destination }) => [status, destination?.owner.name]),
        [["delivered", "CRM"]],
      );
      assert.deepEqual(
        visit?.notSent.webhooks.map(({ destination }) => destination?.owner.name),
        ["High only"],
      );
      const other = await person.answers.call("POST /people", { body: { email: JANE } }, { accountId: "acct-2" });
      assert.deepEqual(toValue(other).events, []);
      const detail = toValue(await person.answers.call("GET /sessions/:id", { params: { id: uuid(1) } }));
      assert.equal(detail.email, JANE);
    });

    test("sends all of theirs again, as a replay that says how many first", async () => {
      await using person = await createPerson(await openEnv());
      const { answers, receiver } = person;
      const body = { email: JANE, states: ["delivered" as const] };
      const replay = toValue(await answers.call("POST /people/replays", { body }));
      assert.deepEqual(
        [replay.deliveries, replay.state, replay.filter],
        [1, "paused", { states: ["delivered"], email: JANE }],
      );
      const sent = receiver.requests.length;
      toValue(await answers.call("PUT /replays/:id/state", { params: { id: replay.id }, body: { state: "running" } }));
      const audit = toValue(await answers.call("GET /audit")).entries.map(({ action }) => action);
      assert.deepEqual(audit.slice(0, 2), ["Sent many deliveries again", "Prepared to send many deliveries again"]);
      assert.equal(sent, 3);
      const none = await answers.call("POST /people/replays", { body: { email: JANE, states: ["failed"] } });
      assert.equal(toProblem(none).code, "not_resendable");
    });

    test("erases them with what the product is told, and then has nothing of them", async () => {
      await using person = await createPerson(await openEnv());
      const { answers } = person;
      const replay = { email: JANE, states: ["delivered" as const] };
      const { id } = toValue(await answers.call("POST /people/replays", { body: replay }));
      const search = new URLSearchParams({ q: JANE.toLowerCase() }).toString();
      for (const view of [
        { name: "Jane", search },
        { name: "Failed today", search: "status=failed&range=24h" },
      ]) {
        toValue(await answers.call("PUT /views", { body: view }));
      }
      const erased = toValue(await answers.call("POST /people/erase", { body: { email: JANE } }));
      const counts = Object.fromEntries(erased.lines.map((line) => [line.what, line.count]));
      assert.deepEqual([erased.inFlight, erased.next], [0, null]);
      assert.equal(counts["events without their bodies now"], 3);
      assert.equal(counts["searches taken out of replays and views"], 2);
      const { filter } = toValue(await answers.call("GET /replays/:id", { params: { id } }));
      assert.deepEqual(filter, { states: ["delivered"] });
      const { views } = toValue(await answers.call("GET /views"));
      assert.deepEqual(
        views.map((view) => view.name),
        ["Failed today"],
      );
      assert.deepEqual(toValue(await answers.call("POST /people", { body: { email: JANE } })).events, []);
      const mary = toValue(await answers.call("POST /people", { body: { email: "mary.jane@acme.example" } }));
      assert.equal(mary.events.length, 1);
      const [entry] = toValue(await answers.call("GET /audit")).entries;
      assert.deepEqual([entry?.action, entry?.person], ["Erased a person", "ana@example.com"]);
      assert.doesNotMatch(JSON.stringify(entry), /acme/);
    });

    test("has pages of a person of many events, each event once", async () => {
      await using person = await createPerson(await openEnv());
      const { answers } = person;
      for (let n = 0; n < 50; n += 1) toValue(await answers.accept(session(100 + n, leadOf("lee@acme.example"))));
      await answers.index();
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const body = { email: "lee@acme.example", ...(typeof cursor === "string" && { cursor }) };
        const page = toValue(await answers.call("POST /people", { body }));
        assert.ok(page.events.length <= 20);
        seen.push(...page.events.map(({ sourceId }) => sourceId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual([seen.length, new Set(seen).size], [50, 50]);
      assert.deepEqual(listPaths(await answers.call("POST /people", { body: { email: "l@a.b", cursor: "?" } })), [
        "cursor",
      ]);
    });
  });
}
