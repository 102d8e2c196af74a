/**
 * Standard output and standard error of a running service. The way of writing that cannot hang the process depends on
 * the kind of file, which is determined once:
 *
 * - A pipe or a socket: Node's own stream, which never blocks. A thread that blocks in `write` to a pipe without reader
 *   would keep the process from ending: Node waits for its threads.
 * - A terminal, which Ctrl-S stops: opened once more in a way that does not block, and asked again.
 * - A file, or a device: `fs.write` in a thread of the pool, so that a slow disk delays lines and not the event loop.
 *   Node's own stream would write files on the event loop. A disk that hangs for good keeps one of the pool's threads.
 */
import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type LineOutput, type LineStyle, type Sink, createLineOutput } from "./line-output.ts";

/** The pause before a terminal that takes nothing at the moment is tried again. */
const ASK_AGAIN_MS = 100;

/** For standard output (1) or standard error (2). Call it once for each. */
export function openStandardOutput(fd: 1 | 2, style: LineStyle): LineOutput {
  const output = createLineOutput({ ...style, sink: makeSink(fd), clock: systemClock });
  process.once("exit", () => output.writeLast());
  return output;
}

/** For any open file. */
export function openFileOutput(fd: number, style: LineStyle): LineOutput {
  return createLineOutput({ ...style, sink: fileSink(fd, systemClock), clock: systemClock });
}

function makeSink(fd: 1 | 2): Sink {
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) return streamSink(fd, fd === 1 ? process.stdout : process.stderr);
  return fileSink(isatty(fd) ? ownTerminal(fd) : fd, systemClock);
}

/** Non-blocking writes would apply to every program on the terminal, the shell included, so it is opened anew. */
function ownTerminal(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

function streamSink(fd: number, stream: NodeJS.WriteStream): Sink {
  // Each write's callback has the same error.
  stream.on("error", () => {});
  return {
    holdsThread: false,
    write: (bytes, done) => void stream.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length)),
    writeNow: (bytes) => void writeSync(fd, bytes),
  };
}

function fileSink(fd: number, clock: Clock): Sink {
  return {
    holdsThread: true,
    write: (bytes, done) => writeFrom({ fd, bytes, clock, done }, 0),
    writeNow: (bytes) => void writeSync(fd, bytes),
  };
}

interface FileWrite {
  readonly fd: number;
  readonly bytes: Buffer;
  readonly clock: Clock;
  readonly done: Parameters<Sink["write"]>[1];
}

/** A disk that is nearly full takes a part, and reports that it is full the next time. */
function writeFrom(job: FileWrite, offset: number): void {
  write(job.fd, job.bytes, offset, job.bytes.length - offset, null, (error, writtenBytes) => {
    const reached = offset + (error === null ? writtenBytes : 0);
    if (error?.code === "EAGAIN") job.clock.after(ASK_AGAIN_MS, () => writeFrom(job, reached));
    else if (error !== null || reached === job.bytes.length) job.done(error, reached);
    else if (writtenBytes === 0) job.done(new Error("the file takes nothing"), reached);
    else writeFrom(job, reached);
  });
}
