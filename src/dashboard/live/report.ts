/**
 * The facts of the event's path as news for open pages. A node tells what it did itself; what others on the same
 * database do comes by `follow.ts`.
 */
import { isSuccess } from "../../delivery/send/judge.ts";
import type { AttemptFact, DeliveryReport } from "../../delivery/report.ts";
import type { DeliveryStatus } from "../contract/deliveries.ts";
import type { LiveNews } from "../call/context.ts";

/** Destinations with a remembered last attempt; beyond it the oldest is forgotten, and may be news twice. */
const DESTINATIONS_MAX = 10_000;

const STATUS_AFTER: Readonly<Record<AttemptFact["verdict"]["kind"], DeliveryStatus>> = {
  delivered: "delivered",
  retry: "retrying",
  exhausted: "failed",
};

export function createLiveReport(news: LiveNews): DeliveryReport {
  const isHealthNews = createHealthMemory();
  return {
    accepted: () => {},
    queued({ accountId, deliveries }) {
      const changed = deliveries.map(({ id, destinationId }) => ({
        id,
        destinationId,
        status: "waiting" as const,
        isNew: true,
        isTest: false,
      }));
      news.deliveriesChanged(accountId, changed);
    },
    assistantsCreated: ({ accountId }) => news.configurationChanged(accountId),
    claimed: () => {},
    attempted(fact) {
      const { accountId, deliveryId: id, destinationId, verdict } = fact;
      const status = STATUS_AFTER[verdict.kind];
      news.deliveriesChanged(accountId, [{ id, status, destinationId, isNew: false, isTest: false }]);
      if (isHealthNews(fact)) news.destinationsChanged(accountId, [destinationId]);
    },
    claimLost: () => {},
    turnedOff: ({ accountId, destinationId }) => news.destinationsChanged(accountId, [destinationId]),
    tested({ accountId, deliveryId: id, destinationId, result }) {
      const status = isSuccess(result.outcome) ? "delivered" : "failed";
      news.deliveriesChanged(accountId, [{ id, status, destinationId, isNew: true, isTest: true }]);
    },
    replaysStepped({ replays }) {
      for (const { accountId, replayId } of replays) news.replaysChanged(accountId, [replayId]);
    },
    pulled({ accountId, destinationId, acknowledged, notAcknowledged, failed }) {
      const toNews = (status: DeliveryStatus) => (id: string) => ({
        id,
        status,
        destinationId,
        isNew: false,
        isTest: false,
      });
      news.deliveriesChanged(accountId, [
        ...acknowledged.map(toNews("delivered")),
        ...notAcknowledged.map(toNews("retrying")),
        ...failed.map(toNews("failed")),
      ]);
    },
    failed: () => {},
  };
}

/**
 * Every failure is news, and the first success after one or after the start. Further successes are not: telling them
 * would have each open page fetch the health of all destinations four times a second.
 */
function createHealthMemory(): (fact: AttemptFact) => boolean {
  const isWell = new Map<string, boolean>();
  return ({ destinationId, verdict }) => {
    const wasWell = isWell.get(destinationId) === true;
    const isWellNow = verdict.kind === "delivered";
    isWell.delete(destinationId);
    isWell.set(destinationId, isWellNow);
    const [oldest] = isWell.keys();
    if (isWell.size > DESTINATIONS_MAX && oldest !== undefined) isWell.delete(oldest);
    return !(wasWell && isWellNow);
  };
}
