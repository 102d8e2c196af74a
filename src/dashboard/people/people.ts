/**
 * A person's page: their events of every type with what went where and what did not, sending all of it again, and
 * erasing them. The address comes in the body of each call, because proxies write addresses of calls into their logs.
 *
 * An event is theirs when its body has the address to the letter, as for erasing: `jane@acme.example` is not
 * `mary.jane@acme.example`. The words of the address say where to look, so events are found whose type has it among
 * what search knows; erasing goes through all.
 */
import { ERASED_WORDS, erasePerson } from "../../accounts/erase-person.ts";
import { startReplay } from "../../delivery/resend.ts";
import { problem } from "../../domain/problem.ts";
import { parsePhrases } from "../../domain/search-words.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { ListedEvent } from "../../store/contract/log.ts";
import { PHRASES_MAX } from "../../store/contract/search.ts";
import { readDeliveryCursor, writeDeliveryCursor } from "../call/cursor.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import { type Handler, type Handlers, invalidForm } from "../call/operation.ts";
import type { NotSentView } from "../contract/conditions.ts";
import type { PersonEvent, PersonPage } from "../contract/people.ts";
import { toDeliveryRows } from "../deliveries/deliveries.ts";
import { toEventRow, toNotSentView } from "../deliveries/not-sent.ts";
import { findReplay, findReplayed } from "../deliveries/replays.ts";
import { searchEvents, toSearchView } from "../deliveries/search.ts";
import { destinationsById } from "../destinations/destinations.ts";

/** Each with its deliveries and reasons: as many rows as a page of the log has. */
const PAGE_EVENTS = 20;
/** Read of each, so that what did not arrive is among those that are shown. */
const ROWS_LOOKED_AT = 60;
const ROWS_SHOWN = 6;
const REASONS_SHOWN = 4;

const postPeople: Handler<"POST /people"> = async (ctx, { session, body: { email, cursor } }) => {
  const before = readDeliveryCursor(cursor);
  if (!before.ok) return refuse(invalidForm([before.error]));
  const wanted = toWanted(email);
  if (!wanted.ok) return wanted;
  const search = { accountId: session.accountId, type: null, ...wanted.value, before: before.value };
  const found = await searchEvents(ctx, { ...search, limit: PAGE_EVENTS });
  const events = await explainEvents(ctx, session, found.events);
  const nextCursor = found.next === null ? null : writeDeliveryCursor(found.next);
  return ok<PersonPage>({ events, nextCursor, search: { ...toSearchView(found, {}), lookedAt: null } });
};

/** The words of an address, and the address. */
function toWanted(email: string) {
  const phrases = parsePhrases(email);
  const isReadable = phrases.length > 0 && phrases.length <= PHRASES_MAX;
  const message = "must have a letter or a digit";
  return isReadable ? ok({ phrases, email }) : refuse(invalidForm([{ path: "email", message }]));
}

async function explainEvents(
  ctx: ReadContext,
  reader: Reader,
  events: readonly ListedEvent[],
): Promise<readonly PersonEvent[]> {
  const { accountId } = reader;
  const destinations = await destinationsById(ctx, reader);
  const explained: PersonEvent[] = [];
  // One after the other: a page of them takes one connection to the store.
  for (const event of events) {
    const isLeftOut = event.notSent !== null;
    const [kept] = isLeftOut ? await ctx.accounts.store.listEventBodies({ accountId, eventIds: [event.id] }) : [];
    const notSent = toNotSentView(destinations, { notSent: event.notSent, body: kept?.body ?? null });
    const rows = await toDeliveryRows(ctx, reader, { eventId: event.id, limit: ROWS_LOOKED_AT });
    const inTrouble = rows.filter(({ status }) => status !== "delivered");
    const sorted = [...inTrouble, ...rows.filter(({ status }) => status === "delivered")];
    explained.push({ ...toEventRow(event), rows: sorted.slice(0, ROWS_SHOWN), notSent: shorten(notSent) });
  }
  return explained;
}

const shorten = ({ webhooks, more }: NotSentView): NotSentView => ({
  webhooks: webhooks.slice(0, REASONS_SHOWN),
  more: more + Math.max(0, webhooks.length - REASONS_SHOWN),
});

/** Frozen and counted, and nothing is sent: the replay's own page says how many there are, and asks. */
const postReplay: Handler<"POST /people/replays"> = async (ctx, { session, body: { email, states } }) => {
  const { accountId, by } = session;
  const wanted = toWanted(email);
  if (!wanted.ok) return wanted;
  const searched = await findReplayed(ctx, { accountId, ...wanted.value }, { states, email });
  if (!searched.ok) return searched;
  if (searched.value.deliveryIds.length === 0) return refuse(nothingToSend);
  const request = { accountId, by, startPaused: true, ratePerSecond: RATE_PER_SECOND, ...searched.value };
  const prepared = await startReplay({ ctx: ctx.delivery, engine: ctx.engine }, request);
  if (!prepared.ok) return prepared;
  ctx.live.replaysChanged(accountId, [prepared.value.replayId]);
  return await findReplay(ctx, session, prepared.value.replayId);
};

/** As the log's own dialog begins with. */
const RATE_PER_SECOND = 10;

const nothingToSend = problem("not_resendable", "There is no such delivery of this person's, so nothing can be sent.");

const postErase: Handler<"POST /people/erase"> = async (ctx, { session, body: { email, after = "" } }) => {
  const { accountId, by } = session;
  const { next, ...counts } = await erasePerson(ctx.accounts, { accountId, email, after, by });
  const lines = ERASED_WORDS.map(([name, what]) => ({ count: counts[name], what }));
  return ok({ lines, inFlight: counts.in_flight, next });
};

export const peopleHandlers = {
  "POST /people": postPeople,
  "POST /people/replays": postReplay,
  "POST /people/erase": postErase,
} satisfies Handlers;
