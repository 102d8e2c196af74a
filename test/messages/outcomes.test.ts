/** Webhooks that do not arrive: each mistake at a real socket, and the words that an owner reads then. */
import { describe, test } from "node:test";
import { type AddressInfo, type Server, type Socket, createServer as createTcp } from "node:net";
import { type TlsOptions, createServer as createTls } from "node:tls";
import { explainOutcome } from "../../src/dashboard/explain/outcome.ts";
import { makeAuthority } from "../kit/servers/certificates.ts";
import { type SenderSetup, makeSender, requestTo } from "../kit/world/sender.ts";
import { readCertificate, readKey } from "../kit/servers/receiver.ts";
import { assertTold } from "./internals.ts";

const AUTHORITY = makeAuthority("Test CA");
const GOOD: TlsOptions = { cert: readCertificate("hook.test"), key: readKey("hook.test") };
const OTHER: TlsOptions = { cert: readCertificate("other.test"), key: readKey("other.test") };
const issue = (validity = {}): TlsOptions => {
  const { certificate, key } = AUTHORITY.issue("hook.test", validity);
  return { cert: certificate, key };
};

function tls(options: TlsOptions): Server {
  return createTls(options).on("tlsClientError", () => {});
}

const tcp = (talk: (socket: Socket) => void): Server =>
  createTcp((socket) => {
    socket.on("error", () => {});
    talk(socket);
  });

const answers = (bytes: string) => tcp((socket) => socket.once("data", () => socket.end(bytes)));

interface Case {
  readonly what: string;
  readonly server: Server | null;
  readonly url?: string;
  readonly setup?: SenderSetup | undefined;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    what: "https on a port that speaks another protocol",
    server: tcp((socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n")),
    says: /^hook\.test doesn't answer in TLS on port \d+\. If the endpoint has no https, write http:\/\//,
  },
  {
    what: "http on a port of https that just closes",
    server: tls(GOOD),
    url: "http://hook.test/",
    says: /^hook\.test closed the connection .* If this is its https port, write https:\/\//,
  },
  ...["The plain HTTP request was sent to HTTPS port", "Client sent an HTTP request to an HTTPS server."].map(
    (body): Case => ({
      what: `http on a port of https that says "${body.slice(0, 10)}…"`,
      server: answers(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
      url: "http://hook.test/",
      says: /^Your endpoint expects https on this port\. Write https:\/\/ in the Webhook URL\.$/,
    }),
  ),
  {
    what: "TLS 1.1 only",
    server: tls({ ...GOOD, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }),
    says: /^hook\.test speaks only versions of TLS before 1\.2 on port \d+.* Switch TLS 1\.2 or 1\.3 on/,
  },
  {
    what: "no cipher in common",
    server: tls({ ...GOOD, maxVersion: "TLSv1.2", ciphers: "AES128-SHA" }),
    says: /^hook\.test broke off the TLS handshake on port \d+\. .*ECDHE with TLS 1\.2/,
  },
  { what: "a certificate that is self-signed", server: tls(GOOD), says: /certificate problem: it is self-signed/ },
  {
    what: "an expired certificate",
    server: tls(issue({ untilMs: Date.UTC(2010, 0, 1) })),
    says: /: it has expired\. Renew/,
  },
  {
    what: "a certificate of the future",
    server: tls(issue({ fromMs: Date.UTC(2039, 0, 1) })),
    says: /: it is not valid yet\. Check when/,
  },
  {
    what: "a certificate without its issuer",
    server: tls(issue()),
    says: /: its issuer is unknown\. Send the intermediate/,
  },
  {
    what: "a certificate for another name",
    server: tls(OTHER),
    setup: { tls: { ca: [readCertificate("other.test")] } },
    says: /: it was issued for another name\. Use a name that the certificate is for/,
  },
  {
    what: "a receiver that wants a client certificate",
    server: tls({ ...GOOD, requestCert: true, rejectUnauthorized: true }),
    setup: { tls: { ca: [readCertificate("hook.test")] } },
    says: /hook\.test wants a client certificate.*Authentication|closed the connection/,
  },
  {
    what: "a reset before the request",
    server: tcp((socket) => socket.resetAndDestroy()),
    url: "http://hook.test/",
    says: /^hook\.test closed the connection on port \d+ without an answer\./,
  },
  {
    what: "a reset behind the request",
    server: tcp((socket) => socket.once("data", () => socket.resetAndDestroy())),
    url: "http://hook.test/",
    says: /^hook\.test closed the connection on port \d+ without an answer\./,
  },
  {
    what: "an end in the handshake",
    server: tcp((socket) => socket.end()),
    says: /while it was being encrypted\. Check/,
  },
  {
    what: "a mail server",
    server: tcp((socket) => socket.write("220 mail ESMTP\r\n")),
    url: "http://hook.test/",
    says: /can't be read as HTTP.*Check the port/,
  },
  {
    what: "a port that refuses",
    server: null,
    url: "http://hook.test:1/",
    says: /refused the connection on port 1\. Is it/,
  },
  {
    what: "a name that is not there",
    server: null,
    url: "http://no.test/",
    says: /^We couldn't find no\.test\. Check the spelling/,
  },
  {
    what: "an address of IPv6 without a way to it",
    server: null,
    url: "http://six.test/",
    setup: { zone: { "six.test": ["2001:db8::1"] }, allow: "2001:db8::/32" },
    says: /^six\.test can't be reached on port 80\. Its address is one of IPv6|didn't accept a connection/,
  },
  {
    what: "a proxy that refuses",
    server: null,
    url: "http://hook.test/",
    setup: { proxy: "http://127.0.0.1:1" },
    says: /operator's proxy failed.*proxy cannot be reached: nothing accepts connections there \(ECONNREFUSED\)/,
  },
];

describe("a webhook that does not arrive is explained", () => {
  for (const { what, server, url = "https://hook.test/", setup = {}, says } of CASES) {
    test(what, async () => {
      const called = new URL(url);
      if (server !== null) {
        server.unref().on("connection", (socket: Socket) => socket.unref());
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        called.port = String((server.address() as AddressInfo).port);
      }
      await using sender = makeSender({ deadlineMs: 3_000, ...setup });
      const result = await sender.send(requestTo(called.href));
      server?.close();
      const met = { result, startedAtMs: 0, url: called.href, bodyBytes: 1, isTest: true, isFresh: true };
      const { sentence, advice, technical } = explainOutcome(met);
      assertTold(`${sentence} ${advice}`, says);
      // The details below the sentence: a code, then our words.
      assertTold(technical.replace(/^[A-Z][\w/]*: /, ""), /^/);
    });
  }
});
