/**
 * Answers of many forms against the real client: the rows of docs/why-not-arrived.md, so that the page and the client
 * say the same, and those that only we need to know.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { describeOutcome } from "../../../test/kit/servers/receiver-hostile.ts";
import { type Behaviour, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeSender, requestTo } from "../../../test/kit/world/sender.ts";

const SIGNS: Readonly<Record<string, string>> = {
  "…": "HTTP/1.1 200 OK\r\n",
  "⏎": "\r\n",
  "↓": "\n",
  "←": "\r",
  "␀": "\0",
  "·": "\xa0",
  "→": "\t",
};

/** The answer; `⊣` at its end: then it closes. */
type Row = readonly [written: string, countsAs: string, body: string, connection: string];

const PAGE = readFileSync(new URL("../../../docs/why-not-arrived.md", import.meta.url), "utf8");
const ROW = /^\| `(.+)`(, then closes)? \| (\S+) \| ?(.*?) \| (\w+) \|$/;

const ON_THE_PAGE = (PAGE.split("## How your answer is read")[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line): Row => {
    const [, written = "", closes, countsAs = "", body = "", connection = ""] = ROW.exec(line) ?? [];
    assert.notEqual(written, "", `cannot be read: ${line}`);
    return [closes === undefined ? written : `${written}⊣`, countsAs, body, connection];
  });

/** "odd": the connection is closed, and the dashboard says beside the attempt why. */
const OTHERS: readonly Row[] = [
  // The first line.
  ["HTTP/1.1 200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["HTTP/1.1 200 Größe⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["⏎⏎ HTTP/1.1 200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["HTTP/1.0 200 OK⏎connection: keep-alive⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["http/1.1 200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.1→200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.1 200OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.2 200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/2 200⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP 200 OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.1 200 O␀K⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.1 200⏎ OK⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["HTTP/1.1 200 OK⏎status: 500⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["HTTP/1.1 500 OK⏎content-length: 2⏎⏎ok", "500", "ok", "kept"],
  ["HTTP/1.1 100 Continue⏎⏎HTTP/1.1 103 Early Hints⏎⏎HTTP/1.1 202 OK⏎content-length: 0⏎⏎", "202", "", "kept"],
  ["HTTP/1.1 200 OK⏎⊣", "200", "", "odd"],
  ["HTTP/1.1 200 OK⊣", "ANSWER_INCOMPLETE", "", "closed"],
  ["HTTP/1.1 2000 OK⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["HTTP/1.1 OK⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["HTTP/1.1⏎ 200 OK⏎content-length: 2⏎⏎ok", "ANSWER_NOT_HTTP", "", "closed"],
  ["HTTP/1.1·200 OK⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["HTTP/1.1 101 Switching Protocols⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["ICY 200 OK⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["200 OK⏎⏎", "ANSWER_NOT_HTTP", "", "closed"],
  ["SSH-2.0-OpenSSH_9.9⏎", "ANSWER_NOT_HTTP", "", "closed"],
  // Headers.
  ["…x-a: 1↓content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…no colon⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…: no name⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…x a: 1⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…content-length : 2⏎⏎ok", "200", "ok", "odd"],
  ["…x-a: 1⏎ 2⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["… x-a: 1⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…x-a: ␀⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…x-a: 1←x-b: 2⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…x-a: é⏎content-length: 2⏎⏎ok", "200", "ok", "kept"],
  ["…x-a: 1⏎⊣", "200", "", "odd"],
  // Where the body ends.
  ["…⏎ok⊣", "200", "ok", "closed"],
  ["…content-length: 2⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…content-length: 2, 2⏎⏎ok", "200", "ok", "odd"],
  ["…content-length: 02⏎⏎ok", "200", "ok", "kept"],
  ["…content-length: 2 →⏎⏎ok", "200", "ok", "kept"],
  ["…content-length: +2⏎⏎ok", "200", "", "odd"],
  ["…content-length: -2⏎⏎ok", "200", "", "odd"],
  ["…content-length: 0x2⏎⏎ok", "200", "", "odd"],
  ["…content-length: 2·⏎⏎ok", "200", "", "odd"],
  ["…content-length:⏎⏎ok", "200", "", "odd"],
  ["…content-length: 2⏎⏎ok, and more", "200", "ok", "closed"],
  ["HTTP/1.1 204 No Content⏎content-length: 2⏎⏎ok", "204", "", "odd"],
  ["HTTP/1.1 204 No Content⏎transfer-encoding: chunked⏎⏎0⏎⏎", "204", "", "odd"],
  ["…transfer-encoding: chunked⏎⏎2⏎ok⏎0⏎⏎", "200", "ok", "kept"],
  ["…Transfer-Encoding: Chunked⏎⏎2;a=b⏎ok⏎000⏎x-trailer: 1⏎⏎", "200", "ok", "kept"],
  ["…transfer-encoding: gzip, chunked⏎⏎2⏎ok⏎0⏎⏎", "200", "ok", "kept"],
  ["…transfer-encoding: chunked⏎content-length: 9⏎⏎2⏎ok⏎0⏎⏎", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎transfer-encoding: chunked⏎⏎2⏎ok⏎0⏎⏎", "200", "ok", "odd"],
  ["HTTP/1.0 200 OK⏎connection: keep-alive⏎transfer-encoding: chunked⏎⏎2⏎ok⏎0⏎⏎", "200", "ok", "odd"],
  ["…transfer-encoding: identity⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…transfer-encoding: none⏎content-length: 2⏎⏎ok", "200", "ok", "odd"],
  ["…transfer-encoding: chunked·⏎⏎ok⊣", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2 ⏎ok⏎0⏎⏎", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2↓ok↓0↓↓", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2⏎ok⏎0x1⏎", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2⏎okay⏎0⏎⏎", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2⏎ok⏎⊣", "200", "ok", "odd"],
  ["…transfer-encoding: chunked⏎⏎2⏎ok⏎0⏎⊣", "200", "ok", "odd"],
  ["…⏎ok", "timeout", "", "closed"],
];

const toAnswer = (written: string): Behaviour => {
  const close = written.endsWith("⊣");
  const bytes = Array.from(close ? written.slice(0, -1) : written, (letter) => SIGNS[letter] ?? letter).join("");
  return { kind: "raw", bytes, close };
};

/** The client's reading of the answer, in the words of the page. */
async function meet(answer: Behaviour, deadlineMs: number) {
  await using receiver = await startReceiver(({ number }) => (number === 1 ? answer : {}));
  await using sender = makeSender({ deadlineMs });
  const { outcome } = await sender.send(requestTo(receiver.url));
  await sender.send(requestTo(receiver.url));
  const isKept = receiver.connectionCount() === 1;
  const isOdd = outcome.kind === "response" && outcome.message !== undefined;
  const body = outcome.kind === "response" ? Buffer.from(outcome.response.body).toString() : "";
  const [kind = "", detail = ""] = describeOutcome(outcome).split(" ");
  const countsAs = kind === "timeout" ? kind : detail;
  return { countsAs, body, connection: isOdd ? `odd${isKept ? " but kept" : ""}` : isKept ? "kept" : "closed" };
}

describe("the client makes of", () => {
  for (const [written, countsAs, body, connection] of [...ON_THE_PAGE, ...OTHERS]) {
    test(`${written} ${countsAs}, ${connection}`, async () => {
      const deadlineMs = countsAs === "timeout" ? 100 : 5_000;
      assert.deepEqual(await meet(toAnswer(written), deadlineMs), { countsAs, body, connection });
    });
  }

  test("the page has some of them", () => {
    assert.ok(ON_THE_PAGE.length > 5, `${ON_THE_PAGE.length}`);
  });
});
