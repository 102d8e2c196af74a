/**
 * The accounts of a run as their owners set them up before it starts, through the verbs that the dashboard uses:
 * accounts with demo alerts and chat assistants, each with a receiver of its own, and in some runs with webhooks of
 * their own.
 */
import { makeAccount, makeAlertSettings, makeWebhookForm } from "../test/kit/make.ts";
import { toValue } from "../test/kit/world/world.ts";
import type { AccountsContext } from "../src/accounts/context.ts";
import { putAccount, putChatAssistant } from "../src/accounts/put-account.ts";
import { saveAlert } from "../src/accounts/save-alert.ts";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import { type WebhookSettings, saveWebhook } from "../src/accounts/save-webhook.ts";
import type { CustomHeader } from "../src/domain/destination.ts";
import type { Chance } from "./chance.ts";
import type { Actor } from "../src/domain/account.ts";
import { CONDITIONED, IF_BIG, TYPES } from "./event-types.ts";

export interface SetUpAccount {
  readonly id: string;
  readonly alertIds: readonly string[];
  /** Those with a webhook, and one that the product has not named before its first conversation. */
  readonly assistantIds: readonly string[];
  readonly webhookIds: readonly string[];
}

export const APP_URL = "https://app.example.com";

/** How many destinations have a receiver of their own at most: 3 accounts with 2 alerts and 2 assistants each. */
export const DESTINATIONS_MAX = 12;

export async function setUpAccounts(
  ctx: AccountsContext,
  chance: Chance,
  hosts: readonly string[],
): Promise<readonly SetUpAccount[]> {
  const free = [...hosts];
  const nextHost = () => free.shift() ?? chance.pick(hosts);
  const accounts: SetUpAccount[] = [];
  const count = chance.between(1, 3);
  for (let number = 1; number <= count; number += 1) {
    const id = `account-${number}`;
    await putAccount(ctx, makeAccount({ id, name: id, appUrl: APP_URL }));
    accounts.push({
      id,
      alertIds: await setUpAlerts(ctx, { accountId: id, hosts: times(chance.between(1, 2), nextHost) }),
      assistantIds: await setUpAssistants(ctx, { accountId: id, hosts: times(chance.between(1, 2), nextHost) }),
      webhookIds: [],
    });
  }
  return accounts;
}

interface SetUpParts {
  readonly accountId: string;
  /** One for each. */
  readonly hosts: readonly string[];
}

async function setUpAlerts(ctx: AccountsContext, { accountId, hosts }: SetUpParts): Promise<string[]> {
  const ids: string[] = [];
  for (const host of hosts) {
    const draft = { accountId, existing: null, settings: alertSettings(true), webhook: webhookTo(host), by: OWNER };
    ids.push(toValue(await saveAlert(ctx, draft)).id);
  }
  return ids;
}

async function setUpAssistants(ctx: AccountsContext, { accountId, hosts }: SetUpParts): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, host] of hosts.entries()) {
    const id = `assistant-${index + 1}`;
    await putChatAssistant(ctx, accountId, { id, name: id });
    toValue(
      await saveAssistantWebhook(ctx, {
        accountId,
        assistantId: id,
        revision: null,
        webhook: webhookTo(host),
        by: OWNER,
      }),
    );
    ids.push(id);
  }
  return [...ids, ...ids, "assistant-unknown"];
}

/** Gives each account webhooks that want several types. They share receivers with alerts and assistants. */
export async function addWebhooks(
  ctx: AccountsContext,
  chance: Chance,
  { accounts, hosts }: { readonly accounts: readonly SetUpAccount[]; readonly hosts: readonly string[] },
): Promise<readonly SetUpAccount[]> {
  const all: SetUpAccount[] = [];
  for (const account of accounts) {
    const { id } = account;
    // Any type may be wanted by a plan that has it; a lower one that comes later sends nothing of it.
    await putAccount(ctx, makeAccount({ id, name: id, plan: "premium", appUrl: APP_URL }));
    const webhookIds: string[] = [];
    for (let count = chance.between(1, 2); count > 0; count -= 1) {
      const draft = { accountId: id, existing: null, settings: drawSettings(chance), by: OWNER };
      webhookIds.push(toValue(await saveWebhook(ctx, { ...draft, webhook: webhookTo(chance.pick(hosts)) })).id);
    }
    if (chance.happens(0.5)) await putAccount(ctx, makeAccount({ id, name: id, appUrl: APP_URL }));
    all.push({ ...account, webhookIds });
  }
  return all;
}

/** From now on an assistant's webhook of each account goes one at a time; saves that say nothing of it leave it so. */
export async function beginOrders(ctx: AccountsContext, accounts: readonly SetUpAccount[]): Promise<void> {
  for (const { id: accountId, assistantIds } of accounts) {
    const view = await ctx.accounts.load(accountId);
    const [assistantId = ""] = assistantIds;
    const url = view?.assistants.get(assistantId)?.destination?.url ?? "";
    const webhook = { ...webhookTo(new URL(url).host), oneAtATime: true };
    toValue(await saveAssistantWebhook(ctx, { accountId, assistantId, revision: null, webhook, by: OWNER }));
  }
}

/** What a webhook wants: everything, or some types, one of them perhaps with a condition. */
export function drawSettings(chance: Chance): WebhookSettings {
  const some = TYPES.all.filter(() => chance.happens(0.5));
  const wanted = some.length === 0 ? [chance.pick(TYPES.all)] : some;
  const isConditioned = chance.happens(0.6);
  const events = wanted.map(({ type }) => ({
    type,
    conditions: isConditioned && type === CONDITIONED ? IF_BIG : null,
  }));
  return { name: "Several types", events: chance.happens(0.2) ? "all" : events };
}

/** Who decides everything in the simulator. */
export const OWNER: Actor = { person: "owner", role: "owner" };

export function alertSettings(webhooksOn: boolean) {
  return makeAlertSettings({ webhooksOn });
}

const HEADERS: readonly CustomHeader[] = [{ name: "x-token", value: "s3cret", secret: true }];

export function webhookTo(host: string) {
  const { oneAtATime: _unsaid, ...form } = makeWebhookForm({ url: `https://${host}/hook`, headers: HEADERS });
  return form;
}

function times<Item>(count: number, draw: () => Item): Item[] {
  return Array.from({ length: count }, draw);
}
