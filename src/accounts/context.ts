/** The context of the verbs in this folder, and the refusals that several of them share. */
import { type Problem, problem } from "../domain/problem.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Store } from "../store/contract/store.ts";
import type { AccountCache } from "./account-cache.ts";
import { timeInWords } from "../lib/written-times.ts";
import { type Plan, allowsAlertWebhooks } from "../domain/account.ts";

export interface AccountsContext {
  readonly store: Store;
  readonly types: EventTypes;
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

/* Names who saved the other change, and when, so that a person can decide which change stays. */

export async function editedMeanwhile(
  ctx: Pick<AccountsContext, "accounts">,
  accountId: string,
  { kind, id }: { readonly kind: "alert" | "assistant"; readonly id: string },
): Promise<Problem> {
  // The caller made the cache forget the account, so this reads what the other person saved.
  const view = await ctx.accounts.load(accountId);
  const saved = kind === "alert" ? view?.alerts.find(({ alert }) => alert.id === id) : view?.assistants.get(id);
  const changed = saved?.changed ?? null;
  const what = kind === "alert" ? "this alert" : "this chat assistant's webhook";
  const who =
    changed === null
      ? `Another person changed ${what}`
      : `${changed.by} changed ${what} at ${timeInWords(changed.atMs)}`;
  return problem("edited_meanwhile", `${who}. Load it again, or save yours over it.`);
}

/* The one plan rule: webhooks on demo alerts need Starter or higher, for saving and for testing alike. */

export function alertPlanGate(plan: Plan): Problem | null {
  if (allowsAlertWebhooks(plan)) return null;
  const detail = `Webhooks on demo alerts need the Starter plan or higher; this account is on the ${plan} plan.`;
  return problem("plan_too_low", detail);
}
