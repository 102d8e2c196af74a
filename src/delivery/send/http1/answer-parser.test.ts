/** Answers as bytes: what the parser makes of them, however they are cut into pieces. */
import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { AnswerFault } from "./read-head.ts";
import { AnswerParser } from "./answer-parser.ts";

interface Parsed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly interim: number;
  readonly isComplete: boolean;
  /** 0 when the connection takes no other request. */
  readonly keptMs: number;
  /** Met behind the status. */
  readonly fault?: string;
  readonly isOdd?: boolean;
}

/** Feeds the pieces one after the other. Throws the parser's fault where it shows no status. */
function parse(pieces: readonly Buffer[], parser = new AnswerParser()): Parsed {
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  let body = "";
  let interim = 0;
  parser.begin({
    onInterim: () => (interim += 1),
    onHead(came, with_) {
      status = came;
      headers = with_;
    },
    onBody: (data) => (body += Buffer.from(data).toString("latin1")),
  });
  let isComplete = false;
  let fault = "";
  try {
    for (const piece of pieces) {
      if (isComplete) break;
      isComplete = parser.take(piece);
    }
  } catch (error) {
    if (status === 0 || !(error instanceof AnswerFault)) throw error;
    fault = error.code;
  }
  const keptMs = isComplete ? parser.keptMs() : 0;
  return { status, headers, body, interim, isComplete, keptMs, fault, isOdd: parser.oddity() !== null };
}

const whole = (text: string): readonly Buffer[] => [Buffer.from(text, "latin1")];
const byByte = (text: string): readonly Buffer[] => Array.from(text, (letter) => Buffer.from(letter, "latin1"));

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

type Expected = Partial<Parsed>;

const ANSWERS: readonly [what: string, text: string, expected: Expected][] = [
  ["a length", `${OK}Content-Length: 5\r\n\r\nhello`, { status: 200, body: "hello", isComplete: true, keptMs: 4_000 }],
  ["a length of 0", `${OK}content-length: 0\r\n\r\n`, { body: "", isComplete: true, keptMs: 4_000 }],
  ["a shorter body than its length", `${OK}content-length: 6\r\n\r\nhello`, { body: "hello", isComplete: false }],
  ["no reason phrase", "HTTP/1.1 204\r\n\r\n", { status: 204, isComplete: true, keptMs: 4_000 }],
  ["an empty reason phrase", "HTTP/1.1 304 \r\ncontent-length: 7\r\n\r\n", { status: 304, body: "", isComplete: true }],
  ["neither length nor chunks", `${OK}\r\nhello`, { body: "hello", isComplete: false }],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", { isComplete: true, keptMs: 0 }],
  [
    "HTTP/1.0 that keeps",
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx",
    { isComplete: true, keptMs: 4_000 },
  ],
  ["connection: close", `${OK}connection: x, Close\r\ncontent-length: 0\r\n\r\n`, { isComplete: true, keptMs: 0 }],
  ["chunks", `${CHUNKED}5\r\nhello\r\nA\r\n, 10 bytes\r\n0\r\n\r\n`, { body: "hello, 10 bytes", isComplete: true }],
  ["chunk extensions", `${CHUNKED}1;a=b;c="d"\r\nx\r\n0;e\r\n\r\n`, { body: "x", isComplete: true, keptMs: 4_000 }],
  ["trailers", `${CHUNKED}0\r\nx-a: 1\r\nx-b: 2\r\n\r\n`, { body: "", isComplete: true, keptMs: 4_000 }],
  ["no end of its chunks", `${CHUNKED}1\r\nx\r\n0\r\n`, { body: "x", isComplete: false }],
  [
    "gzip in chunks",
    `${OK}transfer-encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    { body: "x", isComplete: true },
  ],
  ["chunks in gzip", `${OK}transfer-encoding: chunked, gzip\r\n\r\nabc`, { body: "abc", isComplete: false }],
  ["an interim answer", `HTTP/1.1 103 X\r\nlink: a\r\n\r\n${OK}content-length: 1\r\n\r\nx`, { interim: 1, body: "x" }],
  ["100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 1\r\n\r\nx`, { interim: 1, body: "x" }],
  ["empty lines before it", `\r\n\r\n${OK}content-length: 0\r\n\r\n`, { status: 200, isComplete: true }],
  ["256 headers", `${OK}${"a:\r\n".repeat(255)}content-length: 0\r\n\r\n`, { status: 200, isComplete: true }],
  ["a promise", `${OK}keep-alive: max=9, timeout=5\r\ncontent-length: 0\r\n\r\n`, { keptMs: 3_000 }],
  ["a promise in quotes", `${OK}keep-alive: Timeout = "5"\r\ncontent-length: 0\r\n\r\n`, { keptMs: 3_000 }],
  ["a promise of no time", `${OK}keep-alive: timeout=2\r\ncontent-length: 0\r\n\r\n`, { keptMs: 0 }],
  ["a promise of an age", `${OK}keep-alive: timeout=999999999\r\ncontent-length: 0\r\n\r\n`, { keptMs: 60_000 }],
];

describe("an answer with", () => {
  for (const [what, text, expected] of ANSWERS) {
    test(`${what} is read alike in one piece and byte by byte`, () => {
      const inOne = parse(whole(text));
      assert.deepEqual({ ...inOne, ...expected }, inOne);
      assert.deepEqual(parse(byByte(text)), inOne);
      for (let cut = 1; cut < text.length; cut += 1) {
        const pieces = [text.slice(0, cut), text.slice(cut)].map((piece) => Buffer.from(piece, "latin1"));
        assert.deepEqual(parse(pieces), inOne, `cut at ${cut}`);
      }
    });
  }

  test("headers as they may be written gives them in lower case, without white space, repeated ones joined", () => {
    const text = `${OK}X-A:  1 \t\r\nx-a:2\r\nX-Empty:\r\nx-l: \xe9\r\nconstructor: c\r\ncontent-length: 0\r\n\r\n`;
    const { headers } = parse(whole(text));
    const expected = { "x-a": "1, 2", "x-empty": "", "x-l": "\xe9", constructor: "c" };
    assert.deepEqual(headers, { ...expected, "content-length": "0" });
  });
});

const IN_CHUNKS = "2\r\nok\r\n0\r\n\r\n";
const CLOSES: Expected = { body: "ok", isComplete: true, keptMs: 0, isOdd: true };

/** Their status is beyond doubt and their form is not; `../answers.test.ts` tries more, on real connections. */
const ODD: readonly [what: string, text: string, expected?: Expected][] = [
  ["two spaces before its status", "HTTP/1.1  200 X\r\ncontent-length: 2\r\n\r\nok"],
  ["no space behind its status", "HTTP/1.1 200X\r\ncontent-length: 2\r\n\r\nok"],
  ["another version", "HTTP/2 200 X\r\ncontent-length: 2\r\n\r\nok"],
  ["no version", "HTTP 200 X\r\ncontent-length: 2\r\n\r\nok"],
  ["small letters", "http/1.1 200 ok\r\ncontent-length: 2\r\n\r\nok"],
  ["lines that end in LF alone", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok"],
  ["one line that ends in LF alone", `${OK}content-length: 2\n\r\nok`],
  ["an empty line that is LF alone", `${OK}content-length: 2\r\n\nok`],
  ["lines that end in CR CR LF", "HTTP/1.1 200 OK\r\r\ncontent-length: 2\r\r\n\r\r\nok"],
  ["an odd interim answer", `HTTP/1.1 103\n\n${OK}content-length: 2\r\n\r\nok`, { interim: 1 }],
  ["a lone CR", `${OK}x-a: a\rb\r\ncontent-length: 2\r\n\r\nok`, { headers: { "x-a": "a b", "content-length": "2" } }],
  ["a zero byte", `${OK}x-a: \0\r\ncontent-length: 2\r\n\r\nok`],
  ["a header without a colon", `${OK}x-a\r\ncontent-length: 2\r\n\r\nok`],
  ["a header without a name", `${OK}: a\r\ncontent-length: 2\r\n\r\nok`],
  ["a space before a colon", `${OK}content-length : 2\r\n\r\nok`, { headers: { "content-length": "2" } }],
  [
    "a folded header",
    `${OK}x-a: 1\r\n\t2\r\ncontent-length: 2\r\n\r\nok`,
    { headers: { "x-a": "1\t2", "content-length": "2" } },
  ],
  ["two equal lengths", `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\nok`],
  ["a list of equal lengths", `${OK}content-length: 2, 2\r\n\r\nok`],
  ["a length and chunks", `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n${IN_CHUNKS}`],
  ["chunks named twice", `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n${IN_CHUNKS}`],
  ["a length and no coding", `${OK}content-length: 2\r\ntransfer-encoding: identity\r\n\r\nok`],
  ["chunks of HTTP/1.0", `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${IN_CHUNKS}`],
  ["no body and a length", "HTTP/1.1 204 X\r\ncontent-length: 2\r\n\r\n", { status: 204, body: "" }],
  ["LF alone in its chunks", `${CHUNKED}2\nok\n0\n\n`],
  ["white space behind a chunk's size", `${CHUNKED}2  \r\nok\r\n0\r\n\r\n`],
  [
    "a byte that JavaScript takes for white space",
    `${OK}content-length: 2\xa0\r\n\r\nok`,
    { body: "", isComplete: false },
  ],
];

describe("an answer in an odd form is read, and its connection takes no other request, with", () => {
  for (const [what, text, expected] of ODD) {
    test(what, () => {
      const inOne = parse(whole(text));
      assert.deepEqual({ ...inOne, status: 200, ...CLOSES, ...expected }, inOne);
      assert.deepEqual(parse(byByte(text)), inOne);
      for (let cut = 1; cut < text.length; cut += 1) {
        assert.deepEqual(parse([...whole(text.slice(0, cut)), ...whole(text.slice(cut))]), inOne, `cut at ${cut}`);
      }
    });
  }

  for (const coding of ["chunked\xa0", "\xa0chunked"]) {
    test(`${JSON.stringify(coding)}, which is not chunked`, () => {
      assert.equal(parse(whole(`${OK}transfer-encoding: ${coding}\r\n\r\n${IN_CHUNKS}`)).body, IN_CHUNKS);
    });
  }
});

const UNFINISHED: readonly [what: string, text: string, code?: string][] = [
  ["two lengths", `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nx`],
  ["a length with a sign", `${OK}content-length: +1\r\n\r\nx`],
  ["an empty length", `${OK}content-length:\r\n\r\n`],
  ["a length beyond 63 bits", `${OK}content-length: 9300000000000000000\r\n\r\nx`],
  ["an empty chunk size", `${CHUNKED}\r\n`],
  ["an extension without a size", `${CHUNKED};a\r\n`],
  ["a chunk size with a sign", `${CHUNKED}-1\r\n`],
  ["a chunk size with a space before it", `${CHUNKED} 1\r\n`],
  ["a chunk size in words", `${CHUNKED}0x1\r\n`],
  ["a chunk size in 14 digits", `${CHUNKED}10000000000001\r\n`],
  ["a chunk longer than its size", `${CHUNKED}1\r\nxy\r\n0\r\n\r\n`],
  ["a lone CR behind a chunk's size", `${CHUNKED}1\rx`],
  ["257 headers", `${OK}${"a:\r\n".repeat(257)}\r\n`],
  ["trailers of 17 KB", `${CHUNKED}0\r\nx: ${"y".repeat(17_000)}`, "ANSWER_HEADERS_TOO_LARGE"],
  ["headers of 17 KB", `${OK}x: ${"y".repeat(17_000)}\r\n\r\n`, "ANSWER_HEADERS_TOO_LARGE"],
  ["no end of its headers in 17 KB", `${OK}x: ${"y".repeat(17_000)}`, "ANSWER_HEADERS_TOO_LARGE"],
  ["a reason phrase of 17 KB", `HTTP/1.1 200 ${"y".repeat(17_000)}`, "ANSWER_HEADERS_TOO_LARGE"],
];

describe("an answer shows its status, and is not read further, with", () => {
  for (const [what, text, code = "ANSWER_NOT_HTTP"] of UNFINISHED) {
    test(what, () => {
      const inOne = parse(whole(text));
      assert.deepEqual([inOne.status, inOne.fault, inOne.isComplete], [200, code, false]);
      assert.deepEqual(parse(byByte(text)), inOne);
    });
  }
});

const REFUSED: readonly [what: string, text: string, code?: string][] = [
  ["another protocol", "SSH-2.0-x\r\n"],
  ["TLS", "\x15\x03\x03\0\x02\x02\x28", "ANSWER_IN_TLS"],
  ["nothing but a body", "ok\r\n"],
  ["a status below 100", "HTTP/1.1 099 X\r\n\r\n"],
  ["a status of four digits", "HTTP/1.1 2000 X\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 X\r\n\r\n"],
  ["digits of another script", "HTTP/1.1 \xb2\xb2\xb2 X\r\n\r\n"],
  ["a byte that JavaScript takes for white space", "HTTP/1.1\xa0200 X\r\n\r\n"],
  ["a switch of protocols", "HTTP/1.1 101 X\r\n\r\n"],
];

describe("an answer is refused with", () => {
  for (const [what, text, code = "ANSWER_NOT_HTTP"] of REFUSED) {
    test(what, () => {
      const isRefused = (error: unknown): boolean => error instanceof AnswerFault && error.code === code;
      assert.throws(() => parse(whole(text)), isRefused);
      assert.throws(() => parse(byByte(text)), isRefused);
    });
  }
});

test("a head that comes byte by byte is looked at once, and not from its start for each byte", () => {
  const head = `${OK}${"a:\r\n".repeat(200)}\r\n`;
  const chars = countDecoded(() => parse(byByte(head)));
  // The end of a line may be looked at twice, the beginning is compared each time, and the whole head is read at last.
  assert.ok(chars < 12 * head.length, `${chars} characters of ${head.length}`);
});

test("a head that comes in pieces takes the memory of four, and not of one for each piece", () => {
  const head = `${OK}${`x-a: ${"y".repeat(55)}\r\n`.repeat(250)}`;
  const bytes = countAllocated(head.match(/.*\r\n/g) ?? []);
  assert.ok(bytes < 4 * head.length, `${bytes} bytes for ${head.length}`);
});

/** Bytes of buffers that are made while the pieces are taken; what is collected meanwhile counts too. */
function countAllocated(pieces: readonly string[]): number {
  const parser = new AnswerParser();
  parser.begin({ onInterim() {}, onHead() {}, onBody() {} });
  const chunks = pieces.map((piece) => Buffer.from(piece, "latin1"));
  let bytes = 0;
  for (const chunk of chunks) {
    const before = process.memoryUsage().arrayBuffers;
    parser.take(chunk);
    bytes += Math.max(0, process.memoryUsage().arrayBuffers - before);
  }
  return bytes;
}

/** Characters that buffers are turned into meanwhile. */
function countDecoded(work: () => void): number {
  let chars = 0;
  const watched = mock.method(Buffer.prototype, "toString", function decode(this: Buffer, ...args: []) {
    const text = toString.apply(this, args);
    chars += text.length;
    return text;
  });
  work();
  watched.mock.restore();
  return chars;
}
const { toString } = Buffer.prototype;

describe("one connection's answers", () => {
  test("follow each other, and what an answer's end is does not depend on the one before", () => {
    const parser = new AnswerParser();
    const bodies = [CHUNKED + "1\r\na\r\n0\r\n\r\n", `${OK}content-length: 1\r\n\r\nb`, `HTTP/1.1 204 X\r\n\r\n`].map(
      (text) => parse(whole(text), parser).body,
    );
    assert.deepEqual(bodies, ["a", "b", ""]);
  });

  test("do not begin behind an answer that ended: such a connection is not kept", () => {
    for (const more of ["\r\n", "x", `${OK}content-length: 0\r\n\r\n`]) {
      for (const text of [`${OK}content-length: 1\r\n\r\na${more}`, `${CHUNKED}1\r\na\r\n0\r\n\r\n${more}`]) {
        const { body, isComplete, keptMs } = parse(whole(text));
        assert.deepEqual([body, isComplete, keptMs], ["a", true, 0]);
      }
    }
  });

  test("are not taken before a request", () => {
    assert.throws(() => new AnswerParser().take(Buffer.from(OK)), AnswerFault);
  });

  test("end by closing only where neither length nor chunks say the end", () => {
    for (const [text, ends] of [
      [`${OK}\r\nabc`, true],
      [`${OK}content-length: 9\r\n\r\nabc`, false],
      [`${CHUNKED}1\r\n`, false],
      [OK, false],
    ] as const) {
      const parser = new AnswerParser();
      parse(whole(text), parser);
      assert.equal(parser.endsByClosing(), ends, text);
    }
  });
});
