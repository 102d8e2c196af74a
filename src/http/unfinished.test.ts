/** A server that closes: whom it waits for, and whom it does not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openRawCaller, postHead } from "../../test/kit/servers/raw-caller.ts";
import { soon } from "../../test/kit/wait.ts";
import { OPERATOR } from "./auth-hook.ts";
import { createHttpServer } from "./server.ts";
import { SERVER_TIMES } from "./connection-limits.ts";
import type { AddressInfo } from "node:net";

/** `/waits` is answered when `answer` is called. */
async function startServer() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  let isStopping = false;
  const times = { ...SERVER_TIMES, leaveMs: 100 };
  const server = createHttpServer({ onError: assert.fail, times, isStopping: () => isStopping });
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  server.post("/posts", { config: { authHook: () => OPERATOR } }, () => ({ fine: true }));
  server.get("/fine", () => ({ fine: true }));
  server.get("/waits", async () => {
    ask();
    await answered;
    return { waited: true };
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    port: (server.server.address() as AddressInfo).port,
    asked,
    answer,
    close() {
      isStopping = true;
      return server.close();
    },
  };
}

/** Bytes that were written before this have come to the server: it answers a caller that came later. */
async function bytesAreRead(port: number): Promise<void> {
  using later = await openRawCaller(port);
  later.write("GET /fine HTTP/1.1\r\nhost: a\r\n\r\n");
  await later.answered(/fine/);
}

describe("a server that closes does not wait for a caller that", () => {
  const HEAD = "GET /fine HTTP/1.1\r\nhost: a\r\n";
  const CALLERS: readonly [what: string, first: string, drip: string, seen: RegExp | null][] = [
    ["drips the head of its first request", `${HEAD}x-a: `, "a", null],
    ["drips a head behind an answer", `${HEAD}\r\n${HEAD}x-a: `, "a", /fine/],
    ["drips a body", postHead("/posts", 1_000_000), " ", null],
    ["drips nothing and never ends its body", postHead("/posts", 1_000_000), "", null],
  ];
  for (const [what, first, drip, seen] of CALLERS) {
    test(what, async () => {
      const server = await startServer();
      using caller = await openRawCaller(server.port);
      caller.write(first);
      if (seen !== null) await caller.answered(seen);
      await bytesAreRead(server.port);
      const dripping = setInterval(() => caller.socket.destroyed || caller.write(drip), 10);
      await soon(server.close(), "the end of the server").finally(() => clearInterval(dripping));
    });
  }
});

test("a server that closes answers a request that it is at work on, however long that takes", async () => {
  const server = await startServer();
  using caller = await openRawCaller(server.port);
  caller.write("GET /waits HTTP/1.1\r\nhost: a\r\n\r\n");
  await soon(server.asked, "the request");
  using slow = await openRawCaller(server.port);
  slow.write("GET /fine HTTP/1.1\r\nhost: a\r\nx-a: ");
  await bytesAreRead(server.port);
  const closed = server.close();
  // The time for callers that are slow is over then.
  await slow.ended;
  server.answer();
  await caller.answered(/"waited":true/);
  await soon(closed, "the end of the server");
});
