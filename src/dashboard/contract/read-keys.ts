/** Read keys, by which programs read the account. A key itself is shown once, when it is made. */
import type { StoredReadKey } from "../../store/contract/read-keys.ts";

export interface ReadKeysAnswer {
  /** In the order in which they were made. */
  readonly keys: readonly StoredReadKey[];
  readonly keysMax: number;
  readonly nameCharsMax: number;
  /** The operator has opened managing: a key may do that too. */
  readonly mayManage: boolean;
}

export interface ReadKeyMade {
  readonly name: string;
  readonly key: string;
  /** As they are now. */
  readonly list: ReadKeysAnswer;
}
