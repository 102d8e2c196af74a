/** Webhooks through a forward proxy: a real small one, and every way in which it can fail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProxyOptions, startProxy } from "../../test/kit/servers/proxy.ts";
import { readCertificate, startReceiver } from "../../test/kit/servers/receiver.ts";
import { requestTo, makeSender } from "../../test/kit/world/sender.ts";

const readStatus = (outcome: { kind: string; response?: { status: number } }) =>
  outcome.response?.status ?? outcome.kind;

/** Only the test of silence waits for a deadline: a slow machine must not make other faults look like it. */
const PATIENT = { deadlineMs: 10_000 };

test("asks the proxy for the checked address, and sends the receiver what it would get directly", async () => {
  await using receiver = await startReceiver({ status: 202 });
  await using proxy = await startProxy();
  await using sender = makeSender({ ...PATIENT, proxy: proxy.url });
  const request = requestTo(`http://hook.test:${receiver.port}/a?b`);
  const { outcome, address, timings } = await sender.send(request);
  assert.equal(readStatus(outcome), 202);
  assert.equal(address, "127.0.0.1");
  assert.ok(timings.dnsMs !== null && timings.connectMs !== null && timings.tlsMs === null);
  const authority = `127.0.0.1:${receiver.port}`;
  assert.deepEqual(proxy.requests, [`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`]);
  assert.match(receiver.requests[0]?.raw.toString() ?? "", new RegExp(`^POST /a\\?b HTTP/1.1\r\nhost: hook.test:`));
  assert.equal(receiver.requests[0]?.raw.includes("proxy"), false);
});

test("keeps the tunnel for the next request, and closes it at the end", async () => {
  await using receiver = await startReceiver();
  await using proxy = await startProxy();
  const sender = makeSender({ ...PATIENT, proxy: proxy.url });
  for (let count = 0; count < 3; count += 1) await sender.send(requestTo(receiver.url));
  assert.deepEqual([proxy.requests.length, receiver.requests.length], [1, 3]);
  await sender.close();
  await proxy.allClosed();
});

test("speaks TLS with the receiver and not with the proxy: name and certificate stay the receiver's", async () => {
  await using receiver = await startReceiver({}, { tls: "hook.test" });
  await using proxy = await startProxy();
  await using sender = makeSender({ ...PATIENT, proxy: proxy.url, tls: { ca: readCertificate("hook.test") } });
  const { outcome, timings } = await sender.send(requestTo(`https://hook.test:${receiver.port}/`));
  assert.equal(readStatus(outcome), 200);
  assert.ok(timings.tlsMs !== null);
  assert.equal(receiver.requests[0]?.serverName, "hook.test");
});

test("compares the certificate of an address with that address, behind the proxy too", async () => {
  await using proxy = await startProxy();
  for (const [name, expected] of [
    ["hook.test", 200],
    ["other.test", /IP: 127\.0\.0\.1 is not in/],
  ] as const) {
    await using receiver = await startReceiver({}, { tls: name });
    await using sender = makeSender({ ...PATIENT, proxy: proxy.url, tls: { ca: readCertificate(name) } });
    const { outcome } = await sender.send(requestTo(`https://127.0.0.1:${receiver.port}/`));
    if (expected === 200) assert.equal(readStatus(outcome), 200);
    else assert.match("message" in outcome ? outcome.message : "", expected);
  }
});

test("refuses a certificate for another name behind the proxy too, and closes the tunnel", async () => {
  await using receiver = await startReceiver({}, { tls: "other.test" });
  await using proxy = await startProxy();
  await using sender = makeSender({ ...PATIENT, proxy: proxy.url, tls: { ca: readCertificate("other.test") } });
  const { outcome } = await sender.send(requestTo(`https://hook.test:${receiver.port}/`));
  assert.deepEqual([outcome.kind, "code" in outcome && outcome.code], ["tls_error", "ERR_TLS_CERT_ALTNAME_INVALID"]);
  await proxy.allClosed();
  assert.equal(receiver.requests.length, 0);
});

test("checks names and addresses here: the proxy never hears of what is refused", async () => {
  await using proxy = await startProxy();
  const zone = { "private.test": ["127.0.0.1"], "mixed.test": ["1.1.1.1", "::1"] };
  await using sender = makeSender({ ...PATIENT, proxy: proxy.url, allow: "", zone });
  for (const url of ["http://127.0.0.1/", "http://private.test/", "http://mixed.test/", "http://169.254.169.254/"]) {
    assert.equal((await sender.send(requestTo(url, { lane: url }))).outcome.kind, "blocked", url);
  }
  assert.equal((await sender.send(requestTo("http://gone.test/"))).outcome.kind, "dns_error");
  assert.deepEqual(proxy.requests, []);
});

test("sends the credentials of the setting to the proxy alone", async () => {
  await using receiver = await startReceiver();
  const authorization = `Basic ${Buffer.from("na:me:pass@word").toString("base64")}`;
  await using proxy = await startProxy({ authorization });
  await using sender = makeSender({ ...PATIENT, proxy: `http://na%3Ame:pass%40word@127.0.0.1:${proxy.port}` });
  assert.equal(readStatus((await sender.send(requestTo(receiver.url))).outcome), 200);
  assert.equal(receiver.requests[0]?.raw.includes("Basic"), false);
});

test("resolves the name of the proxy itself, and tries each of its addresses", async () => {
  await using receiver = await startReceiver();
  await using proxy = await startProxy();
  const zone = { "proxy.test": ["127.0.0.2", "127.0.0.1"], "hook.test": ["127.0.0.1"] };
  await using sender = makeSender({ ...PATIENT, proxy: `http://proxy.test:${proxy.port}`, zone });
  assert.equal(readStatus((await sender.send(requestTo(`http://hook.test:${receiver.port}/`))).outcome), 200);
});

test("tries the next address of the receiver when the proxy cannot connect to one", async () => {
  await using receiver = await startReceiver();
  await using proxy = await startProxy();
  await using sender = makeSender({ ...PATIENT, proxy: proxy.url, zone: { "hook.test": ["127.0.0.2", "127.0.0.1"] } });
  assert.equal(readStatus((await sender.send(requestTo(`http://hook.test:${receiver.port}/`))).outcome), 200);
  assert.equal(proxy.requests.length, 2);
});

const FAULTS: readonly [what: string, options: ProxyOptions, kind: string, code: string | null][] = [
  ["asks for credentials", { authorization: "Basic eDp5" }, "proxy_error", "PROXY_CREDENTIALS"],
  ["answers 502", { does: 502 }, "proxy_error", "PROXY_STATUS_502"],
  ["answers 503", { does: 503 }, "proxy_error", "PROXY_STATUS_503"],
  ["answers 504", { does: 504 }, "proxy_error", "PROXY_STATUS_504"],
  ["forbids it with 403", { does: 403 }, "blocked", null],
  ["redirects", { does: 302 }, "proxy_error", "PROXY_PROTOCOL"],
  ["says 100 and no more", { does: { raw: "HTTP/1.1 100 Continue\r\n\r\n" } }, "proxy_error", "PROXY_PROTOCOL"],
  ["speaks SSH", { does: { raw: "SSH-2.0-x\r\n\r\n" } }, "proxy_error", "PROXY_PROTOCOL"],
  [
    "floods with headers",
    { does: { raw: `HTTP/1.1 200 OK\r\nx: ${"x".repeat(20_000)}` } },
    "proxy_error",
    "PROXY_PROTOCOL",
  ],
  [
    "floods with headers, and ends them",
    { does: { raw: `HTTP/1.1 200 OK\r\nx: ${"x".repeat(20_000)}\r\n\r\n` } },
    "proxy_error",
    "PROXY_PROTOCOL",
  ],
  ["closes", { does: "close" }, "proxy_error", "PROXY_CLOSED"],
  ["is silent", { does: "hang" }, "timeout", null],
];

for (const [what, options, kind, code] of FAULTS) {
  test(`a proxy that ${what} makes it ${code ?? kind}, and nothing stays open`, async () => {
    await using receiver = await startReceiver();
    await using proxy = await startProxy(options);
    await using sender = makeSender({
      ...PATIENT,
      proxy: proxy.url,
      ...(kind === "timeout" ? { connectDeadlineMs: 100 } : {}),
    });
    const { outcome } = await sender.send(requestTo(receiver.url));
    assert.deepEqual([outcome.kind, "code" in outcome ? outcome.code : null], [kind, code]);
    await proxy.allClosed();
    assert.equal(receiver.connectionCount(), 0);
  });
}

test("a proxy that is not there, or has no address, cannot be reached", async () => {
  await using receiver = await startReceiver();
  for (const proxy of ["http://127.0.0.1:1", "http://gone.test:3128"]) {
    await using sender = makeSender({ ...PATIENT, proxy });
    const { outcome } = await sender.send(requestTo(receiver.url));
    assert.deepEqual([outcome.kind, "code" in outcome && outcome.code], ["proxy_error", "PROXY_UNREACHABLE"], proxy);
  }
});
