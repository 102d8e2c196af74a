/** Event types that an operator declares: taken at their own address, kept to the byte, and found again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { parsePhrases } from "../domain/search-words.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { readEventTypes } from "../events/declared/read-event-types.ts";
import { createEventTypes } from "../events/event-types.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "examples", "events");
const types = createEventTypes(toValue(readEventTypes(FOLDER, { taken: [] })));
const LEAD = `{ "id": "8F14e45f-ceea-467f-9d5a-0e2b6c1f7a31", "identified_at": "2026-11-20T12:00:00Z",
  "lead": { "email": "ada@example.com", "score": 72 }, "source": "form" }`;

const folder = mkdtempSync(join(tmpdir(), "bellwire-declared-"));
after(() => rmSync(folder, { recursive: true }));

// A file's rows are read on another thread, which makes the types again.
for (const database of ["sqlite::memory:", `sqlite:${join(folder, "declared.db")}`]) {
  test(`a record of a declared type is an event like any other (${database.slice(0, 9)})`, async () => {
    await using service = await createTestApp({ BELLWIRE_DATABASE: database }, { types });
    await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
    const post = (type: string, body: string) => service.post(`/v1/accounts/acme/events/${type}`, body);
    const taken = await post("lead_identified", LEAD);
    assert.equal(taken.statusCode, 202, taken.body);
    const { id: sourceId, event_id: eventId } = taken.json<{ id: string; event_id: string }>();
    const again = await post("lead_identified", LEAD);
    assert.deepEqual([again.statusCode, again.json<{ event_id: string }>().event_id], [200, eventId]);
    const { store } = service.app;
    const wanted = { accountId: "acme", type: "lead_identified" };
    const event = await store.loadEvent({ ...wanted, sourceId });
    assert.equal(
      event?.body,
      '{"id":"8F14e45f-ceea-467f-9d5a-0e2b6c1f7a31","identified_at":"2026-11-20T12:00:00Z",' +
        '"lead":{"email":"ada@example.com","score":72},"source":"form","event":"lead_identified"}',
    );
    assert.deepEqual(event.about, { who: "ada@example.com", what: null });
    const listed = await store.listEvents({ ...wanted, before: null, limit: 10 });
    assert.deepEqual(
      listed.map(({ id, about }) => [id, about.who]),
      [[eventId, "ada@example.com"]],
    );
    const nowMs = Date.now();
    await store.indexEvents({ nowMs, eventsMax: 100, bytesMax: 1_000_000 });
    const phrases = parsePhrases("ada@example.com");
    const { events } = await store.searchEvents({ ...wanted, phrases, before: null, limit: 10, nowMs });
    assert.deepEqual(
      events.map(({ id, match }) => [id, match?.text]),
      [[eventId, "ada@example.com"]],
    );
  });
}

test("a wrong record names its field, and a wrong type the nearest one", async () => {
  await using service = await createTestApp({}, { types });
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const post = (type: string, body: string) => service.post(`/v1/accounts/acme/events/${type}`, body);
  const wrong = await post("lead_identified", LEAD.replace('"score": 72', '"score": 720'));
  assert.equal(wrong.statusCode, 422);
  assert.deepEqual(
    wrong.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
    ["lead.score"],
  );
  const unknown = await post("lead_identifed", LEAD);
  assert.equal(unknown.statusCode, 404);
  const { code, detail } = unknown.json<{ code: string; detail: string }>();
  assert.equal(code, "unknown_event_type");
  assert.match(detail, /did you mean lead_identified\?/);
});

const state = { type: "object", required: ["id", "state"], properties: { id: {}, state: { type: "string" } } } as const;
const changes = createEventTypes([
  toDeclaration({
    type: "order.updated",
    schema: { ...state, properties: { ...state.properties, id: { type: "string" } } },
  }),
  toDeclaration({ type: "issue.edited", key: "caller", schema: state, exampleText: '{"id":1,"state":"x"}' }),
]);

test("another state under a known key is never only a duplicate, and is counted", async () => {
  await using service = await createTestApp({}, { types: changes });
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const post = async (record: object, headers = {}) =>
    (await service.post("/v1/accounts/acme/events/order.updated", record, headers)).json<Record<string, unknown>>();
  const first = await post({ id: "4711", state: "paid" });
  const known = { ...first, duplicate: true };
  assert.deepEqual(await post({ id: "4711", state: "paid" }), known);
  assert.deepEqual(await post({ id: "4711", state: "shipped" }, { "idempotency-key": "k2" }), {
    ...known,
    differs: true,
  });
  const lines = '{"id":"4711","state":"paid"}\n{"id":"4711","state":"shipped"}\n';
  const ndjson = { "content-type": "application/x-ndjson" };
  const batch = await service.post("/v1/accounts/acme/events/order.updated", lines, ndjson);
  const results = batch.body
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  assert.deepEqual(results, [
    { line: 1, ...known },
    { line: 2, ...known, differs: true },
  ]);
  const metrics = await service.call({ method: "GET", url: "/metrics" });
  assert.match(metrics.body, /bellwire_events_duplicate_total\{event="order.updated"\} 4\n/);
  assert.match(metrics.body, /bellwire_events_differing_total\{event="order.updated"\} 2\n/);
});

test("a caller names each event of a thing, by a header or in the record", async () => {
  await using service = await createTestApp({}, { types: changes });
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const post = (record: object | string, headers = {}) =>
    service.post("/v1/accounts/acme/events/issue.edited", record, headers);
  const named = (key: string) => ({ "idempotency-key": key });
  const record = { id: 1, state: "open" };
  const statuses = [];
  for (const headers of [named("a"), named('"a"'), named("b")]) statuses.push((await post(record, headers)).statusCode);
  statuses.push((await post({ ...record, idempotency_key: "b" })).statusCode, (await post(record)).statusCode);
  assert.deepEqual(statuses, [202, 200, 202, 200, 422]);
  const lines = ["b", "c"].map((key) => JSON.stringify({ idempotency_key: key, ...record })).join("\n");
  const batch = await post(lines, { "content-type": "application/x-ndjson" });
  assert.deepEqual(
    batch.body.match(/"id":"\w","event_id":"\w+","deliveries":0,"duplicate":\w+/g)?.map((each) => each.slice(-5)),
    ["true", "false"].map((each) => `:${each}`.slice(-5)),
  );
  const event = await service.app.store.loadEvent({ accountId: "acme", type: "issue.edited", sourceId: "c" });
  assert.equal(event?.body, '{"id":1,"state":"open","event":"issue.edited"}');
});

test("a built-in type answers at the new address as at its old one", async () => {
  await using service = await createTestApp();
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "starter", app_url: "https://app.example.com" });
  const [demo] = types.all;
  assert.ok(demo !== undefined);
  const record = JSON.stringify(demo.example);
  const first = await service.post(`/v1/accounts/acme/${demo.builtIn?.path}`, record);
  const second = await service.post(`/v1/accounts/acme/events/${demo.type}`, record);
  assert.deepEqual([first.statusCode, second.statusCode], [202, 200]);
  assert.equal(first.json<{ event_id: string }>().event_id, second.json<{ event_id: string }>().event_id);
});
