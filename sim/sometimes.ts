/**
 * Interesting states. A simulator that never gets into them proves nothing about them, so a long run of seeds fails
 * when one was not reached.
 */
import type { Fact } from "./history.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { retryAfterMs } from "./invariants/timing.ts";
import { listDestinations, sawSuccess } from "./records.ts";
import { DECLARED } from "./event-types.ts";

type IsReached = (fact: Fact, ledger: Ledger) => boolean;

const STATES: Readonly<Record<string, IsReached>> = {
  "an event was committed and its answer got lost": (fact) => isLostReply(fact, "acceptEvents"),
  "an attempt was settled and the answer got lost": (fact) => isLostReply(fact, "settleAttemptsIfClaimed"),
  "a claim's answer got lost": (fact) => isLostReply(fact, "claimDueDeliveries"),
  "a record was known already": (fact) => fact.kind === "answered" && fact.acceptance.duplicate,
  "an accept was decided again because the configuration had changed": (fact) =>
    fact.kind === "not_committed" && fact.why === "config_changed",
  "a delivery took the fast path": (fact) => fact.kind === "claimed" && fact.claim.wasDueAtMs === null,
  "a delivery waited for its turn": (fact, { deliveries, configs }) =>
    fact.kind === "claimed" &&
    configs.destination(fact.delivery.event.accountId, fact.delivery.destinationId)?.oneAtATime === true &&
    [...deliveries.values()].some(
      ({ destinationId, state, id }) =>
        state === "pending" && destinationId === fact.delivery.destinationId && id !== fact.delivery.id,
    ),
  "the fast path was declined": (fact) =>
    fact.kind === "committed" && fact.record.event.deliveries.some(({ claimed }) => !claimed),
  "a declared type was received": (fact, { deliveries }) =>
    fact.kind === "received" && DECLARED.includes(deliveries.get(fact.send.deliveryId)?.event.type ?? ""),
  "an event went nowhere": (fact) => fact.kind === "committed" && fact.record.deliveries.length === 0,
  "a claim was taken over while its request was under way": (fact) =>
    fact.kind === "claimed" &&
    fact.previous !== null &&
    fact.delivery.sends.some(
      ({ claim, endedAtMs, life }) => claim === fact.previous && endedAtMs === null && !life.isDead,
    ),
  "a dead node's delivery was taken over": (fact) => fact.kind === "claimed" && fact.previous?.life.hasCrashed === true,
  "a shard's server was away, and its calls failed alone": (fact) =>
    fact.kind === "store_failed" && fact.how === "away",
  "a shard could not be used because its schema was another version's": (fact) =>
    fact.kind === "schema" && fact.what === "refused",
  "calls shared a commit, and its answer got lost for all of them": (fact) =>
    fact.kind === "shared" && fact.fault === "reply_lost",
  "a success waited for company and found it": (fact) => fact.kind === "shared" && fact.patient > 0,
  "a node that had lost its claim tried to settle": (fact) => fact.kind === "settled" && !fact.isWritten,
  "a webhook was sent again, unasked, after its receiver had taken it": (fact, { sends, deliveries }) =>
    fact.kind === "received" &&
    deliveries.get(fact.send.deliveryId)?.reopenedAtMs === null &&
    sends.some(
      ({ deliveryId, number, wasTaken }) =>
        wasTaken && deliveryId === fact.send.deliveryId && number < fact.send.number,
    ),
  "a node died between a request and its settlement": (fact) =>
    fact.kind === "life" && fact.what === "crashed" && /settleAttempts/.test(fact.detail),
  "a node stood still for longer than a claim": (fact) =>
    fact.kind === "send_ended" && (fact.send.endedAtMs ?? 0) - fact.send.startedAtMs > CLAIM_MS,
  "a stopping node gave deliveries back": (fact) =>
    fact.kind === "released" && fact.life.isStopping && fact.released > 0,
  "a delivery was given back because its destination was off": (fact) =>
    fact.kind === "released" && !fact.life.isStopping && fact.released > 0,
  "a node was stopped while requests were under way": (fact, { sends }) =>
    fact.kind === "life" &&
    fact.what === "stopping" &&
    sends.some(({ life, endedAtMs }) => life === fact.life && endedAtMs === null),
  "Retry-After put a retry off": (fact) =>
    fact.kind === "settled" && fact.isWritten && fact.delivery.sends.some((send) => retryAfterMs(send) > 0),
  "an attempt was free": (fact) => fact.kind === "settled" && fact.isWritten && fact.settlement.isFree,
  "a request ran into its deadline": (fact) =>
    fact.kind === "send_ended" && fact.send.result?.outcome.kind === "timeout",
  "a receiver took what its sender saw fail": (fact) =>
    fact.kind === "send_ended" && fact.send.wasTaken && !sawSuccess(fact.send),
  "a destination answered 410": (fact) => fact.kind === "received" && fact.status === 410,
  "an open breaker let a trial through": (fact) => fact.kind === "claimed" && fact.claim.isTrial,
  "a trial closed a breaker": (fact) =>
    fact.kind === "settled" && fact.held?.isTrial === true && fact.settlement.next.state === "delivered",
  "a destination was turned off because it had failed for days": (fact, ledger) =>
    fact.kind === "configured" && listOffReasons(ledger, fact.accountId).includes("failing"),
  "a destination was turned on with deliveries waiting": (fact, { holds }) =>
    fact.kind === "claimed" && holds.turnedOnAtMs(fact.delivery.destinationId) > fact.delivery.createdAtMs,
  "a person had a delivery sent again": (fact) => fact.kind === "reopened",
  "what a person wanted now ended a rest and was its trial": (fact) =>
    fact.kind === "claimed" &&
    fact.claim.isTrial &&
    (fact.delivery.hurriedAtMs ?? -Infinity) > (fact.delivery.settlements.at(-1)?.atMs ?? 0),
  "a replay sent a delivery again": (fact) => fact.kind === "stepped" && fact.found > 0,
  "payloads were purged while deliveries waited": (fact, { deliveries }) =>
    fact.kind === "purged" && [...deliveries.values()].some(({ state }) => state === "pending"),
  "a replay was cancelled half-way": (fact, { replays }) =>
    fact.kind === "stepped" && [...replays.values()].some(({ state, moved }) => state === "cancelled" && moved > 0),
  "a delivery used up its attempts": (fact) => fact.kind === "settled" && fact.settlement.next.state === "failed",
  "a delivery succeeded after a failure": (fact) =>
    fact.kind === "settled" && fact.settlement.next.state === "delivered" && fact.settlement.attempt.number > 1,
  "the store's process died while nodes had deliveries in memory": (fact) =>
    fact.kind === "memory_lost" && fact.open > 0,
  "a clock jumped": (fact) => fact.kind === "life" && fact.what === "clock_set",
};

export const STATE_NAMES: readonly string[] = Object.keys(STATES);

/** Longer than any claim of the engine. */
const CLAIM_MS = 60_000;

export interface Sometimes {
  see(fact: Fact, ledger: Ledger): void;
  reached(): readonly string[];
}

export function createSometimes(): Sometimes {
  const open = new Set(STATE_NAMES);
  return {
    see(fact, ledger) {
      for (const name of open) if (STATES[name]?.(fact, ledger) === true) open.delete(name);
    },
    reached: () => STATE_NAMES.filter((name) => !open.has(name)),
  };
}

function listOffReasons(ledger: Ledger, accountId: string): readonly unknown[] {
  const account = ledger.configs.latest(accountId);
  return account === null ? [] : listDestinations(account).map(({ offReason }) => offReason);
}

const isLostReply = (fact: Fact, verb: string): boolean =>
  fact.kind === "store_failed" && fact.how === "reply_lost" && fact.verb === verb;
