/**
 * Keys of programs, made and taken back: by an owner for the account, by the operator for one account or for all of
 * them (`accountId: null`). A key is shown once; the store has its hash.
 */
import type { Actor } from "../domain/account.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { problem, type Result } from "../domain/problem.ts";
import { hashToken, newReadKey } from "../domain/token.ts";
import { ok, refuse } from "../lib/result.ts";
import type { KeyKind, RemoveReadKey } from "../store/contract/read-keys.ts";
import { type AccountsContext, accountMissing } from "./context.ts";

interface NewReadKey {
  readonly accountId: string | null;
  /** What people know it by, such as the program that gets it. */
  readonly name: string;
  /** It reads alone when left out. Whether managing is open is the caller's to know. */
  readonly kind?: KeyKind | undefined;
  readonly by: Actor;
}

export interface MadeReadKey {
  readonly id: string;
  readonly name: string;
  /** The key itself. */
  readonly key: string;
}

export async function makeReadKey(
  { store, clock, random }: Pick<AccountsContext, "store" | "clock" | "random">,
  { accountId, name: given, kind = "read", by }: NewReadKey,
): Promise<Result<MadeReadKey>> {
  const key = newReadKey(random);
  const nowMs = clock.nowMs();
  const name = given.trim();
  const id = newId("rdk", nowMs, random);
  const added = await store.addReadKey({ accountId, key: { id, name, kind, tokenHash: hashToken(key) }, by, nowMs });
  switch (added) {
    case "added":
      return ok({ id, name, key });
    case "account_missing":
      return refuse(accountMissing(accountId ?? ""));
    case "full":
      return refuse(
        problem("read_key_limit_reached", `There can be ${LIMITS.readKeysMax} keys for programs. Take one back first.`),
      );
  }
}

export async function takeBackReadKey(
  { store, clock }: Pick<AccountsContext, "store" | "clock">,
  taken: Omit<RemoveReadKey, "nowMs">,
): Promise<Result<null>> {
  const removed = await store.removeReadKey({ ...taken, nowMs: clock.nowMs() });
  return removed === "removed" ? ok(null) : refuse(problem("read_key_not_found", "This key was taken back already."));
}
