/** Events that some webhook did not get: the filter of the lists, and the reasons by webhook in words. */
import { createSteps } from "../../domain/conditions.ts";
import { readNotSent } from "../../domain/not-sent.ts";
import type { Result } from "../../domain/problem.ts";
import { ok } from "../../lib/result.ts";
import { mapInSlices } from "../../lib/rounds.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedEvent, StoredEvent } from "../../store/contract/log.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import { readPayload } from "../conditions/latest-events.ts";
import type { NotSentView } from "../contract/conditions.ts";
import type { EventList, EventRow, SearchView } from "../contract/deliveries.ts";
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
  readonly listStep: (cursor: string | undefined) => Promise<Result<ListedStep>>;
}

export async function notSentPage(
  ctx: ReadContext,
  reader: Reader,
  { cursor, listStep }: NotSentPage,
): Promise<Result<EventList>> {
  const { clock } = ctx.accounts;
  const startMs = clock.monotonicMs();
  const kept: ListedEvent[] = [];
  const searches: SearchView[] = [];
  let from = cursor;
  for (;;) {
    const step = await listStep(from);
    if (!step.ok) return step;
    const { events, nextCursor, search } = step.value;
    kept.push(...events.filter(wasNotSent));
    if (search !== null) searches.push(search);
    const isLate = clock.monotonicMs() - startMs > LOOKING_MS_MAX;
    if (nextCursor === null || kept.length >= ROWS_WANTED || isLate) {
      const lookedBackToMs =
        nextCursor === null || kept.length >= ROWS_WANTED ? null : (events.at(-1)?.acceptedAtMs ?? null);
      return ok({
        events: kept.map(toEventRow),
        nextCursor,
        search: joinSearches(searches, lookedBackToMs),
        notSent: await explainAll(ctx, reader, kept),
      });
    }
    from = nextCursor;
  }
}

/** By a webhook that did not want it, or because none was there. */
const wasNotSent = ({ notSent, deliveries }: ListedEvent): boolean => notSent !== null || deliveries.total === 0;

/** An answer of several steps says what their searches said. */
function joinSearches(searches: readonly SearchView[], lookedBackToMs: number | null): SearchView {
  const last = searches.at(-1);
  return {
    matches: Object.assign({}, ...searches.map(({ matches }) => matches)) as SearchView["matches"],
    searchedBackToMs: last?.searchedBackToMs ?? lookedBackToMs,
    missingFromMs: searches[0]?.missingFromMs ?? null,
    unsent: [],
  };
}

async function explainAll(
  ctx: ReadContext,
  reader: Reader,
  events: readonly ListedEvent[],
): Promise<Readonly<Record<string, NotSentView>>> {
  const destinations = await destinationsById(ctx, reader);
  const bodies = await Promise.all(events.map((event) => loadBody(ctx, reader, event)));
  const views = await mapInSlices(ctx.accounts.clock, events.entries(), ([place, event]) => {
    return [event.id, toNotSentView(destinations, { ...event, body: bodies[place] ?? null })] as const;
  });
  return Object.fromEntries(views);
}

/** The value that kept an event away stands in its body; without a reason there is none to look up. */
async function loadBody(
  { accounts: { store } }: ReadContext,
  { accountId }: Reader,
  { type, sourceId, notSent }: { type: string; sourceId: string; notSent: string | null },
): Promise<string | null> {
  if (notSent === null) return null;
  return (await store.loadEvent({ accountId, type, sourceId }))?.body ?? null;
}

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
