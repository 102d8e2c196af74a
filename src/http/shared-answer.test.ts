import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { createSharedAnswer } from "./shared-answer.ts";

const type = "text/plain; charset=utf-8";
const CONTENT = Buffer.from("long enough to be worth compressing ".repeat(100));

/** Serves it, and keeps the very objects that are sent. */
function serve(answer: ReturnType<typeof createSharedAnswer>) {
  const server = Fastify();
  const sent: unknown[] = [];
  server.addHook("onSend", async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  server.get("/", answer);
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
    const { ask, sent } = serve(answer);
    const [first] = await Promise.all(Array.from({ length: 100 }, () => ask({ "accept-encoding": accepted })));
    assert.deepEqual(decode(first?.rawPayload ?? Buffer.alloc(0)), CONTENT, accepted);
    assert.deepEqual([sent.length, new Set(sent).size], [100, 1], accepted);
  }
});

describe("a caller that knows it already", () => {
  const answer = createSharedAnswer({ type, content: CONTENT });
  const tag = hash("sha256", CONTENT, "base64url").slice(0, 22);
  const ofBrotli = `"${tag}-br"`;
  for (const [known, status] of [
    [ofBrotli, 304],
    [`W/${ofBrotli}`, 304],
    [`"other", ${ofBrotli}`, 304],
    ["*", 304],
    [`"${tag}-gzip"`, 200],
    [tag, 200],
    ["", 200],
  ] as const) {
    test(`gets ${status} for if-none-match: ${known.replace(tag, "hash")}`, async () => {
      const { ask } = serve(answer);
      const { statusCode, headers, rawPayload } = await ask({ "accept-encoding": "br", "if-none-match": known });
      assert.deepEqual([statusCode, headers["vary"], headers["etag"]], [status, "accept-encoding", ofBrotli]);
      assert.equal(rawPayload.length === 0, status === 304);
    });
  }
});
