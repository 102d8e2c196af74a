import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { type Socket, connect, createServer } from "node:net";
import { test } from "node:test";
import { newFolder } from "../folder.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type TcpProxy, type Weather, startTcpProxy } from "./tcp-proxy.ts";
import { pause } from "../wait.ts";

const REQUEST = "POST /in HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi";

async function inWeather(weather: Weather, act: (world: { receiver: Receiver; proxy: TcpProxy }) => Promise<void>) {
  await using receiver = await startReceiver();
  await using proxy = await startTcpProxy(receiver.port);
  proxy.weather = weather;
  await act({ receiver, proxy });
}

/** Sends a request, and tells what comes back: the status line, or how the connection ended. */
function post(port: number): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(REQUEST);
  const answer = new Promise<string>((resolve) => {
    socket.once("data", (bytes) => resolve(bytes.toString("latin1").slice(0, 12)));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    socket.once("close", () => resolve("closed"));
  });
  void answer.then(() => socket.destroy());
  return { socket, answer };
}

test("passes bytes both ways when it is clear", async () => {
  await inWeather({ kind: "clear" }, async ({ receiver, proxy }) => {
    assert.equal(await post(proxy.port).answer, "HTTP/1.1 200");
    assert.equal(receiver.requests[0]?.body.toString(), "hi");
    assert.equal(proxy.brokenCount(), 0);
  });
});

test("passes bytes on to a socket that is a file", async () => {
  using folder = newFolder();
  await using server = createServer((socket) => socket.resume().end("HTTP/1.1 200 OK"));
  server.listen(join(folder.path, "socket"));
  await once(server, "listening");
  await using proxy = await startTcpProxy(join(folder.path, "socket"));
  assert.equal(await post(proxy.port).answer, "HTTP/1.1 200");
});

test("latency is added on the way there and on the way back", async () => {
  await inWeather({ kind: "latency", ms: 100 }, async ({ proxy }) => {
    const startedMs = performance.now();
    assert.equal(await post(proxy.port).answer, "HTTP/1.1 200");
    assert.ok(performance.now() - startedMs >= 199);
  });
});

test("bytes keep their order when latency ends between them", async () => {
  await inWeather({ kind: "latency", ms: 100 }, async ({ receiver, proxy }) => {
    const startedMs = performance.now();
    const { socket, answer } = post(proxy.port);
    // Long enough for the first piece to be in the proxy, and too short for it to be let through.
    await pause(50);
    proxy.weather = { kind: "clear" };
    socket.write(REQUEST);
    assert.equal(await answer, "HTTP/1.1 200");
    assert.ok(performance.now() - startedMs >= 99);
    assert.equal(receiver.requests[0]?.raw.toString(), REQUEST);
  });
});

test("a cut closes connections, open and new", async () => {
  await inWeather({ kind: "black_hole" }, async ({ receiver, proxy }) => {
    const open = post(proxy.port);
    await once(open.socket, "connect");
    proxy.weather = { kind: "cut" };
    assert.match(await open.answer, /^(?:closed|ECONNRESET)$/);
    assert.match(await post(proxy.port).answer, /^(?:closed|ECONNRESET|EPIPE)$/);
    assert.equal(receiver.requests.length, 0);
    assert.ok(proxy.brokenCount() >= 1);
  });
});

test("a reset is a reset", async () => {
  await inWeather({ kind: "reset" }, async ({ receiver, proxy }) => {
    assert.match(await post(proxy.port).answer, /^(?:ECONNRESET|EPIPE)$/);
    assert.equal(receiver.requests.length, 0);
  });
});

test("what a black hole holds arrives when it is gone", async () => {
  await inWeather({ kind: "black_hole" }, async ({ receiver, proxy }) => {
    const { answer } = post(proxy.port);
    const early = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 100, "nothing"))]);
    assert.equal(early, "nothing");
    assert.equal(receiver.requests.length, 0);
    proxy.weather = { kind: "clear" };
    assert.equal(await answer, "HTTP/1.1 200");
  });
});

test("a lost answer has reached the receiver", async () => {
  await inWeather({ kind: "lost_answer" }, async ({ receiver, proxy }) => {
    assert.equal(await post(proxy.port).answer, "ECONNRESET");
    assert.equal(receiver.requests.length, 1);
  });
});
