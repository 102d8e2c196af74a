/** `bellwire/client` against the real service over real sockets, and against services that misbehave. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { type Behaviour, type ReceivedRequest, startReceiver } from "../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX } from "./batches.ts";
import { LIMITS } from "../domain/limits.ts";
import { type ChatConversation, type ClientOptions, type DemoSession, createClient } from "./client.ts";
import type { SendResult } from "./answers.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { createEventTypes } from "../events/event-types.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const SESSION = demoViewed.example as unknown as DemoSession;
const CHAT = chatConversationCompleted.example as unknown as ChatConversation;
const ACCOUNT = { name: "Acme", plan: "starter", app_url: "https://app.example.com" } as const;

const session = (n: number): DemoSession => ({ ...SESSION, id: uuid(n) });

async function withService(changes: Parameters<typeof createTestApp>[1] = {}) {
  const service = await createTestApp({}, changes);
  const { port } = await service.app.start();
  const url = `http://127.0.0.1:${port}/`;
  const client = createClient({ url, key: API_KEY });
  assert.deepEqual(await client.putAccount("acct-1", ACCOUNT), { kind: "done", value: null });
  return { client, app: service.app, url, port, [Symbol.asyncDispose]: () => service.app.stop() };
}

async function all(results: AsyncIterable<SendResult>): Promise<SendResult[]> {
  const list: SendResult[] = [];
  for await (const result of results) list.push(result);
  return list;
}

test("an address or a key with what came along is refused when the client is made, without the key's text", () => {
  const make = (url: string, key: string) => () => createClient({ url, key });
  assert.throws(
    make("https://exa\u200bmple.com", API_KEY),
    /address has a zero-width space .*; write https:\/\/example.com$/,
  );
  assert.throws(make('"https://example.com"', API_KEY), /address has quotes around it; write https:\/\/example.com$/);
  assert.throws(make("https://example.com", `${API_KEY}\n`), /^Error: the intake key has a line break \(U\+000A\) as/);
  assert.throws(make("https://example.com", `Bearer ${API_KEY}`), /^Error: the intake key begins with "Bearer"; enter/);
  assert.throws(
    make("https://example.com", `BELLWIRE_API_KEY=${API_KEY}`),
    /begins with its own name, BELLWIRE_API_KEY/,
  );
});

describe("against the service", () => {
  test("a session and a conversation are accepted, and known when they come again", async () => {
    await using service = await withService();
    const first = await service.client.sendDemoSession("acct-1", session(1));
    assert.ok(first.kind === "accepted");
    assert.deepEqual(
      { ...first, eventId: "" },
      {
        kind: "accepted",
        eventId: "",
        deliveries: 0,
        duplicate: false,
        differs: false,
      },
    );
    assert.deepEqual(await service.client.sendDemoSession("acct-1", session(1)), {
      ...first,
      duplicate: true,
      differs: false,
    });
    const changed = { ...session(1), name: "Another name" };
    const known = { ...first, duplicate: true, differs: true };
    assert.deepEqual(await service.client.sendDemoSession("acct-1", changed), known);
    assert.deepEqual(await all(service.client.sendDemoSessions("acct-1", [changed])), [known]);
    assert.equal((await service.client.sendChatConversation("acct-1", CHAT)).kind, "accepted");
  });

  test("records of a declared type are accepted, alone and as a batch, and one of no type is refused", async () => {
    const declaration = toDeclaration({ type: "lead.seen" });
    await using service = await withService({ types: createEventTypes([declaration]) });
    const client = createClient<{ "lead.seen": { readonly id: string } }>({ url: service.url, key: API_KEY });
    const sent = await client.sendEvent("acct-1", "lead.seen", { id: "a" });
    assert.ok(sent.kind === "accepted" && !sent.duplicate, JSON.stringify(sent));
    const wrong = { id: 1 } as unknown as { readonly id: string };
    const results = await all(client.sendEvents("acct-1", "lead.seen", [{ id: "a" }, { id: "b" }, wrong]));
    assert.deepEqual(
      results.map((result) => (result.kind === "accepted" ? result.duplicate : result.kind)),
      [true, false, "refused"],
    );
    const unknown = await service.client.sendEvent("acct-1", "lead/seen", { id: "a" });
    assert.ok(unknown.kind === "refused" && unknown.code === "unknown_event_type", JSON.stringify(unknown));
    assert.match(unknown.detail, /did you mean lead\.seen/);
  });

  test("a bad record is refused with every field, an unknown account and a wrong key with their codes", async () => {
    await using service = await withService();
    const bad = await service.client.sendDemoSession("acct-1", { ...session(1), completion: 101, id: "x" });
    assert.ok(bad.kind === "refused");
    assert.deepEqual([bad.status, bad.code], [422, "invalid_record"]);
    assert.deepEqual(bad.errors.map(({ path }) => path).toSorted(), ["completion", "id"]);
    const unknown = await service.client.sendDemoSession("a/b c", session(1));
    assert.ok(unknown.kind === "refused" && unknown.code === "invalid_parameter", JSON.stringify(unknown));
    const stranger = createClient({ url: `http://127.0.0.1:${service.port}`, key: "wrong" });
    for (let n = 0; n < 25; n += 1) {
      const refused = await stranger.sendDemoSession("acct-1", session(1));
      // After a while the service answers 429 with Retry-After. The client still gives up at once, since the key stays
      // wrong.
      assert.ok(refused.kind === "refused" && /unauthorized|too_many_bad_keys/.test(refused.code));
    }
  });

  test("many come back as many results in their order, and a bad one fails alone", async () => {
    await using service = await withService();
    const sessions = Array.from({ length: BATCH_RECORDS_MAX + 5 }, (_, n) => session(n + 1));
    sessions[1002] = { ...session(1003), name: "" };
    const results = await all(service.client.sendDemoSessions("acct-1", sessions));
    assert.equal(results.length, sessions.length);
    assert.deepEqual(
      results.flatMap(({ kind }, index) => (kind === "accepted" ? [] : [`${index} ${kind}`])),
      ["1002 refused"],
    );
    const conversations = await all(service.client.sendChatConversations("acct-1", [CHAT]));
    assert.deepEqual(
      conversations.map(({ kind }) => kind),
      ["accepted"],
    );
  });

  test("a record above the limits is refused, and the others of its list are not", async () => {
    await using service = await withService();
    const big = { ...session(2), name: "x".repeat(2 * 1024 * 1024) };
    const results = await all(service.client.sendDemoSessions("acct-1", [session(1), big, session(3)]));
    assert.deepEqual(
      results.map((result) => (result.kind === "refused" ? result.code : result.kind)),
      ["accepted", "body_too_large", "accepted"],
    );
    const huge = { ...session(2), name: "x".repeat(9 * 1024 * 1024) };
    const more = await all(service.client.sendDemoSessions("acct-1", [session(4), huge, session(5)]));
    assert.deepEqual(
      more.map((result) => (result.kind === "refused" ? result.code : result.kind)),
      ["accepted", "body_too_large", "accepted"],
    );
  });

  test("an assistant can be named, and a person signed in", async () => {
    await using service = await withService();
    assert.equal((await service.client.putChatAssistant("acct-1", "website", "Website")).kind, "done");
    const link = await service.client.createDashboardLink("acct-1", { person: "ana@example.com", role: "viewer" });
    assert.ok(link.kind === "done");
    assert.match(link.value.url, /^http:.*\/sign-in\//);
    assert.ok(Date.parse(link.value.expiresAt) > Date.now());
    assert.equal((await service.client.putChatAssistant("nobody", "x", "X")).kind, "refused");
  });

  test("who is signed in is listed over all pages, and signed out by name or as everybody", async () => {
    await using service = await withService();
    const { client, app } = service;
    for (let n = 1; n <= 101; n += 1) await signIn(app, { accountId: "acct-1", person: `p${n}`, role: "viewer" });
    const listed = await client.listSessions("acct-1");
    assert.ok(listed.kind === "done");
    assert.deepEqual([listed.value.length, new Set(listed.value.map(({ id }) => id)).size], [101, 101]);
    // Sessions of one millisecond have no order among them, so the newest one may stand second.
    const newest = listed.value.find(({ person }) => person === "p101") ?? assert.fail();
    const { id, since, lastSeen, expiresAt, ...rest } = newest;
    assert.deepEqual(rest, { person: "p101", role: "viewer" });
    assert.match([id, since, lastSeen, expiresAt].join(" "), /^ses_\w{26}( \d{4}-[\d:.T-]+Z){3}$/);
    const ended = await client.endSessions("acct-1", { person: "p7" });
    assert.deepEqual(ended, { kind: "done", value: { sessionsEnded: 1, linksEnded: 0 } });
    const one = await client.listSessions("acct-1", { person: "p8" });
    assert.deepEqual(one.kind === "done" ? one.value.map(({ person }) => person) : one, ["p8"]);
    // A caller without types may pass this: it names no person, and never means everybody.
    const nobody = await client.endSessions("acct-1", {} as { person: string });
    assert.deepEqual(nobody, { kind: "done", value: { sessionsEnded: 0, linksEnded: 0 } });
    const everybody = await client.endSessions("acct-1", "everybody");
    assert.deepEqual(everybody, { kind: "done", value: { sessionsEnded: 100, linksEnded: 0 } });
    assert.equal((await client.endSessions("nobody", "everybody")).kind, "refused");
  });

  test("a person is erased, with what was taken out of their events", async () => {
    await using service = await withService();
    const { client } = service;
    const lead = { id: crypto.randomUUID(), email: "jane+x@example.com" };
    assert.equal((await client.sendDemoSession("acct-1", { ...session(1), lead })).kind, "accepted");
    const nothing = { answers: 0, cancelled: 0, searches: 0, inboxRecords: 0, refusedRecords: 0, inFlight: 0 };
    const erased = await client.erasePerson("acct-1", "Jane+X@example.com");
    assert.deepEqual(erased, { kind: "done", value: { events: 1, ...nothing } });
    const again = await client.erasePerson("acct-1", "jane+x@example.com");
    assert.deepEqual(again, { kind: "done", value: { events: 0, ...nothing } });
    assert.equal((await client.erasePerson("nobody", "jane@example.com")).kind, "refused");
  });

  test("its limits are the service's", () => {
    assert.deepEqual([BATCH_RECORDS_MAX, BATCH_BYTES_MAX], [LIMITS.batchRecordsMax, LIMITS.batchBytesMax]);
  });
});

const ACCEPTED = { status: 202, body: '{"id":"a","event_id":"evt_1","deliveries":1,"duplicate":false}' };
const BUSY = { status: 503, headers: { "retry-after": "5" } };

/** A service that answers by script, on a clock that the test moves. Chance always gives one half. */
async function scripted(script: (request: ReceivedRequest) => Behaviour, options: Partial<ClientOptions> = {}) {
  const receiver = await startReceiver(script);
  const clock = createVirtualClock();
  const waits: number[] = [];
  const client = createClient({
    url: receiver.url,
    key: "k",
    ...options,
    outside: {
      nowMs: () => clock.monotonicMs(),
      chance: () => 0.5,
      async wait(delayMs) {
        waits.push(delayMs);
        await clock.advance(delayMs);
      },
    },
  });
  return { receiver, client, waits, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

describe("against a service in trouble", () => {
  const TROUBLES: readonly (readonly [what: string, behaviour: Behaviour])[] = [
    ["503", { status: 503 }],
    ["502", { status: 502 }],
    ["429 of something on the way", { status: 429 }],
    ["a reset", { kind: "reset" }],
    ["an answer that is cut off", { kind: "truncate" }],
  ];
  for (const [what, trouble] of TROUBLES) {
    test(`tries again after ${what}, with the same bytes`, async () => {
      await using service = await scripted(({ number }) => (number < 3 ? trouble : ACCEPTED));
      const sent = await service.client.sendDemoSession("acct-1", SESSION);
      assert.equal(sent.kind, "accepted");
      const bodies = service.receiver.requests.map(({ body }) => body.toString());
      assert.deepEqual(
        bodies,
        [1, 2, 3].map(() => JSON.stringify(SESSION)),
      );
      assert.deepEqual(service.waits, [187.5, 375]);
    });
  }

  test("gives up when its time is over, and says what the last attempt met", async () => {
    await using service = await scripted(() => ({ status: 503 }), { retryForMs: 2_000 });
    const sent = await service.client.sendDemoSession("acct-1", SESSION);
    assert.deepEqual(sent, { kind: "unavailable", reason: "status 503", attempts: 4 });
    assert.equal(service.receiver.requests.length, 4);
  });

  test("says when no server is there, and when no answer comes in time", async () => {
    const client = createClient({ url: "http://127.0.0.1:1", key: "k", retryForMs: 0 });
    const sent = await client.sendDemoSession("acct-1", SESSION);
    assert.ok(sent.kind === "unavailable" && sent.attempts === 1, JSON.stringify(sent));
    await using service = await scripted(() => ({ kind: "hang" }), { attemptMs: 50, retryForMs: 0 });
    const hung = await service.client.sendDemoSession("acct-1", SESSION);
    assert.deepEqual(hung, { kind: "unavailable", reason: "no answer in 50 ms", attempts: 1 });
  });

  test("waits as long as Retry-After says, and so do the other calls", async () => {
    await using service = await scripted(({ number }) => (number === 1 ? BUSY : ACCEPTED));
    const first = service.client.sendDemoSession("acct-1", session(1));
    await service.receiver.received(1);
    assert.equal((await first).kind, "accepted");
    assert.ok((service.waits[0] ?? 0) >= 5_000, service.waits.join(" "));
  });

  for (const written of ["4.5", "5, 3", '"5"']) {
    test(`waits as long as a gateway says: Retry-After ${written}`, async () => {
      const busy = { status: 503, headers: { "retry-after": written } };
      await using service = await scripted(({ number }) => (number === 1 ? busy : ACCEPTED));
      assert.equal((await service.client.sendDemoSession("acct-1", session(1))).kind, "accepted");
      assert.ok((service.waits[0] ?? 0) >= 5_000, service.waits.join(" "));
    });
  }

  test("a call that begins during the pause waits it out before it is made", async () => {
    await using service = await scripted(() => BUSY, { retryForMs: 1_000 });
    assert.equal((await service.client.sendDemoSession("acct-1", session(1))).kind, "unavailable");
    const second = await service.client.sendDemoSession("acct-1", session(2));
    assert.deepEqual(second, { kind: "unavailable", reason: "the service asked for a longer pause", attempts: 0 });
    assert.equal(service.receiver.requests.length, 1, "the second was not sent");
  });

  test("a whole batch is sent again with the same records", async () => {
    const lines = [1, 2].map((line) => `${ACCEPTED.body.replace("{", `{"line":${line},`)}\n`).join("");
    const answer = { status: 200, headers: { "content-type": "application/x-ndjson" }, body: lines };
    await using service = await scripted(({ number }) => (number === 1 ? BUSY : answer));
    const results = await all(service.client.sendDemoSessions("acct-1", [session(1), session(2)]));
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ["accepted", "accepted"],
    );
    const [once, again] = service.receiver.requests;
    assert.deepEqual(once?.body, again?.body);
  });

  test("does not believe what is not an answer of the service", async () => {
    const strange: readonly Behaviour[] = [
      { status: 200, body: "<html>welcome</html>" },
      { status: 202, body: '{"event_id":5}' },
      { status: 302, headers: { location: "http://elsewhere.test/" } },
      { status: 404, body: "not here" },
    ];
    for (const behaviour of strange) {
      await using service = await scripted(() => behaviour);
      const sent = await service.client.sendDemoSession("acct-1", SESSION);
      assert.ok(sent.kind === "refused" && sent.code === "unexpected_answer", JSON.stringify(sent));
      const [inBatch] = await all(service.client.sendDemoSessions("acct-1", [SESSION]));
      assert.ok(inBatch?.kind === "refused" && inBatch.code === "unexpected_answer", JSON.stringify(inBatch));
    }
  });

  test("stops when its caller does, while it waits for an answer and between attempts", async () => {
    await using hanging = await scripted(() => ({ kind: "hang" }));
    const stopped = new AbortController();
    const sent = hanging.client.sendDemoSession("acct-1", SESSION, { signal: stopped.signal });
    await hanging.receiver.received(1);
    stopped.abort(new Error("shutting down"));
    await assert.rejects(sent, /shutting down/);
    await assert.rejects(
      hanging.client.sendDemoSession("acct-1", SESSION, { signal: stopped.signal }),
      /shutting down/,
      "nor does it begin",
    );

    await using receiver = await startReceiver(BUSY);
    const client = createClient({ url: receiver.url, key: "k" });
    const between = new AbortController();
    const waiting = client.sendDemoSession("acct-1", SESSION, { signal: between.signal });
    await receiver.received(1);
    between.abort(new Error("shutting down"));
    await assert.rejects(waiting, /shutting down/);
  });
});

describe("a source of many", () => {
  test("is read only as far as its results are asked for", async () => {
    const body = Array.from({ length: BATCH_RECORDS_MAX }, (_, n) => ACCEPTED.body.replace("{", `{"line":${n + 1},`));
    await using service = await scripted(() => ({ status: 200, body: body.join("\n") }));
    let read = 0;
    async function* endless(): AsyncGenerator<DemoSession> {
      for (;;) yield session((read += 1));
    }
    for await (const { kind } of service.client.sendDemoSessions("acct-1", endless())) {
      assert.equal(kind, "accepted");
      break;
    }
    assert.equal(service.receiver.requests.length, 1);
    assert.ok(read <= BATCH_RECORDS_MAX + 1, `${read} read`);
  });
});

describe("a client", () => {
  test("does not start without an address or a key", () => {
    assert.throws(() => createClient({ url: "localhost:7070", key: "k" }), /not an http or https address/);
    assert.throws(() => createClient({ url: "nowhere", key: "k" }), /not an http or https address/);
    assert.throws(() => createClient({ url: "http://localhost", key: "" }), /BELLWIRE_API_KEY/);
  });
});
