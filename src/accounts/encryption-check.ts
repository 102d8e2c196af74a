/**
 * Whether the encryption key is the one that this database was made with, found out at start rather than at the first
 * delivery: a small value is sealed on the first start and opened on every other.
 */
import type { Sealer } from "../lib/seal.ts";
import { type Store, StoreUnusable } from "../store/store.ts";

const NAME = "encryption_check";
const CONTEXT = `settings|value|${NAME}`;

export async function checkEncryptionKey(store: Store, sealer: Sealer): Promise<void> {
  const sealed = await store.loadSetting({ name: NAME });
  if (sealed === null) return await store.saveSetting({ name: NAME, value: sealer.seal("bellwire", CONTEXT) });
  try {
    sealer.open(sealed, CONTEXT);
  } catch (cause) {
    throw new StoreUnusable(
      "The database was made with another encryption key. Set BELLWIRE_ENCRYPTION_KEY to that key, " +
        "or put its file `encryption-key` back into the data folder. Without it its secrets cannot be read.",
      { cause },
    );
  }
}
