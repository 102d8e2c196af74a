/** The promises of the retry schedule: not too early, not too late, spread out, and later when the receiver asks. */
import { LIMITS } from "../../src/domain/limits.ts";
import { RETRY_SCHEDULE } from "../../src/domain/retry-schedule.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import type { Settlement } from "../../src/store/contract/path.ts";
import type { Fact } from "../history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { DeliveryRecord, SendRecord } from "../records.ts";
import type { Invariant, NewInvariant } from "./invariant.ts";

/** Due times are whole milliseconds, rounded once. */
const ROUNDING_MS = 1;

const dueWithinSchedule = (): Invariant => ({
  name: "a retry is due within its schedule, later only when Retry-After asks",
  see(fact) {
    const retry = findRetry(fact);
    if (retry === null) return null;
    const { delayMs, nominalMs, nominalMsMax, askedMs, deliveryId } = retry;
    const least = nominalMs * (1 - RETRY_SCHEDULE.jitter) - ROUNDING_MS;
    const most = Math.max(nominalMsMax * (1 + RETRY_SCHEDULE.jitter), askedMs) + ROUNDING_MS;
    if (delayMs >= least && delayMs <= most) return null;
    return {
      message: `the retry of ${deliveryId} is due in ${delayMs} ms, not ${least} to ${most}`,
      about: deliveryId,
    };
  },
});

interface Retry {
  readonly deliveryId: string;
  /** From the end of the request to the due time, on the node's clock. */
  readonly delayMs: number;
  readonly nominalMs: number;
  /** More only for a free attempt, whose retry takes longer the older its delivery is. */
  readonly nominalMsMax: number;
  /** By Retry-After; 0 for nothing. */
  readonly askedMs: number;
}

function findRetry(fact: Fact): Retry | null {
  if (fact.kind !== "settled" || !fact.isWritten) return null;
  const { settlement, delivery } = fact;
  const { next } = settlement;
  if (next.state !== "pending") return null;
  const nominalMs = computeNominalMs(settlement, delivery);
  const send = findSend(delivery, settlement.claimToken);
  const endedMs = send?.nodeEndedMs ?? null;
  if (send === undefined || endedMs === null || nominalMs === undefined) return null;
  const delayMs = next.dueAtMs - endedMs;
  const nominalMsMax = settlement.isFree ? FREE_MS_MAX : nominalMs;
  return { deliveryId: delivery.id, delayMs, nominalMs, nominalMsMax, askedMs: retryAfterMs(send) };
}

const FREE_MS_MIN = secondsMs(30);
const FREE_MS_MAX = secondsMs(900);

function computeNominalMs({ isFree, attempt }: Settlement, { attemptsBefore }: DeliveryRecord): number | undefined {
  return isFree ? FREE_MS_MIN : RETRY_SCHEDULE.delaysMs[attempt.number - attemptsBefore - 1];
}

const findSend = (delivery: DeliveryRecord, token: string): SendRecord | undefined =>
  delivery.sends.find(({ claim, isClaimGuessed }) => claim?.token === token && !isClaimGuessed);

/** The delay that the receiver asked for with the answer to this request, in milliseconds from then; 0 for nothing. */
export function retryAfterMs({ result, nodeEndedMs }: SendRecord): number {
  const outcome = result?.outcome;
  const text = outcome?.kind === "response" ? (outcome.response.headers["retry-after"] ?? "") : "";
  const isSeconds = /^[0-9]+$/.test(text);
  const askedMs = isSeconds ? secondsMs(Number(text)) : Date.parse(text) - (nodeEndedMs ?? 0);
  return (isSeconds || text.endsWith("GMT")) && askedMs > 0 ? Math.min(askedMs, LIMITS.retryAfterMsMax) : 0;
}

const gapsAreKept = (): Invariant => ({
  name: "the next request keeps the schedule's distance, and the one that Retry-After asks for",
  see(fact, { ledger, swarm }) {
    // With clocks that jump, what a node waits is not what passes.
    if (fact.kind !== "send_started" || swarm.isOn("clock_jump")) return null;
    // Somebody else has made attempts meanwhile, and this node cannot know.
    if (fact.send.claim?.end === "taken_over") return null;
    const previous = lastSettled(ledger, fact.send);
    if (previous === null) return null;
    const { send, leastMs } = previous;
    const gapMs = fact.send.startedAtMs - (send.endedAtMs ?? 0);
    if (gapMs >= leastMs) return null;
    const message = `send ${fact.send.number} comes ${gapMs} ms after send ${send.number}, not ${leastMs}`;
    return { message, about: send.deliveryId };
  },
});

/** The delivery's last attempt on record, and how long after it the next one may start. */
function lastSettled(ledger: Ledger, { deliveryId }: SendRecord): { send: SendRecord; leastMs: number } | null {
  const delivery = ledger.deliveries.get(deliveryId);
  const last = delivery?.settlements.at(-1);
  if (delivery === undefined || last === undefined) return null;
  // A person asked for an attempt at once.
  if (last.atMs <= Math.max(delivery.reopenedAtMs ?? 0, delivery.hurriedAtMs ?? 0)) return null;
  const { settlement } = last;
  const send = findSend(delivery, settlement.claimToken);
  const nominalMs = computeNominalMs(settlement, delivery);
  if (send === undefined || nominalMs === undefined) return null;
  const leastMs = nominalMs * (1 - RETRY_SCHEDULE.jitter) - ROUNDING_MS;
  return { send, leastMs: Math.max(leastMs, retryAfterMs(send)) };
}

const silenceIsForAll = (): Invariant => ({
  name: "Retry-After holds back the whole destination",
  see(fact, { ledger }) {
    if (fact.kind !== "settled" || !fact.isWritten) return null;
    const { delivery, settlement } = fact;
    const send = findSend(delivery, settlement.claimToken);
    if (send === undefined) return null;
    const endedMs = send.nodeEndedMs ?? 0;
    const askedMs = retryAfterMs(send);
    // A silence that is over when it is written down holds nothing back.
    if (askedMs === 0 || endedMs + askedMs <= fact.life.nowMs()) return null;
    // The receiver that asked has been replaced meanwhile.
    const settings = ledger.configs.destination(delivery.event.accountId, delivery.destinationId);
    if (settlement.setUpAtMs !== settings?.setUpAtMs) return null;
    const gotMs = Math.max(0, ledger.holds.heldUntilMs(delivery.destinationId) - endedMs);
    if (gotMs >= askedMs - ROUNDING_MS) return null;
    const message = `${delivery.destinationId} asked for ${askedMs} ms of silence and gets ${gotMs}`;
    return { message, about: delivery.id };
  },
});

/** Shares lie between 0.8 and 1.2: by chance eight of them are closer than this once in some 200 million runs. */
const RETRIES_MIN = 8;
const SPREAD_MIN = 0.02;

const retriesAreSpread = (): Invariant => {
  const shares: number[] = [];
  return {
    name: "jitter spreads the retries",
    see(fact) {
      const retry = findRetry(fact);
      if (retry?.askedMs === 0 && retry.nominalMs === retry.nominalMsMax) shares.push(retry.delayMs / retry.nominalMs);
      return null;
    },
    rest() {
      const spread = Math.max(...shares) - Math.min(...shares);
      if (shares.length < RETRIES_MIN || spread >= SPREAD_MIN) return null;
      return { message: `${shares.length} retries lie within ${spread} of the schedule's delay`, about: "" };
    },
  };
};

export const TIMING: readonly NewInvariant[] = [dueWithinSchedule, gapsAreKept, silenceIsForAll, retriesAreSpread];
