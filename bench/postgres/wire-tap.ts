/**
 * Stands between a service and PostgreSQL, passes everything on, and counts what the service asks: statements by their
 * names, how often it waited for an answer, and bytes. It reads no more of the protocol than where messages begin
 * (postgresql.org/docs/18/protocol-message-formats.html).
 */
import { once } from "node:events";
import { createServer, connect, type Socket } from "node:net";
import { join } from "node:path";

export interface WireCounts {
  readonly statements: Readonly<Record<string, number>>;
  /** A connection on which nothing was under way sent something: each of these waits for its answer. */
  readonly roundTrips: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

export interface WireTap extends AsyncDisposable {
  /** The address for the service. */
  readonly url: string;
  /** Since the start. */
  counts(): WireCounts;
}

/** `folder`: for the tap's own socket file. */
export async function startWireTap(url: string, folder: string): Promise<WireTap> {
  const server = new URL(url);
  const target = socketIn(server.searchParams.get("host") ?? "");
  const statements = new Map<string, number>();
  const totals = { roundTrips: 0, bytesSent: 0, bytesReceived: 0 };
  const sockets = new Set<Socket>();

  const count = (name: string): void => void statements.set(name, (statements.get(name) ?? 0) + 1);
  const tap = createServer((client) => {
    const upstream = connect(target);
    let awaited = 0;
    const readAsked = createMessageReader({ isTypedFromStart: false }, (type, message) => {
      if (type === "B") count(parseStatement(message));
      if (type === "Q") count(parseText(message));
      if (type !== "Q" && type !== "S") return;
      if (awaited === 0) totals.roundTrips += 1;
      awaited += 1;
    });
    // The server says so each time when it is ready for more.
    const readAnswered = createMessageReader({ isTypedFromStart: true }, (type) => {
      if (type === "Z") awaited = Math.max(0, awaited - 1);
    });
    client.on("data", (bytes: Buffer) => {
      totals.bytesSent += bytes.length;
      readAsked(bytes);
      upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      totals.bytesReceived += bytes.length;
      readAnswered(bytes);
      client.write(bytes);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  tap.listen(socketIn(folder));
  await once(tap, "listening");
  server.searchParams.set("host", folder);
  return {
    url: server.href,
    counts: () => ({ ...totals, statements: Object.fromEntries(statements) }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => tap.close(resolve));
    },
  };
}

const socketIn = (folder: string): string => join(folder, ".s.PGSQL.5432");

/** A letter, then the length of what follows, the length's own four bytes included. */
const HEAD_BYTES = 5;

/** The start of a session has no letter. */
type OnMessage = (type: string, message: Buffer) => void;

function createMessageReader({ isTypedFromStart }: { readonly isTypedFromStart: boolean }, onMessage: OnMessage) {
  let rest: Buffer = Buffer.alloc(0);
  let isTyped = isTypedFromStart;
  return (bytes: Buffer): void => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const lengthAt = isTyped ? 1 : 0;
      if (rest.length < lengthAt + 4) return;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return;
      if (isTyped) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, end));
      isTyped = true;
      rest = rest.subarray(end);
    }
  };
}

/** A Bind message's names: the portal's name and the statement's, each ended by a zero. */
function parseStatement(message: Buffer): string {
  const portalEnd = message.indexOf(0, HEAD_BYTES);
  return message.toString("utf8", portalEnd + 1, message.indexOf(0, portalEnd + 1)) || "without a name";
}

/** A statement without its values: by its name, as every statement of the store has one, or by its text. */
function parseText(message: Buffer): string {
  const text = message.toString("utf8", HEAD_BYTES, message.length - 1);
  return /^-- name: (.+)/.exec(text)?.[1] ?? text;
}
