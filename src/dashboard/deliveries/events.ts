/** Events as they were accepted, with their deliveries. A session's page is the one that `analytics_url` names. */
import { type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { chatConversationCompleted } from "../../events/chat-conversation-completed.ts";
import { demoViewed } from "../../events/demo-viewed.ts";
import type { EventWords } from "../../domain/event.ts";
import { listFields } from "../../events/schema/fields.ts";
import { findEmail } from "../../events/search-fields.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import type { EventDetail, EventList, SearchedQuery } from "../contract/deliveries.ts";
import { readSeqCursor, writeSeqCursor } from "../call/cursor.ts";
import { toDeliveryRows } from "./deliveries.ts";
import { type ListedStep, notSentPage, toEventRow, toNotSentView } from "./not-sent.ts";
import { destinationsById } from "../destinations/destinations.ts";
import { type EventsWanted, searchEventStep } from "./search.ts";
import { parseSearch } from "./query.ts";
import { invalidQuery, type Handler, type Handlers } from "../call/operation.ts";

const PAGE_ROWS = 50;

/** An event has a delivery for each alert that fired, so this shows them all but for the most unusual of accounts. */
const DELIVERIES_SHOWN_MAX = 100;

interface WantedEvents {
  /** `null`: of all types. */
  readonly type: string | null;
  readonly assistantId?: string;
  readonly query: SearchedQuery;
}

export async function eventPage(
  ctx: ReadContext,
  reader: Reader,
  { query: { q, cursor, not_sent: notSent, webhook }, ...wanted }: WantedEvents,
): Promise<Result<EventList>> {
  const parsed = parseSearch(q);
  if (!parsed.ok) return refuse(invalidQuery([parsed.error]));
  const events = { ...wanted, accountId: reader.accountId };
  const listStep = async (from: string | undefined): Promise<Result<ListedStep>> =>
    parsed.value === null
      ? await listStepOf(ctx, events, from)
      : await searchEventStep(ctx, { wanted: events, query: parsed.value, cursor: from, limit: PAGE_ROWS });
  const isSearch = parsed.value !== null;
  if (notSent === "1") return await notSentPage(ctx, reader, { cursor, webhook, isSearch, listStep });
  const step = await listStep(cursor);
  return step.ok ? ok({ ...step.value, events: step.value.events.map(toEventRow), notSent: null }) : step;
}

async function listStepOf(
  ctx: ReadContext,
  wanted: EventsWanted,
  cursor: string | undefined,
): Promise<Result<ListedStep>> {
  const before = readSeqCursor(cursor);
  if (!before.ok) return refuse(invalidQuery([before.error]));
  // One more than is shown tells whether there is another page.
  const events = await ctx.accounts.store.listEvents({ ...wanted, before: before.value, limit: PAGE_ROWS + 1 });
  const shown = events.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const hasMore = events.length > PAGE_ROWS && last !== undefined;
  return ok({ events: shown, nextCursor: hasMore ? writeSeqCursor(last.seq) : null, search: null });
}

const listSessions: Handler<"GET /sessions"> = async (ctx, { session, query }) =>
  await eventPage(ctx, session, { type: demoViewed.type, query });

const listEvents: Handler<"GET /events"> = async (ctx, { session, query: { type = null, ...query } }) =>
  await eventPage(ctx, session, { type, query });

/** Receivers may have the id in either case, as the product sent it; it is kept in lower case. */
const getSession: Handler<"GET /sessions/:id"> = async (ctx, { session, params }) =>
  await findEventDetail(ctx, session, { type: demoViewed.type, sourceId: params.id.toLowerCase() });

const getConversation: Handler<"GET /conversations/:id"> = async (ctx, { session, params }) =>
  await findEventDetail(ctx, session, {
    type: chatConversationCompleted.type,
    sourceId: params.id.toLowerCase(),
  });

/** Keys of declared types differ by case, too. */
const getEvent: Handler<"GET /events/:type/:id"> = async (ctx, { session, params: { type, id } }) => {
  const detail = await findEventDetail(ctx, session, { type, sourceId: id });
  if (!detail.ok) return detail;
  const schema = ctx.accounts.types.find(type)?.bodySchema;
  const fields = schema === undefined ? [] : listFields(schema);
  return ok({
    ...detail.value,
    fields: fields.map(({ path, words, description }) => ({ path, type: words, description })),
  });
};

/** With its deliveries, and the webhooks that did not get it. */
export async function findEventDetail(
  ctx: ReadContext,
  reader: Reader,
  { type, sourceId }: { readonly type: string; readonly sourceId: string },
): Promise<Result<EventDetail>> {
  const { accountId } = reader;
  const event = await ctx.accounts.store.loadEvent({ accountId, type, sourceId });
  if (event === null) return refuse(problem("not_found", notFound(ctx.accounts.types.read(type))));
  const rows = await toDeliveryRows(ctx, reader, { eventId: event.id, limit: DELIVERIES_SHOWN_MAX });
  const assistant = event.assistantId === null ? null : await findAssistant(ctx, accountId, event.assistantId);
  const named = event.notSent === null ? new Map<string, never>() : await destinationsById(ctx, reader);
  const notSent = toNotSentView(named, event);
  const email = findEmail(ctx.accounts.types.read(type), event.body);
  return ok({ ...toEventRow(event), email, assistant, body: event.body, rows, notSent });
}

async function findAssistant({ accounts }: ReadContext, accountId: string, id: string) {
  const view = await accounts.accounts.load(accountId);
  return { id, name: view?.assistants.get(id)?.name ?? id };
}

const notFound = ({ noun }: EventWords): string =>
  `This account has no such ${noun}, or it is older than the retention time and was deleted.`;

export const eventHandlers = {
  "GET /events": listEvents,
  "GET /events/:type/:id": getEvent,
  "GET /sessions": listSessions,
  "GET /sessions/:id": getSession,
  "GET /conversations/:id": getConversation,
} satisfies Handlers;
