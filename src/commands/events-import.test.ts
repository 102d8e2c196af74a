import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { events } from "./events.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/catalog");

const folders = newFolder();
after(() => folders[Symbol.dispose]());

/** The example, with a pattern that cannot run. */
const CATALOG = join(folders.path, "catalog", "orders.json");
cpSync(EXAMPLE, dirname(CATALOG), { recursive: true });
writeFileSync(CATALOG, readFileSync(CATALOG, "utf8").replace("^[A-Z0-9]+$", "^(?!TEST)[A-Z0-9]+$"));

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { io, out, err } = createFakeIo(args, env);
  return { exitCode: await events(io), out: out.join("\n"), err: err.join("\n") };
}

const newTarget = () => join(mkdtempSync(join(folders.path, "import-")), "types");

describe("bellwire events import", () => {
  test("makes types of all that the example's catalog has", async () => {
    const { exitCode, out, err } = await run(["import", join(EXAMPLE, "orders.json"), "--into", newTarget()]);
    assert.deepEqual([exitCode, err], [0, ""]);
    assert.match(out, /\n3 of 3 types run\./);
  });

  test("makes types that the check takes, and puts what does not run aside", async () => {
    const into = newTarget();
    const { exitCode, out, err } = await run(["import", CATALOG, "--into", into]);
    assert.equal(exitCode, 1);
    assert.match(
      out,
      /order\.updated key: \/id looks like the id of what changes; proposed: \["\/id","\/updated_at"\]\./,
    );
    assert.match(out, /\n2 of 3 types run\./);
    assert.match(
      err,
      /unfinished\/coupon\.used\.json \/schema\/properties\/code\/pattern cannot be matched in linear time/,
    );
    assert.deepEqual(readdirSync(into), ["order.paid.json", "order.updated.json", "unfinished"]);
    const checked = await run(["check", into], { BELLWIRE_DATABASE: "sqlite::memory:" });
    assert.equal(checked.exitCode, 0, checked.err);
    assert.match(checked.out, /order\.paid +6 +\/id +\/customer\/email \/customer\/name/);
    assert.equal(JSON.parse(readFileSync(join(into, "order.paid.json"), "utf8")).example.id, "order-1");
  });

  test("a second run changes nothing, and what differs stays unless it is forced", async () => {
    const into = newTarget();
    await run(["import", CATALOG, "--into", into]);
    const file = join(into, "order.paid.json");
    const [text, { mtimeMs }] = [readFileSync(file, "utf8"), statSync(file)];
    const again = await run(["import", CATALOG, "--into", into, "--json"]);
    const states = (out: string) => JSON.parse(out).types.map(({ state }: { state: string }) => state);
    assert.deepEqual(states(again.out), ["unchanged", "unchanged", "unchanged"]);
    assert.equal(statSync(file).mtimeMs, mtimeMs);
    writeFileSync(file, text.replace('"Order paid"', '"Paid"'));
    const kept = await run(["import", CATALOG, "--json"], { BELLWIRE_EVENTS: into });
    assert.deepEqual(states(kept.out), ["kept", "unchanged", "unchanged"]);
    assert.match(readFileSync(file, "utf8"), /"Paid"/);
    const { err } = await run(["import", CATALOG, "--into", into]);
    assert.match(err, /\n1 stay as they are, where the catalog says something else: --force writes over them\.$/);
    const forced = await run(["import", CATALOG, "--into", into, "--json", "--force"]);
    assert.deepEqual(states(forced.out), ["written", "unchanged", "unchanged"]);
    assert.equal(readFileSync(file, "utf8"), text);
  });

  test("a type that was mended and moved up stays, under whichever name, even when it is forced", async () => {
    const into = newTarget();
    await run(["import", CATALOG, "--into", into]);
    const mended = join(into, "coupons.json");
    renameSync(join(into, "unfinished", "coupon.used.json"), mended);
    writeFileSync(mended, readFileSync(mended, "utf8").replace("^(?!TEST)", "^"));
    for (const force of [[], ["--force"]]) {
      const { exitCode, out } = await run(["import", CATALOG, "--into", into, ...force]);
      assert.equal(exitCode, 0);
      assert.match(out, /\n3 of 3 types run\./);
      assert.ok(!existsSync(join(into, "unfinished", "coupon.used.json")));
    }
  });

  test("--json has type, place, decisions and faults", async () => {
    const { out, err } = await run([
      "import",
      CATALOG,
      join(folders.path, "none.json"),
      "--into",
      newTarget(),
      "--json",
    ]);
    const { types, unread } = JSON.parse(out);
    assert.equal(err, "");
    assert.match(types[1].place, /^orders\.json#\/webhooks\/order\.updated\//);
    assert.deepEqual(types[1].decisions, [
      { at: "key", what: "/id looks like the id of what changes", proposed: '["/id","/updated_at"]' },
    ]);
    assert.equal(types[2].faults[0].pointer, "/schema/properties/code/pattern");
    assert.match(unread[0].message, /^cannot be read: it is not there/);
  });

  test("a folder that cannot be one is named", async () => {
    const { exitCode, err } = await run(["import", CATALOG, "--into", join(CATALOG, "types")]);
    assert.equal(exitCode, 1);
    assert.match(err, /cannot be written: /);
  });

  test("a wrong call is told how it goes", async () => {
    for (const args of [["import"], ["import", CATALOG], ["import", CATALOG, "--from", "a"]]) {
      const { exitCode, err } = await run(args);
      assert.equal(exitCode, 2);
      assert.match(err, /\n\nUsage: bellwire events import FILE/);
    }
  });
});
