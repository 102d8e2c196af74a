/** What tests set up without the page, when the page is not what they are about. */
import { saveAlert } from "../../../src/accounts/save-alert.ts";
import { saveAssistantWebhook } from "../../../src/accounts/save-assistant-webhook.ts";
import type { Dashboard } from "../world/dashboard.ts";
import { ADA, valueOf } from "../world/world.ts";

interface Webhook {
  readonly url: string;
  readonly name?: string;
}

/** A saved alert for every session; returns its id. */
export async function createAlertFor(
  { app }: Dashboard,
  accountId: string,
  { url, name = "To a receiver" }: Webhook,
): Promise<string> {
  const settings = { name, audience: "all", demos: [], intentLevels: [], webhooksOn: true } as const;
  const webhook = { url, headers: [], ratePerSecond: null };
  return valueOf(await saveAlert(app.accounts, { accountId, existing: null, settings, webhook, by: ADA })).id;
}

export async function giveWebhook(
  { app }: Dashboard,
  accountId: string,
  { assistantId, url }: { readonly assistantId: string; readonly url: string },
): Promise<void> {
  const webhook = { url, headers: [], ratePerSecond: null };
  valueOf(await saveAssistantWebhook(app.accounts, { accountId, assistantId, revision: null, webhook, by: ADA }));
}
