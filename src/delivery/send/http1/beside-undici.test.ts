/**
 * The sender beside undici, whose parser (llhttp) Node itself uses: both get the same answers, broken in all places.
 * The differences are known and named. `BELLWIRE_FUZZ_SEED` and `…_RUNS` make it another or a longer walk.
 */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { Client } from "undici";
import { makeSender, requestTo } from "../../../../test/kit/world/sender.ts";
import { wounded } from "../../../../test/kit/world/wounded.ts";

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 20_261_123);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 600);
const DEADLINE_MS = 5_000;

const statusLine = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.1 204", "HTTP/1.1 500 Oh no", "HTTP/1.0 200 OK") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("HTTP/1.1 304 ", "HTTP/1.1 999 X", "HTTP/1.1 200OK", "HTTP/1.1  200", "http/1.1 200 OK"),
  },
);
const framing = fc.constantFrom(
  "content-length: 5",
  "Content-Length: 0",
  "content-length: 05",
  "content-length: 5, 5",
  "content-length:",
  "transfer-encoding: chunked",
  "Transfer-Encoding: Chunked ",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: identity",
  "transfer-encoding: chunked, identity",
);
const plain = fc.constantFrom(
  "connection: close",
  "connection: keep-alive",
  "keep-alive: timeout=9",
  "x-a: 1",
  "X-A:2",
  "x-empty:",
  "x-l: \xe9",
  "x-t:\ta\tb\t",
  "set-cookie: a=b",
);
const body = fc.constantFrom(
  "hello",
  "",
  "5\r\nhello\r\n0\r\n\r\n",
  "5;a=b\r\nhello\r\n0\r\nx-t: 1\r\n\r\n",
  "A\r\n0123456789\r\n0\r\n\r\n",
  "05\r\nhello\r\n000\r\n\r\n",
);
const interim = fc.constantFrom("", "", "", "HTTP/1.1 103 Early\r\nlink: a\r\n\r\n", "\r\n");
const answer = fc
  .tuple(interim, statusLine, fc.array(plain, { maxLength: 3 }), fc.array(framing, { maxLength: 2 }), body)
  .map(([early, first, some, length, text]) => `${early}${[first, ...some, ...length].join("\r\n")}\r\n\r\n${text}`);

/** Answers each request with `bytes`, and closes. */
async function startAnswering() {
  const state = { bytes: "" };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.from(state.bytes, "latin1")));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    state,
    url,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** Status and body, or `null` when it is no answer. */
async function readByUndici(url: string): Promise<string | null> {
  const client = new Client(url, { allowH2: false, headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS });
  try {
    const response = await client.request({ method: "POST", path: "/", body: "{}" });
    return `${response.statusCode} ${Buffer.from(await response.body.arrayBuffer()).toString("latin1")}`;
  } catch {
    return null;
  } finally {
    await client.destroy();
  }
}

/**
 * Control characters in a head, such as a lone CR behind the status, and an empty list of encodings beside a length:
 * undici lets them pass, and RFC 9112 does not.
 */
const REFUSED_ALONE = /[\0\u007f]|\r(?!\n)|transfer-encoding:[ \t]*\r/i;
/**
 * An unasked "100 Continue", which RFC 9110 wants to be passed over, other interim answers of HTTP/1.0, white space
 * behind a length, and any extension of a chunk.
 */
const TAKEN_ALONE = /HTTP\/1\.1 100 |HTTP\/1\.0 1|content-length:[ \t]*\d+[ \t]+\r|\r\n[\da-f]+;/i;

/** undici does not see chunks where a tab stands behind the word. */
const READ_OTHERWISE = /chunked[ \t]*\t[ \t]*\r/i;

/** Whether it is known that the two differ here. */
function isKnown(bytes: string, ours: string | null, theirs: string | null): boolean {
  if (READ_OTHERWISE.test(bytes)) return true;
  return ours === null ? REFUSED_ALONE.test(bytes) : theirs === null && TAKEN_ALONE.test(bytes);
}

test("the sender reads an answer as undici does, or both refuse it", async (t) => {
  await using answering = await startAnswering();
  await using sender = makeSender({ deadlineMs: DEADLINE_MS });
  const counts = { alike: 0, refused: 0, alone: 0 };
  const property = fc.asyncProperty(wounded(answer), async (bytes) => {
    answering.state.bytes = bytes;
    const theirs = await readByUndici(answering.url);
    const { outcome } = await sender.send(requestTo(answering.url));
    const ours =
      outcome.kind === "response"
        ? `${outcome.response.status} ${Buffer.from(outcome.response.body).toString("latin1")}`
        : null;
    if (ours === theirs) counts[ours === null ? "refused" : "alike"] += 1;
    else if (isKnown(bytes, ours, theirs)) counts.alone += 1;
    else assert.equal(ours, theirs, JSON.stringify(bytes));
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.alike > RUNS / 10 && counts.refused > RUNS / 10);
});
