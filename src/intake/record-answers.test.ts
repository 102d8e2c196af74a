/** Answers to records over real sockets: what may be wrong with a body, a key or the store, and what each is told. */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { openRawCaller, postHead } from "../../test/kit/servers/raw-caller.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { LIMITS } from "../domain/limits.ts";
import { AccountAway, StoreUnavailable } from "../store/contract/store.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const SESSIONS = "/v1/accounts/acct-1/demo-sessions";
const CONVERSATIONS = "/v1/accounts/acct-1/chat-conversations";
const session = (n: number): string => JSON.stringify({ ...demoViewed.example, id: uuid(n) });
const conversation = JSON.stringify(chatConversationCompleted.example);

type Headers = Readonly<Record<string, string>>;

async function startIntake() {
  const { app, put } = await createTestApp();
  await put("/v1/accounts/acct-1", { name: "Example", plan: "starter", app_url: "https://app.example.com" });
  await app.start();
  const { port } = app.server.server.address() as AddressInfo;

  /** On a connection of its own. */
  async function send(path: string, body: string | Buffer, headers: Headers = {}): Promise<string> {
    using caller = await openRawCaller(port);
    const bytes = Buffer.from(body);
    const authorization = `Bearer ${API_KEY}`;
    caller.write(
      Buffer.concat([Buffer.from(postHead(path, bytes.length, { authorization, ...headers }), "latin1"), bytes]),
    );
    const text = await caller.answered(WHOLE);
    return text.replace(/^Date: .*\r\n/m, "").replaceAll(/"event_id":"evt_\w+"/g, '"event_id":"evt"');
  }
  return {
    app,
    send,
    [Symbol.asyncDispose]: () => app.stop(),
  };
}

/** An answer with all that its length says. */
const WHOLE = /\r\n\r\n[\s\S]*\}\n?$/;

describe("a record", () => {
  test("that is new is 202, and known from then on", async () => {
    await using intake = await startIntake();
    assert.match(await intake.send(SESSIONS, session(1)), /^HTTP\/1\.1 202 Accepted/);
    assert.match(await intake.send(SESSIONS, session(1)), /^HTTP\/1\.1 200 OK\r\n[\s\S]*"duplicate":true\}$/);
    assert.match(await intake.send(CONVERSATIONS, conversation), /^HTTP\/1\.1 202 Accepted/);
  });

  const FAILURES: readonly (readonly [what: string, status: number, error: Error])[] = [
    ["the store is away", 503, new StoreUnavailable("the disk is full")],
    ["the account's server is away", 503, new AccountAway("worker 2")],
    ["a bug of ours throws", 500, new TypeError("canary")],
  ];
  for (const [what, status, error] of FAILURES) {
    test(`when ${what}`, async () => {
      await using intake = await startIntake();
      intake.app.store.acceptEvents = () => Promise.reject(error);
      const answer = await intake.send(SESSIONS, session(1));
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.ok(!answer.includes("canary"));
      // A commit whose answer was lost may have happened.
      if (status === 503) assert.match(answer, /repeating is safe/);
      assert.doesNotMatch(answer, /accepted/);
    });
  }
});

/** A parameter of the type is enough to leave the short cut. */
const BY_ROUTER: Headers = { "content-type": "application/json; charset=utf-8" };
/** Lines in any order, names in lower case. */
const toLines = (answer: string): readonly string[] =>
  answer
    .split("\r\n")
    .map((line) => (line.startsWith("{") ? line : line.toLowerCase()))
    .toSorted();

describe("the short cut answers as the router does", () => {
  const RECORDS: Readonly<Record<string, { path?: string; body?: string; fails?: Error; status: number }>> = {
    "that is new": { status: 202 },
    "that is no JSON": { body: "{", status: 400 },
    "that lacks its fields": { body: "{}", status: 422 },
    "of an account that there is not": { path: SESSIONS.replace("acct-1", "acct-2"), status: 404 },
    "while the store is away": { fails: new StoreUnavailable("gone"), status: 503 },
    "on which a bug throws": { fails: new TypeError("canary"), status: 500 },
  };
  for (const [what, { path = SESSIONS, body = session(1), fails, status }] of Object.entries(RECORDS)) {
    test(`a record ${what}`, async () => {
      const answers: string[] = [];
      for (const headers of [{}, BY_ROUTER]) {
        await using intake = await startIntake();
        if (fails !== undefined) intake.app.store.acceptEvents = () => Promise.reject(fails);
        answers.push(await intake.send(path, body, headers));
      }
      const [direct = "", routed = ""] = answers;
      assert.match(direct, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.deepEqual(toLines(direct), toLines(routed));
    });
  }
});

describe("a body in another form is taken or named", () => {
  const MARK = "\ufeff";
  const utf16 = Buffer.from(`${MARK}${session(1)}`, "utf16le");
  const json = (charset: string): Headers => ({ "content-type": `application/json;${charset}` });
  const lines = (type: string): Headers => ({ "content-type": type });
  const NDJSON = lines("application/x-ndjson");
  const taken = /^HTTP\/1\.1 202 /;
  const FORMS: Readonly<Record<string, readonly [body: string | Buffer, headers: Headers, expected: RegExp]>> = {
    "with a byte order mark": [`${MARK}${session(1)}`, {}, taken],
    "with a mark alone": [MARK, {}, / 400 .*invalid_json/s],
    "in UTF-16": [utf16, {}, / 400 .*The body is UTF-16; send it as UTF-8/s],
    "in UTF-16 of the other order": [Buffer.from(utf16).swap16(), {}, / 400 .*The body is UTF-16/s],
    "compressed without a word": [gzipSync(session(1)), {}, / 400 .*compressed with gzip; send it as it is/s],
    "that is many as an array": [
      `[${session(1)}]`,
      {},
      / 422 .*Many records are sent as `content-type: application.x-nd/s,
    ],
    "that is many as lines": [`${session(1)}\n${session(2)}\n`, {}, / 400 .*Many records are sent as/s],
    "whose charset is utf8": [session(1), json("charset=utf8"), taken],
    "whose charset is in quotes": [session(1), json(' charset="UTF-8"'), taken],
    "whose charset is in single quotes": [session(1), json("charset='utf-8'"), taken],
    "whose coding is a charset": [
      session(1),
      { "content-encoding": "utf-8" },
      / 415 .*encoded \(`content-encoding: utf-8`\)/s,
    ],
    "whose charset is behind another parameter": [session(1), json("v=1; Charset = utf-8"), taken],
    "whose charset is UTF-16": [session(1), json("charset=utf-16"), / 415 .*Send it in UTF-8/s],
    "whose charset is Latin-1": [session(1), json('charset="ISO-8859-1"'), / 415 .*Send it in UTF-8/s],
    "with the coding identity": [session(1), { "content-encoding": "Identity" }, taken],
    "with an empty coding": [session(1), { "content-encoding": "" }, taken],
    "with a coding beside identity": [session(1), { "content-encoding": "identity, gzip" }, / 415 /],
    "as a form": [session(1), lines("application/x-www-form-urlencoded"), / 415 .*application.x-ndjson/s],
    "as parts": [session(1), lines("multipart/form-data; boundary=a"), / 415 .*application.x-ndjson/s],
    "as lines of Windows, with marks": [
      `${MARK}${session(1)}\r\n\r\n${MARK}${session(2)}`,
      NDJSON,
      / 200 .*"line":1,"id".*"line":3,"id"/s,
    ],
    "as lines, one of them an array": [`[${session(1)}]`, NDJSON, / 200 .*"line":1.*must be an object/s],
    "as lines, compressed": [gzipSync(session(1)), NDJSON, / 200 .*"line":1.*compressed with gzip/s],
  };
  for (const coding of ["gzip", "x-gzip", "br", "deflate", "zstd", "GZIP"]) {
    const expected = /^HTTP\/1\.1 415 .*accept-encoding: identity\r\n.*Send it as it is/s;
    Object.assign(FORMS, { [`with the coding ${coding}`]: [session(1), { "content-encoding": coding }, expected] });
  }
  for (const type of ["ndjson", "jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "X-NDJSON;charset=UTF-8"]) {
    Object.assign(FORMS, { [`as ${type}`]: [session(1), lines(`application/${type}`), / 200 .*"duplicate":false/s] });
  }
  for (const [what, [body, headers, expected]] of Object.entries(FORMS)) {
    test(what, async () => {
      await using intake = await startIntake();
      assert.match(await intake.send(SESSIONS, body, headers), expected);
    });
  }
});

describe("a call", () => {
  const CALLS: Readonly<Record<string, readonly [path: string, headers: Headers, status: number, body?: string]>> = {
    "without the right key": [SESSIONS, { authorization: "Bearer wrong" }, 401],
    "without a Bearer": [SESSIONS, { authorization: API_KEY }, 401],
    "with a batch": [SESSIONS, { "content-type": "application/x-ndjson" }, 200],
    "with another type": [SESSIONS, { "content-type": "text/plain" }, 415],
    "for an id that is none": [SESSIONS.replace("acct-1", "acct!1"), {}, 400],
    "for another address": [`${SESSIONS}/`, {}, 404],
    "for another noun": [SESSIONS.replace("demo-sessions", "toString"), {}, 404],
    "with too large a body": [SESSIONS, {}, 413, " ".repeat(LIMITS.recordBytesMax + 1)],
  };
  for (const [what, [path, headers, status, body = session(1)]] of Object.entries(CALLS)) {
    test(what, async () => {
      await using intake = await startIntake();
      assert.match(await intake.send(path, body, headers), new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }
});

test("calls are counted by their status", async () => {
  await using intake = await startIntake();
  for (const body of [session(1), session(1), "{"]) await intake.send(SESSIONS, body);
  const { body } = await intake.app.server.inject({ url: "/metrics" });
  const counts = [...body.matchAll(/^bellwire_intake_request_seconds_count\{(.*)\} (\d+)$/gm)].map(
    ([, labels, count]) => `${labels} ${count}`,
  );
  const route = 'route="/v1/accounts/:account_id/demo-sessions"';
  const expected = [`${route},status="200" 1`, `${route},status="202" 1`, `${route},status="400" 1`];
  assert.deepEqual(counts.filter((line) => line.startsWith(route)).toSorted(), expected);
});
