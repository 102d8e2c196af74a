import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { events } from "./events.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/events");

/** No installation is there. */
const NONE = { BELLWIRE_DATABASE: "sqlite::memory:" };
const NOTHING = "Compared with nothing: there is no database sqlite::memory: (BELLWIRE_DATABASE names another).";

async function run(args: readonly string[], given: Readonly<Record<string, string>> = {}) {
  const env = { ...NONE, ...given };
  const { io, out, err } = createFakeIo(args, env);
  return { exitCode: await events(io), out: out.join("\n"), err: err.join("\n") };
}

const folders = newFolder();
after(() => folders[Symbol.dispose]());

/** The examples, one of them changed. */
function changed(file: string, change: (text: string) => string): string {
  const folder = mkdtempSync(join(folders.path, "events-"));
  cpSync(EXAMPLES, folder, { recursive: true });
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), "utf8")));
  return folder;
}

describe("bellwire events", () => {
  test("check lists the types of a folder, named or set", async () => {
    const named = await run(["check", EXAMPLES]);
    assert.deepEqual([named.exitCode, named.err], [0, NOTHING]);
    assert.match(
      named.out,
      /^type +fields +key +headline\nform_submitted +11 +\/submission_id +\/email \/form\/name\n/,
    );
    assert.deepEqual(await run(["check"], { BELLWIRE_EVENTS: EXAMPLES }), named);
  });

  test("check names every fault, and fails", async () => {
    const folder = changed("lead-identified.json", (text) => text.replace('"key": "/id"', '"key": "/lead/id"'));
    const { exitCode, out, err } = await run(["check", folder]);
    assert.deepEqual([exitCode, out], [1, ""]);
    assert.match(
      err,
      /\n {2}lead-identified\.json \/key leads to \/lead\/id: the schema has no id there; it has email/,
    );
  });

  test("check says which formats are notes, unless the file has them enforced", async () => {
    const day = (text: string) =>
      text.replace('"email": {', '"day": { "type": "string", "format": "date" }, "email": {');
    const { exitCode, err } = await run(["check", changed("lead-identified.json", day)]);
    assert.equal(exitCode, 0);
    assert.equal(
      err,
      "lead_identified: the format date is a note, which nothing checks; " +
        `"enforce_formats": true has those of JSON Schema checked.\n${NOTHING}`,
    );
    const enforced = changed("lead-identified.json", (text) => day(text).replace("{", '{ "enforce_formats": true,'));
    assert.equal((await run(["check", enforced])).err, NOTHING);
  });

  test("check against the files as they were says whom a change breaks, and fails", async () => {
    const folder = changed("form-submitted.json", (text) => text.replace('"page": {', '"page": { "x-old": 1,'));
    assert.equal((await run(["check", folder, "--against", EXAMPLES])).exitCode, 0);
    const broken = changed("form-submitted.json", (text) =>
      text
        .replace(/"utm": \{ "utm_source.*\}/, '"utm": {}')
        .replace('"utm": {\n        "type": "object"', '"utm": {\n        "type": ["object", "null"]'),
    );
    const { exitCode, err } = await run(["check", broken, "--against", EXAMPLES]);
    assert.deepEqual([exitCode, err], [1, "form_submitted utm can be null now: this breaks receivers."]);
  });

  test("check tells of a type whose tests all have one key", async () => {
    const only = (text: string) =>
      text.replace(
        '"type": "string", "format": "uuid"',
        '"const": "8f14e45f-ceea-467f-9d5a-0e2b6c1f7a31", "type": "string"',
      );
    const { exitCode, err } = await run(["check", changed("lead-identified.json", only)]);
    assert.equal(exitCode, 0);
    assert.match(err, /^lead_identified: no other key than the example's was found that the schema takes at \/id/);
  });

  test("check tells of a type that names a change and whose key is the thing's", async () => {
    const named = (type: string, key: string) => (text: string) =>
      text.replace('"type": "lead_identified"', `"type": "${type}"`).replace('"key": "/id"', `"key": ${key}`);
    const errorOf = async (type: string, key: string) =>
      (await run(["check", changed("lead-identified.json", named(type, key))])).err;
    assert.match(
      await errorOf("lead.updated", '"/id"'),
      /^lead.updated: its key \/id looks like the id of what changes, .* such as "key": \["\/id","\/identified_at"\]/,
    );
    const quiet = [
      ["lead.updated", '["/id", "/identified_at"]'],
      ["lead.updated", '"caller"'],
      ["lead.dated", '"/id"'],
    ] as const;
    for (const [type, key] of quiet) assert.equal(await errorOf(type, key), NOTHING, `${type} ${key}`);
  });

  test("types prints records and bodies", async () => {
    const { exitCode, out } = await run(["types", EXAMPLES]);
    assert.equal(exitCode, 0);
    assert.match(out, /export interface LeadIdentifiedRecord \{/);
  });

  test("a wrong call is told how it goes", async () => {
    for (const args of [[], ["list"], ["check"], ["check", "a", "b"], ["types", "a", "--against", "b"]]) {
      const { exitCode, err } = await run(args);
      assert.equal(exitCode, 2);
      assert.match(err, /\n\nUsage: bellwire events check/);
    }
  });
});
