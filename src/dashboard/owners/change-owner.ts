/** How a Save and a Delete of an owner of a destination begin and end, whichever kind it is. */
import type { OwnerDeletion } from "../../accounts/owners.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { AccountsContext } from "../../accounts/context.ts";
import type { DashboardContext } from "../call/context.ts";
import { belowWebhook, freshView } from "../call/fresh-view.ts";
import type { SavedAnswer } from "../contract/alerts.ts";
import type { Session } from "../guard/session.ts";

/** Under the account as it is now; errors are said from the root of the form. */
export async function saveOwner<Saved>(
  ctx: DashboardContext,
  session: Session,
  save: (accounts: AccountsContext) => Promise<Result<Saved>>,
): Promise<Result<Saved>> {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const saved = await save(ctx.accounts);
  if (!saved.ok) return refuse(belowWebhook(saved.error));
  // If the URL has changed, deliveries that wait are due.
  ctx.engine.nudge();
  return saved;
}

interface SaveCall<Form> {
  readonly session: Session;
  readonly body: Form;
  /** Without an id in the address a new one is made. */
  readonly params?: { readonly id?: string } | undefined;
  readonly ifMatch?: number | undefined;
}

interface Draft<Form extends { readonly webhook: unknown }> extends Pick<Session, "accountId" | "by"> {
  readonly existing: { readonly id: string; readonly revision: number } | null;
  readonly settings: Omit<Form, "webhook">;
  readonly webhook: Form["webhook"];
}

/** The handler of the two routes that save one, a new one or over the revision that the editor saw. */
export const saveBy =
  <Form extends { readonly webhook: unknown }>(
    save: (ctx: AccountsContext, draft: Draft<Form>) => Promise<Result<SavedAnswer>>,
  ) =>
  async (ctx: DashboardContext, { session, params, body, ifMatch }: SaveCall<Form>): Promise<Result<SavedAnswer>> => {
    const { webhook, ...settings } = body;
    const { accountId, by } = session;
    const id = params?.id;
    const existing = id === undefined || ifMatch === undefined ? null : { id, revision: ifMatch };
    return await saveOwner(ctx, session, (accounts) => save(accounts, { accountId, by, existing, settings, webhook }));
  };

type Remove = (ctx: AccountsContext, deletion: OwnerDeletion) => Promise<Result<unknown>>;

interface DeleteCall {
  readonly session: Session;
  readonly params: { readonly id: string };
  readonly ifMatch: number;
}

/** The handler of a route that deletes one. */
export const removeBy =
  (remove: Remove) =>
  async (ctx: DashboardContext, { session, params, ifMatch }: DeleteCall): Promise<Result<null>> => {
    const view = await freshView(ctx, session);
    if (!view.ok) return view;
    const { accountId, by } = session;
    const removed = await remove(ctx.accounts, { accountId, id: params.id, revision: ifMatch, by });
    return removed.ok ? ok(null) : removed;
  };
