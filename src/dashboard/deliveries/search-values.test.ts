/** A search for values of fields, as the page asks for it: in the log, in lists of events, and for a replay. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { createAnswers, listPaths } from "../../../test/kit/world/answers.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";

const VISITS = [
  { utm_params: { utm_source: "Google" }, intent_level: "high" },
  { utm_params: { utm_source: "newsletter" }, intent_level: "low" },
];

async function createVisited() {
  const receiver = await startReceiver();
  const answers = await createAnswers();
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  toValue(await answers.call("POST /alerts", { body: makeAlertForm({ webhook }) }));
  toValue(await answers.accept(...VISITS.map((visit, n) => session(n + 1, visit))));
  await answers.run();
  await answers.index();
  const close = async (): Promise<void> => {
    await answers[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  };
  return { answers, [Symbol.asyncDispose]: close };
}

describe("a search for values of fields", () => {
  test("finds deliveries and events, and marks the value", async () => {
    await using visited = await createVisited();
    const query = { q: "utm_source:google" };
    const { deliveries, search } = toValue(await visited.answers.call("GET /deliveries", { query }));
    assert.equal(deliveries.length, 1);
    const match = { field: "utm_params.utm_source", text: "Google", ranges: [[0, 6]] };
    assert.deepEqual(search?.matches[deliveries[0]?.id ?? ""], match);
    assert.equal(toValue(await visited.answers.call("GET /sessions", { query })).events.length, 1);
    assert.equal(toValue(await visited.answers.call("GET /deliveries/total", { query })).count, 1);
    const filter = { states: ["delivered" as const], ...query };
    const replay = toValue(await visited.answers.call("POST /replays", { body: { filter, ratePerSecond: 10 } }));
    assert.equal(replay.deliveries, 1);
  });

  test("says where it looked, and which field none of these has", async () => {
    await using visited = await createVisited();
    const ask = async (q: string) => {
      const { search } = toValue(await visited.answers.call("GET /deliveries", { query: { q } }));
      return [search?.lookedAt, search?.unknownFields];
    };
    assert.deepEqual(await ask("utm_source:bing"), [2, []]);
    assert.deepEqual(await ask("intent_level:none"), [2, []]);
    assert.deepEqual(await ask("intent_levle:high"), [
      2,
      [{ field: "intent_levle", nearest: "intent_level", lookedAt: 2 }],
    ]);
    assert.deepEqual(await ask("zzzzzzzz:high"), [2, [{ field: "zzzzzzzz", nearest: null, lookedAt: 2 }]]);
    assert.deepEqual(await ask("google"), [null, []]);
  });

  test("refuses what it cannot read, with what would be right", async () => {
    await using visited = await createVisited();
    for (const q of ['city:"New York', 'city:""', "a:1 b:2 c:3 d:4 e:5"]) {
      assert.deepEqual(listPaths(await visited.answers.call("GET /deliveries", { query: { q } })), ["q"], q);
    }
    const quoted = await visited.answers.call("GET /deliveries", { query: { q: '"city:berlin"' } });
    assert.equal(toValue(quoted).search?.lookedAt, null);
  });
});
