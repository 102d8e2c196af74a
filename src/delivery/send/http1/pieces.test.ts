/**
 * An answer is read alike however TCP cuts it into pieces. `BELLWIRE_FUZZ_SEED` and `…_RUNS` make it another or a
 * longer walk.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wounded, writtenAnswer } from "../../../../test/kit/world/wounded.ts";
import { AnswerParser } from "./answer-parser.ts";
import { AnswerFault } from "./read-head.ts";

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 20_261_128);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 5_000);

interface Reading {
  /** Everything that the sink is told, the pieces of the body as one. */
  readonly told: readonly unknown[];
  readonly body: string;
  readonly end: "complete" | "by closing" | "incomplete" | AnswerFault["code"];
  /** The sentence about a fault, or about a form that is odd. */
  readonly words: string;
}

/** What becomes known of these bytes and of the closing behind them. */
function read(pieces: readonly Buffer[]): Reading {
  const parser = new AnswerParser();
  const told: unknown[] = [];
  let body = "";
  parser.begin({
    onInterim: (bytes) => void told.push(bytes),
    onHead: (status, headers) => void told.push([status, headers]),
    onBody: (data) => void (body += Buffer.from(data).toString("latin1")),
  });
  try {
    for (const piece of pieces) {
      if (parser.take(piece)) return { told, body, end: "complete", words: parser.oddity() ?? "" };
    }
    parser.endHead();
    return { told, body, end: parser.endsByClosing() ? "by closing" : "incomplete", words: parser.oddity() ?? "" };
  } catch (error) {
    if (!(error instanceof AnswerFault)) throw error;
    return { told, body, end: error.code, words: error.message };
  }
}

function cut(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}

const fold = fc.constantFrom("\r\n ", "\r\n\t", "\n ", "\r\r\n ", "\r", "\r\n\r", "\0", " \r\n \r\n");
/** Lines that are folded where they have a space, and heads near the longest that is read. */
const folded = fc
  .tuple(writtenAnswer, fc.array(fc.tuple(fc.nat(6), fold), { minLength: 1, maxLength: 3 }))
  .map(([text, folds]) => {
    const words = text.split(" ");
    for (const [at, fold_] of folds) words[at % words.length] += fold_;
    return words.join(" ");
  });
const long = fc
  .tuple(writtenAnswer, fc.integer({ min: 16_300, max: 16_420 }), fc.constantFrom("x", "x\r\n", "x: y\r\n ", "\r\n"))
  .map(([text, length, filling]) => text.replace("\r\n", `\r\n${filling.repeat(length).slice(0, length)}\r\n`));
const noHttp = fc.constantFrom("SSH-2.0-x\r\n", "\x15\x03\x03\0\x02\x02\x28", "HTT", "<html>\r\n\r\n", "HTTP/1.1", "");

const answers = fc.oneof(
  { weight: 4, arbitrary: wounded(writtenAnswer) },
  { weight: 4, arbitrary: wounded(folded) },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: wounded(noHttp) },
);

test("an answer is read alike in one piece and in any others", () => {
  fc.assert(
    fc.property(answers, fc.array(fc.nat(20_000), { minLength: 1, maxLength: 8 }), (text, cuts) => {
      const bytes = Buffer.from(text, "latin1");
      const inOne = read([bytes]);
      const { words, ...others } = read(cut(bytes, cuts));
      assert.deepEqual({ ...others, words: inOne.words }, inOne);
      // No more of a first line that is none of HTTP can be shown than has come.
      assert.ok(inOne.words === words || inOne.words.startsWith(words.trimEnd()), `${words}\n${inOne.words}`);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
