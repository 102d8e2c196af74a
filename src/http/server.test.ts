/**
 * Callers that misbehave, over real sockets: whatever a stranger sends, holds back or leaves unread, it keeps no
 * connection and no memory, and a refused caller sees the reason. Only the times are made short.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { eventually, soon } from "../../test/kit/wait.ts";
import { openRawCaller, postHead } from "../../test/kit/servers/raw-caller.ts";
import { problem } from "../domain/problem.ts";
import { type AuthHook, OPERATOR } from "./auth-hook.ts";
import { type ServerTimes, SERVER_TIMES } from "./connection-limits.ts";
import { type HttpServerOptions, createHttpServer } from "./server.ts";

const MiB = 1024 * 1024;

const byKey: AuthHook = ({ headers }) =>
  headers.authorization === "right" ? OPERATOR : problem("unauthorized", "There is no key.");

/** Of the account that it names. */
const byName: AuthHook = ({ headers }) => ({ knownAs: String(headers.authorization) });

/** A server with a route behind an auth hook, one for anybody, and one that answers more than a socket holds. */
async function startServer(times: Partial<ServerTimes> = {}, options: Partial<HttpServerOptions> = {}) {
  const server = createHttpServer({ onError: assert.fail, times: { ...SERVER_TIMES, ...times }, ...options });
  const keep = (_request: unknown, body: Buffer, done: (error: null, body: Buffer) => void): void => done(null, body);
  server.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: MiB }, keep);
  server.post("/guarded", { config: { authHook: byKey } }, ({ body }) => ({ bytes: (body as Buffer).length }));
  server.get("/open", () => ({ fine: true }));
  server.get("/large", () => Buffer.alloc(64 * MiB));
  server.get("/24-mib", { config: { authHook: byName } }, () => Buffer.alloc(24 * MiB));
  let answers = 0;
  server.addHook("onSend", async () => void (answers += 1));
  await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    countAnswers: () => answers,
    hasCapacity: (account: string) => server.hasCapacityForAnswer(account),
    port: (server.server.address() as AddressInfo).port,
    connections: () => new Promise<number>((settle) => server.server.getConnections((_error, count) => settle(count))),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

async function allGone(server: Server): Promise<void> {
  await eventually("no connection to be left", async () => (await server.connections()) === 0);
}

describe("a route", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const) {
    test(`for ${method} that does not say who may call it keeps the server from starting`, () => {
      const server = createHttpServer({ onError: assert.fail });
      const add = (): unknown => server.route({ method, url: "/things", handler: () => "done" });
      assert.throws(add, new RegExp(`^Error: ${method} /things could read a body and does not say who may call it`));
    });
  }

  test("asks its auth hook once, also for HEAD", async () => {
    const server = createHttpServer({ onError: assert.fail });
    const asked: string[] = [];
    const authHook: AuthHook = ({ method }) => {
      asked.push(method);
      return "unauthenticated";
    };
    server.get("/things", { config: { authHook } }, () => "done");
    await server.inject({ method: "GET", url: "/things" });
    await server.inject({ method: "HEAD", url: "/things" });
    assert.deepEqual(asked, ["GET", "HEAD"]);
  });
});

describe("a request that does not end in time", () => {
  const SHORT = { headMs: 100, requestMs: 200, checkMs: 20 };
  const PARTS = {
    "in its head": "POST /guarded HTTP/1.1\r\nhost: localhost\r\n",
    "in its body": `${postHead("/guarded", 100, { authorization: "right" })}{"half":`,
  };
  for (const [where, part] of Object.entries(PARTS)) {
    test(`${where} is answered 408, and its socket is gone although the caller keeps its own side open`, async () => {
      await using server = await startServer(SHORT);
      using caller = await openRawCaller(server.port);
      caller.write(part);
      const text = await caller.answered(/request_timeout.*\}$/s);
      assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/);
      await soon(caller.ended, "the server to let go");
      await allGone(server);
      assert.equal(caller.socket.writable, true, "the caller never closed its side");
    });
  }

  test("because it never began is closed without a word", async () => {
    await using server = await startServer(SHORT);
    using caller = await openRawCaller(server.port);
    await soon(caller.ended, "the server to let go");
    assert.equal(caller.text, "");
    await allGone(server);
  });
});

describe("a caller that takes nothing of its answer", () => {
  test("is cut off", async () => {
    await using server = await startServer({ stallMs: 200 });
    using caller = await openRawCaller(server.port);
    caller.socket.pause();
    caller.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await allGone(server);
  });

  test("does not get a second answer behind the first when its next request does not end", async () => {
    await using server = await startServer({ stallMs: 5_000, headMs: 100, requestMs: 100, checkMs: 20 });
    using caller = await openRawCaller(server.port);
    caller.socket.pause();
    caller.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\nGET /open HT");
    await allGone(server);
  });
});

describe("a body that is not read", () => {
  const makeChunk = (bytes: number): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), Buffer.alloc(bytes, 0x61), Buffer.from("\r\n")]);
  const inChunks = (count: number): Buffer =>
    Buffer.concat([...Array.from({ length: count }, () => makeChunk(64 * 1024)), Buffer.from("0\r\n\r\n")]);

  const CASES: readonly (readonly [what: string, head: string, body: Buffer, status: number])[] = [
    ["of 8 MiB without a key", postHead("/guarded", 8 * MiB), Buffer.alloc(8 * MiB, 0x61), 401],
    [
      "of 8 MiB without a key from a caller that closes afterwards",
      postHead("/guarded", 8 * MiB, { connection: "close" }),
      Buffer.alloc(8 * MiB, 0x61),
      401,
    ],
    [
      "of 8 MiB where 1 is taken",
      postHead("/guarded", 8 * MiB, { authorization: "right" }),
      Buffer.alloc(8 * MiB),
      413,
    ],
    [
      "of 8 MiB in chunks where 1 is taken",
      postHead("/guarded", 0, { authorization: "right" }).replace("content-length: 0", "transfer-encoding: chunked"),
      inChunks(128),
      413,
    ],
    ["of 8 MiB at an address that there is not", postHead("/nowhere", 8 * MiB), Buffer.alloc(8 * MiB), 404],
    [
      "of 8 MiB of a type that is not taken",
      postHead("/guarded", 8 * MiB, { authorization: "right", "content-type": "text/plain" }),
      Buffer.alloc(8 * MiB),
      415,
    ],
  ];
  for (const [what, head, body, status] of CASES) {
    test(`${what}: a caller that sends all of it before it looks finds its answer, ${status}`, async () => {
      await using server = await startServer();
      using caller = await openRawCaller(server.port);
      caller.socket.pause();
      caller.write(head);
      caller.write(body);
      if (caller.socket.writableLength > 0) await soon(once(caller.socket, "drain"), "the whole body to be sent");
      caller.socket.resume();
      assert.match(await caller.answered(/\}$/), new RegExp(`^HTTP/1.1 ${status} `));
    });
  }

  test("gets its answer before it has come, and the connection serves the next request when it has", async () => {
    await using server = await startServer();
    using caller = await openRawCaller(server.port);
    caller.write(`${postHead("/guarded", 10)}half `);
    assert.match(await caller.answered(/\}$/), /^HTTP\/1.1 401 Unauthorized/);
    caller.write(`rest.GET /open HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    assert.match(await caller.answered(/\{"fine":true\}$/), /HTTP\/1.1 200 OK/);
  });

  test("is cut off when it falls silent, without a second answer", async () => {
    await using server = await startServer({ silenceMs: 100 });
    using caller = await openRawCaller(server.port);
    caller.write(`${postHead("/guarded", 1_000)}half`);
    await soon(caller.ended, "the server to let go");
    await allGone(server);
    assert.equal(caller.text.match(/HTTP\/1.1/g)?.length, 1);
  });

  test("is cut off when it drips, without a second answer", async () => {
    await using server = await startServer({ requestMs: 300, headMs: 300, checkMs: 20 });
    using caller = await openRawCaller(server.port);
    caller.write(`${postHead("/guarded", 1_000)}h`);
    const drip = setInterval(() => caller.write("."), 10);
    await soon(caller.ended, "the server to let go").finally(() => clearInterval(drip));
    assert.equal(caller.text.match(/HTTP\/1.1/g)?.length, 1);
  });

  test("is cut off when it does not end after 16 MiB", async () => {
    await using server = await startServer();
    using caller = await openRawCaller(server.port);
    caller.write(postHead("/guarded", 1024 * MiB));
    const piece = Buffer.alloc(MiB);
    const send = (): void => {
      while (!caller.socket.destroyed && caller.socket.write(piece));
    };
    caller.socket.on("drain", send);
    send();
    await soon(caller.ended, "the server to let go");
    assert.match(caller.text, /^HTTP\/1.1 401 /);
    assert.ok(caller.socket.bytesWritten < 32 * MiB, `${caller.socket.bytesWritten} bytes were sent`);
  });

  test("is not asked for when its caller waits for 100 Continue and has no key", async () => {
    await using server = await startServer();
    using caller = await openRawCaller(server.port);
    caller.write(postHead("/guarded", 5, { expect: "100-continue" }));
    assert.match(await caller.answered(/\}$/), /^HTTP\/1.1 401 /);
  });

  test("is asked for when its caller waits for 100 Continue and has one", async () => {
    await using server = await startServer();
    using caller = await openRawCaller(server.port);
    caller.write(postHead("/guarded", 5, { expect: "100-continue", authorization: "right" }));
    await caller.answered(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
    caller.write("12345");
    assert.match(await caller.answered(/\{"bytes":5\}$/), /HTTP\/1.1 200 OK/);
  });
});

describe("connections of strangers", () => {
  test("have a maximum: one more takes the place of the one that was silent the longest", async () => {
    await using server = await startServer({}, { unauthenticatedMax: 2 });
    using first = await openRawCaller(server.port);
    using second = await openRawCaller(server.port);
    first.write("GET /open HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await first.answered(/fine/);
    using third = await openRawCaller(server.port);
    await soon(second.ended, "the silent one to be let go");
    third.write("GET /open HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await third.answered(/fine/);
    assert.equal(await server.connections(), 2);
  });

  test("never take the place of a caller that has shown its key", async () => {
    await using server = await startServer({}, { unauthenticatedMax: 2 });
    using known = await openRawCaller(server.port);
    known.write(`${postHead("/guarded", 1, { authorization: "right" })}1`);
    await known.answered(/bytes/);
    const strangers: Disposable[] = [];
    for (let count = 0; count < 20; count += 1) strangers.push(await openRawCaller(server.port));
    known.write(`${postHead("/guarded", 2, { authorization: "right" })}12`);
    await known.answered(/"bytes":2/);
    await eventually("two strangers to be left", async () => (await server.connections()) === 3);
    for (const stranger of strangers) stranger[Symbol.dispose]();
  });
});

describe("answers that are not read", () => {
  const ask = async (server: Server, account: string) => {
    const caller = await openRawCaller(server.port);
    caller.socket.pause();
    caller.write(`GET /24-mib HTTP/1.1\r\nhost: localhost\r\nauthorization: ${account}\r\n\r\n`);
    return caller;
  };

  test("have a maximum, and the account that has most of them loses its oldest", async () => {
    await using server = await startServer({}, { unreadBytesMax: 64 * MiB });
    using patient = await ask(server, "one");
    using first = await ask(server, "other");
    await eventually("both to be answered", () => server.countAnswers() === 2);
    using second = await ask(server, "other");
    await eventually("one to be gone", async () => (await server.connections()) === 2);
    first.socket.resume();
    await soon(first.ended, "the end of the oldest");
    assert.ok(first.text.length < 24 * MiB);
    for (const caller of [patient, second]) {
      caller.socket.resume();
      await eventually("the whole answer", () => caller.text.length > 24 * MiB);
    }
  });

  test("count where the request's own body has not come", async () => {
    await using server = await startServer({}, { unreadBytesMax: 64 * MiB });
    const head = "GET /24-mib HTTP/1.1\r\nhost: localhost\r\nauthorization: one\r\ncontent-length: 5\r\n\r\n";
    const callers = await Promise.all([1, 2, 3].map(() => openRawCaller(server.port)));
    for (const caller of callers) {
      caller.socket.pause();
      caller.write(head);
    }
    await eventually("one to be gone", async () => (await server.connections()) === 2);
    for (const caller of callers) caller[Symbol.dispose]();
  });

  test("leave an account without room while its own take more than is left, and tell whose is cut off", async () => {
    const cutOff: string[] = [];
    const options = { unreadBytesMax: 64 * MiB, onCutOff: (account: string) => void cutOff.push(account) };
    await using server = await startServer({}, options);
    assert.ok(server.hasCapacity("one"));
    const callers = [await ask(server, "one")];
    await eventually("it to be answered", () => server.countAnswers() === 1);
    assert.deepEqual([server.hasCapacity("one"), server.hasCapacity("other")], [false, true]);
    callers.push(await ask(server, "other"), await ask(server, "one"));
    await eventually("one to be cut off", () => cutOff.length > 0);
    assert.deepEqual([cutOff, server.hasCapacity("new")], [["one"], false]);
    for (const caller of callers) caller[Symbol.dispose]();
  });

  test("that are read leave room for others", async () => {
    await using server = await startServer({}, { unreadBytesMax: 64 * MiB });
    for (let asked = 0; asked < 6; asked += 1) {
      using caller = await ask(server, "one");
      caller.socket.resume();
      await eventually("the whole answer", () => caller.text.length > 24 * MiB);
    }
  });
});
