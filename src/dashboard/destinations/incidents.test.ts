import assert from "node:assert/strict";
import { test } from "node:test";
import { minutesMs, secondsMs } from "../../lib/duration.ts";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { createAnswers, OTHER_ACCOUNT, toProblem } from "../../../test/kit/world/answers.ts";
import type { FormOf } from "../../domain/form.ts";
import type { incidentsQuery } from "../forms/queries.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";

/** A receiver that is down, with eight deliveries that it has refused; and then it is well. */
async function openIncident(stack: AsyncDisposableStack) {
  const clock = createVirtualClock();
  const now = { status: 503, body: "upstream is down" };
  const receiver = stack.use(await startReceiver(() => ({ ...now })));
  const answers = stack.use(await createAnswers({ clock }));
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  toValue(await answers.call("POST /alerts", { body: makeAlertForm({ webhook }) }));
  toValue(await answers.accept(...Array.from({ length: 8 }, (_, place) => session(place + 1))));
  await answers.run();
  const { destinations } = toValue(await answers.call("GET /destinations"));
  return { clock, now, answers, params: { id: destinations[0]?.id ?? "" } };
}

test("an outage is told from its first failure to the first success, with what became of its deliveries", async () => {
  await using stack = new AsyncDisposableStack();
  const { clock, now, answers, params } = await openIncident(stack);
  const list = async () => toValue(await answers.call("GET /destinations/:id/incidents", { params }));
  const [lasting] = (await list()).incidents;
  assert.deepEqual([lasting?.toMs, lasting?.responses], [null, [{ code: "503", count: 8 }]]);
  const figures = async () =>
    toValue(
      await answers.call("GET /destinations/:id/incident-figures", { params, query: { incident: lasting?.id ?? "" } }),
    ).figures;
  assert.deepEqual([(await figures())?.waiting, (await figures())?.delivered], [8, 0]);

  const of = { params, query: { incident: lasting?.id ?? "" } };
  const { evidence, figures: open } = toValue(await answers.call("GET /destinations/:id/incident-figures", of));
  assert.deepEqual([evidence?.line, evidence?.deliveryId], ["upstream is down", open?.lastFailedId]);
  assert.ok((open?.firstFailedId ?? "") < (open?.lastFailedId ?? ""));

  now.status = 200;
  for (let turn = 0; turn < 20; turn += 1) {
    await clock.advance(secondsMs(30));
    await answers.run();
  }
  const { incidents, hasOlder } = await list();
  assert.equal(hasOlder, false);
  assert.deepEqual([incidents[0]?.id, incidents[0]?.end], [lasting?.id, "recovered"]);
  assert.ok((incidents[0]?.toMs ?? 0) < clock.nowMs() - minutesMs(5));
  assert.deepEqual([(await figures())?.waiting, (await figures())?.delivered], [0, 8]);
});

test("incidents of all destinations come in pages, with those under way first and the one of a link", async () => {
  const clock = createVirtualClock();
  const now = { status: 410 };
  await using receiver = await startReceiver(() => ({ ...now }));
  await using answers = await createAnswers({ clock });
  for (let number = 0; number < 27; number += 1) {
    const webhook = makeWebhookForm({ url: `${receiver.url}/${number}` });
    toValue(await answers.call("POST /alerts", { body: makeAlertForm({ name: `Alert ${number}`, webhook }) }));
  }
  toValue(await answers.accept(session(1)));
  await answers.run();
  const ask = async (query: FormOf<typeof incidentsQuery> = {}, who = {}) =>
    toValue(await answers.call("GET /incidents", { query }, who));
  const { incidents: open, olderThan: none } = await ask();
  assert.deepEqual([open.length, none], [27, null]);
  for (const { destinationId } of open.slice(1)) {
    const body = { state: "on" } as const;
    toValue(await answers.call("PUT /destinations/:id/state", { params: { id: destinationId }, body }));
  }
  const { incidents, olderThan } = await ask();
  assert.deepEqual([incidents.length, incidents[0]?.id, incidents[0]?.toMs], [26, open[0]?.id, null]);
  assert.equal(incidents[0]?.destination?.owner.name.startsWith("Alert "), true);
  const rest = await ask({ before: olderThan ?? "" });
  assert.deepEqual([rest.incidents.length, rest.olderThan], [1, null]);
  const [oldest] = rest.incidents;
  const linked = await ask({ incident: oldest?.id ?? "" });
  assert.deepEqual([linked.incidents.length, linked.incidents[1]?.id], [27, oldest?.id]);
  assert.equal((await ask({ incident: "inc_none" })).incidents.length, 26);
  assert.deepEqual(await ask({}, { accountId: OTHER_ACCOUNT }), { incidents: [], olderThan: null });
});

test("a destination of another account has no incidents to show, and an unknown incident no figures", async () => {
  await using stack = new AsyncDisposableStack();
  const { answers, params } = await openIncident(stack);
  const who = { accountId: OTHER_ACCOUNT };
  const query = { incident: "inc_none" };
  const listed = await answers.call("GET /destinations/:id/incidents", { params }, who);
  assert.equal(toProblem(listed).code, "destination_not_found");
  const counted = await answers.call("GET /destinations/:id/incident-figures", { params, query }, who);
  assert.equal(toProblem(counted).code, "destination_not_found");
  const unknown = toValue(await answers.call("GET /destinations/:id/incident-figures", { params, query }));
  assert.deepEqual(unknown, { figures: null, evidence: null, lookedAtMax: 10_000 });
});

test("a webhook fails since its incident began, also when it has worked once in between", async () => {
  await using stack = new AsyncDisposableStack();
  const { clock, now, answers, params } = await openIncident(stack);
  let number = 8;
  const meet = async (status: number, times: number): Promise<void> => {
    now.status = status;
    for (let turn = 0; turn < times; turn += 1) {
      await clock.advance(secondsMs(30));
      toValue(await answers.accept(session((number += 1))));
      await answers.run();
    }
  };
  await meet(200, 4);
  await meet(503, 12);
  const { health } = toValue(await answers.call("GET /destinations/:id", { params }));
  const { incidents } = toValue(await answers.call("GET /destinations/:id/incidents", { params }));
  assert.deepEqual([health.word, incidents.length, incidents[0]?.toMs], ["failing", 1, null]);
  assert.equal(health.failingSinceMs, incidents[0]?.fromMs);
});
