/**
 * Events that some webhook did not get: the filter of the lists, and the reasons by webhook in words. It may be asked
 * of one webhook: then an event that is meant for it and whose row does not name it is there too, with what its
 * settings of now say.
 */
import { createSteps } from "../../domain/conditions.ts";
import { type NotSent, readNotSent, writeNotSent } from "../../domain/not-sent.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { mapInSlices } from "../../lib/rounds.ts";
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedEvent, StoredEvent } from "../../store/contract/log.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import { readPayload } from "../conditions/latest-events.ts";
import type { NotSentView } from "../contract/conditions.ts";
import type { EventList, EventRow, SearchView } from "../contract/deliveries.ts";
import { createDecider, createMeant } from "../destinations/decider.ts";
import { destinationsById } from "../destinations/destinations.ts";
import { explainNotSent } from "../explain/not-sent.ts";

/** Guess. A page ends with the step that fills it, so it may have some rows more. */
const ROWS_WANTED = 25;
/** Guess: a person does not notice it, and it leaves the store's time to others. */
const LOOKING_MS_MAX = 60;

/** A step of the list that is filtered, with its own cursor. */
export interface ListedStep {
  readonly events: readonly ListedEvent[];
  readonly nextCursor: string | null;
  readonly search: SearchView | null;
}

interface NotSentPage {
  readonly cursor: string | undefined;
  /** The destination that is asked about; left out, any. */
  readonly webhook: string | undefined;
  /** Somebody looks for certain events, and is told of each why it was not sent. */
  readonly isSearch: boolean;
  readonly listStep: (cursor: string | undefined) => Promise<Result<ListedStep>>;
}

export async function notSentPage(
  ctx: ReadContext,
  reader: Reader,
  { cursor, webhook: id, isSearch, listStep }: NotSentPage,
): Promise<Result<EventList>> {
  const about = id === undefined ? ok(anyWebhook(ctx, reader)) : await oneWebhook(ctx, reader, { id, isSearch });
  if (!about.ok) return about;
  const { clock } = ctx.accounts;
  const startMs = clock.monotonicMs();
  const kept: ListedEvent[] = [];
  const searches: SearchView[] = [];
  let from = cursor;
  for (;;) {
    const step = await listStep(from);
    if (!step.ok) return step;
    const { events, nextCursor, search } = step.value;
    kept.push(...(await about.value.filter(events)));
    if (search !== null) searches.push(search);
    const isLate = clock.monotonicMs() - startMs > LOOKING_MS_MAX;
    if (nextCursor === null || kept.length >= ROWS_WANTED || isLate) {
      const lookedBackToMs =
        nextCursor === null || kept.length >= ROWS_WANTED ? null : (events.at(-1)?.acceptedAtMs ?? null);
      return ok({
        events: kept.map(toEventRow),
        nextCursor,
        search: joinSearches(searches, lookedBackToMs),
        notSent: await explainAll(ctx, reader, {
          events: kept.map((event) => ({ event, isRead: about.value.readsAll || event.notSent !== null })),
          explain: await about.value.explain(),
        }),
      });
    }
    from = nextCursor;
  }
}

/** The webhooks that are asked about: which events they did not get, and why. */
interface About {
  filter(events: readonly ListedEvent[]): Promise<readonly ListedEvent[]>;
  /** Without a reason in the row there is no value to look up. */
  readonly readsAll: boolean;
  /** For as many as there are. */
  explain(): Promise<(event: StoredEvent) => NotSentView>;
}

const anyWebhook = (ctx: ReadContext, reader: Reader): About => ({
  filter: (events) => Promise.resolve(events.filter(wasNotSent)),
  readsAll: false,
  async explain() {
    const destinations = await destinationsById(ctx, reader);
    return (event) => toNotSentView(destinations, event);
  },
});

interface OneWebhook {
  readonly id: string;
  readonly isSearch: boolean;
}

async function oneWebhook(ctx: ReadContext, reader: Reader, { id, isSearch }: OneWebhook): Promise<Result<About>> {
  const { accountId } = reader;
  const view = await ctx.accounts.accounts.loadAnew(accountId);
  const destinations = await destinationsById(ctx, reader, [id]);
  const destination = destinations.get(id);
  if (view === null || destination === undefined) return refuse(destinationMissing);
  const asked = { id, owner: destination.owner };
  const decideOn = createDecider(ctx, view, asked);
  const isMeant = createMeant(ctx, view, asked);
  const isNamed = ({ notSent }: ListedEvent): boolean => findNamed(notSent, id) !== undefined;
  const wasSent = async ({ id: eventId, deliveries: { total } }: ListedEvent): Promise<boolean> => {
    const wanted = { accountId, destinationId: id, idText: eventId, withTests: false, before: null, limit: 1 };
    return total > 0 && (await ctx.accounts.store.listDeliveries(wanted)).deliveries.length > 0;
  };
  // That it was not sent what it does not want says nothing, and nearly every event of an account may be that.
  const mayMiss = (event: ListedEvent): boolean => isSearch || isMeant(event);
  return ok({
    readsAll: true,
    async filter(events) {
      const kept: ListedEvent[] = [];
      // One after the other: a page of them takes one connection to the store.
      for (const event of events) if (isNamed(event) || (mayMiss(event) && !(await wasSent(event)))) kept.push(event);
      return kept;
    },
    explain: () =>
      Promise.resolve((event) => {
        const named = findNamed(event.notSent, id);
        if (named !== undefined) return toNotSentView(destinations, { ...event, notSent: writeOnly(named) });
        const why = whyByNow(decideOn(event));
        return { more: 0, webhooks: [{ destination: { id, owner: destination.owner }, why }] };
      }),
  });
}

const findNamed = (notSent: string | null, id: string): NotSent | undefined =>
  readNotSent(notSent).webhooks.find(({ destinationId }) => destinationId === id);

const writeOnly = (named: NotSent): string | null => writeNotSent({ webhooks: [named], more: 0 });

/** The row has no reason: too many to name, a younger webhook, or somebody looks for what is not meant for it. */
const whyByNow = ({ fires, why }: { readonly fires: boolean; readonly why: string }): string =>
  fires
    ? "by its settings of now it would be; they were others, or it was not there"
    : `by its settings of now, ${why}`;

/** By a webhook that did not want it, or because none was there. */
const wasNotSent = ({ notSent, deliveries }: ListedEvent): boolean => notSent !== null || deliveries.total === 0;

/** An answer of several steps says what their searches said. */
function joinSearches(searches: readonly SearchView[], lookedBackToMs: number | null): SearchView {
  const last = searches.at(-1);
  return {
    matches: Object.assign({}, ...searches.map(({ matches }) => matches)) as SearchView["matches"],
    searchedBackToMs: last?.searchedBackToMs ?? lookedBackToMs,
    missingFromMs: searches[0]?.missingFromMs ?? null,
    lookedAt: sumOf(searches.map(({ lookedAt }) => lookedAt)),
    unknownFields: searches[0]?.unknownFields ?? [],
    unsent: [],
  };
}

const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((sum, count) => (count === null ? sum : (sum ?? 0) + count), null);

interface Explaining {
  /** `isRead`: with its body. */
  readonly events: readonly { readonly event: ListedEvent; readonly isRead: boolean }[];
  readonly explain: (event: StoredEvent) => NotSentView;
}

async function explainAll(
  ctx: ReadContext,
  { accountId }: Reader,
  { events, explain }: Explaining,
): Promise<Readonly<Record<string, NotSentView>>> {
  const { clock, store } = ctx.accounts;
  const views: [id: string, view: NotSentView][] = [];
  for (let place = 0; place < events.length; place += READ_AT_ONCE) {
    const some = events.slice(place, place + READ_AT_ONCE);
    // The value that kept an event away stands in its body.
    const eventIds = some.flatMap(({ event, isRead }) => (isRead ? [event.id] : []));
    const bodies = eventIds.length === 0 ? [] : await store.listEventBodies({ accountId, eventIds });
    const bodyOf = new Map(bodies.map(({ id, body }) => [id, body]));
    const toView = ({ event }: (typeof some)[number]): [id: string, view: NotSentView] => [
      event.id,
      explain({ ...event, body: bodyOf.get(event.id) ?? null }),
    ];
    views.push(...(await mapInSlices(clock, some, toView)));
  }
  return Object.fromEntries(views);
}

/** Guess: a body may have a megabyte, and all of these are in memory together. */
const READ_AT_ONCE = 10;

/* The webhooks that an event did not go to when it was accepted, by name and with the reason in words. Pure. */

export function toNotSentView(
  destinations: ReadonlyMap<string, ReportedDestination>,
  { notSent, body }: Pick<StoredEvent, "notSent" | "body">,
): NotSentView {
  if (notSent === null) return { webhooks: [], more: 0 };
  const { webhooks, more } = readNotSent(notSent);
  const payload = body === null ? null : readPayload(body);
  const steps = createSteps();
  return {
    more,
    webhooks: webhooks.map(({ destinationId, reason }) => {
      const destination = destinations.get(destinationId);
      return {
        destination: destination === undefined ? null : { id: destination.id, owner: destination.owner },
        why: explainNotSent(reason, { payload, owner: destination?.owner.kind ?? null, steps }),
      };
    }),
  };
}

/* Events as lists show them. Pure. */

export function toEventRow(event: ListedEvent): EventRow {
  const { sourceId, id, type, assistantId, acceptedAtMs, about, intentLevel, deliveries, isPurged } = event;
  return { sourceId, eventId: id, type, assistantId, acceptedAtMs, about, intentLevel, deliveries, isPurged };
}
