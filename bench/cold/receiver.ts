/**
 * The receiver of the cold bench, a process of its own: answers every request with the same 200, in clear and over TLS,
 * and counts requests, connections and resumed handshakes. It stands on bare sockets, so that as little as possible of
 * the machine goes into it.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** Sets how it answers from now on, and starts the counts anew; or asks for them. */
export type ToColdReceiver =
  | { readonly kind: "behave"; readonly keepAliveSeconds: number | null; readonly resumes: boolean }
  | { readonly kind: "count" };

export type FromColdReceiver =
  | { readonly kind: "listening"; readonly plainPort: number; readonly tlsPort: number }
  | { readonly kind: "counts"; readonly requests: number; readonly connections: number; readonly resumed: number };

const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";
/** A ticket that was encrypted under another key cannot be resumed. */
const NEW_TICKET_KEYS_MS = 200;
const TICKET_KEYS_BYTES = 48;

let answer = Buffer.alloc(0);
let resumes = true;
let requests = 0;
let connections = 0;
let resumed = 0;

const send = (message: FromColdReceiver) => void process.send?.(message);

process.on("message", (message: ToColdReceiver) => {
  if (message.kind === "behave") {
    const { keepAliveSeconds } = message;
    const keepAlive = keepAliveSeconds === null ? "" : `keep-alive: timeout=${keepAliveSeconds}\r\n`;
    answer = Buffer.from(`HTTP/1.1 200 OK\r\n${keepAlive}content-length: 0\r\n\r\n`);
    ({ resumes } = message);
    [requests, connections, resumed] = [0, 0, 0];
  }
  send({ kind: "counts", requests, connections, resumed });
});
process.on("disconnect", () => process.exit(0));

const plain = createServer({ noDelay: true }, serve);
const tls = createTlsServer({ key: readTls("key"), cert: readTls("cert") }, (socket) => {
  if (socket.isSessionReused()) resumed += 1;
  serve(socket);
});
tls.on("connection", (socket: Socket) => socket.setNoDelay(true));
setInterval(() => {
  if (!resumes) tls.setTicketKeys(randomBytes(TICKET_KEYS_BYTES));
}, NEW_TICKET_KEYS_MS);
const [plainPort, tlsPort] = [await listen(plain), await listen(tls)];
send({ kind: "listening", plainPort, tlsPort });

function readTls(what: "key" | "cert"): Buffer {
  return readFileSync(new URL(`../../test/tls/bench.test.${what}.pem`, import.meta.url));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function serve(socket: Socket): void {
  connections += 1;
  let rest: Buffer | null = null;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = takeRequests(socket, rest === null ? chunk : Buffer.concat([rest, chunk]));
  });
}

/** Answers every whole request, and gives back the bytes of one that is not whole yet. */
function takeRequests(socket: Socket, bytes: Buffer): Buffer | null {
  let start = 0;
  while (start < bytes.length) {
    const headEnd = bytes.indexOf(HEAD_END, start, "latin1");
    if (headEnd === -1) break;
    const lengthAt = bytes.indexOf(LENGTH, start, "latin1") + LENGTH.length;
    const end = headEnd + HEAD_END.length + Number.parseInt(bytes.toString("latin1", lengthAt, lengthAt + 8), 10);
    if (end > bytes.length) break;
    requests += 1;
    socket.write(answer);
    start = end;
  }
  return start === bytes.length ? null : bytes.subarray(start);
}
