/** A receiver of TLS 1.2 that asks for one handshake after another, before its answer and behind it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type TLSSocket, connect, createServer } from "node:tls";
import { readCertificate, readKey } from "../../test/kit/servers/receiver.ts";
import { makeSender, requestTo } from "../../test/kit/world/sender.ts";
import { systemClock } from "../lib/clock.ts";
import { createTlsCosts, createUntimedTls } from "./tls-costs.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=62\r\ncontent-length: 0\r\n\r\n";

interface Renegotiating extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the sender has closed the connection, with the handshakes after the first that were done by then. */
  readonly closed: Promise<number>;
}

/** `most`: handshakes after the first. */
async function startRenegotiating(most: number, when: "before" | "behind"): Promise<Renegotiating> {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  const server = createServer(
    { key: readKey("hook.test"), cert: readCertificate("hook.test"), maxVersion: "TLSv1.2" },
    (socket: TLSSocket) => {
      let done = 0;
      const again = (): void => {
        if (done === most && when === "before") socket.write(ANSWER);
        if (done === most || socket.destroyed) return;
        socket.renegotiate({ requestCert: true, rejectUnauthorized: false }, (error) => {
          if (error !== null) return;
          done += 1;
          again();
        });
      };
      socket.on("error", () => {});
      socket.once("close", () => resolve(done));
      socket.once("data", () => {
        if (when === "behind") socket.write(ANSWER);
        again();
      });
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://hook.test:${(server.address() as AddressInfo).port}/`,
    closed,
    [Symbol.asyncDispose]: () => new Promise((resolved) => server.close(() => resolved())),
  };
}

const patient = () => makeSender({ tls: { ca: readCertificate("hook.test") }, deadlineMs: 30_000 });

test("one more handshake, to see a certificate, is answered", async () => {
  await using receiver = await startRenegotiating(1, "before");
  await using sender = patient();
  const { outcome } = await sender.send(requestTo(receiver.url));
  assert.equal(outcome.kind, "response");
});

test("an attempt that meets handshakes without end ends with words for the receiver's owner", async () => {
  await using receiver = await startRenegotiating(Infinity, "before");
  await using sender = patient();
  const { outcome } = await sender.send(requestTo(receiver.url));
  assert.deepEqual(outcome, {
    kind: "tls_error",
    code: "ERR_TLS_RENEGOTIATION",
    message: "The receiver asked for more than 4 TLS handshakes on one connection.",
  });
  assert.ok((await receiver.closed) <= 4);
});

test("a connection that waits for its next request is closed after the same number", async () => {
  await using receiver = await startRenegotiating(Infinity, "behind");
  await using sender = patient();
  const { outcome } = await sender.send(requestTo(receiver.url));
  assert.equal(outcome.kind, "response");
  assert.ok((await receiver.closed) <= 4);
});

test("the account's next connections are timed when another handshake begins on one that is not", async (t) => {
  await using receiver = await startRenegotiating(1, "before");
  const costs = createTlsCosts(systemClock);
  const untimed = createUntimedTls(systemClock, costs);
  const ca = readCertificate("hook.test");
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(receiver.url).port), ca, servername: "hook.test" });
  t.after(() => socket.destroy());
  untimed.watch("acct-1", socket);
  await once(socket, "secureConnect");
  assert.ok(untimed.takes("acct-1"));
  socket.write("GET / HTTP/1.1\r\n\r\n");
  await once(socket, "data");
  assert.ok(!untimed.takes("acct-1") && !costs.isResting("acct-1"));
  socket.destroy();
  await receiver.closed;
});
