/** Sockets by lane, through the sender and real receivers: which one is used again, how many stay open, how long. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeSender, requestTo } from "../../../test/kit/world/sender.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { Connections } from "./connections.ts";
import type { Sender } from "./send.ts";

/** Long enough for what the test does in between, on a machine that is busy. */
const PATIENT_MS = 5_000;

const connectionsSeen = ({ requests }: Receiver): number[] => requests.map(({ connection }) => connection);

async function sendAll(sender: Sender, receiver: Receiver, lanes: readonly string[]): Promise<void> {
  for (const lane of lanes) {
    const { outcome } = await sender.send(requestTo(receiver.url, { lane }));
    assert.equal(outcome.kind, "response");
  }
}

describe("idle sockets", () => {
  test("are at most as many as allowed, and the one that was idle for longest is closed", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender({ idleSocketsMax: 2, deadlineMs: PATIENT_MS });
    await sendAll(sender, receiver, ["a", "b", "a", "c"]);
    await eventually("that b's socket is closed", () => receiver.socketCount() === 2);
    await sendAll(sender, receiver, ["a", "c", "b"]);
    assert.deepEqual(connectionsSeen(receiver), [1, 2, 1, 3, 1, 3, 4]);
  });

  test("of one lane are used from the last one, so that the others can end", async () => {
    let arrived = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    await using receiver = await startReceiver(async () => {
      arrived += 1;
      if (arrived === 2) resolve();
      await both;
      return {};
    });
    await using sender = makeSender({ deadlineMs: PATIENT_MS });
    await Promise.all([1, 2].map(() => sender.send(requestTo(receiver.url))));
    await sendAll(sender, receiver, ["dst_1", "dst_1", "dst_1"]);
    assert.equal(receiver.connectionCount(), 2);
    assert.equal(new Set(connectionsSeen(receiver).slice(2)).size, 1);
  });

  test("take the request that waits longest, also while another socket is being opened for it", async () => {
    const answers = [Promise.withResolvers<object>(), Promise.withResolvers<object>()];
    await using receiver = await startReceiver(({ number }) => answers[number - 1]?.promise ?? {});
    const lookedUp = Promise.withResolvers<readonly string[]>();
    let lookUps = 0;
    const zone = { "hook.test": () => ((lookUps += 1) <= 2 ? ["127.0.0.1"] : lookedUp.promise) };
    await using sender = makeSender({ zone, ttl: 0, deadlineMs: PATIENT_MS });
    const url = `http://hook.test:${receiver.port}`;
    const first = sender.send(requestTo(url));
    await receiver.received(1);
    const second = sender.send(requestTo(url));
    answers[0]?.resolve({});
    await first;
    await receiver.received(2);
    answers[1]?.resolve({});
    await second;
    lookedUp.resolve(["127.0.0.1"]);
    assert.deepEqual(connectionsSeen(receiver), [1, 1]);
  });

  test("do not count while they carry a request", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using receiver = await startReceiver(() => released.then(() => ({})));
    await using sender = makeSender({ idleSocketsMax: 0, deadlineMs: PATIENT_MS });
    const sent = ["a", "b", "c"].map((lane) => sender.send(requestTo(receiver.url, { lane })));
    await receiver.received(3);
    assert.equal(receiver.socketCount(), 3);
    release();
    for (const { outcome } of await Promise.all(sent)) assert.equal(outcome.kind, "response");
    await receiver.allClosed();
  });
});

describe("a receiver's Keep-Alive", { concurrency: true }, () => {
  /**
   * Two seconds less than the receiver says, for the way there and back. On a busy machine it may be later, but not as
   * late as the receiver itself.
   */
  const cases = [
    { says: "timeout=3", keptMs: 1_000 },
    { says: "timeout=2", keptMs: 0 },
    { says: "timeout=5, max=100", keptMs: 3_000 },
  ];
  for (const { says, keptMs } of cases) {
    test(`${says} keeps the socket for ${keptMs / 1000} s, and not longer`, async () => {
      await using receiver = await startReceiver({ headers: { "keep-alive": says } });
      await using sender = makeSender({ deadlineMs: PATIENT_MS });
      await sendAll(sender, receiver, ["a"]);
      const answeredMs = performance.now();
      await receiver.allClosed();
      const wasOpenMs = performance.now() - answeredMs;
      assert.ok(wasOpenMs >= keptMs - 50 && wasOpenMs < keptMs + 2_000, `${wasOpenMs} ms`);
      await sendAll(sender, receiver, ["a"]);
      assert.equal(receiver.connectionCount(), 2);
    });
  }

  test("longer than a receiver without one is given keeps the socket for that long", async () => {
    await using receiver = await startReceiver(({ path }) =>
      path === "/says" ? { headers: { "keep-alive": "timeout=7" } } : {},
    );
    await using sender = makeSender({ deadlineMs: PATIENT_MS });
    await sendAll(sender, receiver, ["silent"]);
    await sender.send(requestTo(`${receiver.url}/says`, { lane: "says" }));
    await eventually("that the socket without a promise is closed", () => receiver.socketCount() === 1);
    await sender.send(requestTo(`${receiver.url}/says`, { lane: "says" }));
    assert.deepEqual(connectionsSeen(receiver), [1, 2, 2]);
  });
});

describe("a socket that its receiver closes", () => {
  test("while it is idle costs no attempt: the next request opens another", async () => {
    await using receiver = await startReceiver(({ number }) =>
      number === 1 ? { kind: "raw", bytes: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", close: true } : {},
    );
    await using sender = makeSender({ deadlineMs: PATIENT_MS });
    await sendAll(sender, receiver, ["a"]);
    await receiver.allClosed();
    await sendAll(sender, receiver, ["a"]);
    assert.deepEqual(connectionsSeen(receiver), [1, 2]);
  });

  for (const kind of ["close", "reset"] as const) {
    test(`by a ${kind} as a request comes fails this attempt alone, and is sent once`, async () => {
      await using receiver = await startReceiver(({ number }) => (number === 2 ? { kind } : {}));
      await using sender = makeSender({ deadlineMs: PATIENT_MS });
      await sendAll(sender, receiver, ["a"]);
      const { outcome } = await sender.send(requestTo(receiver.url, { lane: "a" }));
      assert.equal(outcome.kind, "network_error");
      await sendAll(sender, receiver, ["a"]);
      assert.deepEqual(connectionsSeen(receiver), [1, 1, 2]);
    });
  }
});

describe("lanes", () => {
  const ORIGIN = "http://127.0.0.1:8080";

  function setUp() {
    const clock = createVirtualClock();
    const guard = {
      checkUrl: () => Promise.resolve(null),
      connector: () => () => assert.fail("no connection is opened without a request"),
    };
    const options = { guard, clock, connectDeadlineMs: 1_000, connectionsPerLane: 1, idleSocketsMax: 2 };
    return { clock, connections: new Connections(options) };
  }

  test("are forgotten with their last request when no socket is left", () => {
    const { connections } = setUp();
    const [one, other] = [connections.take("a", ORIGIN), connections.take("a", ORIGIN)];
    assert.equal(one, other);
    assert.deepEqual(connections.count(), { lanes: 1, idleSockets: 0 });
    connections.release(one);
    assert.equal(connections.count().lanes, 1);
    connections.release(other);
    assert.equal(connections.count().lanes, 0);
  });

  test("that move to another origin take no socket along, and end what is in flight", async () => {
    const { connections } = setUp();
    const before = connections.take("a", ORIGIN);
    const after = connections.take("a", "http://127.0.0.1:9090");
    assert.notEqual(after, before);
    assert.equal(connections.count().lanes, 2);
    connections.release(before);
    await new Promise(setImmediate);
    assert.equal(connections.count().lanes, 1);
    assert.equal(connections.take("a", "http://127.0.0.1:9090"), after);
  });

  test("are closed at the end, after what is in use", async () => {
    const { connections } = setUp();
    const busy = connections.take("b", ORIGIN);
    let isClosed = false;
    const closed = connections.close().then(() => (isClosed = true));
    await new Promise(setImmediate);
    assert.equal(isClosed, false);
    connections.release(busy);
    await closed;
    assert.equal(connections.count().lanes, 0);
  });
});
