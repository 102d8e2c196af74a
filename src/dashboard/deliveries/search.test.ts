import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { type Answers, createAnswers } from "../../../test/kit/world/answers.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { describeReach } from "./search.ts";

const JANE = { lead: { id: uuid(900), email: "jane@acme.example", first_name: "Jane", last_name: "Doe" } };

async function setUpAlert(answers: Answers, receiver: Receiver): Promise<void> {
  const webhook = { url: `${receiver.url}/in`, headers: [], ratePerSecond: null };
  const settings = { audience: "all", demos: [], intentLevels: [], webhooksOn: true } as const;
  toValue(await answers.call("POST /alerts", { body: { name: "Everyone", ...settings, webhook } }));
}

describe("a search of the log", () => {
  test("finds what fresh sessions are about, and marks it", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    toValue(await answers.accept(session(1, JANE), session(2, { name: "<b>Tour</b>" })));
    await answers.run();
    await answers.index();
    const { deliveries, search } = toValue(
      await answers.call("GET /deliveries", { query: { q: "jane@acme.example" } }),
    );
    assert.deepEqual(
      deliveries.map(({ about }) => about.who),
      ["Jane Doe"],
    );
    assert.deepEqual(search?.matches[deliveries[0]?.id ?? ""], {
      field: "visitor",
      text: "jane@acme.example",
      ranges: [[0, 17]],
    });
    const other = toValue(await answers.call("GET /deliveries", { query: { q: "tour" } }));
    assert.deepEqual(
      Object.values(other.search?.matches ?? {})
        .map(({ text }) => text)
        .toSorted()[0],
      "<b>Tour</b>",
    );
  });

  test("names what matches and was never sent, where no delivery does", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1, JANE), conversation(2, JANE)));
    await answers.index();
    const { search } = toValue(await answers.call("GET /deliveries", { query: { q: "jane" } }));
    assert.deepEqual(
      search?.unsent.map(({ eventType, sourceId, about }) => [eventType, sourceId, about.who]),
      [
        ["demo_viewed", uuid(1), "Jane Doe"],
        ["chat_conversation_completed", uuid(2), "Jane Doe"],
      ],
    );
    const narrowed = toValue(await answers.call("GET /deliveries", { query: { q: "jane", event: "demo_viewed" } }));
    assert.equal(narrowed.search?.unsent.length, 1);
    const nothing = toValue(await answers.call("GET /deliveries", { query: { q: "zebra" } }));
    assert.deepEqual(nothing.search?.unsent, []);
  });

  test("says that the index is behind, and since when", async () => {
    const clock = createVirtualClock();
    await using answers = await createAnswers({ clock });
    toValue(await answers.accept(session(1, JANE)));
    await clock.advance(10_000);
    const { search } = toValue(await answers.call("GET /deliveries", { query: { q: "jane" } }));
    assert.equal(search?.missingFromMs, clock.nowMs() - 10_000);
  });

  test("finds sessions by words and by any id", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1, JANE), session(2)));
    await answers.index();
    const { events } = toValue(await answers.call("GET /sessions", { query: { q: "doe" } }));
    assert.deepEqual(
      events.map(({ sourceId }) => sourceId),
      [uuid(1)],
    );
    const [found] = events;
    for (const q of [uuid(1), found?.eventId ?? ""]) {
      const byId = toValue(await answers.call("GET /sessions", { query: { q } }));
      assert.deepEqual(
        byId.events.map(({ sourceId }) => sourceId),
        [uuid(1)],
      );
    }
    assert.ok(!(await answers.call("GET /sessions", { query: { q: "?" } })).ok);
  });
});

test("a filter that could not look at everything says how far back it came, so that nothing found is no proof", () => {
  const next = { createdAtMs: 5, id: "0" };
  assert.equal(describeReach({ deliveries: [], next, searchedBackToMs: 5 })?.searchedBackToMs, 5);
  assert.equal(describeReach({ deliveries: [], next: null, searchedBackToMs: null }), null);
});
