/**
 * Alerts, assistants' webhooks and webhooks of their own, saved by the program's own verbs: for tests that are about
 * what follows.
 */
import { putChatAssistant } from "../../../src/accounts/put-account.ts";
import type { AccountsContext } from "../../../src/accounts/context.ts";
import type { KeptSettings, WebhookForm } from "../../../src/domain/webhook-form.ts";
import { type AlertDraft, saveAlert } from "../../../src/accounts/save-alert.ts";
import { makePullToken } from "../../../src/accounts/pull-token.ts";
import { saveAssistantWebhook } from "../../../src/accounts/save-assistant-webhook.ts";
import { type WantedEventsForm, saveWebhook } from "../../../src/accounts/save-webhook.ts";
import type { BodySettings } from "../../../src/domain/body.ts";
import type { Actor } from "../../../src/domain/account.ts";
import { PULL_URL } from "../../../src/domain/pull.ts";
import { makeAlertSettings, makeWebhookForm } from "../make.ts";
import { ADA, toValue } from "./world.ts";

export interface AlertParams {
  readonly accountId: string;
  readonly url: string;
  /** The URL unless given. */
  readonly name?: string;
  readonly headers?: WebhookForm["headers"];
  /** Sessions of which intent levels fire it; every level unless given. */
  readonly intentLevels?: readonly string[];
  /** Sessions of which demos fire it; every demo unless given. */
  readonly demos?: readonly string[];
  readonly by?: Actor;
}

export function toAlertDraft({
  accountId,
  url,
  name = url,
  headers = [],
  by = ADA,
  ...fires
}: AlertParams): AlertDraft {
  const settings = makeAlertSettings({ name, ...fires });
  return { accountId, existing: null, settings, webhook: makeWebhookForm({ url, headers }), by };
}

export interface SavedAlert {
  readonly id: string;
  readonly revision: number;
  readonly destinationId: string;
}

export async function createAlert(accounts: AccountsContext, alert: AlertParams): Promise<SavedAlert> {
  const { id, revision } = toValue(await saveAlert(accounts, toAlertDraft(alert)));
  const view = await accounts.accounts.load(alert.accountId);
  const destination = view?.alerts.find((saved) => saved.alert.id === id)?.destination ?? null;
  if (destination === null) throw new Error(`the alert ${id} has no destination`);
  return { id, revision, destinationId: destination.id };
}

export interface WebhookParams extends Partial<BodySettings> {
  readonly accountId: string;
  readonly assistantId: string;
  readonly url: string;
  readonly headers?: WebhookForm["headers"];
  readonly by?: Actor;
}

/** Gives a Webhook URL to an assistant that is there. */
export async function giveWebhook(
  accounts: AccountsContext,
  { accountId, assistantId, by = ADA, ...form }: WebhookParams,
): Promise<void> {
  const webhook = makeWebhookForm(form);
  toValue(await saveAssistantWebhook(accounts, { accountId, assistantId, revision: null, webhook, by }));
}

/** A new assistant, named like its id, with a Webhook URL. */
export async function createAssistant(accounts: AccountsContext, params: WebhookParams): Promise<void> {
  const { accountId, assistantId: id } = params;
  toValue(await putChatAssistant(accounts, accountId, { id, name: id }));
  await giveWebhook(accounts, params);
}

/** A webhook that is asked, and the token that asks. */
export async function createPulled(
  accounts: AccountsContext,
  params: Omit<OwnWebhookParams, "url">,
): Promise<{ readonly id: string; readonly destinationId: string; readonly token: string }> {
  const { accountId, by = ADA } = params;
  const id = await createWebhook(accounts, { name: "My program", ...params, url: PULL_URL });
  const view = await accounts.accounts.loadAnew(accountId);
  const destinationId = view?.webhooks.find(({ webhook }) => webhook.id === id)?.destination.id ?? "";
  return { id, destinationId, ...toValue(await makePullToken(accounts, { accountId, destinationId, by })) };
}

export interface OwnWebhookParams extends Partial<KeptSettings> {
  readonly accountId: string;
  readonly url: string;
  /** The URL unless given. */
  readonly name?: string;
  /** Every type, unless given. */
  readonly events?: WantedEventsForm;
  readonly headers?: WebhookForm["headers"];
  readonly by?: Actor;
}

/** A webhook as Settings → Webhooks makes it; returns its id. */
export async function createWebhook(
  accounts: AccountsContext,
  { accountId, name, events = "all", by = ADA, ...form }: OwnWebhookParams,
): Promise<string> {
  const webhook = makeWebhookForm(form);
  const settings = { name: name ?? form.url, events };
  return toValue(await saveWebhook(accounts, { accountId, existing: null, settings, webhook, by })).id;
}
