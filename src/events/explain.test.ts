/** What checking and explaining cost: time of this process, each compared with another size of the same. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toDeclaration } from "./declared/declared.kit.ts";
import { createRecordCheck } from "./declared/record-check.ts";
import { demoViewed } from "./demo-viewed.ts";
import { createExplain, FIELD_ERRORS_MAX } from "./explain.ts";
import { GROWING } from "./growing.kit.ts";
import type { SchemaObject } from "./schema/keywords.ts";

/** Milliseconds of CPU, the least of three; a little more, so that nothing is divided by nothing. */
function costOf(work: () => unknown): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs) + 2;
}

/** Linear is 4, and 16 is a product of both. */
const FOUR_TIMES_AS_MUCH_MAX = 9;

const unknownField = (names: number): SchemaObject => ({
  properties: Object.fromEntries(Array.from({ length: names }, (_, n) => [`known_${n}`, {}])),
  additionalProperties: false,
});

describe("the cost of a refusal", () => {
  for (const [what, grow] of GROWING) {
    test(`grows with ${what}, and no faster`, () => {
      const [small = 0, large = 0] = [40, 160].map((size) => {
        const { schema, record } = grow(size);
        const check = createRecordCheck(toDeclaration({ schema }));
        const text = JSON.stringify(record);
        check.read(text);
        return costOf(() => check.read(text));
      });
      assert.ok(large / small < FOUR_TIMES_AS_MUCH_MAX, `${small} ms, and ${large} ms for four times as much`);
    });
  }

  test("ends where alternatives within alternatives double with each level", () => {
    const tree = { type: "object", properties: { left: { $ref: "#/$defs/tree" } }, required: ["left"] } as const;
    const schema = { $ref: "#/$defs/tree", $defs: { tree: { anyOf: [tree, { type: "string" }] } } } as const;
    const explain = createExplain(schema);
    const deep = (levels: number): unknown => (levels === 0 ? 5 : { left: deep(levels - 1) });
    assert.deepEqual(explain(deep(60), FIELD_ERRORS_MAX), [
      {
        path: Array.from({ length: 60 }, () => "left").join("."),
        message: "must be an object or a string, not a number",
      },
    ]);
  });

  test("says nothing of a count that has ended before the list did", () => {
    const many = Array.from({ length: 300_000 }, () => 1);
    const explain = createExplain({ contains: { type: "string" }, not: { items: { not: { const: 2 } } } });
    assert.deepEqual(explain(many, FIELD_ERRORS_MAX), []);
  });

  test("is as small for digits in texts as for letters", () => {
    const costOfName = (part: string): number => {
      const name = `${part.repeat(999)} `.repeat(300);
      const text = JSON.stringify({ ...demoViewed.example, link_name: name, completion: 1_000 });
      return costOf(() => demoViewed.parse(text));
    };
    const [letters, digits] = [costOfName("a"), costOfName("1")];
    assert.ok(digits / letters < 20, `${letters} ms, and ${digits} ms for digits`);
  });

  test("does not grow with the square of a body's blank lines", async () => {
    await using intake = await createTestApp();
    await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
    const cost = async (lines: number): Promise<number> => {
      const before = process.cpuUsage();
      const { statusCode } = await intake.post("/v1/accounts/a/demo-sessions", `{}${"\n".repeat(lines)}x`);
      assert.equal(statusCode, 400);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 + 20;
    };
    await cost(1_000);
    const [few, many] = [await cost(10_000), await cost(40_000)];
    assert.ok(many / few < FOUR_TIMES_AS_MUCH_MAX, `${few} ms, and ${many} ms for four times as many`);
  });
});

describe("explaining", () => {
  test("shows the first hundred of many names, and how many others there are", () => {
    const [found] = createExplain(unknownField(300))({ quite_another: 1 }, FIELD_ERRORS_MAX);
    assert.match(found?.message ?? "", /^is not a known field; known here are known_0, .*, known_99 and 200 others$/);
  });

  test("compares with names as long as they can be near", () => {
    const [found] = createExplain(unknownField(300))({ knwon_299: 1 }, FIELD_ERRORS_MAX);
    assert.equal(found?.message, "is not a known field; did you mean known_299?");
  });

  test("a schema of thousands of members is checked although it is too large to be compiled", () => {
    const check = createRecordCheck(
      toDeclaration({ schema: { type: "object", ...unknownField(5_000) }, key: "/known_7" }),
    );
    assert.equal(check.read('{"known_7":"1"}').ok, true);
    assert.equal(check.read('{"known_7":"1","other":1}').ok, false);
  });

  test("a number is none of the choices that JSON cannot write as it is", () => {
    const choices = [null, ...Array.from({ length: 40 }, (_, n) => n)];
    const schema = { type: "object", properties: { id: {}, n: { enum: choices } } } as const;
    const check = createRecordCheck(toDeclaration({ schema }));
    const isTaken = (n: string): boolean => check.read(`{"id":"1","n":${n}}`).ok;
    assert.deepEqual(["null", "7", "7.0", "1e400", '"7"', "41"].map(isTaken), [true, true, true, false, false, false]);
  });
});
