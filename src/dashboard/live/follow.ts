/**
 * The work of other nodes, as news for the pages that are open here. A node knows only its own deliveries. For accounts
 * with open pages it asks the database every second whether anything has happened at all, and pages then look again.
 *
 *     somebody opens a page ──► marks are loaded ──► every second: marks again ──► those that differ are news
 *                                                     └── last page closed: no more questions
 *
 * A node asks instead of listening (NOTIFY): that would cost a message for each delivery also without open pages, and
 * does not come through a pooler that works by transaction. One question at a time, so that a
 * node with many pages open takes one connection at most; its rounds take longer instead.
 */
import { minutesMs, secondsMs } from "../../lib/duration.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Store, StoreUnavailable } from "../../store/contract/store.ts";
import type { LiveNews } from "../call/context.ts";

/** With a frame's quarter of a second, a page is at most about one and a half behind. */
const LOOK_EVERY_MS = secondsMs(1);

/**
 * Attempts are counted at their start, which may lie the longest attempt and its settlement back. Steps, because marks
 * of another beginning differ although nothing is new.
 */
const SINCE_STEP_MS = minutesMs(2);
const SINCE_MARGIN_MS = minutesMs(1);

type Activity = Awaited<ReturnType<Store["loadActivity"]>>;

export interface LiveFollowOptions {
  /** The database's. */
  readonly clock: Clock;
  readonly store: Pick<Store, "loadActivity">;
  readonly onFailure: (error: unknown) => void;
}

export interface FollowedNews extends LiveNews {
  /** Deliveries of other nodes, with ids that this node does not know. */
  someDeliveriesChanged(accountId: string): void;
  /** Somebody may have been signed out elsewhere: each open stream asks whether its session is still there. */
  sessionsMayHaveEnded(accountId: string): void;
}

/** Follows an account until the returned function is called. Without a followed account nothing is asked. */
export type LiveFollow = (accountId: string, news: FollowedNews) => () => void;

export function createLiveFollow({ clock, store, onFailure }: LiveFollowOptions): LiveFollow {
  const followed = new Map<string, Followed>();
  let isLooking = false;
  let cancel = (): void => {};

  async function lookAtAll(): Promise<void> {
    isLooking = true;
    for (const [accountId, one] of followed) await look(accountId, one);
    isLooking = false;
    if (followed.size > 0) cancel = clock.after(LOOK_EVERY_MS, () => void lookAtAll());
  }

  async function look(accountId: string, one: Followed): Promise<void> {
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - (nowMs % SINCE_STEP_MS) - SINCE_MARGIN_MS;
    const seen = await store.loadActivity({ accountId, sinceMs }).catch(passOver);
    // It may have been let go meanwhile, or be followed anew.
    if (seen === null || followed.get(accountId) !== one) return;
    if (one.seen === null) one.news.sessionsMayHaveEnded(accountId);
    else tellDifferences(one.news, accountId, { before: one.seen, after: seen });
    one.seen = seen;
  }

  /** While the database is away nothing is seen. The changes are seen when it is back. */
  function passOver(error: unknown): null {
    if (!(error instanceof StoreUnavailable)) onFailure(error);
    return null;
  }

  return (accountId, news) => {
    const one: Followed = { news, seen: null };
    followed.set(accountId, one);
    // At once, because changes show from the first look on. A round that is under way comes to it by itself.
    if (!isLooking) {
      cancel();
      void lookAtAll();
    }
    return () => {
      if (followed.get(accountId) === one) followed.delete(accountId);
      if (followed.size === 0) cancel();
    };
  };
}

interface Followed {
  readonly news: FollowedNews;
  /** `null` until it has been looked at. */
  seen: Activity | null;
}

interface Difference {
  readonly before: Activity;
  readonly after: Activity;
}

/** Which deliveries they are is not known: pages look at their lists again. */
function tellDifferences(news: FollowedNews, accountId: string, { before, after }: Difference): void {
  const hasNewConfiguration = before.configuration !== after.configuration;
  const destinations = changedIds(before.destinations, after.destinations);
  const replays = changedIds(before.replays, after.replays);
  // A resend and a cancelled backlog are in the audit, and what a replay moves in its progress.
  if (before.deliveries !== after.deliveries || hasNewConfiguration || replays.length > 0) {
    news.someDeliveriesChanged(accountId);
  }
  if (destinations.length > 0) news.destinationsChanged(accountId, destinations);
  if (replays.length > 0) news.replaysChanged(accountId, replays);
  if (!hasNewConfiguration) return;
  news.configurationChanged(accountId);
  // Whenever somebody else ends a session, the audit has a new entry.
  news.sessionsMayHaveEnded(accountId);
}

function changedIds(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  return Object.keys(after).filter((id) => before[id] !== after[id]);
}
