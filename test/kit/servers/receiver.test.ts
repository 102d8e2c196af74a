/**
 * The scripted receiver itself: nothing of it stays behind, and it is deaf or talks unasked as it is told. Tests of
 * sending fail when it records or answers wrongly, and not for these.
 */
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

const REQUEST = "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";

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

test("says what it is told to say unasked, and goes on", async () => {
  await using eager = await startReceiver({}, { onConnect: { raw: "hello", everyMs: 1 } });
  const socket = await open(eager);
  const heard: string[] = [];
  socket.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
  while (!heard.join("").startsWith("helloxx")) await once(socket, "data");
  socket.destroy();
});
