/** A page of the log, or of events, that a search has found, with what was matched. */
import type { Result } from "../../domain/problem.ts";
import { listFields } from "../../events/schema/fields.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { ListedDeliveries } from "../../store/contract/log.ts";
import type {
  AskedOfBodies,
  FoundDeliveries,
  FoundEvents,
  SearchDeliveries,
  SearchEvents,
} from "../../store/contract/search.ts";
import { readDeliveryCursor, writeDeliveryCursor } from "../call/cursor.ts";
import type { ReadContext } from "../call/context.ts";
import type { SearchView, UnknownField, UnsentEvent } from "../contract/deliveries.ts";
import { joinSteps, lookBack } from "./look-back.ts";
import type { ListedStep } from "./not-sent.ts";
import { invalidQuery } from "../call/operation.ts";
import type { SearchQuery } from "./query.ts";

/** Events without a delivery that an empty log names. */
const UNSENT_MAX = 5;
/** So many that match are looked at for them. */
const UNSENT_LOOKED_AT = 50;

type Search = Omit<SearchDeliveries, "nowMs">;

/** The log's own filters apply too. */
export async function searchLog(ctx: ReadContext, search: Search): Promise<FoundDeliveries> {
  const ask = (page: Pick<Search, "before" | "limit">): Promise<FoundDeliveries> =>
    ctx.accounts.store.searchDeliveries({ ...search, ...page, nowMs: ctx.delivery.clock.nowMs() });
  if (!asksBodies(search)) return await ask(search);
  const steps = await lookBack(ctx, {
    ...search,
    ask: async (before, limit) => {
      const step = await ask({ before, limit });
      return { ...step, rows: step.deliveries.length };
    },
  });
  return { deliveries: steps.flatMap(({ deliveries }) => deliveries), ...joinSteps(steps) };
}

/** Events that a search finds, also those without a delivery. */
export async function searchEvents(
  ctx: ReadContext,
  search: Omit<SearchEvents, "nowMs">,
  stepsMax?: number,
): Promise<FoundEvents> {
  const ask = (page: Pick<SearchEvents, "before" | "limit">): Promise<FoundEvents> =>
    ctx.accounts.store.searchEvents({ ...search, ...page, nowMs: ctx.delivery.clock.nowMs() });
  if (!asksBodies(search)) return await ask(search);
  const steps = await lookBack(ctx, {
    ...search,
    ...(stepsMax !== undefined && { stepsMax }),
    ask: async (before, limit) => {
      const step = await ask({ before, limit });
      return { ...step, rows: step.events.length };
    },
  });
  return { events: steps.flatMap(({ events }) => events), ...joinSteps(steps) };
}

const asksBodies = ({ values = [], email }: AskedOfBodies): boolean => values.length > 0 || email !== undefined;

export const toSearchView = (
  { next, searchedBackToMs, missingFromMs, lookedAt }: Omit<FoundEvents, "events">,
  matches: SearchView["matches"],
): SearchView => ({
  matches,
  searchedBackToMs: next === null ? null : searchedBackToMs,
  missingFromMs,
  lookedAt,
  unknownFields: [],
  unsent: [],
});

/** A filter without an index says how far it came, as a search does. */
export const describeReach = ({ next, searchedBackToMs }: ListedDeliveries): SearchView | null =>
  searchedBackToMs === null ? null : toSearchView({ next, searchedBackToMs, missingFromMs: null, lookedAt: null }, {});

/** An answer says how far its search came. An empty one names what matches and was never sent. */
export async function describeSearch(ctx: ReadContext, search: Search, found: FoundDeliveries): Promise<SearchView> {
  const matched = found.deliveries.flatMap(({ id, match }) => (match === null ? [] : [[id, match] as const]));
  const view = toSearchView(found, Object.fromEntries(matched));
  if (found.deliveries.length > 0) return view;
  const unknownFields = await listUnknownFields(ctx, search);
  const isAll = found.next === null && search.before === null;
  return { ...view, unknownFields, unsent: isAll ? await listUnsent(ctx, search) : [] };
}

type FieldsAsked = Pick<Search, "accountId" | "before" | "values"> & { readonly type?: string | null };

/**
 * Fields that none of the newest events looked at has. A type's schema does not name all: campaign parameters and what
 * a chat has found out have names of their own. So each name that no schema has is looked for with any value.
 */
async function listUnknownFields(
  ctx: ReadContext,
  { accountId, type = null, before, values = [] }: FieldsAsked,
): Promise<UnknownField[]> {
  if (values.length === 0) return [];
  const known = ctx.accounts.types.all.flatMap(({ bodySchema }) => listFields(bodySchema).map(({ path }) => path));
  const isNamed = (field: string) => known.some((path) => `.${path.toLowerCase()}`.endsWith(`.${field.toLowerCase()}`));
  const unknown: UnknownField[] = [];
  for (const { field } of values.filter((value) => !isNamed(value.field))) {
    const any = { phrases: [], values: [{ field, value: "", isBeginning: true }] };
    const found = await searchEvents(ctx, { accountId, type, ...any, before, limit: 1 }, STEPS_FOR_A_NAME);
    const nearest = nearestName(field, known) ?? null;
    if (found.events.length === 0) unknown.push({ field, nearest, lookedAt: found.lookedAt ?? 0 });
  }
  return unknown;
}

/** Some 5,000 events: a name that so many do not have is most likely a mistake. */
const STEPS_FOR_A_NAME = 10;

async function listUnsent(ctx: ReadContext, { accountId, type, phrases, values = [] }: Search): Promise<UnsentEvent[]> {
  const wanted = { accountId, type: type ?? null, phrases, values, before: null, limit: UNSENT_LOOKED_AT };
  const { events } = await searchEvents(ctx, wanted);
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
  const words =
    query.kind === "words" ? { phrases: query.phrases, values: query.values } : { phrases: [], id: query.id };
  const found = await searchEvents(ctx, { ...wanted, ...words, before: before.value, limit });
  const matched = found.events.flatMap(({ id, match }) => (match === null ? [] : [[id, match] as const]));
  const asked = { ...wanted, before: before.value, ...("values" in words && { values: words.values }) };
  const unknownFields = found.events.length > 0 ? [] : await listUnknownFields(ctx, asked);
  return ok({
    events: found.events,
    nextCursor: found.next === null ? null : writeDeliveryCursor(found.next),
    search: { ...toSearchView(found, Object.fromEntries(matched)), unknownFields },
  });
}
