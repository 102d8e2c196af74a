/** Every row of docs/answers.md against the real client, so that the page and the client say the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { describeOutcome } from "../../../test/kit/servers/receiver-hostile.ts";
import { type Behaviour, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeSender, requestTo } from "../../../test/kit/world/sender.ts";

const PAGE = readFileSync(new URL("../../../docs/answers.md", import.meta.url), "utf8");
const ROW = /^\| `(.+)`(, then closes)? \| (\S+) \| ?(.*?) \| (\w+) \|$/;

const SIGNS: Readonly<Record<string, string>> = {
  "…": "HTTP/1.1 200 OK\r\n",
  "⏎": "\r\n",
  "↓": "\n",
  "←": "\r",
  "␀": "\0",
  "·": "\xa0",
  "→": "\t",
};

const rows = PAGE.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => {
    const [, written = "", closes, countsAs = "", body = "", connection = ""] = ROW.exec(line) ?? [];
    assert.notEqual(written, "", `cannot be read: ${line}`);
    const bytes = Array.from(written, (letter) => SIGNS[letter] ?? letter).join("");
    return { line, answer: { kind: "raw", bytes, close: closes !== undefined } as const, countsAs, body, connection };
  });

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

describe("the page about answers says what the client makes of", () => {
  for (const { line, answer, countsAs, body, connection } of rows) {
    test(line, async () => {
      const deadlineMs = countsAs === "timeout" ? 100 : 5_000;
      assert.deepEqual(await meet(answer, deadlineMs), { countsAs, body, connection });
    });
  }

  test("at least seventy answers", () => {
    assert.ok(rows.length >= 70, `${rows.length}`);
  });
});
