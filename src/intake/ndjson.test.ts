import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { uuid, toValue } from "../../test/kit/world/world.ts";
import { LIMITS } from "../domain/limits.ts";
import { readLines } from "./ndjson.ts";
import { demoViewed } from "../events/demo-viewed.ts";

const readNumbers = (text: string): (readonly [number, string])[] =>
  [...toValue(readLines(Buffer.from(text)))].map(({ number, text: line }) => [number, toValue(line)] as const);

describe("lines", () => {
  for (const [what, text, lines] of [
    [
      "end with a line feed or with the body",
      "1\n2",
      [
        [1, "1"],
        [2, "2"],
      ],
    ],
    [
      "may end with a carriage return, which is JSON's to pass over",
      "1\r\n2\r\n",
      [
        [1, "1\r"],
        [2, "2\r"],
      ],
    ],
    [
      "that are blank count and are passed over",
      "\n \t\r\n1\n\n\n2\n",
      [
        [3, "1"],
        [6, "2"],
      ],
    ],
    ["keep what stands around a record", "  1 \n", [[1, "  1 "]]],
    ["are none where there are only blanks", "\n\n  \n ", []],
    ["are none in an empty body", "", []],
  ] as const) {
    test(what, () => assert.deepEqual(readNumbers(text), lines));
  }

  test("without a body are none", () => assert.deepEqual([...toValue(readLines(undefined))], []));

  test("are found no further than one more than are taken", () => {
    const body = Buffer.from("1\n".repeat(LIMITS.batchRecordsMax + 1));
    const far = Buffer.concat([body, Buffer.alloc(LIMITS.batchBytesMax, "1\n")]);
    const looked: number[] = [];
    const watched = new Proxy(far, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) looked.push(Number(key));
        const value = Reflect.get(target, key, target) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const refused = readLines(watched);
    assert.equal(refused.ok ? "" : refused.error.code, "batch_too_large");
    assert.ok(looked.length > 1_000 && Math.max(...looked) <= body.length, `looked as far as ${Math.max(...looked)}`);
  });
});

const SESSION = demoViewed.example;
const NDJSON = { "content-type": "application/x-ndjson" };

async function openIntake() {
  const intake = await createTestApp();
  await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
  return intake;
}

describe("a batch", () => {
  for (const [what, body, status] of [
    ["8 MiB of one-character lines", Buffer.alloc(LIMITS.batchBytesMax, "1\n"), 413],
    ["8 MiB of blank lines", Buffer.alloc(LIMITS.batchBytesMax, "\n"), 413],
    ["8 MiB of spaces", Buffer.alloc(LIMITS.batchBytesMax, " "), 413],
    ["1 MiB of blank lines", Buffer.alloc(LIMITS.recordBytesMax, "\n"), 200],
  ] as const) {
    test(`of ${what} is answered ${status}`, async () => {
      await using intake = await openIntake();
      const { statusCode } = await intake.post("/v1/accounts/a/demo-sessions", body, NDJSON);
      assert.equal(statusCode, status);
    });
  }

  test("of a thousand records with 300 unknown keys each is answered in a few hundred KiB, a line each", async () => {
    await using intake = await openIntake();
    const surprises = Object.fromEntries(Array.from({ length: 300 }, (_, key) => [`unknown_field_${key}`, key]));
    const text = `${JSON.stringify({ ...SESSION, ...surprises })}\n`.repeat(LIMITS.batchRecordsMax);
    const answer = await intake.post("/v1/accounts/a/demo-sessions", text, NDJSON);
    const lines = answer.body.trim().split("\n");
    assert.equal(lines.length, LIMITS.batchRecordsMax);
    assert.ok(answer.body.length < 1024 * 1024, `${answer.body.length} bytes`);
    const counts = lines.map((line) => (JSON.parse(line) as { errors: unknown[] }).errors.length);
    assert.equal(counts[0], 10, "a record lists ten");
    assert.equal(counts.at(-1), 1, "and one when the batch has listed a thousand");
    assert.match(lines[0] ?? "", /9 more fields are listed in errors/);
    assert.match(lines.at(-1) ?? "", /"detail":"unknown_field_0 is not a known field[^"]*"/);
  });

  test("with one bad record lists its errors beside a thousand others", async () => {
    await using intake = await openIntake();
    const good = (number: number): string => JSON.stringify({ ...SESSION, id: uuid(number) });
    const bad = JSON.stringify({ ...SESSION, completion: -1, time_spent: "long" });
    const answer = await intake.post("/v1/accounts/a/demo-sessions", [good(1), bad, good(2)].join("\n"), NDJSON);
    const [first, second, third] = answer.body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.id, third.id], [uuid(1), uuid(2)]);
    const paths = second.errors.map((error: { path: string }) => error.path);
    assert.deepEqual(paths, ["completion", "time_spent"]);
  });
});
