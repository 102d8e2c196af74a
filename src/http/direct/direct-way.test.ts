/** Connections that are read directly, over real sockets: how one goes on, ends, or becomes Node's server's. */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { openRawCaller, postHead } from "../../../test/kit/servers/raw-caller.ts";
import { eventually, soon } from "../../../test/kit/wait.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { Door } from "../door.ts";
import { SERVER_TIMES } from "../server-times.ts";
import { createHttpServer, type HttpServerOptions } from "../server.ts";
import { type DirectAnswer, jsonAnswer, problemAnswer } from "./direct-answer.ts";
import type { AnswerDirectly } from "./direct-way.ts";

interface Options extends Partial<HttpServerOptions> {
  readonly answer?: AnswerDirectly;
  readonly keptMs?: number;
}

/** Says of each request how it was read: directly, or by a route. */
async function startServer({ answer = echo, keptMs, ...options }: Options = {}) {
  const server = createHttpServer({ onError: assert.fail, ...options });
  if (keptMs !== undefined) server.server.keepAliveTimeout = keptMs;
  const keep = (_request: unknown, body: Buffer, done: (error: null, body: Buffer) => void): void => done(null, body);
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, keep);
  const door: Door = () => "stranger";
  server.post("/*", { config: { door } }, ({ url, body }) => ({ by: "a route", url, body: String(body) }));
  server.get("/page", () => "page");
  server.direct.take(answer);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    server,
    call: () => openRawCaller(port),
    connections: () => new Promise<number>((settle) => server.server.getConnections((_error, count) => settle(count))),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

const echo: AnswerDirectly = ({ target, body, headers }) => {
  if (headers.authorization === "wrong") return null;
  return Promise.resolve(jsonAnswer(202, { by: "itself", url: target, body: body.toString() }));
};

const post = (body: string, headers: Record<string, string> = {}): string =>
  `${postHead("/a", Buffer.byteLength(body), headers)}${body}`;
const byItself = (body: string): string => JSON.stringify({ by: "itself", url: "/a", body });
const byRoute = (body: string): string => JSON.stringify({ by: "a route", url: "/a", body });

/** All answers' bodies so far, one after the other. */
const bodiesOf = (text: string): string[] =>
  [...text.matchAll(/\r\n\r\n(\{.*?\}|page)/gs)].map(([, body = ""]) => body);

describe("a connection", () => {
  test("is answered request by request, and kept", async () => {
    await using server = await startServer();
    using caller = await server.call();
    for (const body of ["one", "two", "three"]) {
      caller.write(post(body));
      await caller.answered(new RegExp(body));
    }
    assert.deepEqual(bodiesOf(caller.text), ["one", "two", "three"].map(byItself));
    assert.match(caller.text, /^HTTP\/1\.1 202 Accepted\r\n.*Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n/s);
  });

  for (const cut of ["in one piece", "each in a piece of its own"] as const) {
    test(`gets the answers of requests that did not wait for each other in their order, ${cut}`, async () => {
      const waiting: (() => void)[] = [];
      const answer: AnswerDirectly = ({ body }) =>
        new Promise((resolve) => waiting.push(() => resolve(jsonAnswer(200, { body: body.toString() }))));
      await using server = await startServer({ answer });
      using caller = await server.call();
      const all = ["1", "2", "3", "4"];
      const requests = all.map((body) => post(body));
      for (const piece of cut === "in one piece" ? [requests.join("")] : requests) {
        caller.write(piece);
        await settled();
      }
      for (const [place] of all.entries()) {
        await eventually("that the next one is read", async () => waiting.length > place);
        assert.equal(waiting.length, place + 1, "the one after it waits");
        waiting[place]?.();
      }
      await caller.answered(/"4"/);
      assert.deepEqual(
        bodiesOf(caller.text),
        all.map((body) => JSON.stringify({ body })),
      );
    });
  }

  test("becomes Node's server's with the first request of another kind, in the order of its bytes", async () => {
    await using server = await startServer();
    using caller = await server.call();
    caller.write(
      `${post("one")}${post("two", { "x-a": "\xe9" })}GET /page HTTP/1.1\r\nhost: a\r\n\r\n${post("three")}`,
    );
    await caller.answered(/three/);
    assert.deepEqual(bodiesOf(caller.text), [byItself("one"), byRoute("two"), "page", byRoute("three")]);
  });

  test("becomes Node's server's with a request that is not answered directly", async () => {
    await using server = await startServer();
    using caller = await server.call();
    caller.write(post("one", { authorization: "wrong" }));
    await caller.answered(/one/);
    caller.write(post("two"));
    await caller.answered(/two/);
    assert.deepEqual(bodiesOf(caller.text), [byRoute("one"), byRoute("two")]);
  });

  test("of a browser is Node's server's", async () => {
    await using server = await startServer();
    using caller = await server.call();
    caller.write("GET /page HTTP/1.1\r\nhost: a\r\n\r\n");
    assert.match(await caller.answered(/page$/), /^HTTP\/1\.1 200 OK/);
  });

  for (const when of ["before its answer", "behind it"] as const) {
    test(`whose caller closes its side ${when} gets the answer and ends`, async () => {
      const { promise, resolve } = Promise.withResolvers<DirectAnswer>();
      await using server = await startServer({ answer: () => promise });
      using caller = await server.call();
      if (when === "behind it") resolve(jsonAnswer(202, {}));
      caller.socket.end(post("one"));
      await settled();
      resolve(jsonAnswer(202, {}));
      await soon(caller.ended, "the server to let go");
      assert.match(caller.text, /^HTTP\/1\.1 202 Accepted/);
      await eventually("no connection to be left", async () => (await server.connections()) === 0);
    });
  }

  test("whose caller closes its side behind several requests gets all answers", async () => {
    const answer: AnswerDirectly = async ({ body }) => (await settled(), jsonAnswer(200, { body: body.toString() }));
    await using server = await startServer({ answer });
    using caller = await server.call();
    caller.socket.end(["one", "two", "three"].map((body) => post(body)).join(""));
    await soon(caller.ended, "the server to let go");
    assert.deepEqual(
      bodiesOf(caller.text),
      ["one", "two", "three"].map((body) => JSON.stringify({ body })),
    );
    assert.equal(caller.text.match(/Connection: close/g)?.length, 1);
  });

  test("whose caller closes its side behind half a request is told so", async () => {
    await using server = await startServer();
    using caller = await server.call();
    caller.socket.end(post("one").slice(0, -1));
    await soon(caller.ended, "the server to let go");
    assert.match(caller.text, /^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n.*invalid_request/s);
  });

  test("whose caller is gone before its answer harms nobody", async () => {
    const { promise, resolve } = Promise.withResolvers<DirectAnswer>();
    await using server = await startServer({ answer: ({ body }) => (body.length === 3 ? promise : echo2(body)) });
    using caller = await server.call();
    caller.write(post("one"));
    caller.socket.resetAndDestroy();
    await eventually("no connection to be left", async () => (await server.connections()) === 0);
    resolve(jsonAnswer(202, {}));
    using other = await server.call();
    other.write(post("four"));
    await other.answered(/four/);
  });
});

const echo2 = (body: Buffer): Promise<DirectAnswer> => Promise.resolve(jsonAnswer(202, { body: body.toString() }));

describe("a request in pieces", () => {
  test("is read directly when it comes in two", async () => {
    await using server = await startServer();
    using caller = await server.call();
    for (const body of ["one", "two"]) {
      caller.write(postHead("/a", 3));
      await settled();
      caller.write(body);
      await caller.answered(new RegExp(body));
    }
    assert.deepEqual(bodiesOf(caller.text), ["one", "two"].map(byItself));
  });

  test("goes to Node's server when it comes in more", async () => {
    await using server = await startServer();
    using caller = await server.call();
    for (const piece of [postHead("/a", 3), "o", "ne"]) {
      caller.write(piece);
      await settled();
    }
    await caller.answered(/one/);
    assert.deepEqual(bodiesOf(caller.text), [byRoute("one")]);
  });

  test("goes to Node's server when the first one is too large to be kept for a caller without a key", async () => {
    await using server = await startServer();
    using caller = await server.call();
    const body = "a".repeat(20_000);
    caller.write(post(body).slice(0, -1));
    await settled();
    caller.write("a");
    await caller.answered(/aa"\}$/);
    assert.deepEqual(bodiesOf(caller.text), [byRoute(body)]);
  });

  test("goes to Node's server when its second piece does not come, which answers 408 in its time", async () => {
    const times = { ...SERVER_TIMES, headMs: 100, requestMs: 100, checkMs: 20 };
    await using server = await startServer({ times });
    using caller = await server.call();
    caller.write(post("one").slice(0, -1));
    assert.match(await caller.answered(/\}$/), /^HTTP\/1\.1 408 /);
    await soon(caller.ended, "the server to let go");
  });
});

/** Lets the server read what was written: a piece must not meet the next one in its socket. */
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30));

describe("a silent connection is closed", () => {
  test("when its first request does not come", async () => {
    await using server = await startServer({ times: { ...SERVER_TIMES, headMs: 50 } });
    using caller = await server.call();
    await soon(caller.ended, "the server to let go");
    assert.equal(caller.text, "");
  });

  test("when its next request does not come, a second later than it was told", async () => {
    await using server = await startServer({ keptMs: 100 });
    using caller = await server.call();
    caller.write(post("one"));
    await caller.answered(/one/);
    const sinceMs = performance.now();
    await soon(caller.ended, "the server to let go");
    assert.ok(performance.now() - sinceMs > 900);
  });

  test("when the server closes, and one that is being answered after its answer", async () => {
    const { promise, resolve } = Promise.withResolvers<DirectAnswer>();
    await using server = await startServer({ answer: ({ body }) => (body.length === 3 ? promise : echo2(body)) });
    using silent = await server.call();
    silent.write(post("four"));
    await silent.answered(/four/);
    using busy = await server.call();
    busy.write(post("one"));
    await eventually("that both are connected", async () => (await server.connections()) === 2);
    await settled();
    const closed = server.server.close();
    await soon(silent.ended, "the silent one to be let go");
    resolve(jsonAnswer(202, { done: true }));
    assert.match(await busy.answered(/\}$/), /Connection: close\r\n\r\n\{"done":true\}$/);
    await soon(closed, "the server to be closed");
  });
});

test("a server that closes hands half a request to Node's at once", async () => {
  const times = { ...SERVER_TIMES, stallMs: 200 };
  await using server = await startServer({ times });
  using caller = await server.call();
  caller.write(post("one").slice(0, -1));
  await settled();
  const sinceMs = performance.now();
  await soon(server.server.close(), "the server to be closed");
  assert.ok(performance.now() - sinceMs < 900);
});

test("a server that is stopping leaves the next request to Node's, which ends the connection", async () => {
  let isStopping = false;
  await using server = await startServer({ isStopping: () => isStopping });
  using caller = await server.call();
  caller.write(post("one"));
  await caller.answered(/one/);
  isStopping = true;
  caller.write(post("two"));
  await soon(caller.ended, "the server to let go");
  assert.deepEqual(bodiesOf(caller.text), [byItself("one"), byRoute("two")]);
  assert.match(caller.text, /connection: close/);
});

test("a caller that reads no answer is Node's server's with its next request", async () => {
  const large = "a".repeat(8 * 1024 * 1024);
  const answer: AnswerDirectly = ({ body }) => Promise.resolve(jsonAnswer(200, { large, body: body.toString() }));
  await using server = await startServer({ answer });
  using caller = await server.call();
  caller.socket.pause();
  caller.write(post("one"));
  await settled();
  caller.write(post("two"));
  await settled();
  caller.socket.resume();
  await caller.answered(/"by":"a route","url":"\/a","body":"two"\}$/);
});

test("a caller that takes nothing of its answer is cut off, and one that takes it late is kept", async () => {
  const large = "a".repeat(8 * 1024 * 1024);
  const answer: AnswerDirectly = ({ body }) => Promise.resolve(jsonAnswer(200, { large, body: body.toString() }));
  await using server = await startServer({ answer, times: { ...SERVER_TIMES, stallMs: 300 } });
  using never = await server.call();
  never.socket.pause();
  never.write(post("one"));
  using late = await server.call();
  late.socket.pause();
  late.write(post("two"));
  await settled();
  late.socket.resume();
  await late.answered(/"two"\}$/);
  await eventually("that one connection is left", async () => (await server.connections()) === 1);
  await new Promise((resolve) => void setTimeout(resolve, 400));
  late.write(post("three", { "x-a": "\xe9" }));
  await late.answered(/"three"\}$/);
});

test("the base path is taken off, whether a proxy has cut it or not", async () => {
  await using server = await startServer({ basePath: "/bell" });
  using caller = await server.call();
  caller.write(post("one") + post("two").replace("/a", "/bell/a"));
  await caller.answered(/two/);
  assert.deepEqual(bodiesOf(caller.text), ["one", "two"].map(byItself));
});

test("an error becomes a problem, and the operator hears of it", async () => {
  const heard: string[] = [];
  const answer: AnswerDirectly = async (_request, explain) =>
    problemAnswer(explain(new StoreUnavailable("the disk is full"), "POST /a"));
  await using server = await startServer({ answer, onError: (what) => heard.push(what) });
  using caller = await server.call();
  caller.write(post("one"));
  assert.match(await caller.answered(/\}$/), /^HTTP\/1\.1 503 .*retry-after: 5\r\n.*application\/problem\+json/s);
  assert.deepEqual(heard, ["a caller was refused because the store is unavailable"]);
});

test("a caller that was answered directly is no stranger any more", async () => {
  await using server = await startServer({ strangersMax: 2 });
  using known = await server.call();
  known.write(post("one"));
  await known.answered(/one/);
  const strangers = [];
  for (let count = 0; count < 5; count += 1) strangers.push(await server.call());
  await eventually("two strangers to be left", async () => (await server.connections()) === 3);
  known.write(post("two"));
  await known.answered(/two/);
  for (const stranger of strangers) stranger[Symbol.dispose]();
});
