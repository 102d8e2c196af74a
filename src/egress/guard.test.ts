/** The guard at save and at connect: names, rebinding, mixed answers, DNS that fails, and the sentences for people. */
import assert from "node:assert/strict";
import { type Socket, createServer } from "node:net";
import { test } from "node:test";
import { readCertificate, startReceiver } from "../../test/kit/servers/receiver.ts";
import { type Zone, dnsError, toResolver, scriptedDns } from "../../test/kit/servers/scripted-dns.ts";
import { systemClock } from "../lib/clock.ts";
import { createAddressPolicy } from "./address-policy.ts";
import type { ConnectOutcome, ConnectProgress } from "./connect-outcome.ts";
import type { ConnectorOptions } from "./connector.ts";
import { type EgressGuard, createEgressGuard } from "./guard.ts";
import { createTlsClient } from "./open-tls.ts";
import { parseEgressAllow, parseEgressDeny } from "./parse-networks.ts";

interface Setup {
  readonly zone?: Zone;
  readonly allow?: string;
  readonly deny?: string;
  readonly ttl?: number;
}

function makeGuard({ zone = {}, allow: allowText = "", deny: denyText = "", ttl = 0 }: Setup = {}): EgressGuard {
  const allow = parseEgressAllow(allowText);
  const deny = parseEgressDeny(denyText);
  assert.ok(allow.ok && deny.ok);
  return createEgressGuard({
    policy: createAddressPolicy({ allow: allow.value, deny: deny.value, ownAddresses: () => [] }),
    resolver: toResolver(scriptedDns(zone, ttl)),
  });
}

const check = (guard: EgressGuard, url: string) => guard.checkUrl(new URL(url));

type Connected = { readonly progress: ConnectProgress } & (
  | { readonly socket: Socket; readonly outcome: null }
  | { readonly socket: null; readonly outcome: ConnectOutcome }
);

async function connect(guard: EgressGuard, url: string, options: Partial<ConnectorOptions> = {}): Promise<Connected> {
  const progresses: ConnectProgress[] = [];
  const onStart = (started: ConnectProgress): void => void progresses.push(started);
  const tls = createTlsClient({ clock: systemClock });
  const own = { clock: systemClock, deadlineMs: 1_000, tls, owner: "acct-1", onStart };
  const connected = await guard.connector({ ...own, ...options })(new URL(url));
  const [progress] = progresses;
  assert.ok(progress !== undefined, "onStart was called");
  return connected.ok
    ? { progress, socket: connected.value, outcome: null }
    : { progress, socket: null, outcome: connected.error };
}

test("lets public literals and names pass at save", async () => {
  const guard = makeGuard({ zone: { "a.test": ["1.1.1.1", "2606:4700::1111"] } });
  for (const url of ["https://1.1.1.1/", "https://[2606:4700::1111]/x", "http://a.test:8080/"]) {
    assert.equal(await check(guard, url), null, url);
  }
});

const SENTENCES: readonly [url: string, sentence: string][] = [
  [
    "http://127.0.0.1/",
    "127.0.0.1 is a loopback address; Bellwire does not call private addresses. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "http://169.254.169.254/latest/meta-data",
    "169.254.169.254 is a cloud metadata address; Bellwire does not call private addresses. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "https://private.test/",
    "private.test points to 10.0.0.1, which is a private address; Bellwire does not call private addresses. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "https://metadata.test/",
    "metadata.test points to 169.254.169.254, which is a cloud metadata address; " +
      "Bellwire does not call private addresses. Ask the people who run this service to allow it.",
  ],
  [
    "https://mixed.test/",
    "mixed.test points to ::1, which is a loopback address; Bellwire does not call private addresses. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "http://localhost:3000/",
    "localhost points to 127.0.0.1, which is a loopback address; Bellwire does not call private addresses. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "https://public.test:5432/",
    "Port 5432 of public.test is the port of PostgreSQL; Bellwire does not call system and database ports. " +
      "Ask the people who run this service to allow it.",
  ],
  [
    "https://[::ffff:8.8.8.8]/",
    "::ffff:808:808 is an IPv4 address written as IPv6; Bellwire does not call private addresses.",
  ],
  [
    "https://gone.test/",
    "gone.test could not be resolved: this name does not exist (ENOTFOUND). " +
      "Check the spelling; if the name was set up just now, try again in a few minutes.",
  ],
];

for (const [url, sentence] of SENTENCES) {
  test(`refuses ${url} at save and at connect, and says why`, async () => {
    const zone = {
      "private.test": ["10.0.0.1"],
      "metadata.test": ["169.254.169.254"],
      "mixed.test": ["1.1.1.1", "::1"],
      "public.test": ["1.1.1.1"],
    };
    assert.equal(await check(makeGuard({ zone }), url), sentence);
    const { outcome } = await connect(makeGuard({ zone }), url);
    assert.ok(
      outcome !== null && (outcome.kind === "blocked" || outcome.kind === "dns_error"),
      JSON.stringify(outcome),
    );
    assert.ok(sentence.includes(outcome.message), outcome.message);
  });
}

test("calls nothing that the operator has closed, also when it is opened, and says whose rule it is", async () => {
  await using canary = await startReceiver();
  const zone = { "closed.test": ["1.1.1.1", "127.0.0.1"] };
  const guard = makeGuard({ zone, allow: "127.0.0.0/8", deny: "127.0.0.1 11.0.0.0/8" });
  const url = `http://closed.test:${canary.port}/`;
  const sentence =
    "closed.test points to 127.0.0.1, which is in a network that is closed: the people who run this service do not " +
    "let webhooks go there.";
  assert.equal(await check(guard, url), sentence);
  assert.deepEqual((await connect(guard, url)).outcome, { kind: "blocked", message: sentence });
  assert.match((await check(guard, "https://11.2.3.4/")) ?? "", /^11\.2\.3\.4 is in a network that is closed/);
  assert.equal(canary.connectionCount(), 0);
});

test("with https alone, an http URL is refused at save and at connect, and nothing is asked or opened", async () => {
  await using receiver = await startReceiver();
  const dns = scriptedDns({ "hook.test": ["127.0.0.1"] });
  const allow = parseEgressAllow("127.0.0.1");
  assert.ok(allow.ok);
  const policy = createAddressPolicy({ allow: allow.value, ownAddresses: () => [] });
  const guard = createEgressGuard({ policy, resolver: toResolver(dns), httpsOnly: true });
  const url = `http://hook.test:${receiver.port}/`;
  const message = "A URL must start with https: here; the people who run this service allow no other.";
  assert.equal(await check(guard, url), message);
  assert.deepEqual((await connect(guard, url)).outcome, { kind: "blocked", message });
  assert.deepEqual([dns.questions, receiver.connectionCount()], [[], 0]);
  assert.equal(await check(guard, `https://hook.test:${receiver.port}/`), null);
});

test("does not skip the check when DNS fails", async () => {
  const zone = { "broken.test": () => Promise.reject(dnsError("ESERVFAIL")) };
  assert.match((await check(makeGuard({ zone }), "https://broken.test/")) ?? "", /could not be resolved.*ESERVFAIL/);
  const { outcome } = await connect(makeGuard({ zone }), "https://broken.test/");
  assert.deepEqual(outcome, {
    kind: "dns_error",
    code: "ESERVFAIL",
    message: "its name servers failed to answer",
  });
});

test("refuses a name that was public at save and is private at connect", async () => {
  await using canary = await startReceiver();
  let addresses = ["1.1.1.1"];
  const guard = makeGuard({ zone: { "rebind.test": () => addresses } });
  const url = `http://rebind.test:${canary.port}/`;
  assert.equal(await check(guard, url), null);
  addresses = ["127.0.0.1"];
  assert.equal((await connect(guard, url)).outcome?.kind, "blocked");
  assert.equal(canary.connectionCount(), 0);
});

test("asks again for each socket once the TTL has run out", async () => {
  await using receiver = await startReceiver();
  let address = "127.0.0.1";
  const guard = makeGuard({ zone: { "rebind.test": () => [address] }, allow: `127.0.0.1:${receiver.port}` });
  const url = `http://rebind.test:${receiver.port}/`;
  (await connect(guard, url)).socket?.destroy();
  address = "127.0.0.2";
  assert.equal((await connect(guard, url)).outcome?.kind, "blocked");
  assert.equal(receiver.connectionCount(), 1);
});

test("opens no connection for a refused address, in whatever way it is written", async () => {
  await using canary = await startReceiver();
  const guard = makeGuard({ zone: { "a.test": ["1.1.1.1", "127.0.0.1"] } });
  for (const host of ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0", "localhost", "a.test", "[::ffff:127.0.0.1]"]) {
    assert.equal((await connect(guard, `http://${host}:${canary.port}/`)).outcome?.kind, "blocked", host);
  }
  assert.equal(canary.connectionCount(), 0);
});

test("connects to an allowed address and tells how it went", async () => {
  await using receiver = await startReceiver();
  const guard = makeGuard({ zone: { "hook.test": ["127.0.0.1"] }, allow: "127.0.0.1" });
  const { socket, progress } = await connect(guard, `http://hook.test:${receiver.port}/`);
  assert.equal(socket?.remoteAddress, "127.0.0.1");
  assert.equal(progress.phase, "open");
  assert.equal(progress.address, "127.0.0.1");
  assert.ok(progress.dnsMs !== null && progress.connectMs !== null && progress.tlsMs === null);
  socket?.destroy();
});

test("tries the next address when one refuses the connection", async () => {
  await using receiver = await startReceiver();
  const guard = makeGuard({ zone: { "hook.test": ["127.0.0.2", "127.0.0.1"] }, allow: "127.0.0.0/8" });
  const { socket, progress } = await connect(guard, `http://hook.test:${receiver.port}/`);
  assert.equal(progress.address, "127.0.0.1");
  socket?.destroy();
});

test("tries three addresses at most, and one of each family among them", async () => {
  const closedPort = await freePort();
  const zone = { "hook.test": ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "::1"] };
  const guard = makeGuard({ zone, allow: "127.0.0.0/8 ::1" });
  await using receiver = await startReceiver();
  const { outcome } = await connect(guard, `http://hook.test:${closedPort}/`);
  assert.deepEqual(outcome, {
    kind: "network_error",
    code: "ECONNREFUSED",
    message: `Nothing accepts connections at 127.0.0.1, port ${closedPort}.`,
  });
  const fourth = { "hook.test": ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"] };
  const late = makeGuard({ zone: fourth, allow: "127.0.0.0/8" });
  assert.equal((await connect(late, `http://hook.test:${receiver.port}/`)).outcome?.kind, "network_error");
});

test("ends a look-up that hangs at the deadline", async () => {
  const guard = makeGuard({ zone: { "slow.test": () => Promise.withResolvers<string[]>().promise } });
  const { outcome } = await connect(guard, "http://slow.test/", { deadlineMs: 50 });
  assert.deepEqual(outcome, { kind: "timeout", phase: "dns" });
});

test("ends a TLS handshake that hangs at the deadline, and closes the socket", async () => {
  await using receiver = await startReceiver({}, { onConnect: "hang" });
  const guard = makeGuard({ allow: "127.0.0.1" });
  const { outcome } = await connect(guard, `https://127.0.0.1:${receiver.port}/`, { deadlineMs: 80 });
  assert.deepEqual(outcome, { kind: "timeout", phase: "connect" });
  await receiver.allClosed();
});

test("asks for the name in TLS and accepts its certificate", async () => {
  await using receiver = await startReceiver({}, { tls: "hook.test" });
  const guard = makeGuard({ zone: { "hook.test": ["127.0.0.1"], "hook.test.": ["127.0.0.1"] }, allow: "127.0.0.1" });
  const tls = createTlsClient({ clock: systemClock, trust: { ca: readCertificate("hook.test") } });
  for (const host of ["hook.test", "hook.test.", "127.0.0.1"]) {
    const { socket, progress, outcome } = await connect(guard, `https://${host}:${receiver.port}/`, { tls });
    assert.equal(outcome, null, host);
    assert.ok(progress.tlsMs !== null);
    socket?.end("GET / HTTP/1.1\r\n\r\n");
  }
  await receiver.received(3);
  assert.deepEqual(
    receiver.requests.map(({ serverName }) => serverName),
    ["hook.test", "hook.test", null],
  );
});

const BAD_TLS: readonly [what: string, serves: "hook.test" | "other.test", trusts: "hook.test" | null, code: string][] =
  [
    ["a certificate for another name", "other.test", null, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["a certificate that nobody vouches for", "other.test", "hook.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ];

for (const [what, serves, trusts, code] of BAD_TLS) {
  test(`refuses ${what}`, async () => {
    await using receiver = await startReceiver({}, { tls: serves });
    const guard = makeGuard({ zone: { "hook.test": ["127.0.0.1"] }, allow: "127.0.0.1" });
    const tls = createTlsClient({ clock: systemClock, trust: { ca: readCertificate(trusts ?? serves) } });
    const { outcome } = await connect(guard, `https://hook.test:${receiver.port}/`, { tls });
    assert.equal(outcome?.kind, "tls_error");
    assert.equal(outcome.code, code);
    await receiver.allClosed();
    assert.equal(receiver.requests.length, 0);
  });
}

test("calls it a TLS error when the receiver closes the connection in the handshake", async () => {
  await using receiver = await startReceiver({}, { onConnect: "close" });
  const { outcome } = await connect(makeGuard({ allow: "127.0.0.1" }), `https://127.0.0.1:${receiver.port}/`);
  assert.deepEqual(outcome, {
    kind: "tls_error",
    code: "ECONNRESET",
    message: "it closed the connection (ECONNRESET)",
  });
});

/** A port on which nothing listens: it was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}
