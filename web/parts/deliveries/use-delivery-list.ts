/**
 * The rows of the log, kept up to date without moving under the reader:
 *
 *     at the top, nothing open ──► the newest rows, as they come
 *     scrolled, or one is open ──► the rows from before ("held"), changed in place; newer ones are counted for "12 new"
 *
 * Held means asked for with `to`: the service answers with the same window again, so all that is shown is its answer.
 */
import { useMemo, useState, useSyncExternalStore } from "react";
import type { DeliveryList, DeliveryQuery } from "../../../src/dashboard/contract/deliveries.ts";
import { serviceNowMs } from "../../api.ts";
import { useAnswer, useAnswerWhen } from "../../query.ts";
import { type Frame, useFresh } from "../search/use-fresh.ts";
import { parseQuery } from "./filters.ts";

/** A busy account changes many times a second; people do not read faster than this. */
const REFRESH_MS = 1_000;

export function useDeliveryList(search: URLSearchParams, isOneOpen: boolean) {
  const query = useQuery(search);
  const isFirstPage = query.cursor === undefined;
  const follows = useIsAtTop() && !isOneOpen;
  const [held, setHeld] = useState<Held | null>(null);
  const key = search.toString();
  const toMs = isFirstPage && held?.key === key ? held.toMs : null;
  const shown = toMs === null ? query : within(query, toMs);
  const list = useAnswer("GET /deliveries", { query: shown });
  const newest = useAnswerWhen("GET /deliveries", toMs === null ? null : { query });

  const rows = list.isPlaceholderData ? undefined : list.data?.deliveries;
  const topMs = rows?.[0]?.createdAtMs;
  // While new filters load, the page still shows the old answer. It says nothing about where the new list begins.
  if (follows && held !== null) setHeld(null);
  else if (!follows && isFirstPage && held?.key !== key && topMs !== undefined) setHeld({ key, toMs: topMs + 1 });

  const isConcerned = (frame: Frame): boolean => concerns(frame, { query, rows, isFirstPage });
  useFresh("GET /deliveries", { search, everyMs: REFRESH_MS, isConcerned });
  return {
    query: list,
    /** The question whose answer the rows are. */
    shown,
    news: toMs === null ? null : findNews(newest.data, toMs),
    /** Lets the newer rows in; they are held again from there. */
    show: () => setHeld(null),
  };
}

interface Held {
  /** The address's filters that it belongs to. */
  readonly key: string;
  readonly toMs: number;
}

/** "Last hour" moves on with the clock, a minute at a time: in between the same list stays the same query. */
function useQuery(search: URLSearchParams): DeliveryQuery {
  const text = search.toString();
  const minute = useSyncExternalStore(watchMinute, () => Math.floor(serviceNowMs() / MINUTE_MS));
  return useMemo(() => parseQuery(new URLSearchParams(text), minute * MINUTE_MS), [text, minute]);
}

const MINUTE_MS = 60_000;

function watchMinute(watcher: () => void): () => void {
  const timer = setInterval(watcher, MINUTE_MS / 4);
  return () => clearInterval(timer);
}

/** A window of the past has no newer rows; its own end stays. */
function within(query: DeliveryQuery, toMs: number): DeliveryQuery {
  return { ...query, to: String(Math.min(Number(query.to ?? toMs), toMs)) };
}

export interface News {
  readonly count: number;
  /** There may be more than `count`: the service answers a page at a time. */
  readonly isCapped: boolean;
}

function findNews(newest: DeliveryList | undefined, toMs: number): News | null {
  const rows = newest?.deliveries ?? [];
  const count = rows.filter(({ createdAtMs }) => createdAtMs >= toMs).length;
  return count === 0 ? null : { count, isCapped: count === rows.length && newest?.nextCursor !== null };
}

interface Shown {
  readonly query: DeliveryQuery;
  readonly rows: DeliveryList["deliveries"] | undefined;
  readonly isFirstPage: boolean;
}

/** Whether a frame can have changed this list. The event's type is not in it, so that filter lets all through. */
function concerns({ changed, isCut }: Frame, { query, rows, isFirstPage }: Shown): boolean {
  if (isCut) return true;
  const { destination, tests } = query;
  return changed.some(({ id, destinationId, isTest }) => {
    if (rows?.some((row) => row.id === id) === true) return true;
    if (!isFirstPage || (isTest && tests === undefined)) return false;
    return destination === undefined || destination === destinationId;
  });
}

/** So near to the top that a new row pushes nothing out of sight that somebody reads. */
const TOP_PX = 160;

export function useIsAtTop(): boolean {
  return useSyncExternalStore(watchScroll, () => window.scrollY < TOP_PX);
}

function watchScroll(watcher: () => void): () => void {
  window.addEventListener("scroll", watcher, { passive: true });
  return () => window.removeEventListener("scroll", watcher);
}
