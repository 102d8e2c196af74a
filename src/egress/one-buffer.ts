/**
 * All sockets to receivers read into one buffer, each in its turn: Node makes a buffer of 64 KiB for each piece that
 * comes otherwise, which costs 3 µs of the 10 that an answer takes (measured). So `data` of such a socket is a view of
 * bytes that are written over later, and its listener copies what it keeps.
 */
import { type OnReadOpts, type Socket, connect } from "node:net";

/** Guess: answers to webhooks are small. */
const READ_BYTES = 64 * 1024;

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** Windows reads for all sockets at once, so each needs its own there. */
const isShared = process.platform !== "win32";

/** Options of a new socket; `find` gives it, and is called when bytes have come. */
function intoOneBuffer(find: () => Socket): { readonly onread?: OnReadOpts } {
  if (!isShared) return {};
  const callback = (count: number): boolean => {
    const socket = find();
    const bytes = buffer.subarray(0, count);
    // Where bytes wait already, or no listener does, the stream keeps the order, and stops reading when it has enough.
    if (socket.readableFlowing !== true || socket.readableLength > 0) return socket.push(Buffer.from(bytes));
    socket.emit("data", bytes);
    return true;
  };
  return { onread: { buffer, callback } };
}

export function tcpOptions(host: string, port: number, find: () => Socket) {
  return { host, port, noDelay: true, highWaterMark: READ_BYTES, ...intoOneBuffer(find) };
}

export function connectTcp(host: string, port: number): Socket {
  const socket: Socket = connect(tcpOptions(host, port, () => socket));
  return socket;
}
