import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../../../test/kit/folder.ts";
import { printSchema } from "../schema/typescript.ts";
import { toDeclaration } from "./declared.kit.ts";
import { readEventTypes } from "./read-event-types.ts";
import { printTypes } from "./typescript.ts";

const ROOT = join(import.meta.dirname, "../../..");

const ODD = toDeclaration({
  type: "odd.thing_2",
  key: "caller",
  description: "Ends a comment */ here.",
  schema: {
    type: "object",
    required: ["id", "in-quotes", "unnamed"],
    additionalProperties: false,
    properties: {
      id: { type: ["string", "integer"] },
      "in-quotes": { enum: ["a", 1, null, true] },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1, items: false },
      tree: { $ref: "#/$defs/tree" },
      any: {},
      never: false,
      both: { allOf: [{ type: "object", required: ["x"] }, { anyOf: [{ required: ["y"] }, { required: ["z"] }] }] },
    },
    $defs: {
      tree: { type: "object", properties: { leaves: { type: "array", items: { $ref: "#/$defs/tree" } } } },
    },
  },
});

const USE = `
import type { EventBodies, EventRecords, OddThing2Record, OddThing2Tree, WebhookEvent } from "./types.ts";
export const odd: OddThing2Record = { id: 1, "in-quotes": null, unnamed: 0, pair: ["a"], tree: { leaves: [{}] } };
export const tree: OddThing2Tree = { leaves: [{ leaves: [] }], more: 1 };
export const both: OddThing2Record["both"] = { x: 1, z: 2 };
// @ts-expect-error a member that must be there is missing
export const wrong: OddThing2Record = { "in-quotes": "a", unnamed: 0 };
// @ts-expect-error the schema does not know the name
export const other: OddThing2Record = { id: "a", "in-quotes": "a", unnamed: 0, more: 1 };
export const send = <Type extends keyof EventRecords>(type: Type, record: EventRecords[Type]) => [type, record];
send("lead_identified", { id: "1", identified_at: "2", lead: { email: "ada@example.com" }, company: null });
send("odd.thing_2", { ...odd, idempotency_key: "k" });
// @ts-expect-error the caller names the event
send("odd.thing_2", odd);
export function receive(event: WebhookEvent): string | undefined {
  if (event.event === "meeting_booked") return event.place.kind === "video" ? event.place.url : event.place.address;
  return event.event === "lead_identified" ? event.company?.name : undefined;
}
export const name: EventBodies["form_submitted"]["event"] = "form_submitted";
`;

test("declared types are printed as TypeScript that a strict compiler takes, with the examples as records", () => {
  const read = readEventTypes(join(ROOT, "examples/events"), { taken: [] });
  assert.ok(read.ok);
  using temporary = newFolder();
  const folder = temporary.path;
  const records = read.value
    .map(({ type, exampleText }) => `send(${JSON.stringify(type)}, ${exampleText});\n`)
    .join("");
  writeFileSync(join(folder, "types.ts"), printTypes([...read.value, ODD]));
  writeFileSync(join(folder, "use.ts"), USE + records);
  const flags = "--noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions --module esnext";
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, ...flags.split(" "), "--moduleResolution", "bundler", join(folder, "use.ts")];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: dirname(folder) });
  assert.equal(status, 0, `${stdout}\n${printTypes([ODD])}`);
});

test("two names that read alike stay two types", () => {
  const text = printTypes([toDeclaration({ type: "lead.seen" }), toDeclaration({ type: "lead_seen" })]);
  assert.match(text, /export interface LeadSeenRecord \{/);
  assert.match(text, /export interface LeadSeen2Record \{/);
});

test("a schema with a declaration beside it stands there by its name, and a record's values have their type", () => {
  const owner = { type: "object", required: ["id"], properties: { id: { type: "string" } } } as const;
  const counts = { type: "object", patternProperties: { "^.*$": { type: "integer" } } } as const;
  const thing = { type: "object", properties: { owner, owners: { type: "array", items: owner }, counts } } as const;
  const text = printSchema(thing, "Thing", { known: new Map([[JSON.stringify(owner), "Owner"]]) });
  assert.match(text, /owner\?: Owner \| undefined;\n {2}owners\?: Owner\[\] \| undefined;/);
  assert.match(text, /counts\?: \{\n {4}\[name: string\]: number;\n {2}\} \| undefined;/);
});
