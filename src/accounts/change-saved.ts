/**
 * Changes a part of a saved webhook by the verb behind its form: checked, limited and audited as if a person had opened
 * the form, changed that part and saved. Secrets are kept as the form keeps them: for the origin that they were saved
 * for.
 */
import type { Actor } from "../domain/account.ts";
import type { Owner } from "../domain/event.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, problem, type Result } from "../domain/problem.ts";
import { type HeaderForm, type KeptSettings, pickKept, type WebhookForm } from "../domain/webhook-form.ts";
import { isPulled } from "../domain/pull.ts";
import { parseWebhookUrl } from "../egress/webhook-url.ts";
import { ok, refuse } from "../lib/result.ts";
import type { AccountView, DestinationView, OwnerView } from "./account-view.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { MADE_OWNERS } from "./owners.ts";
import { saveAlert, deleteAlert } from "./save-alert.ts";
import { assistantMissing, removeAssistantWebhook, saveAssistantWebhook } from "./save-assistant-webhook.ts";
import { deleteWebhook, saveWebhook } from "./save-webhook.ts";

/** The form with everything as it is saved. */
export const toSavedForm = (saved: DestinationView): WebhookForm & KeptSettings => ({
  ...pickKept(saved),
  url: saved.url,
  headers: saved.headers.map(({ name, value, secret }) => ({ name, value: secret ? null : value, secret })),
  authentication: toSavedAuthentication(saved),
});

function toSavedAuthentication({ authentication }: DestinationView): NonNullable<WebhookForm["authentication"]> {
  const { oauth = null, certificate = null } = authentication ?? {};
  return {
    oauth: oauth === null ? null : { ...oauth, clientSecret: null },
    certificate: certificate === null ? null : { chain: certificate.chain, key: null },
  };
}

/* An owner as it is saved now, with the verbs that save and delete it over that revision. */

export interface SavedOwner {
  readonly name: string;
  readonly destination: DestinationView | null;
  save(webhook: WebhookForm): Promise<Result<unknown>>;
  /** An assistant is the product's, so its webhook goes and it stays. */
  remove(): Promise<Result<unknown>>;
}

interface OwnerOf extends Owner {
  readonly accountId: string;
  readonly by: Actor;
}

export async function loadSavedOwner(ctx: AccountsContext, { accountId, by, ...owner }: OwnerOf) {
  const view = await ctx.accounts.load(accountId);
  if (view === null) return refuse(accountMissing(accountId));
  return FIND[owner.kind](ctx, view, { accountId, by, ...owner });
}

type Find = (ctx: AccountsContext, view: AccountView, owner: OwnerOf) => Result<SavedOwner>;

const FIND: Readonly<Record<Owner["kind"], Find>> = {
  alert(ctx, { alerts }, { accountId, by, id }) {
    const found = alerts.find(({ alert }) => alert.id === id);
    if (found === undefined) return refuse(MADE_OWNERS.alert.missing);
    const { id: _, conditions: __, ...settings } = found.alert;
    const draft = { accountId, existing: { id, revision: found.revision }, settings, by };
    return ok({
      name: settings.name,
      destination: found.destination,
      save: (webhook) => saveAlert(ctx, { ...draft, webhook }),
      remove: () => deleteAlert(ctx, toDeletion(found, { accountId, id, by })),
    });
  },
  assistant(ctx, { assistants }, { accountId, by, id }) {
    const found = assistants.get(id);
    if (found === undefined) return refuse(assistantMissing(id));
    const decision = { accountId, assistantId: id, revision: found.revision, by };
    return ok({
      name: found.name,
      destination: found.destination,
      save: (webhook) => saveAssistantWebhook(ctx, { ...decision, webhook }),
      remove: async () => (found.destination === null ? refuse(NO_URL) : await removeAssistantWebhook(ctx, decision)),
    });
  },
  webhook(ctx, { webhooks }, { accountId, by, id }) {
    const found = webhooks.find(({ webhook }) => webhook.id === id);
    if (found === undefined) return refuse(MADE_OWNERS.webhook.missing);
    const { name, events } = found.webhook;
    // Without their conditions: those that are left out stay.
    const settings = { name, events: events === "all" ? events : events.map(({ type }) => ({ type })) };
    const draft = { accountId, existing: { id, revision: found.revision }, settings, by };
    return ok({
      name,
      destination: found.destination,
      save: (webhook) => saveWebhook(ctx, { ...draft, webhook }),
      remove: () => deleteWebhook(ctx, toDeletion(found, { accountId, id, by })),
    });
  },
};

const toDeletion = ({ revision }: OwnerView, owner: Omit<OwnerOf, "kind">) => ({ ...owner, revision });

/** Of a step that needs a URL, told of one that has none. */
export const NO_URL: Problem = problem("destination_not_found", "It has no Webhook URL yet.");

/* The parts that are changed. Pure. */

/** With this header, in the place of one of its name. */
export function withHeader(form: WebhookForm, header: HeaderForm): WebhookForm {
  const place = form.headers.findIndex(({ name }) => isSameName(name, header.name));
  const headers = place === -1 ? [...form.headers, header] : form.headers.with(place, header);
  return { ...form, headers };
}

/** It is put on, or taken off. */
export function withTag(
  form: WebhookForm & KeptSettings,
  { tag, isOn }: { readonly tag: string; readonly isOn: boolean },
): Result<WebhookForm> {
  const others = form.tags.filter((each) => each !== tag.trim());
  if (!isOn) return ok({ ...form, tags: others });
  if (others.length < LIMITS.tagsMax) return ok({ ...form, tags: [...others, tag] });
  return refuse(problem("invalid_form", `It has ${LIMITS.tagsMax} tags, and a webhook has no more.`));
}

export interface Move {
  /** As a person typed it: scheme, host and port. */
  readonly origin: string;
  /** By the header's name: what the new host gets. */
  readonly secrets: Readonly<Record<string, string | null>>;
}

/** The same path at another host. */
export function moveForm(form: WebhookForm, { origin, secrets }: Move): Result<WebhookForm> {
  if (isPulled(form)) return refuse(problem("invalid_webhook_url", "A program asks for it, so it goes to no host."));
  const to = parseWebhookUrl(origin);
  if (!to.ok) return refuse(badOrigin(to.error.replaceAll("Webhook URL", "new host")));
  if (to.value.pathname !== "/" || to.value.search !== "") {
    return refuse(badOrigin(`has a path; write ${to.value.origin}, because each webhook keeps its own path`));
  }
  const { pathname, search, origin: from } = new URL(form.url);
  if (from === to.value.origin) return refuse(problem("invalid_webhook_url", `It goes to ${from} already.`));
  const values = new Map(Object.entries(secrets).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = form.headers.map((header) =>
    header.value === null ? { ...header, value: values.get(header.name.toLowerCase()) ?? null } : header,
  );
  return ok({ ...form, url: `${to.value.origin}${pathname}${search}`, headers });
}

const badOrigin = (message: string): Problem =>
  problem("invalid_webhook_url", "The new host cannot be used.", [{ path: "origin", message }]);

const isSameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();
