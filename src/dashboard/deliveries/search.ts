/** A page of the log, or of events, that a search has found, with what was matched. */
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { Phrase } from "../../domain/search-words.ts";
import type { ListedDeliveries } from "../../store/contract/log.ts";
import type { FoundDeliveries, FoundEvents, SearchDeliveries } from "../../store/contract/search.ts";
import { readDeliveryCursor, writeDeliveryCursor } from "../call/cursor.ts";
import type { ReadContext } from "../call/context.ts";
import type { SearchView, UnsentEvent } from "../contract/deliveries.ts";
import type { ListedStep } from "./not-sent.ts";
import { invalidQuery } from "../call/operation.ts";
import type { SearchQuery } from "./query.ts";

/** Events without a delivery that an empty log names. */
const UNSENT_MAX = 5;
/** So many that match are looked at for them. */
const UNSENT_LOOKED_AT = 50;

type Search = Omit<SearchDeliveries, "nowMs">;

/** The log's own filters apply too. */
export const searchLog = ({ accounts: { store }, delivery: { clock } }: ReadContext, search: Search) =>
  store.searchDeliveries({ ...search, nowMs: clock.nowMs() });

export const toSearchView = (
  { next, searchedBackToMs, missingFromMs }: Pick<FoundEvents, "next" | "searchedBackToMs" | "missingFromMs">,
  matches: SearchView["matches"],
): SearchView => ({ matches, searchedBackToMs: next === null ? null : searchedBackToMs, missingFromMs, unsent: [] });

/** A filter without an index says how far it came, as a search does. */
export const describeReach = ({ next, searchedBackToMs }: ListedDeliveries): SearchView | null =>
  searchedBackToMs === null ? null : toSearchView({ next, searchedBackToMs, missingFromMs: null }, {});

/** An answer says how far its search came. An empty one names what matches and was never sent. */
export async function describeSearch(ctx: ReadContext, search: Search, found: FoundDeliveries): Promise<SearchView> {
  const matched = found.deliveries.flatMap(({ id, match }) => (match === null ? [] : [[id, match] as const]));
  const view = toSearchView(found, Object.fromEntries(matched));
  const isEmpty = found.deliveries.length === 0 && found.next === null && search.before === null;
  return isEmpty ? { ...view, unsent: await listUnsent(ctx, search) } : view;
}

async function listUnsent(ctx: ReadContext, { accountId, type, phrases }: Search): Promise<UnsentEvent[]> {
  const { accounts, delivery } = ctx;
  const wanted = { accountId, type: type ?? null, phrases, before: null, limit: UNSENT_LOOKED_AT };
  const { events } = await accounts.store.searchEvents({ ...wanted, nowMs: delivery.clock.nowMs() });
  return events
    .filter(({ deliveries }) => deliveries.total === 0)
    .slice(0, UNSENT_MAX)
    .map(({ type: eventType, sourceId, assistantId, about }) => ({ eventType, sourceId, assistantId, about }));
}

export interface EventsWanted {
  readonly accountId: string;
  /** `null`: of all types. */
  readonly type: string | null;
  readonly assistantId?: string;
}

interface EventSearch {
  readonly wanted: EventsWanted;
  readonly query: SearchQuery;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Events that a search finds, also those without a delivery. */
export async function searchEventStep(
  ctx: ReadContext,
  { wanted, query, cursor, limit }: EventSearch,
): Promise<Result<ListedStep>> {
  const before = readDeliveryCursor(cursor);
  if (!before.ok) return refuse(invalidQuery([before.error]));
  const { store } = ctx.accounts;
  const phrases: readonly Phrase[] = query.kind === "words" ? query.phrases : [];
  const ids = query.kind === "id" ? { id: query.id } : {};
  const nowMs = ctx.delivery.clock.nowMs();
  const found = await store.searchEvents({ ...wanted, phrases, ...ids, before: before.value, limit, nowMs });
  const matched = found.events.flatMap(({ id, match }) => (match === null ? [] : [[id, match] as const]));
  return ok({
    events: found.events,
    nextCursor: found.next === null ? null : writeDeliveryCursor(found.next),
    search: toSearchView(found, Object.fromEntries(matched)),
  });
}
