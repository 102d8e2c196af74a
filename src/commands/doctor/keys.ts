/**
 * The doctor's checks of the two keys. The doctor makes no key: the first start makes a missing one, unless a database
 * exists that needs the old one.
 */
import { join } from "node:path";
import { checkEncryptionKeyIfKnown } from "../../accounts/encryption-check.ts";
import { findLostKey, loadKeys } from "../../config/keys.ts";
import type { Config } from "../../config/options.ts";
import { systemRandom } from "../../lib/random.ts";
import { SEAL_KEY_BYTES, type Sealer, createSealer } from "../../lib/seal.ts";
import type { Store } from "../../store/contract/store.ts";
import { asItsOwner, isClosedToUs, missingKeyFiles } from "../installation.ts";
import { type Finding, bad, fine } from "./finding.ts";

export function checkKeys(config: Config): Finding[] {
  const missing = missingKeyFiles(config);
  const closed = missing.map((name) => join(config.dataDir, name)).find(isClosedToUs);
  if (closed !== undefined) return [bad(`The key ${closed} is closed to this user.`, asItsOwner(closed))];
  const keys = loadKeys(withoutMissing(config, missing), systemRandom);
  const lost = findLostKey(config);
  const errors = [...(keys.ok ? [] : keys.error), ...(lost === null ? [] : [lost])];
  const faults = errors.map(({ path, message }) => bad(`${path} ${message}.`));
  if (faults.length > 0) return faults;
  if (missing.length > 0) return [fine(`The first start makes ${missing.join(" and ")} in ${config.dataDir}.`)];
  return [fine("The encryption key and the intake key are there, and closed to other users.")];
}

/** Loading makes a missing key file. A placeholder in its place makes it look only at the files that exist. */
function withoutMissing(config: Config, missing: readonly string[]): Config {
  return {
    ...config,
    encryptionKey: missing.includes("encryption-key") ? new Uint8Array(SEAL_KEY_BYTES) : config.encryptionKey,
    apiKeys: missing.includes("intake-key") ? ["made by the first start"] : config.apiKeys,
  };
}

/** Does nothing without the key's file, and makes none. Throws `StoreUnusable` for the wrong key. */
export async function checkEncryptionKeyIfThere(config: Config, store: Store): Promise<void> {
  const sealer = findSealer(config);
  if (sealer !== null) await checkEncryptionKeyIfKnown(store, sealer);
}

/** `null` without the key's file; it makes none. */
export function findSealer(config: Config): Sealer | null {
  const keys = missingKeyFiles(config).length === 0 ? loadKeys(config, systemRandom) : null;
  return keys?.ok === true ? createSealer(keys.value.encryptionKey, systemRandom) : null;
}
