/** Accounts and chat assistants as the product's back end names them: created when new, updated when known. */
import type { Account, ChatAssistant } from "../domain/account.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { SECRET_BYTES, newVerificationSecret } from "../domain/signature.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { secretContext } from "./secrets.ts";

/** A new account gets its Webhook Verification Secret here; putting it again never changes the secret. */
export async function putAccount(ctx: AccountsContext, account: Account): Promise<{ created: boolean }> {
  const secret = newVerificationSecret(ctx.random.bytes(SECRET_BYTES));
  const put = await ctx.store.putAccount({
    account,
    newSealedSecret: ctx.sealer.seal(secret, secretContext(account.id)),
    nowMs: ctx.clock.nowMs(),
  });
  ctx.accounts.forget(account.id);
  return put;
}

export async function putChatAssistant(
  ctx: AccountsContext,
  accountId: string,
  assistant: ChatAssistant,
): Promise<Result<{ created: boolean }>> {
  const put = await ctx.store.putChatAssistant({ accountId, assistant, rename: true, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(accountId);
  return "missing" in put ? refuse(accountMissing(accountId)) : ok(put);
}
