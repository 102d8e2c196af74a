/**
 * What each manage route does. Saving, deleting, tests and the rest are the page's own verbs, with its checks, words
 * and audit; what is here is that a program names webhooks by ids of its own, and says what it has seen by ETags.
 */
import type { Static, TSchema } from "typebox";
import { type AccountsContext, accountSuspended } from "../../accounts/context.ts";
import type { AccountView } from "../../accounts/account-view.ts";
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import type { CheckedOwner, OwnerDeletion } from "../../accounts/owners.ts";
import { makePullToken } from "../../accounts/pull-token.ts";
import { checkAlert, deleteAlert } from "../../accounts/save-alert.ts";
import { checkAssistantWebhook, removeAssistantWebhook } from "../../accounts/save-assistant-webhook.ts";
import { checkWebhook, deleteWebhook } from "../../accounts/save-webhook.ts";
import type { FormOf } from "../../domain/form.ts";
import { type Problem, problem, type Result } from "../../domain/problem.ts";
import type { Caller, DashboardContext } from "../../dashboard/call/context.ts";
import { belowWebhook, freshView } from "../../dashboard/call/fresh-view.ts";
import { invalidForm } from "../../dashboard/call/operation.ts";
import { sendAgain } from "../../dashboard/deliveries/deliveries.ts";
import { decideState } from "../../dashboard/destinations/destinations.ts";
import { runSavedTest } from "../../dashboard/tests/tests.ts";
import { timeInWords } from "../../lib/written-times.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { MadeBy } from "../../store/contract/accounts.ts";
import { showOutcome } from "../show.ts";
import { refusalInSnake, type SettingsForm, showInSnake } from "./forms.ts";
import type { managedAnswer, putAnswer } from "./answers.ts";
import { isCallersId, type MANAGE_ROUTES, type ManageRouteName } from "./routes.ts";
import {
  findOwned,
  hideSecrets,
  listChanges,
  listOwned,
  type Owned,
  readChanges,
  type Settings,
  toSettings,
  writeEtag,
} from "./settings.ts";

export type ManageHandlers = { readonly [Name in ManageRouteName]: Handler<(typeof MANAGE_ROUTES)[Name]> };

type Handler<Row> = (ctx: DashboardContext, call: ManageCall<Row>) => Promise<Result<Managed<AnswerOf<Row>>>>;

type AnswerOf<Row> = Row extends { readonly answer: infer Schema extends TSchema } ? Static<Schema> : null;

/** As it is run: which types belong together was checked where the tables were put together. */
type AnyHandler = (ctx: DashboardContext, call: ManageCall) => Promise<Result<Managed<unknown>>>;

/** An answer, `null` for none, with what its head says. */
export interface Managed<Answer> {
  readonly answer: Answer;
  readonly isNew?: boolean;
  readonly etag?: string | null;
}

export interface ManageCall<Row = unknown> {
  readonly caller: Caller;
  /** Of what is asked for, by the address; empty where it names none. */
  readonly id: string;
  readonly query: Row extends { readonly query: infer Schema extends TSchema } ? FormOf<Schema> : unknown;
  readonly body: Row extends { readonly operationId: "putWebhook" }
    ? SettingsForm
    : Row extends { readonly body: infer Schema extends TSchema }
      ? FormOf<Schema>
      : unknown;
  /** What the caller has seen; `null` where they do not say. */
  readonly seen: Seen | null;
}

/** `nothing`: `If-None-Match: *`. */
export type Seen = { readonly kind: "nothing" } | { readonly kind: "etags"; readonly etags: readonly string[] };

const MANAGE_HANDLERS: ManageHandlers = {
  async "GET /v1/accounts/:account_id/webhook-ids"(ctx, { caller }) {
    const view = await freshView(ctx, caller);
    if (!view.ok) return view;
    const webhooks = [...listOwned(view.value)].flatMap((owned) => {
      const { callerId: id, id: webhookId, appliedAtMs } = owned.destination;
      if (id === null) return [];
      const { kind, name } = owned;
      const etag = writeEtag(owned);
      return [{ id, webhook_id: webhookId, kind, name, is_applied: appliedAtMs !== null, etag }];
    });
    return ok({ answer: { webhooks } });
  },
  async "GET /v1/accounts/:account_id/webhooks/:webhook_id"(ctx, { caller, id }) {
    const found = await find(ctx, caller, id);
    return found.ok ? ok({ answer: show(found.value), etag: writeEtag(found.value) }) : found;
  },
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id": (ctx, call) => again(() => put(ctx, call)),
  "DELETE /v1/accounts/:account_id/webhooks/:webhook_id": (ctx, call) => again(() => remove(ctx, call)),
  async "PUT /v1/accounts/:account_id/webhooks/:webhook_id/state"(ctx, { caller, id, body }) {
    const found = await find(ctx, caller, id);
    if (!found.ok) return found;
    const decided = await decideState(ctx, caller, { destinationId: found.value.destination.id, ...body });
    return decided.ok ? ok({ answer: null }) : decided;
  },
  async "POST /v1/accounts/:account_id/webhooks/:webhook_id/test"(ctx, { caller, id }) {
    const found = await find(ctx, caller, id);
    if (!found.ok) return found;
    const tested = await runSavedTest(ctx, caller, { destinationId: found.value.destination.id });
    if (!tested.ok) return refuse(refusalInSnake(tested.error));
    const { deliveryId, outcome, request } = tested.value;
    return ok({
      answer: {
        delivery_id: deliveryId,
        ...showOutcome(outcome),
        request: { ...request, headers: { ...request.headers } },
      },
    });
  },
  async "POST /v1/accounts/:account_id/webhooks/:webhook_id/pull-token"(ctx, { caller, id }) {
    const found = await find(ctx, caller, id);
    if (!found.ok) return found;
    const { accountId, by } = caller;
    const made = await makePullToken(ctx.accounts, { accountId, destinationId: found.value.destination.id, by });
    return made.ok ? ok({ answer: made.value }) : made;
  },
  async "POST /v1/accounts/:account_id/deliveries/:delivery_id/resend"(ctx, { caller, id }) {
    const queued = await sendAgain(ctx, caller, id);
    return queued.ok ? ok({ answer: null }) : queued;
  },
};

/** Runs a call. Every act is in the audit, which may be open on a screen; a suspended account changes nothing. */
export async function manage(
  ctx: DashboardContext,
  name: ManageRouteName,
  call: ManageCall,
): Promise<Result<Managed<unknown>>> {
  const handle = MANAGE_HANDLERS[name] as AnyHandler;
  if (name.startsWith("GET ")) return await handle(ctx, call);
  const view = await freshView(ctx, call.caller);
  if (view.ok && view.value.isSuspended) return refuse(accountSuspended);
  const done = await handle(ctx, call);
  if (done.ok) ctx.live.configurationChanged(call.caller.accountId);
  return done;
}

async function find(ctx: DashboardContext, caller: Caller, id: string): Promise<Result<Owned>> {
  const view = await freshView(ctx, caller);
  if (!view.ok) return view;
  const found = findOwned(view.value, id);
  return found === null ? refuse(noWebhook(id)) : ok(found);
}

const noWebhook = (id: string): Problem => problem("webhook_not_found", `This account has no webhook "${id}".`);

/** Others' saves that come in between, one after the other. Guess. */
const TRIES_MAX = 5;

/**
 * Somebody saved in between. Who does not say what they have seen wants their own in any case; who says it is told by
 * the next try what has changed.
 */
async function again<Value>(write: () => Promise<Result<Value>>): Promise<Result<Value>> {
  let written = await write();
  for (let tries = 1; tries < TRIES_MAX && !written.ok && written.error.code === "edited_meanwhile"; tries += 1) {
    written = await write();
  }
  return written;
}

type PutCall = ManageCall<(typeof MANAGE_ROUTES)["PUT /v1/accounts/:account_id/webhooks/:webhook_id"]>;

async function put(ctx: DashboardContext, call: PutCall): Promise<Result<Managed<Static<typeof putAnswer>>>> {
  const { caller, id, query, body: form } = call;
  const view = await freshView(ctx, caller);
  if (!view.ok) return view;
  const found = findOwned(view.value, id);
  const refused = refuseUnseen(found, call) ?? refuseOther(view.value, form, { found, id });
  if (refused !== null) return refuse(refused);
  const appliedAtMs = query.applied === "1" ? ctx.accounts.clock.nowMs() : null;
  const made = { callerId: id, appliedAtMs };
  const checked = await check(ctx.accounts, form, { caller, found, view: view.value, made });
  if (!checked.ok) return refuse(refusalInSnake(belowWebhook(checked.error)));
  const { settings: own, destination, save } = checked.value;
  const after = toSettings(form.kind, own, destination);
  const changed = found === null ? [] : listChanges(found.settings, after);
  const outcome = found === null ? "created" : changed.length > 0 ? "changed" : "unchanged";
  if (query.dry_run === "1" || outcome === "unchanged") {
    // The ETag is of what is there: the next call is about that.
    const shown = found === null ? showNew(made, after) : { ...show(found), settings: showSettings(after) };
    return ok({ answer: { ...shown, outcome, changed: [...changed] }, etag: shown.etag });
  }
  const saved = await save();
  if (!saved.ok) return saved;
  // If the URL has changed, deliveries that wait are due.
  ctx.engine.nudge();
  const now = await find(ctx, caller, id);
  if (!now.ok) return now;
  const shown = show(now.value);
  return ok({ answer: { ...shown, outcome, changed: [...changed] }, etag: shown.etag, isNew: found === null });
}

interface Around {
  readonly found: Owned | null;
  readonly id: string;
}

/** What the address and the form say together. */
function refuseOther(view: AccountView, form: SettingsForm, { found, id }: Around): Problem | null {
  if (found === null && !isCallersId(id)) return noWebhook(id);
  if (found !== null && found.kind !== form.kind) {
    return invalidForm([{ path: "kind", message: `must be ${found.kind}, as it was made` }]);
  }
  if (form.kind !== "assistant") return null;
  const path = "assistant_id";
  if (found !== null && found.ownerId !== form.own.assistantId) {
    return invalidForm([{ path, message: `must be ${found.ownerId}, as it was made` }]);
  }
  const other = view.assistants.get(form.own.assistantId)?.destination ?? null;
  if (found !== null || other === null) return null;
  const message = `has a webhook already, which is "${other.callerId ?? other.id}": put that one, or delete it`;
  return invalidForm([{ path, message }]);
}

interface Checking {
  readonly caller: Caller;
  readonly found: Owned | null;
  readonly view: AccountView;
  readonly made: MadeBy;
}

/** By its kind, as the page's forms are checked. */
async function check(
  accounts: AccountsContext,
  { kind, own, webhook }: SettingsForm,
  { caller: { accountId, by }, found, view, made }: Checking,
): Promise<Result<Checked>> {
  const existing = found === null ? null : { id: found.ownerId, revision: found.revision };
  const draft = { accountId, existing, webhook, made, by };
  switch (kind) {
    case "alert":
      return toChecked(await checkAlert(accounts, { ...draft, settings: own }));
    case "webhook":
      return toChecked(await checkWebhook(accounts, { ...draft, settings: own }));
    case "assistant": {
      const { assistantId, ...settings } = own;
      const revision = view.assistants.get(assistantId)?.revision ?? null;
      const assistant = { accountId, assistantId, revision, webhook, made, by, ...settings };
      return toChecked(await checkAssistantWebhook(accounts, assistant), { assistantId });
    }
  }
}

interface Checked {
  readonly settings: object;
  readonly destination: NonNullable<CheckedOwner<object>["destination"]>;
  readonly save: () => Promise<Result<unknown>>;
}

/** A form of a program always has a webhook. */
function toChecked(checked: Result<CheckedOwner<object, object>>, more: object = {}): Result<Checked> {
  if (!checked.ok) return checked;
  const { settings, destination, save } = checked.value;
  return destination === null
    ? refuse(destinationMissing)
    : ok({ settings: { ...more, ...settings }, destination, save });
}

type DeleteCall = ManageCall<(typeof MANAGE_ROUTES)["DELETE /v1/accounts/:account_id/webhooks/:webhook_id"]>;

async function remove(ctx: DashboardContext, call: DeleteCall): Promise<Result<Managed<null>>> {
  const { accountId, by } = call.caller;
  const found = await find(ctx, call.caller, call.id);
  if (!found.ok) return found;
  const refused = refuseUnseen(found.value, call);
  if (refused !== null) return refuse(refused);
  const { kind, ownerId: id, revision } = found.value;
  const removed = await REMOVE[kind](ctx.accounts, { accountId, id, revision, by });
  return removed.ok ? ok({ answer: null }) : removed;
}

const REMOVE: Readonly<
  Record<Owned["kind"], (ctx: AccountsContext, deletion: OwnerDeletion) => Promise<Result<unknown>>>
> = {
  alert: deleteAlert,
  webhook: deleteWebhook,
  assistant: (ctx, { id, ...rest }) => removeAssistantWebhook(ctx, { ...rest, assistantId: id }),
};

/** Whether the caller has seen what is there; else who changed it, and which fields. */
function refuseUnseen(found: Owned | null, { seen }: Pick<ManageCall, "seen">): Problem | null {
  if (seen === null) return null;
  if (seen.kind === "nothing") {
    return found === null ? null : unseen(`It is there already${byWhom(found)}. Look at it, and put it with If-Match.`);
  }
  if (found === null) return unseen("It is not there any more, or never was.");
  const { etags } = seen;
  if (etags.includes("*") || etags.includes(writeEtag(found))) return null;
  const changed = readChanges(found, etags[0] ?? "");
  if (changed === null) return unseen(`It is another one than you have seen${byWhom(found)}. Look at it again.`);
  // A secret's value is in no ETag.
  const what = changed.length === 0 ? "a secret value, or nothing that is shown" : changed.join(", ");
  const errors = changed.map((path) => ({ path, message: "was changed since you looked" }));
  return unseen(`Changed since you looked${byWhom(found)}: ${what}. Look at it again.`, errors);
}

const unseen = (detail: string, errors?: Problem["errors"]): Problem => problem("precondition_failed", detail, errors);

const byWhom = ({ changed }: Owned): string =>
  changed === null ? "" : `, saved last by ${changed.by} at ${timeInWords(changed.atMs)}`;

function show(owned: Owned): Static<typeof managedAnswer> {
  const { destination, settings } = owned;
  return {
    ...showNew(destination, settings),
    webhook_id: destination.id,
    state: destination.state,
    etag: writeEtag(owned),
  };
}

const showNew = ({ callerId, appliedAtMs }: MadeBy, settings: Settings): Static<typeof managedAnswer> => ({
  id: callerId,
  webhook_id: null,
  is_applied: appliedAtMs !== null,
  state: "on",
  etag: null,
  settings: showSettings(settings),
});

const showSettings = (settings: Settings): unknown => showInSnake(hideSecrets(settings));
