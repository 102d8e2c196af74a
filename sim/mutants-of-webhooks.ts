/** Bugs in which events webhooks get. See `mutants.ts`. */
import type { AccountCache } from "../src/accounts/account-cache.ts";
import type { AccountView } from "../src/accounts/account-view.ts";
import type { DeliveryContext } from "../src/delivery/context.ts";
import type { WantedEvents } from "../src/domain/webhook.ts";
import type { Mutant } from "./mutant.ts";

export const WEBHOOK_MUTANTS: Readonly<Record<string, Mutant>> = {
  unwanted_type_sent: {
    bug: "a webhook gets types that it does not want",
    faults: ["webhooks"],
    onContext: (ctx) => changeWebhooks(ctx, () => "all"),
  },
  conditions_of_another_type: {
    bug: "what a webhook demands of one type is demanded of its other types too",
    faults: ["webhooks"],
    onContext: (ctx) =>
      changeWebhooks(ctx, (events) => {
        if (events === "all") return events;
        const conditions = events.find((wanted) => wanted.conditions !== null)?.conditions ?? null;
        return events.map(({ type }) => ({ type, conditions }));
      }),
  },
};

/** The context with another answer to who gets what. */
export const changeAccounts = (ctx: DeliveryContext, changes: Partial<AccountCache>): DeliveryContext => ({
  ...ctx,
  accounts: { ...ctx.accounts, ...changes },
});

/** What webhooks want, in the views that events are routed by. */
function changeWebhooks(ctx: DeliveryContext, change: (events: WantedEvents) => WantedEvents): DeliveryContext {
  const changed = (view: AccountView | null): AccountView | null =>
    view && {
      ...view,
      webhooks: view.webhooks.map((owner) => ({
        ...owner,
        webhook: { ...owner.webhook, events: change(owner.webhook.events) },
      })),
    };
  const { accounts } = ctx;
  return changeAccounts(ctx, {
    load: async (...wanted) => changed(await accounts.load(...wanted)),
    loadCurrent: async (...wanted) => changed(await accounts.loadCurrent(...wanted)),
  });
}
