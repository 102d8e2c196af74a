/**
 * Which of the product's kinds an account uses: demo sessions with their alerts, and chat assistants with their
 * conversations. Pages name neither where they are not used. One that is not used yet looks like that too, so a kind is
 * left out only where the account has a webhook, types of its own are declared, and nothing of the kind was ever there.
 */
import type { AccountView } from "../../accounts/account-view.ts";
import { findWanted } from "../../domain/webhook.ts";
import { chatConversationCompleted } from "../../events/chat-conversation-completed.ts";
import { demoViewed } from "../../events/demo-viewed.ts";
import type { ReadContext } from "../call/context.ts";
import type { SessionAnswer } from "../contract/session.ts";

export async function findUses({ accounts }: ReadContext, view: AccountView): Promise<SessionAnswer["uses"]> {
  const { account, alerts, assistants, webhooks } = view;
  if (accounts.types.declarations.length === 0 || webhooks.length === 0) return { demos: true, chats: true };
  const isWanted = (type: string): boolean =>
    webhooks.some(({ webhook }) => webhook.events !== "all" && findWanted(webhook, type) !== null);
  const wasAccepted = async (type: string): Promise<boolean> =>
    (await accounts.store.listEvents({ accountId: account.id, type, before: null, limit: 1 })).length > 0;
  const isUsed = async (owners: number, type: string): Promise<boolean> =>
    owners > 0 || isWanted(type) || (await wasAccepted(type));
  return {
    demos: await isUsed(alerts.length, demoViewed.type),
    chats: await isUsed(assistants.size, chatConversationCompleted.type),
  };
}
