/** Event types that an operator declares: taken at their own address, kept to the byte, and found again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { parsePhrases } from "../domain/search-words.ts";
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
