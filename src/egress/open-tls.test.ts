/** TLS sessions through the sender: who resumes them, for how long, and what is checked when they are not. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { type TLSSocket, type TlsOptions, createServer } from "node:tls";
import { readCertificate, readKey } from "../../test/kit/servers/receiver.ts";
import { type SenderSetup, makeSender, requestTo } from "../../test/kit/world/sender.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import type { Sender } from "../delivery/send/send.ts";

const ZONE = { "hook.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], localhost: ["127.0.0.1"] };
const trust = { ca: readCertificate("hook.test") };
const patient = (setup: SenderSetup = {}): Sender =>
  makeSender({ tls: trust, zone: ZONE, allow: "127.0.0.0/8,::1", deadlineMs: 5_000, ...setup });

interface TlsReceiver extends AsyncDisposable {
  readonly port: number;
  /** For each connection that got through its handshake: whether it resumed an earlier one. */
  readonly resumed: readonly boolean[];
  /** From now on it shows this certificate, and still takes the tickets that it gave out. */
  show(name: "hook.test" | "other.test"): void;
  /** It takes no ticket that it gave out before. */
  forgetSessions(): void;
  /** It closes its next connection before TLS stands. */
  breakNextHandshake(): void;
}

/** Answers one request a connection, so that each request needs a handshake. */
async function startTls(options: TlsOptions = {}): Promise<TlsReceiver> {
  const resumed: boolean[] = [];
  const serve = (socket: TLSSocket) => {
    resumed.push(socket.isSessionReused());
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"));
  };
  const files = (name: "hook.test" | "other.test") => ({ key: readKey(name), cert: readCertificate(name) });
  const server = createServer({ ...files("hook.test"), ...options }, serve);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    resumed,
    show: (name) => {
      const ticketKeys = server.getTicketKeys();
      server.setSecureContext({ ...files(name), ...options });
      server.setTicketKeys(ticketKeys);
    },
    breakNextHandshake: () => server.once("connection", (socket: Socket) => socket.destroy()),
    forgetSessions: () => server.setTicketKeys(randomBytes(48)),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface Where {
  readonly owner?: string;
  readonly host?: string;
}

async function post(sender: Sender, { port }: TlsReceiver, { owner = "acct-1", host = "hook.test" }: Where = {}) {
  const lane = `${owner} ${host}`;
  const { outcome } = await sender.send(requestTo(`https://${host}:${port}/`, { lane, owner }));
  return outcome.kind === "tls_error" ? outcome.code : outcome.kind;
}

for (const version of ["TLSv1.3", "TLSv1.2"] as const) {
  test(`resumes the session of an account with a receiver, over ${version}`, async () => {
    await using receiver = await startTls({ maxVersion: version });
    await using sender = patient();
    for (let nth = 0; nth < 4; nth += 1) assert.equal(await post(sender, receiver), "response");
    assert.deepEqual(receiver.resumed, [false, true, true, true]);
  });

  test(`never resumes the session of another account, over ${version}`, async () => {
    await using receiver = await startTls({ maxVersion: version });
    await using sender = patient();
    for (const owner of ["acct-1", "acct-2", "acct-1", "acct-2"]) await post(sender, receiver, { owner });
    assert.deepEqual(receiver.resumed, [false, false, true, true]);
  });

  test(`never takes a session to another name of the same server, over ${version}`, async () => {
    await using receiver = await startTls({ maxVersion: version });
    await using sender = patient();
    for (const host of ["hook.test", "localhost", "127.0.0.1"]) {
      assert.equal(await post(sender, receiver, { host }), "response");
    }
    assert.deepEqual(receiver.resumed, [false, false, false]);
    assert.equal(await post(sender, receiver, { host: "other.test" }), "ERR_TLS_CERT_ALTNAME_INVALID");
  });

  test(`keeps no session of a receiver that it refused, over ${version}`, async () => {
    await using receiver = await startTls({ maxVersion: version });
    await using sender = patient();
    for (let nth = 0; nth < 3; nth += 1) {
      assert.equal(await post(sender, receiver, { host: "other.test" }), "ERR_TLS_CERT_ALTNAME_INVALID");
    }
    assert.ok(!receiver.resumed.includes(true));
  });
}

test("checks the certificate again after an hour, however often the session was resumed", async () => {
  await using receiver = await startTls();
  const clock = createVirtualClock();
  await using sender = patient({ clock });
  assert.equal(await post(sender, receiver), "response");
  receiver.show("other.test");
  for (let minutes = 20; minutes < 60; minutes += 20) {
    await clock.advance(20 * 60_000);
    assert.equal(await post(sender, receiver), "response", `${minutes} minutes later`);
  }
  assert.deepEqual(receiver.resumed, [false, true, true]);
  await clock.advance(20 * 60_000);
  assert.equal(await post(sender, receiver), "DEPTH_ZERO_SELF_SIGNED_CERT");
});

test("checks the certificate anew under another trust", async () => {
  await using receiver = await startTls();
  await using before = patient();
  assert.equal(await post(before, receiver), "response");
  await using after = patient({ tls: { ca: readCertificate("other.test") } });
  assert.equal(await post(after, receiver), "DEPTH_ZERO_SELF_SIGNED_CERT");
});

test("does without when the receiver no longer knows the session", async () => {
  await using receiver = await startTls();
  await using sender = patient();
  assert.equal(await post(sender, receiver), "response");
  receiver.forgetSessions();
  for (let nth = 0; nth < 2; nth += 1) assert.equal(await post(sender, receiver), "response");
  assert.deepEqual(receiver.resumed, [false, false, true]);
});

test("checks the address of every connection, also where a session could be resumed", async () => {
  await using receiver = await startTls();
  let addresses = ["127.0.0.1"];
  await using sender = patient({ zone: { "hook.test": () => addresses }, ttl: 0 });
  assert.equal(await post(sender, receiver), "response");
  addresses = ["169.254.169.254"];
  assert.equal(await post(sender, receiver), "blocked");
  addresses = ["127.0.0.1"];
  assert.equal(await post(sender, receiver), "response");
  assert.deepEqual(receiver.resumed, [false, true]);
});

test("makes a full handshake after one that failed with a session", async () => {
  await using receiver = await startTls();
  await using sender = patient();
  assert.equal(await post(sender, receiver), "response");
  receiver.breakNextHandshake();
  assert.equal(await post(sender, receiver), "ECONNRESET");
  assert.equal(await post(sender, receiver), "response");
  assert.deepEqual(receiver.resumed, [false, false]);
});
