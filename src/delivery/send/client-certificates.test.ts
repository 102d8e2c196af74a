/** Client certificates on the wire: who presents which to whom, what is shared, and what a refusal looks like. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, test } from "node:test";
import { type TLSSocket, type TlsOptions, createServer } from "node:tls";
import { type Issued, makeAuthority } from "../../../test/kit/servers/certificates.ts";
import { makeSlowRsa } from "../../../test/kit/servers/costly-tls.ts";
import { readCertificate, readKey, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeSender, requestTo } from "../../../test/kit/world/sender.ts";
import { explainOutcome } from "../../dashboard/explain/outcome.ts";
import { systemClock } from "../../lib/clock.ts";
import { createAuthorizedSend } from "../authorized-send.ts";
import type { WebhookRequest } from "./request.ts";
import type { Sender } from "./send.ts";

const ours = makeAuthority("Receiver's CA");
const [acme, globex] = [ours.issue("acme"), ours.issue("globex")];
const stranger = makeAuthority("Another CA").issue("stranger");

interface StrictReceiver extends AsyncDisposable {
  readonly url: string;
  /** For each request: the connection, its client's name, and whether it resumed a session. */
  readonly seen: readonly (readonly [connection: number, client: string, isResumed: boolean])[];
}

/** Answers over TLS, and wants a certificate of `ours` unless `options` say otherwise. */
async function startStrict(options: TlsOptions & { readonly keepsOpen?: boolean } = {}): Promise<StrictReceiver> {
  const seen: [number, string, boolean][] = [];
  const { keepsOpen = false } = options;
  let connections = 0;
  const files = { key: readKey("hook.test"), cert: readCertificate("hook.test"), ca: ours.certificate };
  const server = createServer({ ...files, requestCert: true, ...options }, (socket: TLSSocket) => {
    connections += 1;
    const connection = connections;
    socket.on("error", () => {});
    socket.on("data", () => {
      const { subject } = socket.getPeerCertificate();
      seen.push([connection, String(subject?.CN ?? "none"), socket.isSessionReused()]);
      const answer = `HTTP/1.1 200 OK\r\n${keepsOpen ? "" : "connection: close\r\n"}content-length: 0\r\n\r\n`;
      if (keepsOpen) socket.write(answer);
      else socket.end(answer);
    });
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `https://hook.test:${(server.address() as AddressInfo).port}/`,
    seen,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const patient = (): Sender => makeSender({ tls: { ca: readCertificate("hook.test") }, deadlineMs: 3_000 });

const presenting = (client: Issued | null): Pick<WebhookRequest, "authentication"> => ({
  authentication: client === null ? null : { oauth: null, certificate: { chain: client.certificate, key: client.key } },
});

interface Post extends Omit<Partial<WebhookRequest>, "url"> {
  readonly url: string;
  readonly client: Issued | null;
}

const post = async (sender: Sender, { url, client, ...request }: Post) =>
  await sender.send(requestTo(url, { owner: "acct-1", ...presenting(client), ...request, url: new URL(url) }));

for (const version of ["TLSv1.3", "TLSv1.2"] as const) {
  test(`presents the destination's certificate, and none for others, over ${version}`, async () => {
    await using receiver = await startStrict({ maxVersion: version, rejectUnauthorized: false });
    await using sender = patient();
    for (const [lane, client] of [
      ["dst_a", acme],
      ["dst_g", globex],
      ["dst_none", null],
      ["dst_a", acme],
    ] as const) {
      const { outcome } = await post(sender, { url: receiver.url, client, lane });
      assert.equal(outcome.kind, "response");
    }
    assert.deepEqual(
      receiver.seen.map(([, client]) => client),
      ["acme", "globex", "none", "acme"],
    );
  });

  test(`resumes a session under the certificate that began it alone, over ${version}`, async () => {
    await using receiver = await startStrict({ maxVersion: version, rejectUnauthorized: false });
    await using sender = patient();
    for (const client of [acme, globex, null, acme, globex, null]) await post(sender, { url: receiver.url, client });
    assert.deepEqual(
      receiver.seen.map(([, client, isResumed]) => `${client} ${isResumed}`),
      ["acme false", "globex false", "none false", "acme true", "globex true", "none true"],
    );
  });

  test(`resumes no session of another account with the same certificate, over ${version}`, async () => {
    await using receiver = await startStrict({ maxVersion: version });
    await using sender = patient();
    for (const owner of ["acct-1", "acct-2"])
      await post(sender, { url: receiver.url, client: acme, owner, lane: owner });
    assert.deepEqual(
      receiver.seen.map(([, , isResumed]) => isResumed),
      [false, false],
    );
  });

  test(`says that a receiver wants a certificate and got none, over ${version}`, async () => {
    await using receiver = await startStrict({ maxVersion: version });
    await using sender = patient();
    const { outcome } = await post(sender, { url: receiver.url, client: null });
    assert.ok(outcome.kind === "tls_error", JSON.stringify(outcome));
    // TLS 1.2 has no alert of its own for it.
    if (version === "TLSv1.3") assert.equal(outcome.message, "The receiver wants a client certificate, and got none.");
    else assert.match(outcome.code, /ALERT_HANDSHAKE_FAILURE$/);
    assert.equal((await post(sender, { url: receiver.url, client: acme })).outcome.kind, "response");
  });

  test(`an authority that the receiver does not trust ends the attempt as a failure, over ${version}`, async () => {
    await using receiver = await startStrict({ maxVersion: version });
    await using sender = patient();
    const { outcome } = await post(sender, { url: receiver.url, client: stranger });
    assert.ok(outcome.kind === "tls_error" || outcome.kind === "network_error", JSON.stringify(outcome));
    // Node's server says nothing and closes.
    assert.equal(outcome.code, "CLOSED_AFTER_CERTIFICATE");
    assert.equal(receiver.seen.length, 0);
  });
}

test("sockets end with the certificate that opened them, and stay while it stays the same", async () => {
  await using receiver = await startStrict({ keepsOpen: true });
  await using sender = patient();
  const again = { ...acme };
  for (const client of [acme, again, globex, globex, acme]) await post(sender, { url: receiver.url, client });
  assert.deepEqual(
    receiver.seen.map(([connection, client]) => `${connection} ${client}`),
    ["1 acme", "1 acme", "2 globex", "2 globex", "3 acme"],
  );
  await sender.close();
});

test("a connection that closes later, or without a certificate, is no suspicion of one", async () => {
  await using plain = await startReceiver((request) => (request.number === 2 ? { kind: "close" } : {}), {
    tls: "hook.test",
  });
  await using sender = patient();
  const url = `https://hook.test:${plain.port}/`;
  const codes: string[] = [];
  for (const client of [acme, acme]) {
    const { outcome } = await post(sender, { url, client });
    codes.push("code" in outcome ? outcome.code : outcome.kind);
  }
  plain.script = () => ({ kind: "close" });
  const { outcome } = await post(sender, { url, client: null, lane: "dst_none" });
  codes.push("code" in outcome ? outcome.code : outcome.kind);
  assert.deepEqual(codes, ["response", "ANSWER_INCOMPLETE", "ANSWER_INCOMPLETE"]);
});

test("a certificate that TLS does not take ends the attempt, and no socket is opened", async () => {
  await using receiver = await startStrict();
  await using sender = patient();
  const broken = { certificate: acme.certificate, key: globex.key };
  const { outcome, address } = await post(sender, { url: receiver.url, client: broken });
  assert.ok(outcome.kind === "tls_error");
  assert.deepEqual([outcome.code, address], ["CLIENT_CERTIFICATE_UNUSABLE", null]);
  assert.equal((await post(sender, { url: receiver.url, client: acme })).outcome.kind, "response");
});

test("a key that signs too slowly ends the attempt, also where it was saved before that was looked at", async () => {
  await using receiver = await startStrict();
  await using sender = patient();
  const key = makeSlowRsa(2_048).export({ type: "pkcs8", format: "pem" });
  const { outcome, address } = await post(sender, { url: receiver.url, client: { ...acme, key } });
  assert.ok(outcome.kind === "tls_error");
  assert.deepEqual([outcome.code, address], ["CLIENT_CERTIFICATE_UNUSABLE", null]);
  assert.match(outcome.message, /cannot be presented: its key has a public exponent above 2\^32; use RSA/);
});

describe("a receiver that refuses the certificate by the alert", () => {
  /** RFC 8446 §6.2. */
  const ALERTS = [
    [42, "bad_certificate", /it is bad, or there is none/],
    [43, "unsupported_certificate", /does not take this kind/],
    [44, "certificate_revoked", /it was revoked/],
    [45, "certificate_expired", /it has expired/],
    [46, "certificate_unknown", /cannot accept it/],
    [48, "unknown_ca", /does not know its issuer/],
    [49, "access_denied", /its owner has no access/],
    [116, "certificate_required", /wants a client certificate, and got none/],
  ] as const;
  for (const [number, name, words] of ALERTS) {
    test(`${name} is told in words, with what to do`, async () => {
      // A fatal alert in clear text, which TLS takes until the handshake is over.
      const server = createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, number])));
      });
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve);
      });
      await using sender = patient();
      const url = `https://hook.test:${(server.address() as AddressInfo).port}/`;
      const result = await post(sender, { url, client: acme });
      server.close();
      const {
        status,
        sentence,
        advice,
        class: kind,
      } = explainOutcome({
        result,
        startedAtMs: 0,
        url,
        bodyBytes: 1,
        isTest: false,
        isFresh: true,
      });
      assert.deepEqual([result.outcome.kind, status, kind], ["tls_error", "Client certificate", "certificate"]);
      assert.match(sentence, words);
      assert.match(sentence, /^hook\.test /);
      assert.match(advice, /uthentication|issuer/);
    });
  }
});

test("the token URL is shown the certificate too, and one over http: is asked without it", async () => {
  await using tokens = await startStrict();
  await using plain = await startReceiver();
  await using sender = patient();
  const send = createAuthorizedSend(sender.sendIf, systemClock);
  const client = {
    clientId: "bellwire",
    clientSecret: "b",
    scope: "",
    audience: "",
    clientAuthentication: "post",
  } as const;
  const ask = async (tokenUrl: string) => {
    const certificate = { chain: acme.certificate, key: acme.key };
    const authentication = { certificate, oauth: { ...client, tokenUrl, clientAuthentication: "post" } } as const;
    const sent = await send(requestTo("https://hook.test/in", { authentication, owner: "acct-1" }), () => true);
    assert.ok(sent?.outcome.kind === "token_error", JSON.stringify(sent));
    assert.equal(sent.outcome.code, "TOKEN_MISSING", "it was let in, and gave no token");
  };
  await ask(`${tokens.url}token`);
  assert.deepEqual(
    tokens.seen.map(([, name]) => name),
    ["acme"],
  );
  await ask(`${plain.url}/token`);
  assert.equal(plain.requests.length, 1);
});
