/**
 * The sender against each receiver of `test/kit/servers/receiver-hostile.ts`: each ends in time, with an outcome of its
 * own, and leaves nothing behind. Time is that for which this process ran: `bench/hostile.ts` has the machine's.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HOSTILE, describeOutcome } from "../../../test/kit/servers/receiver-hostile.ts";
import { type Behaviour, readCertificate, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { startRunningClock } from "../../../test/kit/world/running-clock.ts";
import { type SenderSetup, requestTo, makeSender as makeSenderOn } from "../../../test/kit/world/sender.ts";

const DEADLINE_MS = 250;
/** The tolerance beyond the deadline that the project promises: gate 9 of the design's figures. */
const GRACE_MS = 250;

const clock = startRunningClock();
const makeSender = (setup: SenderSetup = {}) => makeSenderOn({ clock, ...setup });

const trust = { ca: readCertificate("hook.test") + readCertificate("other.test") };

describe("a hostile receiver that", () => {
  for (const { what, behaviour = {}, options = {}, scheme, bodyBytes = 40, meets } of HOSTILE) {
    test(`${what} ends as ${meets[0]} in time, and holds no socket`, async () => {
      await using receiver = await startReceiver(behaviour, options);
      const sender = makeSender({ deadlineMs: DEADLINE_MS, tls: trust });
      const url = `${scheme ?? new URL(receiver.url).protocol.slice(0, -1)}://hook.test:${receiver.port}/`;
      const startedMs = clock.monotonicMs();
      const { outcome, timings } = await sender.send(requestTo(url, { body: "x".repeat(bodyBytes) }));
      const tookMs = clock.monotonicMs() - startedMs;
      assert.ok(tookMs <= DEADLINE_MS + GRACE_MS, `took ${tookMs} ms`);
      assert.ok(timings.totalMs <= tookMs + 1);
      assert.ok(
        meets.includes(describeOutcome(outcome)),
        `met ${describeOutcome(outcome)} instead of ${meets.join(" or ")}`,
      );
      await sender.close();
      await receiver.allClosed();
    });
  }
});

/** The outcome of a request on the same lane after one that met `first`. */
async function secondAnswerAfter(first: Behaviour): Promise<{ text: string; connections: number }> {
  await using receiver = await startReceiver(({ number }) => (number === 1 ? first : { body: "honest" }));
  await using sender = makeSender();
  await sender.send(requestTo(receiver.url));
  const { outcome } = await sender.send(requestTo(receiver.url));
  assert.equal(outcome.kind, "response", JSON.stringify(outcome));
  const text = Buffer.from(outcome.response.body).toString();
  return { text, connections: receiver.connectionCount() };
}

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst";
const PLANTED = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nplanted";

describe("the next request on a lane", () => {
  test("never gets an answer that was planted behind the one before", async () => {
    const { text, connections } = await secondAnswerAfter({ kind: "raw", bytes: ANSWER + PLANTED });
    assert.deepEqual([text, connections], ["honest", 2]);
  });

  for (const planted of [PLANTED, "\r\n", " ", "\0"]) {
    test(`never goes to a connection on which ${JSON.stringify(planted.slice(0, 8))} came unasked`, async () => {
      await using receiver = await startReceiver({ kind: "raw", bytes: ANSWER, laterBytes: planted });
      await using sender = makeSender({ deadlineMs: 5_000 });
      await sender.send(requestTo(receiver.url));
      // The receiver says it between two requests, and loses its connection by that: an idle one lives for 4 s.
      const startedMs = clock.monotonicMs();
      await receiver.allClosed();
      assert.ok(clock.monotonicMs() - startedMs < 2_000);
      receiver.script = () => ({ body: "honest" });
      const { outcome } = await sender.send(requestTo(receiver.url));
      assert.ok(outcome.kind === "response" && Buffer.from(outcome.response.body).toString() === "honest");
    });
  }

  for (const kind of ["hang", "drip_body", "endless_body", "truncate", "reset", "close"] as const) {
    test(`is not touched by a first one that met ${kind}`, async () => {
      assert.deepEqual(await secondAnswerAfter({ kind }), { text: "honest", connections: 2 });
    });
  }
});

test("a gzip bomb is neither unpacked nor read to its end", async () => {
  const bomb = HOSTILE.find(({ what }) => what.includes("bomb"));
  await using receiver = await startReceiver(bomb?.behaviour ?? {});
  await using sender = makeSender();
  const { outcome } = await sender.send(requestTo(receiver.url));
  assert.ok(outcome.kind === "response");
  assert.equal(outcome.response.body.length, 16_384);
  assert.equal(outcome.response.bodyCut, true);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect by ${status} is an answer and is not followed`, async () => {
    await using elsewhere = await startReceiver();
    const location = `${elsewhere.url}/stolen`;
    await using receiver = await startReceiver({ status, headers: { location, refresh: `0; url=${location}` } });
    await using sender = makeSender();
    const { outcome } = await sender.send(requestTo(receiver.url));
    assert.equal(describeOutcome(outcome), `response ${status}`);
    assert.deepEqual([elsewhere.connectionCount(), receiver.requests.length], [0, 1]);
  });
}
