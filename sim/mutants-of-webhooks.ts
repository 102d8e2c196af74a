/** Bugs in which events webhooks get. See `mutants.ts`. */
import type { AccountCache } from "../src/accounts/account-cache.ts";
import type { AccountView } from "../src/accounts/account-view.ts";
import type { DeliveryContext } from "../src/delivery/context.ts";
import type { WantedEvents } from "../src/domain/webhook.ts";
import type { Connection } from "../src/store/sqlite/connection/connection.ts";
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
  failure_holds_nobody: {
    bug: "where one goes at a time, a delivery that waits for its retry lets the next one by",
    faults: ["order", "server_error", "crash"],
    onDatabase: (db) => changeHeads(db, /and not w\.is_ended/, "and not w.is_ended and w.due_at <= ?2"),
  },
  order_of_ids: {
    bug: "an order is that of the ids, which nodes make by their own clocks",
    faults: ["order", "clock_jump", "server_error"],
    onDatabase: (db) => changeHeads(db, /order by o\.seq/, "order by o.delivery_id"),
  },
};

/** In the statement that finds the head. */
const changeHeads = (db: Connection, pattern: RegExp, to: string): Connection => ({
  ...db,
  each: (sql, ...values) => db.each(sql.includes("find head of order") ? sql.replace(pattern, to) : sql, ...values),
});

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
