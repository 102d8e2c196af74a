/**
 * The sender beside undici, whose parser (llhttp) Node itself uses, and beside llhttp as a lenient reader: all get the
 * same answers, broken in all places. The differences are known and named. `BELLWIRE_FUZZ_SEED` and `…_RUNS` make it
 * another or a longer walk.
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { Client } from "undici";
import { makeSender, requestTo } from "../../../../test/kit/world/sender.ts";
import { wounded, writtenAnswer } from "../../../../test/kit/world/wounded.ts";

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 20_261_123);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 600);
const DEADLINE_MS = 5_000;

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

/** The status by llhttp with its lenient flags, which is all that Node offers of a lenient reader; `null` for none. */
async function readLeniently(url: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const sent = request(url, { method: "POST", agent: false, insecureHTTPParser: true }, (response) => {
    const { statusCode = 0 } = response;
    // It takes 000 for a status.
    resolve(statusCode < 100 ? null : statusCode);
    response.destroy();
  });
  sent.on("error", () => resolve(null));
  sent.on("close", () => resolve(null));
  sent.end("{}");
  return promise;
}

/** The lenient reader takes a lone CR for the end of a line, and RFC 9112 §2.2 for a space at most. */
const LONE_CR = /\r(?!\n)/;

/** undici does not see chunks where a tab stands behind the word, and ignores a coding with an empty name. */
const READ_OTHERWISE = /chunked[ \t]*\t[ \t]*\r|transfer-encoding:[ \t]*\r/i;
/** undici ends a line at the first of two CRs, where RFC 9112 §2.2 wants a space. The status is the same. */
const TWO_CRS = /\r\r/;
/**
 * An unasked "100 Continue", which RFC 9110 wants to be passed over, other interim answers of HTTP/1.0, white space
 * before a head or behind a length, and any extension of a chunk: undici refuses them, and they are ordinary here.
 */
const TAKEN_ALONE = /HTTP\/1\.1 100 |HTTP\/1\.0 1|content-length:[ \t]*\d+[ \t]+\r|\r\n[\da-f]+;|^\s|\r\n\r\n\s+HTTP/i;

test("the sender reads what undici and a lenient reader read, and notes what undici refuses", async (t) => {
  await using answering = await startAnswering();
  await using sender = makeSender({ deadlineMs: DEADLINE_MS });
  const counts = { alike: 0, refused: 0, odd: 0, alone: 0 };
  const property = fc.asyncProperty(wounded(writtenAnswer), async (bytes) => {
    answering.state.bytes = bytes;
    const shown = JSON.stringify(bytes);
    const theirs = await readByUndici(answering.url);
    const lenient = await readLeniently(answering.url);
    const { outcome } = await sender.send(requestTo(answering.url));
    if (outcome.kind !== "response") {
      const isLone = lenient !== null && LONE_CR.test(bytes);
      assert.deepEqual([theirs, isLone ? null : lenient], [null, null], `${shown} is refused here alone`);
      counts.refused += 1;
      return;
    }
    const { status, body: kept } = outcome.response;
    if (lenient !== null && !LONE_CR.test(bytes)) assert.equal(status, lenient, shown);
    if (theirs === null) {
      assert.ok(outcome.message !== undefined || TAKEN_ALONE.test(bytes), `${shown} is not noted`);
      counts[outcome.message === undefined ? "alone" : "odd"] += 1;
    } else if (TWO_CRS.test(bytes)) {
      assert.equal(String(status), theirs.slice(0, 3), shown);
      counts.alike += 1;
    } else if (!READ_OTHERWISE.test(bytes)) {
      assert.equal(`${status} ${Buffer.from(kept).toString("latin1")}`, theirs, shown);
      counts.alike += 1;
    }
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.alike > RUNS / 10 && counts.odd > RUNS / 10 && counts.refused > 0);
});
