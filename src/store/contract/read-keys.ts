/**
 * Keys by which programs read one account, or all of them; some manage too. A key of all (`accountId: null`) is the
 * operator's, and lies at home. Only a key's hash is stored; see `domain/token.ts`.
 */
import type { Actor } from "../../domain/account.ts";
import { minutesMs } from "../../lib/duration.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface ReadKeysVerbs {
  addReadKey(params: AddReadKey): Promise<"added" | "full" | "account_missing">;
  /** In the order in which they were made. */
  listReadKeys(params: OfReadKeys): Promise<readonly StoredReadKey[]>;
  /** The next call with it is refused, on every node. */
  removeReadKey(params: RemoveReadKey): Promise<"removed" | "missing">;
  /** `null`: no such key. */
  findReadKey(params: { readonly tokenHash: string }): Promise<FoundReadKey | null>;
  /** Changes nothing where a later use is noted, or the key is gone. */
  noteReadKeyUse(params: NoteReadKeyUse): Promise<void>;
  /** How many there are, of all accounts together, `rowsMax` at most. */
  countReadKeys(params: { readonly rowsMax: number }): Promise<number>;
}

export const READ_KEYS_VERBS = {
  addReadKey: { kind: "side", route: OF_ACCOUNT },
  listReadKeys: { kind: "side", reads: true, route: OF_ACCOUNT },
  removeReadKey: { kind: "side", route: OF_ACCOUNT },
  findReadKey: { kind: "side", reads: true, route: { kind: "token", isKnown: (key) => key !== null } },
  noteReadKeyUse: { kind: "side", route: OF_ACCOUNT },
  countReadKeys: { kind: "side", reads: true, route: { kind: "all", join: (one, other) => one + other } },
} satisfies VerbTable<ReadKeysVerbs>;

/** How much later than the noted use another one is worth a write. */
export const READ_KEY_USED_STEP_MS = minutesMs(1);

/** `manage` reads too; where managing is closed it reads alone. */
export const KEY_KINDS = ["read", "manage"] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

export interface OfReadKeys {
  /** `null`: those of all accounts. */
  readonly accountId: string | null;
}

export interface AddReadKey extends OfReadKeys {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly kind: KeyKind;
    readonly tokenHash: string;
  };
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RemoveReadKey extends OfReadKeys {
  readonly id: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface NoteReadKeyUse extends OfReadKeys {
  readonly id: string;
  readonly nowMs: number;
}

export interface StoredReadKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly madeBy: string;
  readonly createdAtMs: number;
  /** The last use, to within `READ_KEY_USED_STEP_MS`; `null` before the first. */
  readonly usedAtMs: number | null;
}

export interface FoundReadKey extends OfReadKeys {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly usedAtMs: number | null;
}
