import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { test } from "node:test";
import { eventually } from "../../test/kit/wait.ts";
import { tcpOptions } from "./one-buffer.ts";

/** A socket that reads into the one buffer, and the other end of it. */
async function connected() {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, "connection") as Promise<[Socket]>;
  const near: Socket = connect(tcpOptions("127.0.0.1", port, () => near));
  const [[far]] = await Promise.all([arrived, once(near, "connect")]);
  return {
    near,
    far,
    async [Symbol.asyncDispose]() {
      near.destroy();
      far.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

test("bytes that come before anybody listens are told first, and none is written over", async () => {
  await using ends = await connected();
  const { near, far } = ends;
  far.write("one ");
  await eventually("that they have come", async () => near.readableLength === 4);
  far.write("two ");
  await eventually("that they have come too", async () => near.readableLength === 8);
  let text = "";
  near.on("data", (piece: Buffer) => (text += piece.toString()));
  far.end("three");
  await once(near, "end");
  assert.equal(text, "one two three");
});

test("a sender that is not listened to is not read on and on, and is read when it is", async () => {
  await using ends = await connected();
  const { near, far } = ends;
  const sent = 16 * 1024 * 1024;
  far.end(Buffer.alloc(sent, "a"));
  await new Promise((resolve) => void setTimeout(resolve, 100));
  assert.ok(near.readableLength < 1024 * 1024, `${near.readableLength} bytes wait`);
  let read = 0;
  near.on("data", (piece: Buffer) => (read += piece.length));
  await once(near, "end");
  assert.equal(read, sent);
});

test("two sockets in turns tell each its own bytes", async () => {
  await using one = await connected();
  await using other = await connected();
  const texts = ["", ""];
  for (const [place, { near }] of [one, other].entries()) {
    near.on("data", (piece: Buffer) => (texts[place] += piece.toString()));
  }
  for (let round = 0; round < 100; round += 1) {
    one.far.write(`a${round};`);
    other.far.write(`b${round};`);
  }
  one.far.end();
  other.far.end();
  await Promise.all([once(one.near, "end"), once(other.near, "end")]);
  const rounds = Array.from({ length: 100 }, (_, round) => round);
  assert.deepEqual(
    texts,
    ["a", "b"].map((letter) => rounds.map((round) => `${letter}${round};`).join("")),
  );
});

test("a listener that pauses gets the rest in order when it goes on", async () => {
  await using ends = await connected();
  const { near, far } = ends;
  let text = "";
  near.on("data", (piece: Buffer) => {
    text += piece.toString();
    near.pause();
    setTimeout(() => near.resume(), 20);
  });
  for (const piece of ["one ", "two ", "three ", "four "]) {
    far.write(piece);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  far.end("five");
  await once(near, "end");
  assert.equal(text, "one two three four five");
});
