/** Names who saved the other change, and when, so that a person can decide which change stays. */
import { type Problem, problem } from "../domain/problem.ts";
import { timeInWords } from "../lib/time-in-words.ts";
import type { AccountsContext } from "./context.ts";

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
