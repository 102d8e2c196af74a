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

/** Suspends an account, lets it go on, or deletes it. May be repeated. */
export async function setAccountState(
  ctx: Pick<AccountsContext, "store" | "accounts" | "clock">,
  change: Omit<SetAccountState, "nowMs">,
): Promise<Result<AccountStateNow>> {
  const { accountId, state } = change;
  const now = await ctx.store.setAccountState({ ...change, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  if (now === "missing") return refuse(accountMissing(accountId));
  const isGone = now.state === "deleting" || now.state === "deleted";
  return isGone && state !== "deleted" ? refuse(accountDeleted(accountId)) : ok(now);
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
