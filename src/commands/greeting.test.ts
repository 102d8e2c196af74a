import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { createWorld, toValue } from "../../test/kit/world/world.ts";
import { readConfig } from "../config/config.ts";
import type { Store } from "../store/contract/store.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { greetOnFirstStart } from "./greeting.ts";

const SECOND = 1_000;

test("a database that goes away during the first lines only delays them", async () => {
  for (const away of ["loadSetting", "putAccount", "saveSettingUnlessThere", "createSignInLink"] as const) {
    const { greeting, clock, comeBack } = await setUp([away]);
    const { io, err } = createFakeIo([]);
    const greeted = greetOnFirstStart(io, greeting);
    await clock.advance(10 * SECOND);
    assert.deepEqual(err, [], `${away} is away`);
    comeBack();
    await clock.advance(SECOND);
    await greeted;
    assert.match(err.join("\n"), /Sign-in link {3}http:\/\/localhost:7070\/sign-in\/[\w-]{43} /, away);
    assert.match(err.join("\n"), /First account {2}main$/m);
  }
});

test("a service that is to stop does not wait for the database to greet", async () => {
  const { greeting, clock } = await setUp(["loadSetting"]);
  const { io, err, stop } = createFakeIo([]);
  const greeted = greetOnFirstStart(io, greeting);
  stop();
  await clock.advance(0);
  await greeted;
  assert.deepEqual(err, []);
});

test("only the first start greets", async () => {
  const { greeting } = await setUp([]);
  await greetOnFirstStart(createFakeIo([]).io, greeting);
  const { io, err } = createFakeIo([]);
  await greetOnFirstStart(io, greeting);
  assert.deepEqual(err, []);
});

test("a later start that had to make an intake key says that the product's is no more", async () => {
  const { greeting } = await setUp([]);
  const keys = { ...greeting.keys, madeFiles: [join(greeting.config.dataDir, "intake-key")] };
  const [first, later] = [createFakeIo([]), createFakeIo([])];
  await greetOnFirstStart(first.io, { ...greeting, keys });
  assert.ok(!first.err.join().includes("401"), "the first start makes its keys");
  await greetOnFirstStart(later.io, { ...greeting, keys });
  assert.match(
    later.err.join("\n"),
    /^This start made a new intake key, \S+intake-key, .* get 401\. Put the old file back/,
  );
});

const ENCRYPTION_KEY = { BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32).toString("base64") };
const INTAKE_KEY = { BELLWIRE_API_KEY: "an-intake-key-of-ours" };

/** The world's start has made no key file: a failed start before it may have. */
const ORIGINS: readonly (readonly [what: string, env: Readonly<Record<string, string>>, words: RegExp])[] = [
  ["both keys in files", {}, /first start\. Its keys are in data: keep a copy of encryption-key, /],
  [
    "an intake key from the settings",
    INTAKE_KEY,
    /Its encryption key is in data: keep a copy of encryption-key, .* Intake keys are in the settings\.$/m,
  ],
  [
    "an encryption key from the settings",
    ENCRYPTION_KEY,
    /Its encryption key comes from the settings, and its intake key is in data\.$/m,
  ],
  [
    "both keys from the settings",
    { ...ENCRYPTION_KEY, ...INTAKE_KEY },
    /first start\. Its keys come from the settings\.$/m,
  ],
];

for (const [what, env, words] of ORIGINS) {
  test(`says where the keys are: ${what}`, async () => {
    const { greeting } = await setUp([]);
    const { io, err } = createFakeIo([]);
    const config = toValue(readConfig({ BELLWIRE_DATABASE: "sqlite::memory:", ...env }));
    await greetOnFirstStart(io, { ...greeting, config });
    assert.match(err.join("\n"), words);
  });
}

test("shows the intake key at a terminal alone, and elsewhere its file: what is no terminal may be a log", async () => {
  const shown = async (isTerminal: boolean): Promise<string> => {
    const { greeting } = await setUp([]);
    const { io, err } = createFakeIo([]);
    await greetOnFirstStart({ ...io, isTerminal }, greeting);
    return err.find((line) => line.startsWith("  Intake key"))?.slice(17) ?? "";
  };
  assert.equal(await shown(true), "a-key");
  assert.equal(await shown(false), `in ${resolve("data", "intake-key")}`);
});

/** A store in memory that does not answer the named verbs until `comeBack` is called. */
async function setUp(away: readonly (keyof Store)[]) {
  const { store, accounts, clock } = await createWorld();
  let isAway = true;
  const shaky = new Proxy(store, {
    get(target, verb: keyof Store) {
      if (!isAway || !away.includes(verb)) return target[verb];
      return () => Promise.reject(new StoreUnavailable("it is away"));
    },
  });
  const config = toValue(readConfig({ BELLWIRE_DATABASE: "sqlite::memory:" }));
  const keys = { encryptionKey: new Uint8Array(32), apiKeys: ["a-key"], madeFiles: [] };
  const greeting = {
    store: shaky,
    accounts: { ...accounts, store: shaky },
    config,
    keys,
    publicUrl: "http://localhost:7070",
  };
  return { greeting, clock, comeBack: () => void (isAway = false) };
}
