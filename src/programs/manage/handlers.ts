/**
 * What each manage route does. Saving, deleting, tests and the rest are the page's own verbs, with its checks, words
 * and audit; what is here is that a program names webhooks by ids of its own, and says what it has seen by ETags.
 */
import type { Static, TSchema } from "typebox";
import { type AccountsContext, accountSuspended } from "../../accounts/context.ts";
import type { AccountView } from "../../accounts/account-view.ts";
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import type { CheckedOwner, Made, OwnerDeletion } from "../../accounts/owners.ts";
import { makePullToken } from "../../accounts/pull-token.ts";
import { checkAlert, deleteAlert } from "../../accounts/save-alert.ts";
import { checkAssistantWebhook, removeAssistantWebhook } from "../../accounts/save-assistant-webhook.ts";
import { checkWebhook, deleteWebhook } from "../../accounts/save-webhook.ts";
import type { DestinationState } from "../../domain/destination.ts";
import { stateAnew } from "../../domain/destination-now.ts";
import type { FormOf } from "../../domain/form.ts";
import { type Problem, problem, type Result } from "../../domain/problem.ts";
import type { Caller, DashboardContext } from "../../dashboard/call/context.ts";
import { belowWebhook, freshView } from "../../dashboard/call/fresh-view.ts";
import { invalidForm } from "../../dashboard/call/operation.ts";
import { sendAgain } from "../../dashboard/deliveries/deliveries.ts";
import { decideState, skipDelivery } from "../../dashboard/destinations/destinations.ts";
import { runSavedTest } from "../../dashboard/tests/tests.ts";
import { timeInWords } from "../../lib/written-times.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { MadeBy } from "../../store/contract/accounts.ts";
import { showOutcome } from "../show.ts";
import { refusalInSnake, type SettingsForm, showInSnake } from "./forms.ts";
import type { managedAnswer, putAnswer } from "./answers.ts";
import type { MANAGE_ROUTES, ManageRouteName } from "./routes.ts";
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

type Handler<Row> = (ctx: DashboardContext, call: ViewedCall<Row>) => Promise<Result<Managed<AnswerOf<Row>>>>;

type AnswerOf<Row> = Row extends { readonly answer: infer Schema extends TSchema } ? Static<Schema> : null;

/** As it is run: which types belong together was checked where the tables were put together. */
type AnyHandler = (ctx: DashboardContext, call: ViewedCall) => Promise<Result<Managed<unknown>>>;

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

/** `view`: the account as it is now, read once. */
type ViewedCall<Row = unknown> = ManageCall<Row> & { readonly view: AccountView };

/** `nothing`: `If-None-Match: *`. */
export type Seen = { readonly kind: "nothing" } | { readonly kind: "etags"; readonly etags: readonly string[] };

const MANAGE_HANDLERS: ManageHandlers = {
  async "GET /v1/accounts/:account_id/webhook-ids"(_, { view }) {
    const webhooks = [...listOwned(view)].flatMap((owned) => {
      const { callerId: id, id: webhookId, appliedAtMs } = owned.destination;
      if (id === null) return [];
      const { kind, name } = owned;
      const etag = writeEtag(owned);
      return [{ id, webhook_id: webhookId, kind, name, is_applied: appliedAtMs !== null, etag }];
    });
    return ok({ answer: { webhooks } });
  },
  async "GET /v1/accounts/:account_id/webhooks/:webhook_id"(_, call) {
    const found = find(call);
    return found.ok ? ok({ answer: show(found.value), etag: writeEtag(found.value) }) : found;
  },
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id": put,
  "DELETE /v1/accounts/:account_id/webhooks/:webhook_id": remove,
  async "PUT /v1/accounts/:account_id/webhooks/:webhook_id/state"(ctx, call) {
    const { caller, body } = call;
    const found = find(call);
    if (!found.ok) return found;
    return await toDone(decideState(ctx, caller, { destinationId: found.value.destination.id, ...body }));
  },
  async "POST /v1/accounts/:account_id/webhooks/:webhook_id/skip"(ctx, call) {
    const found = find(call);
    if (!found.ok) return found;
    const skip = { destinationId: found.value.destination.id, deliveryId: call.body.delivery_id };
    return await toDone(skipDelivery(ctx, call.caller, skip));
  },
  async "POST /v1/accounts/:account_id/webhooks/:webhook_id/test"(ctx, call) {
    const found = find(call);
    if (!found.ok) return found;
    const tested = await runSavedTest(ctx, call.caller, { destinationId: found.value.destination.id });
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
  async "POST /v1/accounts/:account_id/webhooks/:webhook_id/pull-token"(ctx, call) {
    const found = find(call);
    if (!found.ok) return found;
    const { accountId, by } = call.caller;
    const made = await makePullToken(ctx.accounts, { accountId, destinationId: found.value.destination.id, by });
    return made.ok ? ok({ answer: made.value }) : made;
  },
  async "POST /v1/accounts/:account_id/deliveries/:delivery_id/resend"(ctx, { caller, id }) {
    return await toDone(sendAgain(ctx, caller, id));
  },
};

async function toDone(doing: Promise<Result<null>>): Promise<Result<Managed<null>>> {
  const done = await doing;
  return done.ok ? ok({ answer: null }) : done;
}

/** Others' saves that come in between, one after the other. Guess. */
const TRIES_MAX = 5;

/**
 * Runs a call. Who does not say what they have seen wants their own in any case, though somebody saved in between; who
 * says it is told by the next try what has changed.
 */
export async function manage(
  ctx: DashboardContext,
  name: ManageRouteName,
  call: ManageCall,
): Promise<Result<Managed<unknown>>> {
  let done = await runOnce(ctx, name, call);
  for (let tries = 1; tries < TRIES_MAX && !done.ok && done.error.code === "edited_meanwhile"; tries += 1) {
    done = await runOnce(ctx, name, call);
  }
  return done;
}

/** Every act is in the audit, which may be open on a screen; a suspended account changes nothing. */
async function runOnce(
  ctx: DashboardContext,
  name: ManageRouteName,
  call: ManageCall,
): Promise<Result<Managed<unknown>>> {
  const view = await freshView(ctx, call.caller);
  if (!view.ok) return view;
  const handle = MANAGE_HANDLERS[name] as AnyHandler;
  const isLook = name.startsWith("GET ");
  if (!isLook && view.value.isSuspended) return refuse(accountSuspended);
  const done = await handle(ctx, { ...call, view: view.value });
  if (done.ok && !isLook) ctx.live.configurationChanged(call.caller.accountId);
  return done;
}

function find({ view, id }: Pick<ViewedCall, "view" | "id">): Result<Owned> {
  const found = findOwned(view, id);
  return found === null ? refuse(noWebhook(id)) : ok(found);
}

const noWebhook = (id: string): Problem => problem("webhook_not_found", `This account has no webhook "${id}".`);

type PutCall = ViewedCall<(typeof MANAGE_ROUTES)["PUT /v1/accounts/:account_id/webhooks/:webhook_id"]>;

async function put(ctx: DashboardContext, call: PutCall): Promise<Result<Managed<Static<typeof putAnswer>>>> {
  const { id, view, query, body: form } = call;
  const found = findOwned(view, id);
  const refused = refuseUnseen(found, call) ?? refuseOther(view, form, { found, id });
  if (refused !== null) return refuse(refused);
  const made = { callerId: id, appliedAtMs: query.applied === "1" ? ctx.accounts.clock.nowMs() : null };
  const isDryRun = query.dry_run === "1";
  const checked = await check(ctx.accounts, call, { found, made, isDryRun });
  if (!checked.ok) return refuse(refusalInSnake(belowWebhook(checked.error)));
  const { settings: own, destination, destinationId, save } = checked.value;
  const after = toSettings(form.kind, own, destination);
  const changed = found === null ? [] : [...listChanges(found.settings, after)];
  if (found !== null && changed.length === 0) return ok(toPut(show(found), { outcome: "unchanged", changed }));
  const saved = await save();
  if (!saved.ok) return saved;
  const outcome = found === null ? "created" : "changed";
  const state = stateAfter(found, changed);
  // The ETag of a dry run is of what is there: the next call is about that.
  if (isDryRun) {
    const shown = found === null ? showNew(made, after) : { ...show(found), state, settings: showSettings(after) };
    return ok(toPut(shown, { outcome, changed }));
  }
  // If the URL has changed, deliveries that wait are due.
  ctx.engine.nudge();
  const { revision } = saved.value;
  const kept = { ...(found?.destination ?? { ...made, id: destinationId }), state };
  const shown = show({ revision, destination: kept, settings: after });
  return ok({ ...toPut(shown, { outcome, changed }), isNew: found === null });
}

/** As the store makes it of a save. */
function stateAfter(found: Owned | null, changed: readonly string[]): DestinationState {
  const state = found?.destination.state ?? "on";
  return changed.includes("webhook.url") ? stateAnew(state) : state;
}

const toPut = (
  shown: Static<typeof managedAnswer>,
  done: Pick<Static<typeof putAnswer>, "outcome" | "changed">,
): Managed<Static<typeof putAnswer>> => ({ answer: { ...shown, ...done }, etag: shown.etag });

const noOwnWebhook = (id: string): Problem =>
  problem("webhook_not_found", `${noWebhook(id).detail} An id of yours does not begin with dst_.`);

interface Around {
  readonly found: Owned | null;
  readonly id: string;
}

/** What the address and the form say together. */
function refuseOther(view: AccountView, form: SettingsForm, { found, id }: Around): Problem | null {
  if (found === null && id.startsWith("dst_")) return noOwnWebhook(id);
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

interface Checking extends Required<Made> {
  readonly found: Owned | null;
}

/** By its kind, as the page's forms are checked. */
async function check(
  accounts: AccountsContext,
  { caller: { accountId, by }, view, body: { kind, own, webhook } }: PutCall,
  { found, ...made }: Checking,
): Promise<Result<Checked>> {
  const existing = found === null ? null : { id: found.ownerId, revision: found.revision };
  const draft = { accountId, existing, webhook, ...made, by };
  switch (kind) {
    case "alert":
      return toChecked(await checkAlert(accounts, { ...draft, settings: own }));
    case "webhook":
      return toChecked(await checkWebhook(accounts, { ...draft, settings: own }));
    case "assistant": {
      const { assistantId, ...settings } = own;
      const revision = view.assistants.get(assistantId)?.revision ?? null;
      const assistant = { accountId, assistantId, revision, webhook, ...made, by, ...settings };
      return toChecked(await checkAssistantWebhook(accounts, assistant), { assistantId });
    }
  }
}

type AnyChecked = CheckedOwner<object, { readonly revision: number }>;

interface Checked extends AnyChecked {
  readonly destination: NonNullable<AnyChecked["destination"]>;
}

/** A form of a program always has a webhook. */
function toChecked(checked: Result<AnyChecked>, more: object = {}): Result<Checked> {
  if (!checked.ok) return checked;
  const { settings, destination, ...rest } = checked.value;
  return destination === null
    ? refuse(destinationMissing)
    : ok({ ...rest, settings: { ...more, ...settings }, destination });
}

type DeleteCall = ViewedCall<(typeof MANAGE_ROUTES)["DELETE /v1/accounts/:account_id/webhooks/:webhook_id"]>;

async function remove(ctx: DashboardContext, call: DeleteCall): Promise<Result<Managed<null>>> {
  const { accountId, by } = call.caller;
  const found = find(call);
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

/** What an answer shows of it. */
interface Shown extends Pick<Owned, "revision" | "settings"> {
  readonly destination: Pick<Owned["destination"], "id" | "state" | keyof MadeBy>;
}

function show(owned: Shown): Static<typeof managedAnswer> {
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
