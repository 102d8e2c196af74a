/**
 * The accounts of a run as their owners set them up before it starts, through the verbs that the dashboard uses:
 * accounts with demo alerts and chat assistants, each with a receiver of its own.
 */
import { toValue } from "../test/kit/world/world.ts";
import type { AccountsContext } from "../src/accounts/context.ts";
import { putAccount, putChatAssistant } from "../src/accounts/put-account.ts";
import { saveAlert } from "../src/accounts/save-alert.ts";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import type { CustomHeader } from "../src/domain/destination.ts";
import type { Chance } from "./chance.ts";
import type { Actor } from "../src/domain/account.ts";

export interface SetUpAccount {
  readonly id: string;
  readonly alertIds: readonly string[];
  /** Those with a webhook, and one that the product has not named before its first conversation. */
  readonly assistantIds: readonly string[];
}

export const APP_URL = "https://app.example.com";

/** How many destinations a run has at most: 3 accounts with 2 alerts and 2 assistants each. */
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
    await putAccount(ctx, { id, name: id, plan: "starter", appUrl: APP_URL });
    accounts.push({
      id,
      alertIds: await setUpAlerts(ctx, { accountId: id, hosts: times(chance.between(1, 2), nextHost) }),
      assistantIds: await setUpAssistants(ctx, { accountId: id, hosts: times(chance.between(1, 2), nextHost) }),
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

/** Who decides everything in the simulator. */
export const OWNER: Actor = { person: "owner", role: "owner" };

export function alertSettings(webhooksOn: boolean) {
  return { name: "Everyone", audience: "all", demos: [], intentLevels: [], webhooksOn } as const;
}

const HEADERS: readonly CustomHeader[] = [{ name: "x-token", value: "s3cret", secret: true }];

export function webhookTo(host: string) {
  return { url: `https://${host}/hook`, headers: HEADERS };
}

function times<Item>(count: number, draw: () => Item): Item[] {
  return Array.from({ length: count }, draw);
}
