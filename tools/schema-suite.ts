/**
 * `node tools/schema-suite.ts folder`: runs the required tests of the public JSON-Schema-Test-Suite for 2020-12, from a
 * checkout of github.com/json-schema-org/JSON-Schema-Test-Suite, on the check that declared event types have. Prints
 * passed of tried, and each test that is left out with its reason. Exit code 1 when another one fails.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { findSchemaFaults } from "../src/events/declared/check-schema.ts";
import { createExplain } from "../src/events/explain.ts";
import { withOurFormats } from "../src/events/formats.ts";
import type { JsonSchema } from "../src/events/schema/keywords.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const folder = join(process.argv[2] ?? ".", "tests/draft2020-12");
const counts = { tried: 0, passed: 0, explained: 0, refused: 0 };
const leftOut = new Map<string, number>();
const failed: string[] = [];

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  for (const group of JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly Group[]) runGroup(file, group);
}

for (const [reason, count] of leftOut) console.log(`left out: ${count} tests ${reason}`);
for (const line of failed) console.log(`failed: ${line}`);
console.log(`${counts.passed} of ${counts.tried} tests passed`);
console.log(`${counts.explained} of ${counts.refused} refusals have words of their own`);
process.exitCode = failed.length === 0 ? 0 : 1;

function runGroup(file: string, { description, schema, tests }: Group): void {
  const reason = findReason(file, description, schema);
  if (reason !== null) return void leftOut.set(reason, (leftOut.get(reason) ?? 0) + tests.length);
  const compiled = Compile(withOurFormats(schema) as Record<string, unknown>);
  const explain = createExplain(schema);
  for (const { description: name, data, valid } of tests) {
    counts.tried += 1;
    if (compiled.Check(data) === valid) counts.passed += 1;
    else failed.push(`${file}: ${description}: ${name}`);
    if (valid) continue;
    counts.refused += 1;
    if (explain(data, 50).length > 0) counts.explained += 1;
  }
}

/** Documents elsewhere are never fetched; a declaration that refers to one is refused. */
function findReason(file: string, description: string, schema: JsonSchema): string | null {
  if (file === "format.json" && /^(?:date-time|email|uri|uuid) format$/.test(description)) {
    return "say that a format is not asserted that we assert";
  }
  const faults = typeof schema === "boolean" ? [] : findSchemaFaults(schema, []);
  const isElsewhere = faults.some(({ pointer }) => /\/\$(?:ref|dynamicRef|schema)$/.test(pointer));
  return isElsewhere || file === "refRemote.json" ? "need another document" : null;
}
