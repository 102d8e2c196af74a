/** The context of the verbs in this folder. */
import type { Problem } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Store } from "../store/contract/store.ts";
import type { AccountCache } from "./account-cache.ts";

export interface AccountsContext {
  readonly store: Store;
  readonly accounts: AccountCache;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this address may be called: `null`, or the reason in words. The same guard checks each connect again. */
  readonly checkUrl: (url: URL) => Promise<string | null>;
  readonly signatureHeader: string;
  /** Base address of this service as people reach it, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string;
}

export function accountMissing(accountId: string): Problem {
  return {
    code: "account_not_found",
    detail: `There is no account "${accountId}". Create it first with PUT /v1/accounts/${accountId}.`,
  };
}
