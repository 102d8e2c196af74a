/**
 * What each read route does: it asks what the dashboard's page asks, in the same way, and names it anew (`show.ts`).
 * The compiler refuses a handler that is missing, and an answer of another form than its schema's.
 */
import type { Static, TSchema } from "typebox";
import type { FormOf } from "../domain/form.ts";
import { type FieldError, type Problem, problem, type Result } from "../domain/problem.ts";
import type { ReadContext } from "../dashboard/call/context.ts";
import { freshView } from "../dashboard/call/fresh-view.ts";
import { invalidQuery } from "../dashboard/call/operation.ts";
import { deliveryPage, findDelivery } from "../dashboard/deliveries/deliveries.ts";
import { eventPage, findEventDetail } from "../dashboard/deliveries/events.ts";
import { parseSearch, readDeliveryQuery } from "../dashboard/deliveries/query.ts";
import { destinationViews, WAITING_MAX } from "../dashboard/destinations/destinations.ts";
import { ok, refuse } from "../lib/result.ts";
import type { ListedAccount } from "../store/contract/accounts.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import type { READ_ROUTES, ReadRouteName } from "./routes.ts";
import { showAccount, showDeliveries, showDeliveryDetail, showEvent, showEvents, showWebhook } from "./show.ts";

const DELIVERIES_OF_PAGE = 100;
/** Of each what waits is counted. */
const ACCOUNTS_OF_PAGE = 50;
const WEBHOOKS_OF_PAGE = 50;

export type ReadHandlers = { readonly [Name in ReadRouteName]: ReadHandler<(typeof READ_ROUTES)[Name]> };

type ReadHandler<Row> = (ctx: ReadContext, call: ReadCall<Row>) => Promise<Result<AnswerOf<Row>>>;

export type AnswerOf<Row> = Row extends { readonly answer: infer Schema extends TSchema } ? Static<Schema> : never;

/** As it is run: which types belong together was checked where the tables were put together. */
export type AnyHandler = (ctx: ReadContext, call: ReadCall) => Promise<Result<unknown>>;

export interface ReadCall<Row = unknown> {
  /** Of the address; empty where it names none. */
  readonly accountId: string;
  /** Of what is asked for, by the address; empty where it names none. */
  readonly id: string;
  readonly query: Row extends { readonly query: infer Schema extends TSchema } ? FormOf<Schema> : unknown;
  /** The address of the next page of the same list. */
  readonly toLink: (cursor: string) => string;
  /** Deliveries of a page: an agent reads fewer at a time. */
  readonly deliveriesMax?: number;
}

export const READ_HANDLERS: ReadHandlers = {
  async "GET /v1/accounts"(ctx, { query, toLink }) {
    const found = await listAccounts(ctx, { from: query.cursor ?? "", limit: ACCOUNTS_OF_PAGE + 1 });
    const accounts = [];
    // One after the other: a page of them takes one connection to the store.
    for (const account of found.slice(0, ACCOUNTS_OF_PAGE)) accounts.push(await withWaiting(ctx, account));
    const next = found[ACCOUNTS_OF_PAGE];
    return ok({ accounts, next: next === undefined ? null : toLink(next.id) });
  },
  async "GET /v1/accounts/:account_id"(ctx, { accountId }) {
    const [account] = await listAccounts(ctx, { from: accountId, limit: 1 });
    return account?.id === accountId ? ok(await withWaiting(ctx, account)) : refuse(noAccount(accountId));
  },
  async "GET /v1/accounts/:account_id/deliveries"(
    ctx,
    { accountId, query, toLink, deliveriesMax = DELIVERIES_OF_PAGE },
  ) {
    const { person, webhook, since, until, ...same } = query;
    const refused = findPersonFault(person);
    if (refused !== null) return refuse(refused);
    const times = readTimes({ since, until });
    if (!times.ok) return refuse(invalidQuery([times.error]));
    const { since: from, until: to } = times.value;
    const filter = readDeliveryQuery({
      ...same,
      ...(person !== undefined && { q: person }),
      ...(webhook !== undefined && { destination: webhook }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    if (!filter.ok) return filter;
    const page = await deliveryPage(ctx, { accountId }, { filter: filter.value, limit: deliveriesMax });
    return ok(showDeliveries(page, toLink));
  },
  async "GET /v1/accounts/:account_id/deliveries/:delivery_id"(ctx, { accountId, id }) {
    const found = await findDelivery(ctx, { accountId }, id);
    return found.ok ? ok(showDeliveryDetail(found.value)) : found;
  },
  async "GET /v1/accounts/:account_id/events"(ctx, { accountId, query: { event = null, person, cursor }, toLink }) {
    const refused = findPersonFault(person);
    if (refused !== null) return refuse(refused);
    const query = { ...(person !== undefined && { q: person }), ...(cursor !== undefined && { cursor }) };
    const page = await eventPage(ctx, { accountId }, { type: event, query });
    return page.ok ? ok(showEvents(page.value, toLink)) : page;
  },
  async "GET /v1/accounts/:account_id/events/:event"(ctx, { accountId, id }) {
    const { store, clock } = ctx.accounts;
    // An id of the product's own may be that of several types' events: the newest is shown.
    const wanted = { accountId, type: null, phrases: [], id, before: null, limit: 1 };
    const [found] = (await store.searchEvents({ ...wanted, nowMs: clock.nowMs() })).events;
    const detail = found === undefined ? null : await findEventDetail(ctx, { accountId }, found);
    return detail?.ok === true ? ok(showEvent(detail.value)) : refuse(noEvent);
  },
  async "GET /v1/accounts/:account_id/webhooks"(ctx, { accountId, query: { cursor: from = "" }, toLink }) {
    const view = await freshView(ctx, { accountId });
    if (!view.ok) return view;
    const found = [...view.value.destinations.keys()].filter((id) => id >= from).toSorted();
    const wanted = { destinationIds: found.slice(0, WEBHOOKS_OF_PAGE), withDeleted: false };
    const views = await destinationViews(ctx, { accountId }, wanted);
    const next = found[WEBHOOKS_OF_PAGE];
    return ok({ webhooks: views.map(showWebhook), next: next === undefined ? null : toLink(next) });
  },
};

const noEvent = problem(
  "event_not_found",
  "This account has no such event, or it is older than the retention time and was deleted.",
);

/** The same whether there is none or the key does not open it. */
export const noAccount = (accountId: string) =>
  problem("account_not_found", `There is no account "${accountId}" that this key opens.`);

async function listAccounts(
  { accounts: { store } }: ReadContext,
  wanted: { readonly from: string; readonly limit: number },
): Promise<readonly ListedAccount[]> {
  const { accounts, isPart = false } = await store.listAccounts(wanted);
  // A program would take those that are missing for deleted ones.
  if (isPart) throw new StoreUnavailable("a server that has some of the accounts is away");
  return accounts.slice(0, wanted.limit);
}

const withWaiting = async ({ accounts: { store } }: ReadContext, account: ListedAccount) =>
  showAccount(account, await store.countWaitingOfAccount({ accountId: account.id, waitingMax: WAITING_MAX }));

/** The page's own word for it is another. */
function findPersonFault(person: string | undefined): Problem | null {
  const search = parseSearch(person);
  return search.ok ? null : invalidQuery([{ ...search.error, path: "person" }]);
}

type Times<Value> = Readonly<Record<"since" | "until", Value | undefined>>;

/** Their schema has looked at their form; a month may have no such day all the same. */
function readTimes(given: Times<string>): Result<Partial<Times<string>>, FieldError> {
  const times: Partial<Record<"since" | "until", string>> = {};
  for (const name of ["since", "until"] as const) {
    const text = given[name];
    if (text === undefined) continue;
    const atMs = Date.parse(text);
    if (!(atMs >= 0)) return refuse({ path: name, message: "is not an instant after 1970" });
    times[name] = String(atMs);
  }
  return ok(times);
}
