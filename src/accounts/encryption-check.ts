/**
 * Checks at start, and not at the first delivery, that the encryption key is the one that this database was made with.
 * The first start seals a small value; every other start opens it. When several nodes start first at the same moment,
 * one stores its value, and the others open that one or refuse to start.
 */
import type { Sealer } from "../lib/seal.ts";
import { type Store, StoreUnusable } from "../store/contract/store.ts";

const NAME = "encryption_check";
const CONTEXT = `settings|value|${NAME}`;

/**
 * Rejects with `StoreUnusable` when the database was made with another key. A database without a key takes this one.
 */
export async function checkEncryptionKey(store: Store, sealer: Sealer): Promise<void> {
  const sealed = await store.loadSetting({ name: NAME });
  if (sealed !== null) return demandSameKey(sealer, sealed);
  const kept = await store.saveSettingUnlessThere({ name: NAME, value: sealer.seal("bellwire", CONTEXT) });
  demandSameKey(sealer, kept.value);
}

/** The same check for a caller that only looks: a database without a key stays so. */
export async function checkEncryptionKeyIfKnown(store: Pick<Store, "loadSetting">, sealer: Sealer): Promise<void> {
  const sealed = await store.loadSetting({ name: NAME });
  if (sealed !== null) demandSameKey(sealer, sealed);
}

function demandSameKey(sealer: Sealer, sealed: string): void {
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
