/**
 * The key files on a real disk: made once, for the owner alone, read afterwards, and refused when others can read them.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Random, systemRandom } from "../lib/random.ts";
import { loadKeys } from "./keys.ts";

const fromFiles = (dataDir: string): Parameters<typeof loadKeys>[0] => ({
  dataDir,
  database: { kind: "sqlite", path: join(dataDir, "bellwire.db") },
  encryptionKey: null,
  apiKeys: [],
});
const WITHOUT_MODES = platform() === "win32" ? "Windows has no modes" : false;

/** A folder that does not exist yet, inside one that is removed when the test ends. */
function newDataDir(t: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), "bellwire-keys-"));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "nested", "data");
}

function loaded(dataDir: string, config: Partial<Parameters<typeof loadKeys>[0]> = {}, random: Random = systemRandom) {
  const keys = loadKeys({ ...fromFiles(dataDir), ...config }, random);
  assert.ok(keys.ok, JSON.stringify(keys));
  return keys.value;
}

function refused(dataDir: string): string[] {
  const keys = loadKeys(fromFiles(dataDir), systemRandom);
  assert.ok(!keys.ok);
  return keys.error.map(({ path, message }) => `${path}: ${message}`);
}

test("makes both keys at the first start and reads the same ones afterwards", (t) => {
  const dataDir = newDataDir(t);
  const first = loaded(dataDir);
  assert.deepEqual(first.madeFiles, [join(dataDir, "encryption-key"), join(dataDir, "intake-key")]);
  assert.equal(first.encryptionKey.length, 32);
  assert.match(first.apiKeys[0] ?? "", /^bwk_[\w-]{43}$/);
  assert.deepEqual(loaded(dataDir), { ...first, madeFiles: [] });
});

test("a folder in the place of the database does not count as one whose key is missing", (t) => {
  const dataDir = newDataDir(t);
  const keys = loaded(dataDir, { database: { kind: "sqlite", path: tmpdir() } });
  assert.equal(keys.encryptionKey.length, 32);
});

test("lets only the owner into the folder and the files", { skip: WITHOUT_MODES }, (t) => {
  const dataDir = newDataDir(t);
  loaded(dataDir);
  const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.equal(readMode(dataDir), "700");
  assert.equal(readMode(join(dataDir, "encryption-key")), "600");
  assert.equal(readMode(join(dataDir, "intake-key")), "600");
});

test("leaves nothing else in the folder", (t) => {
  const dataDir = newDataDir(t);
  loaded(dataDir);
  assert.deepEqual(readdirSync(dataDir).toSorted(), ["encryption-key", "intake-key"]);
});

test("takes keys from settings first, and then makes no folder", (t) => {
  const dataDir = newDataDir(t);
  const encryptionKey = new Uint8Array(32).fill(1);
  const keys = loaded(dataDir, { encryptionKey, apiKeys: ["a-key-from-the-settings"] });
  assert.deepEqual(keys, { encryptionKey, apiKeys: ["a-key-from-the-settings"], madeFiles: [] });
  assert.throws(() => statSync(dataDir), { code: "ENOENT" });
});

test("reads the other's keys when another process makes them at the same moment", (t) => {
  const dataDir = newDataDir(t);
  const others = new Uint8Array(32).fill(9);
  // The random source is called after the check that no file exists: the other process comes in between.
  const overtaken: Random = {
    unit: () => 0,
    bytes(count) {
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(join(dataDir, "encryption-key"), Buffer.from(others).toString("base64"), { mode: 0o600 });
      return systemRandom.bytes(count);
    },
  };
  const keys = loaded(dataDir, { apiKeys: ["a-key-from-the-settings"] }, overtaken);
  assert.deepEqual(keys, { encryptionKey: others, apiKeys: ["a-key-from-the-settings"], madeFiles: [] });
  assert.deepEqual(readdirSync(dataDir), ["encryption-key"]);
});

test("refuses key files that other users can read, and says what to run", { skip: WITHOUT_MODES }, (t) => {
  const dataDir = newDataDir(t);
  loaded(dataDir);
  const path = join(dataDir, "encryption-key");
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(path, mode);
    const [line, ...more] = refused(dataDir);
    assert.match(line ?? "", new RegExp(`encryption-key: .*mode 0${mode.toString(8)}.*chmod 600`));
    assert.deepEqual(more, []);
  }
});

test("names every file that holds no key, and never writes over it", (t) => {
  const dataDir = newDataDir(t);
  loaded(dataDir);
  writeFileSync(join(dataDir, "encryption-key"), "too-short\n");
  writeFileSync(join(dataDir, "intake-key"), "\n");
  const lines = refused(dataDir);
  assert.match(lines[0] ?? "", /encryption-key: does not hold a key: must be the base64 of 32 bytes/);
  assert.match(lines[1] ?? "", /intake-key: does not hold a key: is empty/);
  assert.equal(readFileSync(join(dataDir, "encryption-key"), "utf8"), "too-short\n");
  assert.ok(!lines.join().includes("too-short"), "a message shows what is in a key file");
});

test("makes no key beside a database that was encrypted with another one", (t) => {
  const dataDir = newDataDir(t);
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "bellwire.db"), "restored");
  const [line, ...more] = refused(dataDir);
  assert.match(line ?? "", /encryption-key: is missing, but there is a database, .* Put the file back/);
  assert.deepEqual(more, []);
  assert.deepEqual(readdirSync(dataDir), ["bellwire.db"]);
});

test("makes the keys beside a database of 0 bytes, as a first start on a full disk leaves it", (t) => {
  const dataDir = newDataDir(t);
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "bellwire.db"), "");
  assert.equal(loaded(dataDir).madeFiles.length, 2);
});

test("makes a missing intake key beside a database: it opens nothing", (t) => {
  const dataDir = newDataDir(t);
  loaded(dataDir);
  writeFileSync(join(dataDir, "bellwire.db"), "in use");
  rmSync(join(dataDir, "intake-key"));
  assert.deepEqual(loaded(dataDir).madeFiles, [join(dataDir, "intake-key")]);
});

test("says which file cannot be made when the data folder is in the way of a file", (t) => {
  const dataDir = newDataDir(t);
  mkdirSync(join(dataDir, ".."), { recursive: true });
  writeFileSync(dataDir, "");
  const lines = refused(dataDir);
  assert.equal(lines.length, 2);
  assert.match(
    lines[0] ?? "",
    /encryption-key: cannot be reached or made: a .* \((EEXIST|ENOTDIR)\)\. .*BELLWIRE_DATA_DIR/,
  );
});
