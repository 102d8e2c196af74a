/** The scripted receiver itself: what it records is what was on the wire, and nothing of it stays behind. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { test } from "node:test";
import { type Behaviour, type Receiver, startReceiver } from "./receiver.ts";

async function open(receiver: Receiver): Promise<Socket> {
  const socket = connect(receiver.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const REQUEST = "POST /hook?a=1 HTTP/1.1\r\nHost: x\r\nX-A:  1 \r\nContent-Length: 3\r\n\r\nabc";

async function answerTo(receiver: Receiver, request: string): Promise<string> {
  const socket = await open(receiver);
  socket.write(request);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return chunk.toString("latin1");
}

test("records each request as it was on the wire, in whatever pieces it came", async () => {
  await using receiver = await startReceiver();
  const socket = await open(receiver);
  for (const piece of (REQUEST + REQUEST).match(/.{1,20}/gs) ?? []) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  await receiver.received(2);
  socket.destroy();
  for (const request of receiver.requests) {
    assert.equal(request.raw.toString(), REQUEST);
    assert.equal(request.body.toString(), "abc");
    assert.deepEqual([request.method, request.path, request.connection], ["POST", "/hook?a=1", 1]);
    assert.deepEqual(request.headers, { host: "x", "x-a": "1", "content-length": "3" });
  }
});

test("answers as its script says, request by request", async () => {
  await using receiver = await startReceiver(({ number }) => ({ status: 200 + number, body: `n${number}` }));
  assert.equal(await answerTo(receiver, REQUEST), "HTTP/1.1 201 X\r\ncontent-length: 2\r\n\r\nn1");
  receiver.script = () => ({ kind: "redirect", to: "http://elsewhere.test/" });
  assert.match(await answerTo(receiver, REQUEST), /^HTTP\/1\.1 307 X\r\n.*location: http:\/\/elsewhere\.test\//s);
});

test("answers no sooner than it is told to", async () => {
  await using receiver = await startReceiver({ delayMs: 30 });
  const startedMs = performance.now();
  await answerTo(receiver, REQUEST);
  assert.ok(performance.now() - startedMs >= 29);
});

const LASTING: readonly Behaviour[] = [
  { kind: "hang" },
  { kind: "endless_body" },
  { kind: "drip_body" },
  { kind: "drip_header" },
  { kind: "endless_103" },
  { delayMs: 60_000 },
];

for (const behaviour of LASTING) {
  test(`ends ${JSON.stringify(behaviour)} with its sockets and timers when it is disposed`, async () => {
    const receiver = await startReceiver(behaviour);
    const socket = await open(receiver);
    socket.write(REQUEST);
    await receiver.received(1);
    await receiver[Symbol.asyncDispose]();
    socket.resume();
    if (!socket.closed) await once(socket, "close");
    assert.equal(receiver.socketCount(), 0);
  });
}

test("reads nothing while it is deaf, and ends with its timer when it is disposed", async () => {
  const receiver = await startReceiver({}, { onConnect: "deaf" });
  const socket = await open(receiver);
  // More than the buffers of both systems take; what is left of it cannot leave while the caller does not read.
  socket.write(Buffer.alloc(64 * 1024 * 1024));
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.ok(socket.writableLength > 0);
  socket.destroy();
  await receiver[Symbol.asyncDispose]();
  await receiver.allClosed();
});

test("says what it is told to say unasked, at once and later", async () => {
  await using eager = await startReceiver({}, { onConnect: { raw: "hello", everyMs: 1 } });
  const socket = await open(eager);
  const heard: string[] = [];
  socket.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
  while (!heard.join("").startsWith("helloxx")) await once(socket, "data");
  socket.destroy();
  await using late = await startReceiver({ kind: "raw", bytes: "now", laterBytes: "later" });
  const other = await open(late);
  other.write(REQUEST);
  for (const said of ["now", "later"]) {
    const [chunk] = (await once(other, "data")) as [Buffer];
    assert.equal(chunk.toString(), said);
  }
  other.destroy();
});
