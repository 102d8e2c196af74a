/** A third type of event, from intake to the pages: what one row and one file of its own have to be enough for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { createAnswers } from "../../test/kit/world/answers.ts";
import { ACCOUNT, session, toValue, uuid } from "../../test/kit/world/world.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { leadIdentified } from "./lead-identified.ts";

test("a third type is taken, sent, found, searched for, tried and documented", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const webhook = { url: receiver.url, headers: [], ratePerSecond: null };
  const audience = { audience: "all", demos: [], intentLevels: [] } as const;
  const conditions = { join: "all", list: [{ field: "identified_at", operator: "known" }] } as const;
  const saved = await answers.call("POST /alerts", { body: { name: "CRM", ...audience, webhooksOn: true, webhook } });
  const { id: alertId } = toValue(saved);
  const authorization = `Bearer ${API_KEY}`;
  const answer = await answers.app.server.inject({
    method: "POST",
    url: `/v1/accounts/${ACCOUNT}/identified-leads`,
    headers: { authorization, "content-type": "application/json" },
    payload: JSON.stringify({ ...leadIdentified.sampleRecord, id: uuid(1) }),
  });
  assert.equal(answer.statusCode, 202);
  toValue(await answers.accept(session(2)));
  await answers.run();
  await answers.index();
  const sent = receiver.requests.map(({ body }) => JSON.parse(String(body)) as { event: string });
  assert.deepEqual(sent.map(({ event }) => event).toSorted(), ["demo_viewed", "lead_identified"]);

  const list = async (query: object) => toValue(await answers.call("GET /deliveries", { query })).deliveries;
  assert.deepEqual(
    (await list({ event: "lead_identified" })).map(({ eventType }) => eventType),
    ["lead_identified"],
  );
  assert.deepEqual(
    (await list({ event: "demo_viewed" })).map(({ eventType }) => eventType),
    ["demo_viewed"],
  );
  assert.equal((await list({ q: "ada", event: "lead_identified" })).length, 1);
  assert.equal((await list({ q: uuid(1) })).length, 1);

  const events = toValue(await answers.call("GET /sessions")).events;
  assert.deepEqual(
    events.map(({ sourceId }) => sourceId),
    [uuid(2)],
  );
  const sample = toValue(await answers.call("GET /alerts/sample"));
  assert.equal((JSON.parse(sample.body) as { event: string }).event, "demo_viewed");
  const preview = await answers.call("POST /alerts/preview", { body: { ...audience, conditions } });
  assert.equal(toValue(preview).fired, 1);
  const params = { id: alertId };
  const body = { webhook, body: JSON.stringify({ event: "lead_identified" }) };
  toValue(await answers.call("POST /alerts/:id/test", { params, body }));
  const tested = (await list({ tests: "1" })).filter(({ isTest }) => isTest);
  assert.deepEqual(
    tested.map(({ eventType }) => eventType),
    ["lead_identified"],
  );

  const { types } = toValue(await answers.call("GET /event-types"));
  assert.deepEqual(
    types.find(({ type }) => type === "lead_identified")?.usedBy.map(({ id }) => id),
    [alertId],
  );
  const openapi = await answers.app.server.inject({ method: "GET", url: "/openapi.json" });
  const { paths } = openapi.json<{ paths: Record<string, { post: { operationId: string } }> }>();
  assert.equal(paths["/v1/accounts/{account_id}/identified-leads"]?.post.operationId, "sendIdentifiedLeads");
});
