/** What a start keeps of its event types, and what `bellwire events check` says of a change, on both databases. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import type { Declaration } from "../events/declared/declaration.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { createEventTypes } from "../events/event-types.ts";
import type { JsonSchema } from "../events/schema/keywords.ts";
import { systemClock } from "../lib/clock.ts";
import type { Store } from "../store/contract/store.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { events } from "./events.ts";
import { keepTypes } from "./known-types.ts";

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());
const folders = newFolder();
after(() => folders[Symbol.dispose]());

const clock = systemClock;
const makeFolder = () => mkdtempSync(join(folders.path, "known-"));

/** By the value of BELLWIRE_DATABASE. */
const DATABASES: Readonly<Record<string, { create(): Promise<string>; open(setting: string): Promise<Store> }>> = {
  sqlite: {
    create: () => Promise.resolve(`sqlite:${join(makeFolder(), "bellwire.db")}`),
    open: (setting) => openSqliteStore({ path: setting.slice("sqlite:".length), clock }),
  },
  postgres: {
    create: () => cluster.createStoreDatabase(),
    open: async (url) => (await openPostgresStore({ url, clock })).store,
  },
};

const declare = (type: string, a: JsonSchema) =>
  toDeclaration({ type, schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, a } } });

const BEFORE = [declare("order.paid", { type: "integer" }), declare("order.sent", {})];
const CHANGED = [declare("order.paid", { type: ["integer", "null"] }), declare("order.gone", {})];

/** What a start with these warns of. */
async function start(store: Store, declared: readonly Declaration[]): Promise<unknown[]> {
  const warned: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warned.push(line) };
  await keepTypes({ store, types: createEventTypes(declared), clock, log });
  return warned;
}

async function check(database: string, declared: readonly Declaration[]) {
  const folder = makeFolder();
  for (const { type, title, schema, key, exampleText } of declared) {
    const text = JSON.stringify({ type, title, schema, key, example: JSON.parse(exampleText) });
    writeFileSync(join(folder, `${type}.json`), text);
  }
  const { io, err } = createFakeIo(["check", folder], { BELLWIRE_DATABASE: database });
  return { exitCode: await events(io), err };
}

for (const [name, { create, open }] of Object.entries(DATABASES)) {
  describe(name, () => {
    test("check compares with what the service was last started with, also while it runs", async () => {
      const database = await create();
      await using store = await open(database);
      const first = await check(database, BEFORE);
      assert.deepEqual(first, {
        exitCode: 0,
        err: ["Compared with nothing: the installation was never started with event types."],
      });
      assert.deepEqual(await start(store, BEFORE), []);
      assert.deepEqual(await check(database, BEFORE), { exitCode: 0, err: [] });
      assert.deepEqual(await check(database, CHANGED), {
        exitCode: 1,
        err: [
          "order.paid a can be null now: this breaks receivers.",
          "order.sent is declared no more: this breaks the back end.",
        ],
      });
    });

    test("a start with a change that breaks somebody warns once, and the next check compares with it", async () => {
      const database = await create();
      await using store = await open(database);
      await start(store, BEFORE);
      const kept = await store.listDeclarations({ typesMax: 200 });
      assert.deepEqual(await start(store, BEFORE), []);
      assert.deepEqual(await store.listDeclarations({ typesMax: 200 }), kept);
      const [paid, sent] = (await check(database, CHANGED)).err;
      assert.deepEqual(await start(store, CHANGED), [
        [{ type: "order.paid", breaks: [paid], count: 1 }, "event_type.broken"],
        [{ type: "order.sent", breaks: [sent], count: 1 }, "event_type.broken"],
      ]);
      assert.deepEqual(await start(store, CHANGED), []);
      assert.deepEqual(await check(database, CHANGED), { exitCode: 0, err: [] });
      assert.deepEqual(
        (await store.listDeclarations({ typesMax: 200 })).map(({ type }) => type),
        ["order.gone", "order.paid"],
      );
    });
  });
}

describe("check", () => {
  test("compares with nothing where no database is, and makes none", async () => {
    const path = join(makeFolder(), "bellwire.db");
    const database = `sqlite:${path}`;
    const place = `there is no database ${path} (BELLWIRE_DATABASE names another)`;
    const nothing = { exitCode: 0, err: [`Compared with nothing: ${place}.`] };
    assert.deepEqual(await check(database, BEFORE), nothing);
    assert.deepEqual(await check(database, BEFORE), nothing);
  });

  test("fails where a database is named that cannot be read", async () => {
    const path = join(makeFolder(), "bellwire.db");
    writeFileSync(path, "no database");
    for (const database of [`sqlite:${path}`, "postgres://nobody:hidden@127.0.0.1:1/nowhere"]) {
      const { exitCode, err } = await check(database, BEFORE);
      assert.equal(exitCode, 1, database);
      assert.match(err.join("\n"), /^Nothing to compare with: .*name the files before with --against\.$/);
      assert.doesNotMatch(err.join("\n"), /hidden/);
    }
  });
});
