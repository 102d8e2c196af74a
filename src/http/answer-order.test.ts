/**
 * Answers that the server writes by itself, behind a request that is still worked on: a caller reads answers in the
 * order of its requests (RFC 9112 §9.3.2), so that none of them may overtake or replace the one before.
 * With the bytes cut at odd places.
 */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { openRawCaller, postHead } from "../../test/kit/servers/raw-caller.ts";
import { soon } from "../../test/kit/wait.ts";
import { problem } from "../domain/problem.ts";
import { type AuthHook, OPERATOR } from "./auth-hook.ts";
import { SERVER_TIMES, type ServerTimes } from "./connection-limits.ts";
import { createHttpServer } from "./server.ts";
import { HEADER_BYTES_MAX } from "./unreadable.ts";

const authHook: AuthHook = ({ headers }) =>
  headers.authorization === "wrong" ? problem("unauthorized", "There is no key.") : OPERATOR;

const BODY_BYTES_MAX = 1_000;

/** Records are taken when they have come, and answered when the test says so. */
async function startServer(changes: Partial<ServerTimes> = {}) {
  const answering: (() => void)[] = [];
  const taken: string[] = [];
  const { promise: isTaken, resolve: onTaken } = Promise.withResolvers<void>();
  const take = async (record: string): Promise<{ taken: string }> => {
    taken.push(record);
    const answered = new Promise<void>((resolve) => answering.push(resolve));
    onTaken();
    await answered;
    return { taken: record };
  };
  const server = createHttpServer({ onError: assert.fail, times: { ...SERVER_TIMES, ...changes } });
  const keep = (_request: unknown, body: Buffer, done: (error: null, body: Buffer) => void): void => done(null, body);
  server.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: BODY_BYTES_MAX }, keep);
  server.post("/records", { config: { authHook } }, ({ body }) => take(String(body)));
  await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    isTaken,
    close: () => server.close(),
    answer: () => answering.splice(0).forEach((each) => each()),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

const RECORD = `${postHead("/records", 5)}first`;

/** Bytes behind a record, and the status that they are answered with. */
const BEHIND: readonly (readonly [what: string, bytes: string | Buffer, status: number])[] = [
  ["bytes that are no request", "nonsense\r\n\r\n", 400],
  ["a TLS hello", Buffer.from("16030100c8010000c40303a1b2", "hex"), 400],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["a head that is too large", `GET / HTTP/1.1\r\nx: ${"a".repeat(HEADER_BYTES_MAX)}\r\n\r\n`, 431],
  ["a request without a host", "GET / HTTP/1.1\r\n\r\n", 400],
  [
    "a chunk of no size",
    `${postHead("/records", 0).replace("content-length: 0", "transfer-encoding: chunked")}zz\r\n`,
    400,
  ],
  ["a request for a proxy", "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n", 400],
  ["an expectation of its own", postHead("/records", 0, { expect: "tea" }), 417],
  ["an upgrade to nothing", "GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n", 404],
  ["a type that is not taken", `${postHead("/records", 1, { "content-type": "text/plain" })}1`, 415],
  ["a body that is too large", `${postHead("/records", BODY_BYTES_MAX + 1)}${"a".repeat(BODY_BYTES_MAX + 1)}`, 413],
  ["a key that is not taken", `${postHead("/records", 1, { authorization: "wrong" })}1`, 401],
  ["a key that is not taken, with chunks of no size", refusedAndBroken(), 401],
];

function refusedAndBroken(): string {
  const head = postHead("/records", 0, { authorization: "wrong" });
  return `${head.replace("content-length: 0", "transfer-encoding: chunked")}zz\r\n`;
}

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe("a record", () => {
  for (const [what, bytes, status] of BEHIND) {
    for (const cut of ["in one write", "cut within the record", "cut within what follows", "cut between"] as const) {
      test(`is answered before ${what}, ${cut}`, async () => {
        await using server = await startServer();
        using caller = await openRawCaller(server.port);
        const all = Buffer.concat([Buffer.from(RECORD), Buffer.from(bytes)]);
        const place = { "in one write": 0, "cut within the record": 20, "cut between": RECORD.length };
        const at = cut === "cut within what follows" ? RECORD.length + 3 : place[cut];
        caller.write(all.subarray(0, at));
        await settled();
        caller.write(all.subarray(at));
        await soon(server.isTaken, "the record");
        await settled();
        assert.deepEqual(statuses(caller.text), [], "nothing is said before the record's answer");
        server.answer();
        await caller.answered(/\{"taken":"first"\}/);
        await caller.answered(new RegExp(`HTTP/1\\.1 ${status} `));
        assert.deepEqual(statuses(caller.text), [200, status]);
      });
    }
  }

  test("is answered before a request that does not end in time", async () => {
    await using server = await startServer({ headMs: 100, requestMs: 100, checkMs: 20 });
    using caller = await openRawCaller(server.port);
    caller.write(`${RECORD}GET / HTTP/1.1\r\nhost:`);
    await soon(server.isTaken, "the record");
    await new Promise((resolve) => void setTimeout(resolve, 300));
    assert.equal(caller.text, "");
    server.answer();
    await soon(caller.ended, "the server to let go");
    assert.deepEqual(statuses(caller.text), [200, 408]);
  });

  test("is answered while the server closes, with half a request behind it", async () => {
    await using server = await startServer({ leaveMs: 50 });
    using caller = await openRawCaller(server.port);
    caller.write(`${RECORD}${postHead("/records", 10)}half`);
    await soon(server.isTaken, "the record");
    const closed = server.close();
    await new Promise((resolve) => void setTimeout(resolve, 200));
    server.answer();
    await soon(caller.ended, "the server to let go");
    assert.equal(statuses(caller.text)[0], 200);
    await closed;
  });

  test("holds its connection no longer than a stalled answer does, whatever drips in behind it", async () => {
    await using server = await startServer({ stallMs: 200 });
    using caller = await openRawCaller(server.port);
    caller.write(`${RECORD}nonsense\r\n`);
    await soon(server.isTaken, "the record");
    const drip = setInterval(() => caller.write("x"), 20);
    await soon(caller.ended, "the server to let go").finally(() => clearInterval(drip));
    server.answer();
  });
});

/** Lets what was written arrive as a piece of its own. */
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));
