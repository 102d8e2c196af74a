/**
 * A server that reads directly beside one that does not: both get the same requests, broken in all places and cut into
 * pieces, and answer with the same bytes. One difference is known. Bytes behind a request that are none themselves make
 * Node's server close the connection, and so does a caller that closes its side. Whether requests before that still get
 * their answers depends on the moment. `BELLWIRE_FUZZ_SEED` and `…_RUNS` make it another or a longer walk.
 */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { openRawCaller } from "../../../test/kit/servers/raw-caller.ts";
import { soon } from "../../../test/kit/wait.ts";
import type { Door } from "../door.ts";
import { SERVER_TIMES } from "../server-times.ts";
import { createHttpServer } from "../server.ts";
import { jsonAnswer } from "./direct-answer.ts";
import { wounded } from "../../../test/kit/world/wounded.ts";

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 20_261_123);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 600);

const firstLine = fc.oneof(
  { weight: 12, arbitrary: fc.constant("POST /echo/a HTTP/1.1") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "POST /echo/a?b=c HTTP/1.1",
      "POST /echo/%61 HTTP/1.1",
      "POST /nowhere HTTP/1.1",
      "POST http://localhost/echo/a HTTP/1.1",
      "POST /echo/a HTTP/1.0",
      "PUT /echo/a HTTP/1.1",
      "GET /echo/a HTTP/1.1",
      "POST /echo/~!$&'()*+,;=:@a|^`{}[]\"<>\\ HTTP/1.1",
    ),
  },
);
const framing = fc.oneof(
  { weight: 12, arbitrary: fc.constant("content-length: 5") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "Content-Length:05 ",
      "content-length: 0",
      "content-length: 5, 5",
      "content-length: 5\r\ncontent-length: 5",
      "content-length:",
      "content-length: +5",
      "content-length: 0x5",
      "content-length: 5\r\ntransfer-encoding: chunked",
      "transfer-encoding: chunked",
      "transfer-encoding: identity\r\ncontent-length: 5",
    ),
  },
);
const plain = fc.constantFrom(
  "authorization: Bearer a",
  "authorization: Bearer a\r\nAuthorization: Bearer b",
  "content-type: application/json",
  "Content-Type:application/json ",
  "connection: keep-alive",
  "Connection: Keep-Alive, x",
  "connection: close",
  "upgrade: h2c",
  "content-encoding: gzip",
  "x-a: 1",
  "X-A:2",
  "x-empty:",
  "x-l: \xe9",
  "x-t:\ta\tb\t",
  "__proto__: a",
  "constructor: b",
);
const body = fc.oneof(
  { weight: 6, arbitrary: fc.constant("hello") },
  { weight: 1, arbitrary: fc.constantFrom("hell", "", "hello!", "5\r\nhello\r\n0\r\n\r\n") },
);
const request = fc
  .tuple(firstLine, fc.array(plain, { maxLength: 4 }), framing, body)
  .map(([first, some, length, text]) => `${[first, "host: localhost", ...some, length].join("\r\n")}\r\n\r\n${text}`);

const talk = fc.record({
  requests: fc.array(fc.oneof({ weight: 2, arbitrary: wounded(request) }, { weight: 1, arbitrary: request }), {
    minLength: 1,
    maxLength: 3,
  }),
  cuts: fc.array(fc.nat(700), { maxLength: 2 }),
  /** The caller closes its side behind them instead of asking for the end. */
  closes: fc.boolean(),
});

/** The last request of each talk ends it. */
const END = "GET /end HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

const JSON_TYPE = "application/json";

async function startServer(isDirect: boolean) {
  const times = { ...SERVER_TIMES, headMs: 300, requestMs: 300, checkMs: 50 };
  let direct = 0;
  const server = createHttpServer({ onError: assert.fail, times });
  const keep = (_request: unknown, given: Buffer, done: (error: null, body: Buffer) => void): void => done(null, given);
  server.addContentTypeParser("*", { parseAs: "buffer" }, keep);
  const door: Door = () => "stranger";
  server.post("/echo/*", { config: { door } }, (given, reply) => {
    const { authorization, "content-type": type } = given.headers;
    return reply.send({
      url: given.url,
      authorization,
      type,
      body: (given.body as Buffer | undefined)?.toString() ?? "",
    });
  });
  server.get("/end", () => "end");
  if (isDirect) {
    server.direct.take(({ target, headers: { authorization, "content-type": type }, body: given }) => {
      if (!target.startsWith("/echo/") || (type ?? JSON_TYPE) !== JSON_TYPE) return null;
      direct += 1;
      return Promise.resolve(jsonAnswer(200, { url: target, authorization, type, body: given.toString() }));
    });
  }
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    countDirect: () => direct,
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

/** All that was answered until the server let go. */
async function answersTo(port: number, pieces: readonly string[], closes: boolean): Promise<string> {
  using caller = await openRawCaller(port);
  for (const piece of pieces) {
    caller.write(Buffer.from(piece, "latin1"));
    await new Promise((resolve) => void setImmediate(resolve));
  }
  if (closes) caller.socket.end();
  await soon(caller.ended, "the server to let go");
  return caller.text.replaceAll(/^Date: .*\r\n/gim, "");
}

function assertAlike(one: string, other: string): void {
  if (one.endsWith(ENDED) || other.endsWith(ENDED)) return assert.equal(one, other);
  const [shorter = "", longer = ""] = [one, other]
    .map((text) => text.replace(UNREADABLE, ""))
    .toSorted((left, right) => left.length - right.length);
  assert.ok(longer.startsWith(shorter), `${one}\n\n${other}`);
}

/** The last request of the talk was answered. */
const ENDED = "\r\n\r\nend";
const UNREADABLE =
  /HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n(?:(?!HTTP\/1\.1 \d).)*that HTTP\/1\.1 allows\."\}$/s;

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % text.length).toSorted((one, other) => one - other), text.length];
  return places.slice(1).map((place, before) => text.slice(places[before], place));
}

test(`${RUNS} talks are answered alike by a server that reads directly and one that does not`, async () => {
  await using direct = await startServer(true);
  await using plainly = await startServer(false);
  await fc.assert(
    fc.asyncProperty(talk, async ({ requests, cuts, closes }) => {
      const pieces = cutAt(requests.join("") + (closes ? "" : END), cuts);
      const ask = (port: number): Promise<string> => answersTo(port, pieces, closes);
      const [one, other] = await Promise.all([ask(direct.port), ask(plainly.port)]);
      assertAlike(one, other);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // Otherwise the test would show little.
  assert.ok(direct.countDirect() > RUNS / 10, `${direct.countDirect()} requests were read directly`);
});
