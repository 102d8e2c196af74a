/** A page that stops reading, over a real socket: the clock is the test's, so that minutes of frames take no time. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type IncomingMessage, get } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { openRawCaller } from "../../../test/kit/servers/raw-caller.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { ACCOUNT, createWorld } from "../../../test/kit/world/world.ts";
import { hashToken, newToken } from "../../domain/token.ts";
import { createHttpServer } from "../../http/server.ts";
import type { DashboardContext } from "../call/context.ts";
import { createGuard } from "../guard/guard.ts";
import { createLiveHub, STREAMS_PER_ACCOUNT_MAX } from "./hub.ts";
import { registerLive } from "./stream.ts";

async function openStream() {
  const world = await createWorld();
  const { clock, store } = world;
  await world.setUpAccount();
  const random = createSeededRandom(3);
  const [link, token] = [newToken(random), newToken(random)];
  const nowMs = clock.nowMs();
  const until = { nowMs, expiresAtMs: nowMs + 3_600_000 };
  const by = { person: "ana@example.com", role: "owner" } as const;
  await store.createSignInLink({ accountId: ACCOUNT, ...by, tokenHash: hashToken(link), ...until });
  await store.openSession({
    tokenHash: hashToken(link),
    sessionHash: hashToken(token),
    sessionId: "ses_1",
    replacedHash: null,
    ...until,
  });
  const hub = createLiveHub({ clock, random });
  const server = createHttpServer({ onError: assert.fail });
  const sockets: Socket[] = [];
  server.server.on("connection", (socket) => void sockets.push(socket));
  const asked = new EventEmitter();
  server.addHook("onRequest", async ({ socket, headers: { "x-wait": waits } }) => {
    asked.emit("asked");
    if (waits === "until gone") await new Promise((resolve) => socket.once("close", resolve));
  });
  // The stream asks for the session and the time, and for nothing else.
  const { accounts } = world;
  registerLive(server, { accounts } as DashboardContext, { guard: createGuard(accounts), hub });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const headers = { cookie: `bellwire_session=${token}` };
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const request = get({ host: "127.0.0.1", port, path: "/live", headers, agent: false }, resolve);
  request.on("error", () => {});
  const response = await promise;
  response.on("error", () => {});
  return {
    clock,
    hub,
    store,
    response,
    port,
    headers,
    /** Emits an event for each request. */
    asked,
    /** Bytes that the kernel has not taken. */
    unsent: () => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0),
    sessionHash: hashToken(token),
    /** Open sockets of the server: 0 when the stream was cut off. */
    connections: () => new Promise<number>((settle) => server.server.getConnections((_error, count) => settle(count))),
    async [Symbol.asyncDispose]() {
      request.destroy();
      await server.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** One frame, as full as frames get. */
function fill(hub: ReturnType<typeof createLiveHub>): void {
  const deliveries = Array.from({ length: 100 }, (_, number) => ({
    id: `dlv_${String(number).padStart(26, "0")}`,
    status: "retrying" as const,
    destinationId: `dst_${String(number).padStart(26, "0")}`,
    isNew: false,
    isTest: false,
  }));
  hub.deliveriesChanged(ACCOUNT, deliveries);
}

test("a reader that stops reading is cut off before much is kept for it", async () => {
  await using stream = await openStream();
  stream.response.pause();
  let frames = 0;
  // The kernel takes some megabytes before anything stays with us.
  while ((await stream.connections()) > 0) {
    assert.ok((frames += 1) < 5_000, "it was never cut off");
    fill(stream.hub);
    await stream.clock.advance(250);
    await turn();
  }
  assert.ok(frames > 5, "it was cut off although it could have caught up");
});

test("a reader that reads is not cut off by as many frames", async () => {
  await using stream = await openStream();
  let bytes = 0;
  stream.response.on("data", (chunk: Buffer) => void (bytes += chunk.length));
  const enough = 4 * 1024 * 1024;
  for (let frame = 0; frame < 5_000 && bytes < enough; frame += 1) {
    fill(stream.hub);
    await stream.clock.advance(250);
    await turn();
  }
  assert.ok(bytes >= enough);
  assert.equal(await stream.connections(), 1);
});

/** Frames until some of them stay here, because the kernel takes no more. */
async function leaveUnsent(stream: Awaited<ReturnType<typeof openStream>>): Promise<void> {
  stream.response.pause();
  while (stream.unsent() === 0) {
    fill(stream.hub);
    await stream.clock.advance(250);
    await turn();
  }
}

test("a reader that is a little behind still hears that its session has ended", async () => {
  await using stream = await openStream();
  await leaveUnsent(stream);
  stream.hub.sessionsEnded(ACCOUNT, ["ses_1"]);
  let last = "";
  const closed = new Promise((resolve) => stream.response.on("close", resolve));
  stream.response.setEncoding("utf8").on("data", (chunk: string) => void (last = (last + chunk).slice(-100)));
  stream.response.resume();
  await closed;
  assert.match(last, /\nevent: ended\ndata: \{\}\n\n$/);
});

test("a reader that takes nothing is cut off within a second of the end of its session", async () => {
  await using stream = await openStream();
  await leaveUnsent(stream);
  stream.hub.sessionsEnded(ACCOUNT, ["ses_1"]);
  await stream.clock.advance(1_000);
  while ((await stream.connections()) > 0) await turn();
});

test("a stream whose session ended on another node ends at its next ping", async () => {
  await using stream = await openStream();
  const ended = new Promise((resolve) => stream.response.on("close", resolve).resume());
  await stream.store.endSession({ sessionHash: stream.sessionHash, nowMs: stream.clock.nowMs() });
  await stream.clock.advance(15_000);
  await ended;
});

test("a stream says something every 15 seconds", async () => {
  await using stream = await openStream();
  let text = "";
  const pinged = new Promise<void>((resolve) => {
    stream.response.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.split(": still here").length > 2) resolve();
    });
  });
  await stream.clock.advance(15_000);
  await stream.clock.advance(15_000);
  await pinged;
});

test("readers that reset their connection before their stream is open keep no place", async () => {
  await using stream = await openStream();
  const { port, headers } = stream;
  for (let readers = 0; readers < STREAMS_PER_ACCOUNT_MAX; readers += 1) {
    using reader = await openRawCaller(port);
    const isAsked = once(stream.asked, "asked");
    reader.write(`GET /live HTTP/1.1\r\nhost: a\r\ncookie: ${headers.cookie}\r\nx-wait: until gone\r\n\r\n`);
    await isAsked;
    reader.socket.resetAndDestroy();
  }
  using reader = await openRawCaller(port);
  reader.write(`GET /live HTTP/1.1\r\nhost: a\r\ncookie: ${headers.cookie}\r\n\r\n`);
  await reader.answered(/^HTTP\/1.1 200 /);
});
