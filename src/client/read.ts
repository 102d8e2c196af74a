/**
 * `bellwire/client/read`: what became of an event, with a read key. One thing comes as a value to look at; lists come
 * page by page, as they are read, and end with `ReadError` where the service refuses or stays away.
 */
import { type CallResult, type Refused, type Unavailable, readValue } from "./answers.ts";
import { type AskingOptions, createAsking } from "./asking.ts";
import type { MakeCall, SendOptions } from "./call.ts";
import { accountPath } from "./set-up.ts";
import type {
  DeliveryFilter,
  EventFilter,
  ShownAccount,
  ShownDelivery,
  ShownDeliveryRow,
  ShownEvent,
  ShownEventRow,
  ShownWebhook,
} from "./shown.ts";

export interface ReaderOptions extends AskingOptions {
  /** A read key, `bwr_…`: of one account, or of all. */
  readonly key: string;
}

export class ReadError extends Error {
  override readonly name = "ReadError";
  readonly result: Refused | Unavailable;

  constructor(result: Refused | Unavailable) {
    super(result.kind === "refused" ? `${result.code}: ${result.detail}` : `unavailable: ${result.reason}`);
    this.result = result;
  }
}

export interface Reader {
  /** Needs a key of all accounts. */
  accounts(options?: SendOptions): AsyncGenerator<ShownAccount>;
  account(accountId: string, options?: SendOptions): Promise<CallResult<ShownAccount>>;
  /** Newest first. */
  deliveries(accountId: string, filter?: DeliveryFilter, options?: SendOptions): AsyncGenerator<ShownDeliveryRow>;
  delivery(accountId: string, deliveryId: string, options?: SendOptions): Promise<CallResult<ShownDelivery>>;
  /** Newest first, with those that fired nothing. */
  events(accountId: string, filter?: EventFilter, options?: SendOptions): AsyncGenerator<ShownEventRow>;
  /** By its own id, by yours, or by a delivery's. */
  event(accountId: string, eventId: string, options?: SendOptions): Promise<CallResult<ShownEvent>>;
  /** In the order of their ids. */
  webhooks(accountId: string, options?: SendOptions): AsyncGenerator<ShownWebhook>;
}

export function createReader({ key, ...service }: ReaderOptions): Reader {
  const call = createAsking(service, { key, what: "read key", name: "a read key of the service" });
  const one = <Value>(path: string, wanted: string, options?: SendOptions): Promise<CallResult<Value>> =>
    readOne(call, { path, wanted, ...options });
  const part = (accountId: string, name: string, id: string): string =>
    `${accountPath(accountId)}/${name}/${encodeURIComponent(id)}`;
  return {
    accounts: (asking) => readPages(call, { path: "/v1/accounts", name: "accounts", filter: {}, ...asking }),
    account: (accountId, asking) => one(accountPath(accountId), "id", asking),
    deliveries: (accountId, filter = {}, asking = {}) =>
      readPages(call, { path: `${accountPath(accountId)}/deliveries`, name: "deliveries", filter, ...asking }),
    delivery: (accountId, id, asking) => one(part(accountId, "deliveries", id), "attempts", asking),
    events: (accountId, filter = {}, asking = {}) =>
      readPages(call, { path: `${accountPath(accountId)}/events`, name: "events", filter, ...asking }),
    event: (accountId, id, asking) => one(part(accountId, "events", id), "not_sent", asking),
    webhooks: (accountId, asking) =>
      readPages(call, { path: `${accountPath(accountId)}/webhooks`, name: "webhooks", filter: {}, ...asking }),
  };
}

interface One extends SendOptions {
  readonly path: string;
  /** A name that the service's answer has. */
  readonly wanted: string;
}

async function readOne<Value>(call: MakeCall, { path, wanted, signal }: One): Promise<CallResult<Value>> {
  return readValue(await call({ method: "GET", path, signal }), wanted);
}

interface Pages extends SendOptions {
  readonly path: string;
  /** Of the list in an answer. */
  readonly name: string;
  readonly filter: object;
}

/** The next page's address may be another than this client reaches; its cursor is the same. */
async function* readPages<Item>(call: MakeCall, { path, name, filter, signal }: Pages): AsyncGenerator<Item> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given as [string, string][]);
  for (let isMore = true; isMore;) {
    const wanted: One = { path: `${path}?${query.toString()}`, wanted: name, ...(signal && { signal }) };
    const page = await readOne<Readonly<Record<string, unknown>>>(call, wanted);
    if (page.kind !== "done") throw new ReadError(page);
    yield* page.value[name] as Item[];
    const { next } = page.value;
    const cursor = typeof next === "string" ? new URL(next).searchParams.get("cursor") : null;
    if (cursor !== null) query.set("cursor", cursor);
    isMore = cursor !== null;
  }
}
