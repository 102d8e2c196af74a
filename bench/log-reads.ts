/** What programs read, as the read routes' handlers ask the store: each filter, a deep page, and single things. */
import { RETRY_SCHEDULE } from "../src/domain/retry-schedule.ts";
import type { ReadContext } from "../src/dashboard/call/context.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs, hoursMs } from "../src/lib/duration.ts";
import { READ_HANDLERS } from "../src/programs/handlers.ts";
import type { Store } from "../src/store/contract/store.ts";
import { emailOf, wordOf } from "./log-bodies.ts";
import type { MadeAccount } from "./log-history.ts";

interface Context {
  readonly store: Store;
  readonly account: MadeAccount;
  readonly nowMs: number;
}

type DeliveriesCall = Parameters<(typeof READ_HANDLERS)["GET /v1/accounts/:account_id/deliveries"]>[1];

export async function readQuestions({ store, account, nowMs }: Context) {
  const ctx = toReadContext(store, account);
  const call = { accountId: account.id, id: "", query: {}, toLink: (cursor: string) => cursor };
  let turn = 0;
  const list = async (query: DeliveriesCall["query"]) => {
    const found = await READ_HANDLERS["GET /v1/accounts/:account_id/deliveries"](ctx, { ...call, query });
    if (!found.ok) throw new Error(found.error.detail);
    return found.value;
  };
  const instant = (atMs: number): string => new Date(atMs).toISOString();
  const webhook = account.destinations[0]?.id ?? "";
  const first = await list({});
  const [delivery] = first.deliveries;
  const until = instant(nowMs - daysMs(3));
  const filters: Readonly<Record<string, () => DeliveriesCall["query"]>> = {
    "no filter": () => ({}),
    "next page": () => ({ ...(first.next !== null && { cursor: first.next }) }),
    "status=failed": () => ({ status: "failed" }),
    "status=failed,cancelled,retrying": () => ({ status: "failed,cancelled,retrying" }),
    "status=cancelled (rare)": () => ({ status: "cancelled" }),
    event: () => ({ event: "chat_conversation_completed" }),
    webhook: () => ({ webhook }),
    "webhook, status=waiting (rare)": () => ({ webhook, status: "waiting" }),
    "person, an e-mail": () => ({ person: emailOf((turn += 97)) }),
    "person, a name": () => ({ person: wordOf((turn += 131) % 20_000) }),
    "person, a frequent word that failed": () => ({ person: wordOf(3), status: "failed" }),
    "person, nobody": () => ({ person: "zzzzzz" }),
    since: () => ({ since: instant(nowMs - hoursMs(1)) }),
    "until, days ago": () => ({ until }),
    "an hour of the week": () => ({ until, since: instant(nowMs - daysMs(3) - hoursMs(1)) }),
  };
  const one = { ...call, id: delivery?.id ?? "" };
  return [
    ...Object.entries(filters).map(([name, query]) => ({ name: `read, ${name}`, ask: () => list(query()) })),
    {
      name: "read, one delivery",
      ask: () => READ_HANDLERS["GET /v1/accounts/:account_id/deliveries/:delivery_id"](ctx, one),
    },
    { name: "read, one event", ask: () => READ_HANDLERS["GET /v1/accounts/:account_id/events/:event"](ctx, one) },
    { name: "read, webhooks", ask: () => READ_HANDLERS["GET /v1/accounts/:account_id/webhooks"](ctx, call) },
    { name: "read, an account", ask: () => READ_HANDLERS["GET /v1/accounts/:account_id"](ctx, call) },
    { name: "read, accounts", ask: () => READ_HANDLERS["GET /v1/accounts"](ctx, call) },
  ];
}

/** What the handlers take of a node. Its accounts' views are in memory there, and cost the store nothing. */
export function toReadContext(store: Store, { destinations }: Partial<MadeAccount> = {}): ReadContext {
  const view = { destinations: new Map(destinations?.map(({ id }) => [id, {}])), assistants: new Map() };
  const views = { load: async () => view, loadAnew: async () => view };
  const accounts = { store, clock: systemClock, types: BUILT_IN_TYPES, accounts: views };
  const delivery = { store, clock: systemClock, schedule: RETRY_SCHEDULE };
  return { accounts, delivery } as unknown as ReadContext;
}
