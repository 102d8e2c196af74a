/** The session's account as it is now, and refusals of a part of a form: what most handlers start and end with. */
import type { AccountView } from "../../accounts/account-view.ts";
import { accountMissing } from "../../accounts/context.ts";
import type { Problem, Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { DashboardContext, Reader } from "./context.ts";

/**
 * Read anew, because the cache of this node does not know what people saved on another: they would be shown an old
 * form, and told that somebody else had changed it.
 */
export async function freshView(
  { accounts: { accounts } }: Pick<DashboardContext, "accounts">,
  { accountId }: Reader,
): Promise<Result<AccountView>> {
  const view = await accounts.loadAnew(accountId);
  return view === null ? refuse(accountMissing(accountId)) : ok(view);
}

/** Errors of a part of the form, said from the root of the body: `url` becomes `webhook.url`. */
export function below(part: string, refusal: Problem): Problem {
  if (refusal.errors === undefined) return refusal;
  return { ...refusal, errors: refusal.errors.map((error) => ({ ...error, path: `${part}.${error.path}` })) };
}

/** The same for a form with a webhook in it: what the webhook is sent stands beside it. */
export const belowWebhook = (refusal: Problem): Problem =>
  BESIDE_WEBHOOK.has(refusal.code) ? refusal : below("webhook", refusal);

const BESIDE_WEBHOOK: ReadonlySet<Problem["code"]> = new Set(["invalid_conditions", "invalid_event_types"]);
