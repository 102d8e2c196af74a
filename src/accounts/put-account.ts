/** Accounts and chat assistants as the product's back end names them: created when new, updated when known. */
import type { Account, ChatAssistant } from "../domain/account.ts";
import { type Problem, problem, type Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { AccountStateNow, SetAccountState } from "../store/contract/accounts.ts";
import { SECRET_BYTES, newVerificationSecret } from "../domain/signature.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { secretContext } from "./secrets.ts";

/** A new account gets its Webhook Verification Secret here; putting it again never changes the secret. */
export async function putAccount(ctx: AccountsContext, account: Account): Promise<Result<{ created: boolean }>> {
  const secret = newVerificationSecret(ctx.random.bytes(SECRET_BYTES));
  const put = await ctx.store.putAccount({
    account,
    newSealedSecret: ctx.sealer.seal(secret, secretContext(account.id)),
    nowMs: ctx.clock.nowMs(),
  });
  ctx.accounts.forget(account.id);
  return put.isDeleted === true ? refuse(accountDeleted(account.id)) : ok(put);
}

/**
 * Suspends an account, lets it go on, or deletes it, in commits that others' calls go between. May be repeated. Ends
 * where another change has begun since, with the state that the account has then.
 */
export async function setAccountState(
  ctx: Pick<AccountsContext, "store" | "accounts" | "clock">,
  change: Omit<SetAccountState, "goesOn" | "nowMs">,
): Promise<Result<Omit<AccountStateNow, "hasMore">>> {
  const { accountId, state: wanted } = change;
  let changed = false;
  for (let goesOn = false; ; goesOn = true) {
    const now = await ctx.store.setAccountState({ ...change, goesOn, nowMs: ctx.clock.nowMs() });
    ctx.accounts.forget(accountId);
    if (now === "missing") return refuse(accountMissing(accountId));
    const { state, hasMore } = now;
    const isGone = state === "deleting" || state === "deleted";
    if (isGone && wanted !== "deleted") return refuse(accountDeleted(accountId));
    changed ||= now.changed;
    if (!hasMore) return ok({ state, changed });
  }
}

const accountDeleted = (accountId: string): Problem =>
  problem("account_deleted", `The account "${accountId}" was deleted. Its id stays taken; use another.`);

export async function putChatAssistant(
  ctx: AccountsContext,
  accountId: string,
  assistant: ChatAssistant,
): Promise<Result<{ created: boolean }>> {
  const put = await ctx.store.putChatAssistant({ accountId, assistant, rename: true, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  return "missing" in put ? refuse(accountMissing(accountId)) : ok(put);
}
