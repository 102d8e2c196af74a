/**
 * Accepts what JSON Schema 2020-12 accepts: compared with Ajv, a validator of other hands, on schemas made at random
 * and records made from them, right and broken. `tools/schema-suite.ts` runs the public test suite.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createEventType } from "./create-event-type.ts";
import { toDeclaration } from "./declared.kit.ts";
import { isTakenByAjv, schemaCases } from "./schemas.kit.ts";

describe("a declared type", () => {
  test("accepts and refuses as JSON Schema says, and has words for each refusal", () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(schemaCases, ([schema, record]) => {
        const isRight = isTakenByAjv(schema, record);
        const parsed = createEventType(toDeclaration({ schema })).parse(JSON.stringify(record));
        seen[isRight ? "accepted" : "refused"] += 1;
        assert.equal(parsed.ok, isRight, JSON.stringify(parsed));
        if (parsed.ok) return;
        const { code, errors = [] } = parsed.error;
        assert.equal(code, "invalid_record");
        assert.ok(errors.length > 0);
        for (const { message } of errors) assert.doesNotMatch(message, /does not fit the schema of its type/);
      }),
      { numRuns: 300 },
    );
    assert.ok(seen.accepted > 20 && seen.refused > 20, JSON.stringify(seen));
  });
});
