/**
 * What all owners of destinations share: which of them a change is about, and its refusals. Alerts, and webhooks of
 * their own, are made and deleted by people; chat assistants are the product's.
 */
import type { Actor } from "../domain/account.ts";
import type { Owner, OwnerKind } from "../domain/event.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { timeInWords } from "../lib/written-times.ts";
import type { DeleteOwner, DeleteOwnerResult, MadeBy, SaveOwnerResult } from "../store/contract/accounts.ts";
import type { Store } from "../store/contract/store.ts";
import type { AccountView, OwnerView } from "./account-view.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import type { CheckedDestination } from "./destination-draft.ts";
import { cancelAllWaiting } from "./set-destination-state.ts";

interface KnownOwner {
  /** As a sentence says what a person changed. */
  readonly what: string;
  find(view: AccountView, id: string): OwnerView | undefined;
}

const OWNERS: Readonly<Record<OwnerKind, KnownOwner>> = {
  alert: { what: "this alert", find: ({ alerts }, id) => alerts.find(({ alert }) => alert.id === id) },
  assistant: { what: "this chat assistant's webhook", find: ({ assistants }, id) => assistants.get(id) },
  webhook: { what: "this webhook", find: ({ webhooks }, id) => webhooks.find(({ webhook }) => webhook.id === id) },
};

/** A draft that has passed every check, as it would be saved: to be compared first, or only looked at. */
export interface CheckedOwner<Settings, Saved extends { readonly revision: number } = SavedRevision> {
  readonly settings: Settings;
  /** `null` leaves what is saved. */
  readonly destination: CheckedDestination | null;
  /** Of the one that it has, or would get. */
  readonly destinationId: string;
  save(): Promise<Result<Saved>>;
}

export interface SavedRevision {
  readonly id: string;
  readonly revision: number;
}

/** A draft of a program says so; people's leave it out. */
export interface Made {
  readonly made?: MadeBy;
  /** `save` refuses what it would refuse, and saves nothing. */
  readonly isDryRun?: boolean;
}

/** Names who saved the other change, and when, so that a person can decide which change stays. */
export async function editedMeanwhile(
  ctx: Pick<AccountsContext, "accounts">,
  accountId: string,
  { kind, id }: Owner,
): Promise<Problem> {
  const { what, find } = OWNERS[kind];
  // The caller made the cache forget the account, so this reads what the other person saved.
  const view = await ctx.accounts.load(accountId);
  const changed = (view === null ? undefined : find(view, id))?.changed ?? null;
  const who =
    changed === null
      ? `Another person changed ${what}`
      : `${changed.by} changed ${what} at ${timeInWords(changed.atMs)}`;
  return problem("edited_meanwhile", `${who}. Load it again to see the change.`);
}

/** Owners that people make, name and delete. */
type MadeKind = Exclude<OwnerKind, "assistant">;

interface MadeOwner {
  readonly missing: Problem;
  readonly limitReached: Problem;
  remove(store: Store, deletion: DeleteOwner): Promise<DeleteOwnerResult>;
}

const { alertsPerAccountMax, webhooksPerAccountMax, assistantWebhooksPerAccountMax } = LIMITS;

export const assistantsLimitReached: Problem = problem(
  "webhook_limit_reached",
  `An account can have ${assistantWebhooksPerAccountMax.toLocaleString("en")} chat assistants with a webhook.`,
);

export const MADE_OWNERS: Readonly<Record<MadeKind, MadeOwner>> = {
  alert: {
    missing: problem("alert_not_found", "This alert no longer exists. Another person may have deleted it."),
    limitReached: problem("alert_limit_reached", `An account can have ${alertsPerAccountMax} alerts.`),
    remove: (store, deletion) => store.deleteAlert(deletion),
  },
  webhook: {
    missing: problem("webhook_not_found", "This webhook no longer exists. Another person may have deleted it."),
    limitReached: problem("webhook_limit_reached", `An account can have ${webhooksPerAccountMax} webhooks.`),
    remove: (store, deletion) => store.deleteWebhook(deletion),
  },
};

export interface MadeOwnerOf {
  readonly accountId: string;
  readonly kind: MadeKind;
  readonly id: string;
}

export const OLDER_NODES = problem(
  "older_nodes",
  "Some nodes of this service still run an older version, which does not know this body, target, order or group of " +
    "events. " +
    "Save again when all are upgraded.",
);

/** What a caller is told whose save the store refused. */
export async function refuseSave(
  ctx: AccountsContext,
  saved: Exclude<SaveOwnerResult, { kind: "saved" }>,
  { accountId, kind, id }: MadeOwnerOf,
): Promise<Problem> {
  switch (saved.kind) {
    case "account_missing":
      return accountMissing(accountId);
    case "missing":
      return MADE_OWNERS[kind].missing;
    case "limit_reached":
      return MADE_OWNERS[kind].limitReached;
    case "older_nodes":
      return OLDER_NODES;
    case "edited_meanwhile":
      return await editedMeanwhile(ctx, accountId, { kind, id });
  }
}

export interface OwnerDeletion {
  readonly accountId: string;
  readonly id: string;
  /** The revision that the person who deletes it saw. */
  readonly revision: number;
  readonly by: Actor;
}

/** Deliveries that wait for its destination are cancelled; sent ones stay in the log, with its name. */
export async function deleteOwner(
  ctx: AccountsContext,
  kind: MadeKind,
  { accountId, id, revision, by }: OwnerDeletion,
): Promise<Result<{ readonly cancelled: number }>> {
  const view = await ctx.accounts.load(accountId);
  const destinationId = (view === null ? undefined : OWNERS[kind].find(view, id))?.destination?.id;
  const deletion = { accountId, id, expectedRevision: revision, by, nowMs: ctx.clock.nowMs() };
  const deleted = await MADE_OWNERS[kind].remove(ctx.store, deletion);
  ctx.accounts.forget(accountId);
  switch (deleted) {
    case "missing":
      return refuse(MADE_OWNERS[kind].missing);
    case "edited_meanwhile":
      return refuse(await editedMeanwhile(ctx, accountId, { kind, id }));
    case "deleted":
      return ok({ cancelled: await cancelAllWaiting(ctx, { accountId, destinationId }) });
  }
}
