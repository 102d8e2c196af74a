import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { createMadeAnswer, createSharedAnswer, sendShared } from "./shared-answer.ts";

const type = "text/plain; charset=utf-8";
const CONTENT = Buffer.from("long enough to be worth compressing ".repeat(100));

/** Serves it, and keeps the very objects that are sent. */
function serve(answer: () => ReturnType<typeof createSharedAnswer>) {
  const server = Fastify();
  const sent: unknown[] = [];
  server.addHook("onSend", async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  server.get("/", (request, reply) => sendShared(request, reply, answer()));
  const ask = async (headers: Readonly<Record<string, string>> = {}) =>
    await server.inject({ method: "GET", url: "/", headers });
  return { ask, sent };
}

test("a hundred requests at once send the same bytes in memory, in each encoding", async () => {
  const answer = createSharedAnswer({ type, content: CONTENT });
  for (const [accepted, decode] of [
    ["identity", (bytes: Buffer) => bytes],
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const { ask, sent } = serve(() => answer);
    const [first] = await Promise.all(Array.from({ length: 100 }, () => ask({ "accept-encoding": accepted })));
    assert.deepEqual(decode(first?.rawPayload ?? Buffer.alloc(0)), CONTENT, accepted);
    assert.deepEqual([sent.length, new Set(sent).size], [100, 1], accepted);
  }
});

test("it is made once for each version, and not before somebody asks", async () => {
  let version = "1";
  const makes: string[] = [];
  const { ask } = serve(
    createMadeAnswer(
      () => version,
      (of) => {
        makes.push(of);
        return { type, content: Buffer.from(of) };
      },
    ),
  );
  assert.deepEqual(makes, []);
  for (const _ of [1, 2, 3]) assert.equal((await ask()).body, "1");
  version = "2";
  for (const _ of [1, 2]) assert.equal((await ask()).body, "2");
  assert.deepEqual(makes, ["1", "2"]);
});

describe("a caller that knows it already", () => {
  const answer = createSharedAnswer({ type, content: CONTENT });
  const ofBrotli = `"${answer.hash}-br"`;
  for (const [known, status] of [
    [ofBrotli, 304],
    [`W/${ofBrotli}`, 304],
    [`"other", ${ofBrotli}`, 304],
    ["*", 304],
    [`"${answer.hash}-gzip"`, 200],
    [answer.hash, 200],
    ["", 200],
  ] as const) {
    test(`gets ${status} for if-none-match: ${known.replace(answer.hash, "hash")}`, async () => {
      const { ask } = serve(() => answer);
      const { statusCode, headers, rawPayload } = await ask({ "accept-encoding": "br", "if-none-match": known });
      assert.deepEqual([statusCode, headers["vary"], headers["etag"]], [status, "accept-encoding", ofBrotli]);
      assert.equal(rawPayload.length === 0, status === 304);
    });
  }
});
