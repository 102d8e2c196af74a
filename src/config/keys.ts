/**
 * The two keys of an installation: one encrypts secrets at rest, and with the other the product's back end signs in to
 * intake. Settings win; a key that they leave out comes from a file in the data folder, which the first start makes. A
 * key file is whole or absent, belongs to its owner alone, and is never overwritten. No encryption key is made beside a
 * database, which was encrypted with another one.
 */
import * as fs from "node:fs";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import type { FieldError, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { explainFileFault, faultCode } from "../lib/file-fault.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { readBounded } from "../lib/read-bounded.ts";
import { type Random, systemRandom } from "../lib/random.ts";
import { SEAL_KEY_BYTES } from "../lib/seal.ts";
import { parseEncryptionKey } from "./option-text.ts";
import { type Parsed, parseApiKeys } from "../lib/settings/option-text.ts";
import type { Config } from "./options.ts";

export interface Keys {
  readonly encryptionKey: Uint8Array;
  readonly apiKeys: readonly string[];
  /** Paths of the key files that this start made; empty when it made none. */
  readonly madeFiles: readonly string[];
}

interface KeyFile<Key> {
  readonly path: string;
  readonly random: Random;
  readonly newKey: () => string;
  readonly parse: (text: string) => Parsed<Key>;
}

type Loaded<Key> = Result<{ readonly key: Key; readonly madeFiles: readonly string[] }, FieldError>;

/** The bits of a file's mode that admit others than its owner. */
const OTHERS = 0o077;

const INTAKE_KEY_BYTES = 32;

type KeyConfig = Pick<Config, "dataDir" | "database" | "encryptionKey" | "apiKeys">;

/**
 * Refuses when a key file cannot be made or read, is open to others, or holds no key, and, before it makes any, when
 * the database's key is missing. The paths of these errors name the files.
 */
export function loadKeys(config: KeyConfig, random: Random): Result<Keys, readonly FieldError[]> {
  const lost = findLostKey(config);
  if (lost !== null) return refuse([lost]);
  const { dataDir, encryptionKey, apiKeys } = config;
  const encryption = encryptionKey === null ? loadKeyFile(encryptionKeyFile(dataDir, random)) : given(encryptionKey);
  const intake = apiKeys.length === 0 ? loadKeyFile(intakeKeyFile(dataDir, random)) : given(apiKeys);
  if (!encryption.ok || !intake.ok) return refuse([encryption, intake].flatMap((key) => (key.ok ? [] : [key.error])));
  const madeFiles = [...encryption.value.madeFiles, ...intake.value.madeFiles];
  return ok({ encryptionKey: encryption.value.key, apiKeys: intake.value.key, madeFiles });
}

/**
 * The encryption key's file, where it is missing although there is an SQLite database: a restored one, for example. A
 * new key could open nothing in it, and the right one would not be copied over it.
 */
export function findLostKey({ dataDir, database, encryptionKey }: KeyConfig): FieldError | null {
  // The database first: another process that starts at this moment makes the key, and the database after it.
  if (encryptionKey !== null || database.kind !== "sqlite" || !hasContent(database.path)) return null;
  const path = encryptionKeyPath(dataDir);
  if (fs.existsSync(path)) return null;
  const message =
    "is missing, but there is a database, and a new key cannot open the secrets in it. " +
    "Put the file back, or set BELLWIRE_ENCRYPTION_KEY";
  return { path, message };
}

/** A first start on a full disk leaves a database of 0 bytes, which holds no secrets. */
function hasContent(path: string): boolean {
  if (!fs.existsSync(path)) return false;
  const file = fs.statSync(path);
  return file.isFile() && file.size > 0;
}

const encryptionKeyPath = (dataDir: string): string => join(dataDir, "encryption-key");

const given = <Key>(key: Key): Loaded<Key> => ok({ key, madeFiles: [] });

function encryptionKeyFile(dataDir: string, random: Random): KeyFile<Uint8Array> {
  return {
    path: encryptionKeyPath(dataDir),
    random,
    newKey: () => Buffer.from(random.bytes(SEAL_KEY_BYTES)).toString("base64"),
    parse: (text) => {
      const parsed = parseEncryptionKey(text);
      if (!parsed.ok) return parsed;
      return parsed.value === null ? refuse(["is empty"]) : ok(parsed.value);
    },
  };
}

/** The intake keys in the data folder as they are now. None is made: a file that is gone is being replaced. */
export function intakeKeyNow(dataDir: string) {
  const { path, parse } = intakeKeyFile(dataDir, systemRandom);
  const readText = (): Result<string, string> => {
    const text = readOwnFile(path);
    return text.ok ? ok(text.value.trim()) : refuse(text.error.message);
  };
  return { name: path, readText, parse };
}

function intakeKeyFile(dataDir: string, random: Random): KeyFile<readonly string[]> {
  return {
    path: join(dataDir, "intake-key"),
    random,
    // The prefix lets a scanner of source code recognise a key that was committed.
    newKey: () => `bwk_${Buffer.from(random.bytes(INTAKE_KEY_BYTES)).toString("base64url")}`,
    parse: (text) => (text === "" ? refuse(["is empty"]) : parseApiKeys(text)),
  };
}

function loadKeyFile<Key>(file: KeyFile<Key>): Loaded<Key> {
  const made = makeIfMissing(file);
  if (!made.ok) return made;
  const text = readOwnFile(file.path);
  if (!text.ok) return text;
  const parsed = file.parse(text.value.trim());
  if (parsed.ok) return ok({ key: parsed.value, madeFiles: made.value ? [file.path] : [] });
  return fault(file.path, `does not hold a key: ${parsed.error.join("; ")}. Put the right key back into it`);
}

const DATA_FOLDER = "BELLWIRE_DATA_DIR names the folder, which must lie on a local disk that Bellwire may write to";

/** Whether the file was made now. */
function makeIfMissing({ path, random, newKey }: KeyFile<unknown>): Result<boolean, FieldError> {
  if (fs.existsSync(path)) return ok(false);
  const draft = `${path}.${Buffer.from(random.bytes(6)).toString("hex")}.new`;
  try {
    makeFolder(dirname(path));
    return ok(placeOnce(path, draft, `${newKey()}\n`));
  } catch (cause) {
    return fault(path, `cannot be reached or made: ${explainFileFault(path, cause)}. ${DATA_FOLDER}`);
  }
}

/**
 * Writes the draft and links it into its place, which fails where a file already is. When two processes start at once,
 * one makes the key and the other reads it, and a crash at any moment leaves a whole file or none.
 */
function placeOnce(path: string, draft: string, text: string): boolean {
  try {
    fs.writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true });
    fs.linkSync(draft, path);
    syncFolder(dirname(path));
    return true;
  } catch (cause) {
    if (faultCode(cause) !== "EEXIST") throw cause;
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** A power cut must not lose the key after something was encrypted with it. Windows cannot sync a folder. */
function syncFolder(path: string): void {
  if (platform() === "win32") return;
  const folder = fs.openSync(path, "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/** Sixteen keys have some hundred bytes. */
const KEY_BYTES_MAX = 64 * 1024;

function readOwnFile(path: string): Result<string, FieldError> {
  try {
    const { bytes, mode } = readBounded(path, KEY_BYTES_MAX);
    const rights = mode & 0o777;
    return isOpenToOthers(rights) ? fault(path, openToOthers(path, rights)) : ok(bytes.toString("utf8"));
  } catch (cause) {
    return fault(path, `cannot be read: ${explainFileFault(path, cause)}`);
  }
}

/** On Windows the mode does not say who may read. */
const isOpenToOthers = (mode: number): boolean => platform() !== "win32" && (mode & OTHERS) !== 0;

const openToOthers = (path: string, mode: number): string =>
  `can be read or changed by other users (mode 0${mode.toString(8)}). Run: chmod 600 ${path}`;

const fault = (path: string, message: string) => refuse<FieldError>({ path, message });
