/** The sender against real receivers on loopback; hostile ones are in `hostile.test.ts`. Deadlines are short. */
import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Behaviour, type Receiver, readCertificate, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { requestTo, makeSender } from "../../../test/kit/world/sender.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import type { Outcome, SendResult } from "../../domain/attempt.ts";
import type { WebhookRequest } from "./request.ts";
import type { Sender } from "./send.ts";

const expectResponse = ({ outcome }: SendResult) => {
  assert.equal(outcome.kind, "response", JSON.stringify(outcome));
  return outcome.response;
};

const readText = (result: SendResult) => Buffer.from(expectResponse(result).body).toString("latin1");

describe("an ordinary receiver", () => {
  test("gets exactly the bytes of the request", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender();
    const request = requestTo(`http://hook.test:${receiver.port}/a%20b/ü?q=1&r=%2F`);
    await sender.send(request);
    const head = [
      "POST /a%20b/%C3%BC?q=1&r=%2F HTTP/1.1",
      `host: hook.test:${receiver.port}`,
      "connection: keep-alive",
      "accept: */*",
      "content-type: application/json",
      "x-own: 1",
      `content-length: ${Buffer.byteLength(request.body)}`,
    ];
    assert.equal(receiver.requests[0]?.raw.toString("utf8"), `${head.join("\r\n")}\r\n\r\n${request.body}`);
    assert.deepEqual(receiver.requests[0]?.body, Buffer.from(request.body));
  });

  test("gets a body of a megabyte unchanged", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender({ deadlineMs: 5_000 });
    const body = JSON.stringify({ text: "ü\u2028\u0000\ud83d\ude00".repeat(60_000) });
    expectResponse(await sender.send(requestTo(receiver.url, { body })));
    assert.ok(receiver.requests[0]?.body.equals(Buffer.from(body)));
  });

  test("is quoted with status and headers as they came, and its body unpacked", async () => {
    const text = "x".repeat(1000);
    await using receiver = await startReceiver({
      status: 503,
      headers: { "Retry-After": "120", "Content-Encoding": "gzip" },
      body: gzipSync(text),
    });
    await using sender = makeSender();
    const { status, headers, body, bodyCut } = expectResponse(await sender.send(requestTo(receiver.url)));
    assert.equal(status, 503);
    assert.equal(headers["retry-after"], "120");
    assert.equal(Buffer.from(body).toString(), text);
    assert.equal(bodyCut, false);
  });

  test("may repeat a header, which is joined, and send one named __proto__", async () => {
    const bytes = "HTTP/1.1 200 OK\r\nx-a: 1\r\nX-A: 2\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n";
    await using receiver = await startReceiver({ kind: "raw", bytes });
    await using sender = makeSender();
    const { headers } = expectResponse(await sender.send(requestTo(receiver.url)));
    assert.equal(headers["x-a"], "1, 2");
    assert.equal(Object.getPrototypeOf(headers), Object.prototype);
  });

  test("keeps its connection, whose opening is counted once", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender();
    const url = `http://hook.test:${receiver.port}/`;
    const first = await sender.send(requestTo(url));
    const second = await sender.send(requestTo(url));
    assert.equal(receiver.connectionCount(), 1);
    assert.ok(first.timings.dnsMs !== null && first.timings.connectMs !== null);
    assert.deepEqual(
      { ...second.timings, firstByteMs: 0, totalMs: 0 },
      {
        dnsMs: null,
        connectMs: null,
        tlsMs: null,
        firstByteMs: 0,
        totalMs: 0,
      },
    );
    for (const { timings, address } of [first, second]) {
      assert.equal(address, "127.0.0.1");
      assert.ok(timings.firstByteMs !== null && timings.firstByteMs <= timings.totalMs);
    }
  });

  test("shares no connection between two lanes", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender();
    for (const lane of ["a", "b", "a", "b"]) await sender.send(requestTo(receiver.url, { lane }));
    assert.equal(receiver.connectionCount(), 2);
  });

  test("gets a new connection when its lane moves to another origin", async () => {
    await using before = await startReceiver();
    await using after = await startReceiver();
    await using sender = makeSender();
    await sender.send(requestTo(before.url));
    await sender.send(requestTo(after.url));
    await before.allClosed();
    assert.equal(after.requests.length, 1);
  });

  test("gets a new connection every minute, however busy the old one is", async () => {
    await using receiver = await startReceiver();
    const clock = createVirtualClock();
    await using sender = makeSender({ clock });
    for (let second = 0; second <= 63; second += 3) {
      await sender.send(requestTo(receiver.url));
      await clock.advance(3_000);
    }
    const seen = receiver.requests.map(({ connection, headers }) => `${connection} ${headers["connection"]}`);
    assert.deepEqual(seen, [...Array<string>(20).fill("1 keep-alive"), "1 close", "2 keep-alive"]);
  });
});

describe("TLS", () => {
  test("asks for the name, checks its certificate, keeps the name in Host", async () => {
    await using receiver = await startReceiver({ body: "ok" }, { tls: "hook.test" });
    await using sender = makeSender({ tls: { ca: readCertificate("hook.test") } });
    const result = await sender.send(requestTo(`https://hook.test:${receiver.port}/`));
    assert.equal(readText(result), "ok");
    assert.ok(result.timings.tlsMs !== null);
    assert.equal(receiver.requests[0]?.serverName, "hook.test");
    assert.equal(receiver.requests[0]?.headers["host"], `hook.test:${receiver.port}`);
  });

  test("sends nothing to a receiver with the wrong name", async () => {
    await using receiver = await startReceiver({}, { tls: "other.test" });
    await using sender = makeSender({ tls: { ca: readCertificate("other.test") } });
    const { outcome, address } = await sender.send(requestTo(`https://hook.test:${receiver.port}/`));
    assert.equal(outcome.kind, "tls_error");
    assert.equal(outcome.code, "ERR_TLS_CERT_ALTNAME_INVALID");
    assert.equal(address, "127.0.0.1");
    await receiver.allClosed();
    assert.equal(receiver.requests.length, 0);
  });

  test("is not spoken by a receiver of plain HTTP", async () => {
    await using receiver = await startReceiver({ kind: "raw", bytes: "HTTP/1.1 400 Bad Request\r\n\r\n", close: true });
    await using sender = makeSender();
    const { outcome } = await sender.send(requestTo(receiver.url.replace("http:", "https:")));
    // The sender waits for the end of a header, and so does TLS: the deadline ends it.
    assert.ok(outcome.kind === "tls_error" || outcome.kind === "timeout", JSON.stringify(outcome));
    await receiver.allClosed();
  });
});

type Expected = Partial<Outcome> & { readonly kind: Outcome["kind"] };

function assertContains(outcome: Outcome, expected: Expected): void {
  const seen = Object.fromEntries(Object.entries(outcome).filter(([key]) => key in expected));
  assert.deepEqual(seen, expected, JSON.stringify({ ...outcome, response: undefined }));
}

describe("the response cap", () => {
  const answer = (bytes: number): Behaviour => ({ body: "x".repeat(bytes) });

  test("keeps an answer of exactly the cap whole, and its connection open", async () => {
    await using receiver = await startReceiver(answer(1_000));
    await using sender = makeSender({ responseBytesMax: 1_000 });
    const { body, bodyCut } = expectResponse(await sender.send(requestTo(receiver.url)));
    assert.equal(body.length, 1_000);
    assert.equal(bodyCut, false);
    assert.equal(receiver.socketCount(), 1);
  });

  test("cuts one byte more, says so, and closes the connection", async () => {
    await using receiver = await startReceiver(answer(1_001));
    await using sender = makeSender({ responseBytesMax: 1_000 });
    const { status, body, bodyCut } = expectResponse(await sender.send(requestTo(receiver.url)));
    assert.deepEqual([status, body.length, bodyCut], [200, 1_000, true]);
    await receiver.allClosed();
  });

  test("is 16 KiB unless said otherwise", async () => {
    await using receiver = await startReceiver({ kind: "endless_body" });
    await using sender = makeSender();
    assert.equal(expectResponse(await sender.send(requestTo(receiver.url))).body.length, 16_384);
  });
});

describe("statuses", () => {
  for (const status of [200, 201, 299, 304, 404, 410, 429, 500, 599, 600, 999]) {
    test(`takes ${status} as an answer`, async () => {
      await using receiver = await startReceiver({ status });
      await using sender = makeSender();
      assert.equal(expectResponse(await sender.send(requestTo(receiver.url))).status, status);
    });
  }

  test("does not follow a redirect", async () => {
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver({ kind: "redirect", to: `${elsewhere.url}/x` });
    await using sender = makeSender();
    const { status, headers } = expectResponse(await sender.send(requestTo(receiver.url)));
    assert.deepEqual([status, headers["location"]], [307, `${elsewhere.url}/x`]);
    assert.equal(elsewhere.connectionCount(), 0);
  });
});

describe("a refused address", () => {
  test("is blocked without a packet, and the message names the setting", async () => {
    await using canary = await startReceiver();
    const zone = { "private.test": ["127.0.0.1"], "mixed.test": ["1.1.1.1", "127.0.0.1"] };
    await using sender = makeSender({ allow: "", zone });
    for (const host of ["127.0.0.1", "127.1", "[::1]", "localhost", "private.test", "mixed.test"]) {
      const { outcome, address } = await sender.send(requestTo(`http://${host}:${canary.port}/`, { lane: host }));
      assert.ok(
        outcome.kind === "blocked" && outcome.message.includes("Ask the people who run this service to allow it"),
        JSON.stringify(outcome),
      );
      assert.equal(address, null);
    }
    const metadata = await sender.send(requestTo("http://169.254.169.254/"));
    assert.equal(metadata.outcome.kind, "blocked");
    assert.equal(canary.connectionCount(), 0);
  });
});

describe("failures before the request", () => {
  test("a name that does not exist is a DNS error", async () => {
    await using sender = makeSender();
    const { outcome, timings, address } = await sender.send(requestTo("http://gone.test/"));
    assert.deepEqual(outcome, { kind: "dns_error", code: "ENOTFOUND", message: "this name does not exist" });
    assert.ok(timings.dnsMs !== null && timings.connectMs === null);
    assert.equal(address, null);
  });

  test("a look-up without end is a timeout of DNS", async () => {
    const zone = { "slow.test": () => Promise.withResolvers<string[]>().promise };
    await using sender = makeSender({ zone });
    const { outcome } = await sender.send(requestTo("http://slow.test/"));
    assert.deepEqual(outcome, { kind: "timeout", phase: "dns" });
  });

  test("a handshake without end is a timeout of connecting", async () => {
    await using receiver = await startReceiver({}, { onConnect: "hang" });
    await using sender = makeSender({ connectDeadlineMs: 60, deadlineMs: 60_000 });
    const { outcome, timings } = await sender.send(requestTo(receiver.url.replace("http:", "https:")));
    assert.deepEqual(outcome, { kind: "timeout", phase: "connect" });
    assert.ok(timings.totalMs < 60_000, "the connect deadline is the shorter one");
    await receiver.allClosed();
  });

  test("a closed port is a network error", async () => {
    await using sender = makeSender();
    const { outcome } = await sender.send(requestTo("http://127.0.0.1:1/"));
    assertContains(outcome, { kind: "network_error", code: "ECONNREFUSED" });
  });

  const FAULTS: readonly [what: string, overrides: Partial<WebhookRequest>][] = [
    ["a header with a line break", { headers: { "x-a": "1\r\nx-b: 2" } }],
    ["a header beyond latin-1", { headers: { "x-a": "東" } }],
    ["a length that is not the body's", { headers: { "content-length": "3" } }],
    ["a protocol that is not HTTP", { url: new URL("ftp://127.0.0.1/") }],
  ];
  for (const [what, overrides] of FAULTS) {
    test(`${what} is a fault of ours, and nothing is sent`, async () => {
      await using receiver = await startReceiver();
      await using sender = makeSender();
      const { outcome } = await sender.send(requestTo(receiver.url, overrides));
      assert.equal(outcome.kind, "internal_error", JSON.stringify(outcome));
      assert.equal(receiver.requests.length, 0);
      expectResponse(await sender.send(requestTo(receiver.url)));
    });
  }
});

test("faults of ours take no connection from the requests after them", async () => {
  await using receiver = await startReceiver();
  await using sender = makeSender({ connectionsPerLane: 1 });
  for (let count = 0; count < 3; count += 1) {
    const { outcome } = await sender.send(requestTo(receiver.url, { headers: { "x-a": "1\r\nx-b: 2" } }));
    assert.equal(outcome.kind, "internal_error");
  }
  expectResponse(await sender.send(requestTo(receiver.url)));
});

describe("a request that may not start", () => {
  test("is asked about once its connection is open, and leaves it to the next one", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender();
    const asked: number[] = [];
    const mayNot = () => asked.push(receiver.connectionCount()) === 0;
    assert.equal(await sender.sendIf(requestTo(receiver.url), mayNot), null);
    assert.deepEqual(asked, [1]);
    const { timings, outcome } = await sender.send(requestTo(receiver.url));
    assert.equal(outcome.kind, "response");
    assert.equal(typeof timings.connectMs, "number", "it tells of the opening that it profits from");
    assert.equal(receiver.connectionCount(), 1);
    assert.equal(receiver.requests.length, 1);
  });

  test("writes nothing on a connection that is open already, and frees its place", async () => {
    await using receiver = await startReceiver();
    await using sender = makeSender({ connectionsPerLane: 1 });
    await sender.send(requestTo(receiver.url));
    for (let count = 0; count < 3; count += 1) {
      assert.equal(await sender.sendIf(requestTo(receiver.url), () => false), null);
    }
    expectResponse(await sender.send(requestTo(receiver.url)));
    assert.deepEqual([receiver.requests.length, receiver.connectionCount()], [2, 1]);
  });
});

describe("many at once", () => {
  test("a request that waited for a connection too long is never sent", async () => {
    await using receiver = await startReceiver(({ number }) => (number === 1 ? { kind: "hang" } : {}));
    const clock = createVirtualClock();
    await using sender = makeSender({ connectionsPerLane: 1, deadlineMs: 100, clock });
    const sent = [1, 2].map(() => sender.send(requestTo(receiver.url)));
    await receiver.received(1);
    await clock.advance(100);
    const results = await Promise.all(sent);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      [
        { kind: "timeout", phase: "headers" },
        { kind: "timeout", phase: "connect" },
      ],
    );
    expectResponse(await sender.send(requestTo(receiver.url)));
    assert.equal(receiver.requests.length, 2);
  });

  test("one lane uses no more connections than it may, and gets every answer", async () => {
    await using receiver = await startReceiver(({ headers }) => ({ body: headers["x-number"] ?? "" }));
    await using sender = makeSender({ connectionsPerLane: 3, deadlineMs: 5_000 });
    const numbers = Array.from({ length: 60 }, (_, index) => `${index}`);
    const answers = await Promise.all(
      numbers.map((number) => sender.send(requestTo(receiver.url, { headers: { "x-number": number } }))),
    );
    assert.deepEqual(answers.map(readText), numbers);
    assert.equal(receiver.connectionCount(), 3);
  });

  test("a thousand hostile answers leave no socket and no timer", async (t) => {
    const kinds = ["close", "reset", "truncate", "endless_body"] as const;
    await using receiver = await startReceiver(({ number }) => ({ kind: kinds[number % kinds.length] ?? "close" }));
    const sender = makeSender({ deadlineMs: 5_000 });
    await sendMany({ t, sender, receiver, count: 1_000 });
    await receiver.allClosed();
    await sender.close();
  });
});

async function sendMany(params: { t: TestContext; sender: Sender; receiver: Receiver; count: number }): Promise<void> {
  const { t, sender, receiver, count } = params;
  let left = count;
  const kinds = new Map<string, number>();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const { outcome } = await sender.send(requestTo(receiver.url));
      kinds.set(outcome.kind, (kinds.get(outcome.kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  t.diagnostic(JSON.stringify([...kinds]));
  assert.deepEqual([...kinds.keys()].toSorted(), ["network_error", "response"]);
}

describe("close", () => {
  test("waits for what is in flight, then closes every socket", async () => {
    const answer = Promise.withResolvers<Behaviour>();
    await using receiver = await startReceiver(() => answer.promise);
    const sender = makeSender({ deadlineMs: 5_000 });
    const pending = sender.send(requestTo(receiver.url));
    await receiver.received(1);
    const closed = sender.close();
    answer.resolve({ body: "late" });
    assert.equal(readText(await pending), "late");
    await closed;
    await receiver.allClosed();
  });

  test("refuses what comes later, and may be called twice", async () => {
    await using receiver = await startReceiver();
    const sender = makeSender();
    await sender.send(requestTo(receiver.url));
    await Promise.all([sender.close(), sender.close()]);
    const { outcome } = await sender.send(requestTo(receiver.url));
    assert.deepEqual(outcome, { kind: "internal_error", message: "the sender is closed" });
    assert.equal(receiver.requests.length, 1);
  });
});
