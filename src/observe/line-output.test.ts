import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { type LineStyle, REST_MS, type Sink, WAITING_CHARS_MAX, createLineOutput } from "./line-output.ts";

const STYLE: LineStyle = { batch: { chars: 16, ms: 500 }, noticeOf: (lines) => `(${lines} missing)\n` };
const FULL = new Error("ENOSPC");

type Done = Parameters<Sink["write"]>[1];

/** A sink with writes that end when the test says so. */
function createSink(holdsThread = false) {
  const asked: { readonly text: string; readonly done: Done }[] = [];
  const last: string[] = [];
  const sink: Sink = {
    holdsThread,
    write: (bytes, done) => void asked.push({ text: bytes.toString(), done }),
    writeNow: (bytes) => void last.push(bytes.toString()),
  };
  /** Ends the current write. */
  const end = (error: Error | null, writtenBytes?: number): string => {
    const { text, done } = asked.shift() ?? assert.fail("nothing is being written");
    done(error, writtenBytes ?? (error === null ? Buffer.byteLength(text) : 0));
    return text;
  };
  return { sink, asked, last, end };
}

function start(style = STYLE, holdsThread = false) {
  const clock = createVirtualClock();
  const { sink, ...seen } = createSink(holdsThread);
  return { output: createLineOutput({ ...style, sink, clock }), clock, ...seen };
}

describe("an output of lines", () => {
  test("writes together what comes within half a second, and at once what is much", async () => {
    const { output, clock, asked, end } = start();
    output.write("one\n");
    output.write("two\n");
    assert.equal(asked.length, 0);
    await clock.advance(500);
    assert.equal(end(null), "one\ntwo\n");
    output.write("three and four\n");
    output.write("five\n");
    assert.equal(asked.length, 1, "sixteen characters are much here");
    assert.equal(end(null), "three and four\nfive\n");
    assert.equal(clock.pending(), 0);
  });

  test("has one write in flight, and the next one takes everything that came during it", () => {
    const { output, asked, end } = start({ ...STYLE, batch: { chars: 0, ms: 0 } });
    for (const line of ["a\n", "b\n", "c\n"]) output.write(line);
    assert.equal(asked.length, 1);
    assert.equal(end(null), "a\n");
    assert.equal(end(null), "b\nc\n");
    assert.equal(asked.length, 0);
  });

  test("drops and counts what could not be written, rests, and says how many are missing", async () => {
    const { output, clock, asked, end } = start();
    output.write("this one is lost\n");
    output.write("and so is this\n");
    assert.equal(end(FULL), "this one is lost\n");
    assert.equal(output.linesDropped(), 1);
    output.write("more that comes meanwhile waits\n");
    assert.equal(asked.length, 0, "it rests");
    await clock.advance(REST_MS);
    assert.equal(end(FULL), "(1 missing)\nand so is this\nmore that comes meanwhile waits\n");
    assert.equal(output.linesDropped(), 3, "a notice is not a line of the log");
    await clock.advance(REST_MS);
    assert.equal(end(null), "(3 missing)\n", "also when no other line comes");
    output.write("all is well again\n");
    assert.equal(end(null), "all is well again\n");
    assert.equal(output.linesDropped(), 3);
  });

  test("goes on in a new line when the disk took a part of one", async () => {
    const { output, clock, end } = start();
    output.write("0123456789abcdef\n");
    assert.equal(end(FULL, 2), "0123456789abcdef\n");
    assert.equal(output.linesDropped(), 1);
    await clock.advance(REST_MS);
    assert.equal(end(null), "\n(1 missing)\n");
  });

  test("does not tell twice what its notice told before the disk was full again", async () => {
    const { output, clock, end } = start();
    output.write("0123456789abcdef\n");
    end(FULL);
    output.write("next\n");
    await clock.advance(REST_MS);
    assert.equal(end(FULL, Buffer.byteLength("(1 missing)\n")), "(1 missing)\nnext\n");
    await clock.advance(REST_MS);
    assert.equal(end(null), "(1 missing)\n");
    assert.equal(output.linesDropped(), 2);
  });

  test("keeps no more than its maximum while the reader hangs, and drops what is above", async () => {
    const { output, clock, asked, end } = start();
    const line = `${"x".repeat(1023)}\n`;
    output.write(line);
    const fitting = WAITING_CHARS_MAX / line.length;
    for (let count = 0; count < fitting + 5; count += 1) output.write(line);
    await clock.advance(60_000);
    assert.equal(asked.length, 1, "nothing new is asked of it");
    assert.equal(output.linesDropped(), 5);
    end(null);
    assert.equal(asked[0]?.text.length, "(5 missing)\n".length + WAITING_CHARS_MAX);
    end(null);
    output.write(line);
    assert.equal(end(null), line);
  });

  test("is flushed when everything that waits is written, also what came during the last write", async () => {
    const { output, clock, end } = start();
    output.write("a\n");
    const flushed = output.flush(1_000);
    output.write("b\n");
    assert.equal(end(null), "a\n");
    await clock.advance(0);
    assert.equal(end(null), "b\n");
    assert.equal(await flushed, true);
    assert.equal(clock.pending(), 0);
  });

  test("is flushed with one try when nothing can be written", async () => {
    const { output, asked, end } = start();
    output.write("a\n");
    const flushed = output.flush(1_000);
    end(FULL);
    assert.equal(await flushed, true);
    assert.equal(asked.length, 0);
  });

  test("gives a flush up at its deadline", async () => {
    const { output, clock } = start();
    output.write("a\n");
    const flushed = output.flush(1_000);
    await clock.advance(1_000);
    assert.equal(await flushed, false);
  });

  test("hangs when a write holds a thread for half a second, and not when it is a pipe's", async () => {
    for (const holdsThread of [true, false]) {
      const { output, clock, end } = start({ ...STYLE, batch: { chars: 0, ms: 0 } }, holdsThread);
      output.write("a\n");
      assert.equal(output.isHanging(), false);
      await clock.advance(500);
      assert.equal(output.isHanging(), holdsThread);
      end(null);
      assert.equal(output.isHanging(), false);
    }
  });

  test("writes what waits in the last moment of a process, unless a write hangs or has failed", async () => {
    const well = start();
    well.output.write("a\n");
    well.output.writeLast();
    assert.deepEqual(well.last, ["a\n"]);

    const hanging = start();
    hanging.output.write("long enough for a write\n");
    hanging.output.write("b\n");
    hanging.output.writeLast();
    assert.deepEqual(hanging.last, []);

    hanging.end(FULL);
    hanging.output.writeLast();
    assert.deepEqual(hanging.last, []);
  });
});
