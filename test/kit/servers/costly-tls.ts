/**
 * Receivers whose TLS is built to cost the sender CPU: a group of 8,192 bits, a chain of certificates that takes long
 * to verify, and messages without end after the handshake. Each is a real server; what OpenSSL does not send is written
 * here by hand.
 */
import {
  type KeyObject,
  createCipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  getDiffieHellman,
  randomBytes,
  sign,
} from "node:crypto";
import { once } from "node:events";
import {
  type AddressInfo,
  type Server,
  type Socket,
  connect as connectTcp,
  createServer as createTcpServer,
} from "node:net";
import { Duplex } from "node:stream";
import { TLSSocket, type TlsOptions, createServer } from "node:tls";
import { der, named, oid, sequence, time } from "./certificates.ts";
import { readCertificate, readKey } from "./receiver.ts";

export interface CostlyReceiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const KEPT_ANSWER = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=62\r\ncontent-length: 0\r\n\r\n";
const CLOSING_ANSWER = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const files = () => ({ key: readKey("hook.test"), cert: readCertificate("hook.test") });

/** It answers 200, and its certificate is good for who trusts it. */
export async function startDhe(): Promise<CostlyReceiver & { readonly certificate: string }> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const names = { subject: "hook.test", issuer: "hook.test" };
  const cert = makeCertificate({ ...names, subjectKey: publicKey, signKey: privateKey, isAuthority: true });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  const only = { ciphers: "DHE-RSA-AES128-GCM-SHA256", maxVersion: "TLSv1.2" } as const;
  return { ...(await startAnswering({ key, cert, ...only, dhparam: makeGroup() }, true)), certificate: cert };
}

/** The chain of `makeCostlyChain`. */
export function startLongChain(chain: CostlyChain): Promise<CostlyReceiver> {
  return startAnswering({ key: chain.key, cert: chain.certificates });
}

/**
 * A receiver that alternates: the connections that `isCostly` names, counted from 1, get the chain of `makeCostlyChain`
 * and cannot take up a session. `finishes`: otherwise the end of such a handshake never comes.
 */
export async function startAlternating(
  chain: CostlyChain,
  isCostly: (nth: number) => boolean,
  finishes = true,
): Promise<CostlyReceiver> {
  const costly = await startAnswering({ key: chain.key, cert: chain.certificates }, true);
  const cheap = await startAnswering(files(), true);
  let count = 0;
  const server = createTcpServer((near) => {
    count += 1;
    const keptBytes = finishes || !isCostly(count) ? 0 : 1;
    let held = Buffer.alloc(0);
    const far = connectTcp((isCostly(count) ? costly : cheap).port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).once("close", () => near.destroy());
    far.on("data", (bytes: Buffer) => {
      const all = Buffer.concat([held, bytes]);
      held = all.subarray(all.length - keptBytes);
      near.write(all.subarray(0, all.length - keptBytes));
    });
    far.once("end", () => near.end());
  });
  const listening = await listen(server);
  return {
    ...listening,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
      await Promise.all([costly, cheap].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** `closes`: each request needs a handshake of its own, and no session is taken up. */
export async function startAnswering(options: TlsOptions, closes = false): Promise<CostlyReceiver> {
  const server = createServer(options, (socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      if (closes) server.setTicketKeys(randomBytes(48));
      if (closes) socket.end(CLOSING_ANSWER);
      else socket.write(ANSWER);
    });
  });
  server.on("tlsClientError", () => {});
  return await listen(server);
}

async function listen(server: Server): Promise<CostlyReceiver> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://hook.test:${port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** PKCS #3: the 8,192 bits of group 18 of RFC 3526; for a generator of its own, OpenSSL takes exponents as long. */
function makeGroup(): string {
  const group = getDiffieHellman("modp18");
  const params = sequence(integer(toNumber(group.getPrime())), integer(5n));
  return toPem("DH PARAMETERS", params);
}

export interface CostlyChain {
  /** PEM. */
  readonly certificates: string;
  readonly key: string;
}

/** As many certificates as a handshake may have, signed by RSA keys with a public exponent as long as their modulus. */
export function makeCostlyChain(count = 70): CostlyChain {
  const issuer = makeSlowRsa(3_072);
  const leaf = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const certificates = Array.from({ length: count }, (_, place) =>
    makeCertificate({
      subject: place === 0 ? "hook.test" : `authority ${place}`,
      issuer: `authority ${place + 1}`,
      subjectKey: place === 0 ? leaf.publicKey : createPublicKey(issuer),
      signKey: issuer,
      isAuthority: place > 0,
    }),
  );
  return { certificates: certificates.join(""), key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }) };
}

/** A valid key whose public exponent is as long as its modulus. */
export function makeSlowRsa(bits: number): KeyObject {
  const { p, q } = generateKeyPairSync("rsa", { modulusLength: bits }).privateKey.export({ format: "jwk" });
  const factors = { p: readPart(p), q: readPart(q) };
  const phi = (factors.p - 1n) * (factors.q - 1n);
  let e = (phi / 3n) | 1n;
  while (invert(e, phi) === null) e += 2n;
  return toRsa({ ...factors, e, phi });
}

/** All parts fit, and a factor is no prime: OpenSSL sees a wrong signature, and makes another by the slow way. */
export function makeCompositeRsa(bits: number): KeyObject {
  const primes = () => generateKeyPairSync("rsa", { modulusLength: bits / 2 }).privateKey.export({ format: "jwk" });
  for (;;) {
    const [p, q] = [readPart(primes().n), readPart(primes().n)];
    if (invert(65_537n, (p - 1n) * (q - 1n)) !== null) return toRsa({ p, q, e: 65_537n, phi: (p - 1n) * (q - 1n) });
  }
}

/** The same with the exponent that its four primes ask for, so that what the slow way makes is a right signature. */
export function makeWorkingSlowRsa(bits: number): KeyObject {
  const make = () => {
    const { n, p, q } = generateKeyPairSync("rsa", { modulusLength: bits / 2 }).privateKey.export({ format: "jwk" });
    return { n: readPart(n), phi: (readPart(p) - 1n) * (readPart(q) - 1n) };
  };
  const [p, q] = [make(), make()];
  return toRsa({ p: p.n, q: q.n, e: 65_537n, phi: p.phi * q.phi });
}

/** PEM, signed by a key that no one trusts. */
export function certify(key: KeyObject): string {
  const signKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
  const names = { subject: "bellwire-client", issuer: "an authority" };
  return makeCertificate({ ...names, subjectKey: createPublicKey(key), signKey, isAuthority: false });
}

function toRsa({ p, q, e, phi }: Readonly<Record<"p" | "q" | "e" | "phi", bigint>>): KeyObject {
  const d = invert(e, phi) ?? 0n;
  const parts = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) ?? 0n };
  const texts = Object.entries(parts).map(([name, part]) => [name, toBytes(part).toString("base64url")]);
  return createPrivateKey({ key: { kty: "RSA", ...Object.fromEntries(texts) }, format: "jwk" });
}

function invert(a: bigint, modulus: bigint): bigint | null {
  let [r, newR, t, newT] = [modulus, a % modulus, 0n, 1n];
  while (newR !== 0n) {
    const quotient = r / newR;
    [r, newR] = [newR, r - quotient * newR];
    [t, newT] = [newT, t - quotient * newT];
  }
  return r === 1n ? (t + modulus) % modulus : null;
}

const readPart = (text: string | undefined): bigint => toNumber(Buffer.from(text ?? "", "base64url"));
const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex")}`);

function toBytes(number: bigint): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

/** A first bit that is set would make it negative. */
function integer(number: bigint): Buffer {
  const bytes = toBytes(number);
  return der(0x02, (bytes[0] ?? 0) < 0x80 ? [bytes] : [Buffer.from([0]), bytes]);
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** The extension that names hook.test and 127.0.0.1. */
const FOR_HOOK = sequence(
  oid("551d11"),
  der(0x04, [sequence(der(0x82, [Buffer.from("hook.test")]), der(0x87, [Buffer.from([127, 0, 0, 1])]))]),
);

interface Wanted {
  readonly subject: string;
  readonly issuer: string;
  readonly subjectKey: KeyObject;
  readonly signKey: KeyObject;
  readonly isAuthority: boolean;
}

function makeCertificate({ subject, issuer, subjectKey, signKey, isAuthority }: Wanted): string {
  const rsaWithSha256 = sequence(oid("2a864886f70d01010b"), der(0x05, []));
  const isTrue = der(0x01, [Buffer.from([0xff])]);
  const constraints = sequence(oid("551d13"), isTrue, der(0x04, [sequence(...(isAuthority ? [isTrue] : []))]));
  const toBeSigned = sequence(
    der(0xa0, [der(0x02, [Buffer.from([2])])]),
    integer(1n),
    rsaWithSha256,
    named(issuer),
    sequence(time(Date.UTC(2001, 0, 1)), time(Date.UTC(2040, 0, 1))),
    named(subject),
    subjectKey.export({ type: "spki", format: "der" }),
    der(0xa3, [sequence(constraints, ...(subject === "hook.test" ? [FOR_HOOK] : []))]),
  );
  const signature = der(0x03, [Buffer.from([0]), sign("sha256", toBeSigned, signKey)]);
  return toPem("CERTIFICATE", sequence(toBeSigned, rsaWithSha256, signature));
}

export type Flood = "key updates" | "tickets";

/** Answers a request on its `nth` connection, and sends TLS messages from then on as fast as they are taken. */
export async function startFlood(kind: Flood, nth = 1): Promise<CostlyReceiver & { readonly closed: Promise<void> }> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const server = createTcpServer((tcp) => {
    count += 1;
    if (count === nth) tcp.once("close", () => resolve());
    serve(tcp, count === nth ? kind : null);
  });
  return { ...(await listen(server)), closed };
}

const PIECE = 500;

function serve(tcp: Socket, flood: Flood | null): void {
  let traffic = Buffer.alloc(0);
  let records = 0;
  let pieces = 0;
  // TLS under the second secret begins when the client has answered our first flight.
  const way = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      if (pieces > 1) records += countRecords(bytes);
      tcp.write(bytes, done);
    },
  });
  tcp.on("error", () => {});
  tcp.on("data", (bytes) => {
    pieces += 1;
    way.push(bytes);
  });
  tcp.once("close", () => way.destroy());
  const only = { ciphers: "TLS_AES_128_GCM_SHA256", minVersion: "TLSv1.3" } as const;
  const socket = new TLSSocket(way, { isServer: true, ...files(), ...only });
  socket.on("error", () => {});
  socket.on("keylog", (line: Buffer) => {
    const [, hex = ""] = /^SERVER_TRAFFIC_SECRET_0 \S+ (\S+)/.exec(line.toString()) ?? [];
    if (hex !== "") traffic = Buffer.from(hex, "hex");
  });
  socket.once("data", () => {
    socket.write(KEPT_ANSWER, () => {
      if (flood === null) return;
      const writer = new RecordWriter(traffic, records);
      const write = (): void => {
        if (tcp.destroyed) return;
        const message = () => (flood === "tickets" ? writer.ticket() : writer.keyUpdate());
        tcp.write(Buffer.concat(Array.from({ length: PIECE }, message)), () => setImmediate(write));
      };
      write();
    });
  });
}

function countRecords(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) count += 1;
  return count;
}

/** RFC 8446 §4.6.1: seconds, what is added to its age, nonce, the ticket itself, no extensions. */
const TICKET = Buffer.from("00001c200102030401070004010101010000", "hex");

/** Records of TLS 1.3 (RFC 8446 §5.2) with AES-128-GCM. */
class RecordWriter {
  #secret: Buffer;
  #sequence: number;

  constructor(secret: Buffer, records: number) {
    this.#secret = secret;
    this.#sequence = records;
  }

  keyUpdate(): Buffer {
    const record = this.#handshake(24, Buffer.from([0]));
    this.#secret = expand(this.#secret, "traffic upd", 32);
    this.#sequence = 0;
    return record;
  }

  ticket(): Buffer {
    return this.#handshake(4, TICKET);
  }

  #handshake(type: number, body: Buffer): Buffer {
    const inner = Buffer.concat([Buffer.from([type, 0, 0, body.length]), body, Buffer.from([22])]);
    const head = Buffer.from([23, 3, 3, 0, inner.length + 16]);
    const nonce = expand(this.#secret, "iv", 12);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#sequence) >>> 0, 8);
    this.#sequence += 1;
    const cipher = createCipheriv("aes-128-gcm", expand(this.#secret, "key", 16), nonce).setAAD(head);
    return Buffer.concat([head, cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
  }
}

/** HKDF-Expand-Label, for one block. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac("sha256", secret).update(info).digest().subarray(0, length);
}
