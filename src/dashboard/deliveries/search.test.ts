import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { type Answers, OTHER_ACCOUNT, createAnswers } from "../../../test/kit/world/answers.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { conversation, session, toValue, uuid } from "../../../test/kit/world/world.ts";
import { describeReach } from "./search.ts";

const JANE = { lead: { id: uuid(900), email: "jane@acme.example", first_name: "Jane", last_name: "Doe" } };

async function setUpAlert(answers: Answers, receiver: Receiver): Promise<void> {
  const webhook = makeWebhookForm({ url: `${receiver.url}/in` });
  toValue(await answers.call("POST /alerts", { body: makeAlertForm({ webhook }) }));
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

  test("finds what is pasted with invisible characters, with quotes, and with a no-break space", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    toValue(await answers.accept(session(1, JANE)));
    await answers.run();
    await answers.index();
    const all = toValue(await answers.call("GET /deliveries", {}));
    const id = all.deliveries[0]?.id ?? "";
    const typed = ["jane@ac\u200bme.example\u200b", "\u202ajane@acme.example\u202c", "Jane\u00a0Doe", "“jane doe”"];
    for (const q of [...typed, "ja\u00adne", `${id}\u200b`, `\ufeff${id}\u00a0`, `"${id}"`]) {
      const { deliveries } = toValue(await answers.call("GET /deliveries", { query: { q } }));
      assert.equal(deliveries[0]?.id, id, JSON.stringify(q));
    }
  });

  test("names what matches and was never sent, where no delivery does", async () => {
    await using answers = await createAnswers();
    toValue(await answers.accept(session(1, JANE), conversation(2, JANE)));
    await answers.index();
    const { search } = toValue(await answers.call("GET /deliveries", { query: { q: "jane" } }));
    assert.deepEqual(
      // Both are of one millisecond.
      search?.unsent.map(({ eventType, sourceId, about }) => [eventType, sourceId, about.who]).toSorted(),
      [
        ["chat_conversation_completed", uuid(2), "Jane Doe"],
        ["demo_viewed", uuid(1), "Jane Doe"],
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

describe("all that match", () => {
  test("is what the log's filters and its search find, on every page, and says what was accepted already", async () => {
    await using receiver = await startReceiver(({ body }) => ({ status: body.includes("Jane") ? 503 : 200 }));
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    const others = Array.from({ length: 60 }, (_, number) => session(number + 10));
    toValue(await answers.accept(session(1, JANE), ...others, session(2, JANE)));
    await answers.run();
    await answers.index();
    const matching = async (query: Readonly<Record<string, string>>) =>
      toValue(await answers.call("GET /deliveries/matching", { query }));
    const all = await matching({});
    assert.deepEqual([all.ids.length, all.deliveredIds.length, all.isWhole], [62, 60, true]);
    const { nextCursor } = toValue(await answers.call("GET /deliveries"));
    assert.equal((await matching({ cursor: nextCursor ?? "" })).ids.length, 62);
    const janes = await matching({ q: "jane" });
    assert.deepEqual([janes.ids.length, janes.deliveredIds.length], [2, 0]);
    assert.deepEqual((await matching({ q: "jane", status: "delivered" })).ids, []);
    assert.deepEqual((await matching({ status: "retrying" })).ids, janes.ids);
    const refused = await answers.call("GET /deliveries/matching", { query: { status: "lost" } });
    assert.equal(refused.ok ? "" : refused.error.code, "invalid_parameter");
    const foreign = await answers.call("GET /deliveries/matching", {}, { accountId: OTHER_ACCOUNT });
    assert.deepEqual(toValue(foreign).ids, []);
  });

  test("ends at a thousand, and says that there are more", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    toValue(await answers.accept(...Array.from({ length: 1_000 }, (_, number) => session(number + 1))));
    const whole = toValue(await answers.call("GET /deliveries/matching"));
    assert.deepEqual([whole.ids.length, whole.isWhole], [1_000, true]);
    toValue(await answers.accept(session(2_000)));
    const cut = toValue(await answers.call("GET /deliveries/matching"));
    assert.deepEqual([cut.ids.length, cut.isWhole], [1_000, false]);
  });
});

describe("the total", () => {
  test("counts what the log's filters and its search find, on every page", async () => {
    await using receiver = await startReceiver(({ body }) => ({ status: body.includes("Jane") ? 503 : 200 }));
    await using answers = await createAnswers();
    await setUpAlert(answers, receiver);
    const others = Array.from({ length: 60 }, (_, number) => session(number + 10));
    toValue(await answers.accept(session(1, JANE), ...others, session(2, JANE)));
    await answers.run();
    await answers.index();
    const total = async (query: Readonly<Record<string, string>>) =>
      toValue(await answers.call("GET /deliveries/total", { query }));
    assert.deepEqual(await total({}), { count: 62, isWhole: true });
    const { nextCursor, deliveries } = toValue(await answers.call("GET /deliveries"));
    assert.deepEqual(await total({ cursor: nextCursor ?? "" }), { count: 62, isWhole: true });
    assert.deepEqual(await total({ status: "delivered" }), { count: 60, isWhole: true });
    assert.deepEqual(await total({ q: "jane" }), { count: 2, isWhole: true });
    assert.deepEqual(await total({ q: deliveries[0]?.id ?? "" }), { count: 1, isWhole: true });
    const refused = await answers.call("GET /deliveries/total", { query: { status: "lost" } });
    assert.equal(refused.ok ? "" : refused.error.code, "invalid_parameter");
    const foreign = await answers.call("GET /deliveries/total", {}, { accountId: OTHER_ACCOUNT });
    assert.deepEqual(toValue(foreign), { count: 0, isWhole: true });
  });
});
