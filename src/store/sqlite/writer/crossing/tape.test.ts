import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Column, type Tape, TapeReader, TapeWriter } from "./tape.ts";

/** As a thread's message is. */
const cross = (tape: Tape): Tape => structuredClone(tape);

const columns: readonly (readonly [what: string, column: Column])[] = [
  ["null", null],
  ["an empty text", ""],
  ["a text with NUL in it", "a\0b"],
  ["half a surrogate pair", "\ud83d"],
  ["the other half", "\ude00"],
  ["text beyond Latin-1", "żółw 🐢"],
  ["a text of one character less than a long one", "x".repeat(127)],
  ["a long text", "x".repeat(128)],
  ["the longest text that shares a block", "x".repeat(64 * 1024 - 1)],
  ["the shortest that crosses by itself", "x".repeat(64 * 1024)],
  ["a body of a megabyte", "ü".repeat(1024 * 1024)],
  ["zero", 0],
  ["minus zero", -0],
  ["minus one, which is what stands for null", -1],
  ["minus two, which is what stands for a number", -2],
  ["minus three, which is what stands for bytes", -3],
  ["a number that is none", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["the largest whole number", Number.MAX_SAFE_INTEGER],
  ["no bytes", new Uint8Array()],
  ["bytes", Uint8Array.of(0, 255, 10)],
];

for (const [what, column] of columns) {
  test(`a column crosses as it is: ${what}`, () => {
    const tape = new TapeWriter();
    tape.list([column, column], (writer, each) => writer.column(each));
    const reader = new TapeReader(cross(tape.end()));
    assert.deepEqual(
      reader.list((each) => each.column()),
      [column, column],
    );
  });
}

test("columns of any kind cross side by side", () => {
  const column = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.constant(null), fc.uint8Array());
  fc.assert(
    fc.property(fc.array(column, { maxLength: 20 }), (row) => {
      const tape = new TapeWriter();
      tape.list<Column>(row, (writer, each) => writer.column(each));
      const reader = new TapeReader(cross(tape.end()));
      assert.deepEqual(
        reader.list((each) => each.column()),
        row,
      );
    }),
  );
});

test("bytes that are a part of a larger buffer cross without the rest of it", () => {
  const tape = new TapeWriter();
  tape.column(new Uint8Array(64 * 1024).subarray(0, 3));
  assert.equal(tape.end().bytes?.buffer.byteLength, 3);
});

test("an id is no part of the text that bodies are parts of", () => {
  const tape = new TapeWriter();
  tape.text("dlv_1");
  tape.text("b".repeat(1_000));
  const { ids, texts } = tape.end();
  assert.deepEqual([ids, texts.length], ["dlv_1", 1_000]);
});

test("a text that many calls share crosses once", () => {
  const tape = new TapeWriter();
  for (const text of ["acc_1", "acc_2", "acc_1", "", "acc_1", ""]) tape.shared(text);
  tape.text("dlv_1");
  const crossed = cross(tape.end());
  assert.equal(crossed.ids, "acc_1acc_2dlv_1");
  const reader = new TapeReader(crossed);
  const taken = Array.from({ length: 6 }, () => reader.shared());
  assert.deepEqual([...taken, reader.text()], ["acc_1", "acc_2", "acc_1", "", "acc_1", "", "dlv_1"]);
});

test("a shared text that is not on the tape fails at its reader", () => {
  const tape = new TapeWriter();
  tape.number(-1);
  assert.throws(() => new TapeReader(cross(tape.end())).shared(), /not on it/);
});

test("a reader that takes more than was put fails", () => {
  const reader = new TapeReader(cross(new TapeWriter().end()));
  assert.throws(() => reader.number(), /took more from a tape/);
});

test("a word that its set does not have fails at its reader", () => {
  const tape = new TapeWriter();
  tape.word<string>(["on", "off"], "paused");
  const reader = new TapeReader(cross(tape.end()));
  assert.throws(() => reader.word(["on", "off"]), /none of its set/);
});

test("a value that is no text is refused before it crosses, because it would shift all that follow", () => {
  assert.throws(() => new TapeWriter().text(5 as never), /no text/);
});

test("a thousand of the largest bodies fit on one tape", () => {
  const tape = new TapeWriter();
  const body = "x".repeat(1024 * 1024);
  for (let n = 0; n < 1_000; n += 1) tape.text(body);
  const reader = new TapeReader(tape.end());
  for (let n = 0; n < 1_000; n += 1) assert.equal(reader.text().length, body.length);
});
