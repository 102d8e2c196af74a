/** What anybody may ask for and what grows with the declared types is made once, however often it is asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../events/event-types.ts";

/** Tells each look into a schema. */
function watched(onRead: () => void): EventTypes {
  const watch = <Schema extends object>(schema: Schema): Schema =>
    new Proxy(schema, {
      ownKeys(target) {
        onRead();
        return Reflect.ownKeys(target);
      },
    });
  const all = BUILT_IN_TYPES.all.map((type) => ({
    ...type,
    bodySchema: watch(type.bodySchema),
    recordSchema: watch(type.recordSchema),
  }));
  return { ...BUILT_IN_TYPES, all };
}

test("each document is made when it is first asked for, and tagged", async () => {
  let reads = 0;
  const types = watched(() => (reads += 1));
  await using app = await createTestApp({}, { types });
  const { server } = app.app;
  const readsOf = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const before = reads;
    const answer = await server.inject({ method: "GET", url, headers });
    return { answer, reads: reads - before };
  };
  const urls = [
    "/openapi.json",
    "/asyncapi.json",
    ...["demo_viewed", "demo_session", "chat_conversation_completed"].map((name) => `/schemas/${name}.json`),
  ];
  for (const url of urls) {
    const first = await readsOf(url);
    assert.ok(first.reads > 0, url);
    const etag = String(first.answer.headers["etag"]);
    for (const headers of [{}, { "accept-encoding": "br" }, { "accept-encoding": "gzip" }, { "if-none-match": etag }])
      assert.equal((await readsOf(url, headers)).reads, 0, `${url} ${JSON.stringify(headers)}`);
    assert.equal((await readsOf(url, { "if-none-match": etag })).answer.statusCode, 304, url);
  }
});
