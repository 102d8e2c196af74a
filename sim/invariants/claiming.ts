/** The promises of claims: one holder at a time, one request a claim, and a cause for each request after a success. */
import { LIMITS } from "../../src/domain/limits.ts";
import { type DeliveryRecord, type SendRecord, sawSuccess } from "../records.ts";
import { type Invariant, type NewInvariant, firstFinding } from "./invariant.ts";

const claimsRunOut = (): Invariant => ({
  name: "a delivery is taken from its holder only when the claim has run out",
  see(fact) {
    if (fact.kind !== "claimed" || fact.previous === null) return null;
    const { delivery, claim, previous } = fact;
    if (claim.nodeNowMs >= previous.untilMs) return null;
    const earlyMs = previous.untilMs - claim.nodeNowMs;
    return { message: `${claim.life.name} took ${delivery.id} ${earlyMs} ms too early`, about: delivery.id };
  },
});

const claimsRunOutInTroubleOnly = (): Invariant => ({
  name: "a claim runs out only where something stood in its node's way",
  see(fact, { isFirm }) {
    if (fact.kind !== "claimed" || fact.previous === null || !isFirm(fact.delivery.event.accountId)) return null;
    const { delivery, previous } = fact;
    return { message: `${previous.life.name} let its claim of ${delivery.id} run out`, about: delivery.id };
  },
});

const nothingBeforeItsTime = (): Invariant => ({
  name: "nothing is claimed before it is due",
  see(fact) {
    if (fact.kind !== "claimed" || fact.claim.wasDueAtMs === null) return null;
    const earlyMs = fact.claim.wasDueAtMs - fact.claim.nodeNowMs;
    const { id } = fact.delivery;
    return earlyMs <= 0 ? null : { message: `${id} was claimed ${earlyMs} ms before it was due`, about: id };
  },
});

const oneRequestAClaim = (): Invariant => ({
  name: "a request is made under a claim, and one only",
  see(fact) {
    if (fact.kind !== "send_started" || fact.send.claim !== null) return null;
    const { life, deliveryId } = fact.send;
    return { message: `${life.name} has no claim of ${deliveryId} to send under`, about: deliveryId };
  },
});

const requestsDoNotOverlap = (): Invariant => ({
  name: "two requests of a delivery overlap only when a claim ran out or a node died",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started") return null;
    const { deliveryId } = fact.send;
    return firstFinding(earlierSends(ledger.sends, fact.send), (earlier) => {
      if (earlier.endedAtMs !== null || isExcused(earlier) || isExcused(fact.send)) return null;
      return { message: `send ${fact.send.number} overlaps send ${earlier.number}`, about: deliveryId };
    });
  },
});

const repeatsHaveACause = (): Invariant => ({
  name: "a request after a success has a cause: a lost answer, a dead node, a claim that ran out, a person",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started") return null;
    const { number, deliveryId } = fact.send;
    const reopenedAtMs = ledger.deliveries.get(deliveryId)?.reopenedAtMs ?? -Infinity;
    return firstFinding(earlierSends(ledger.sends, fact.send), (earlier) => {
      if (earlier.startedAtMs <= reopenedAtMs) return null;
      const wasAnswerLost = earlier.endedAtMs !== null && !sawSuccess(earlier);
      if (!earlier.wasTaken || wasAnswerLost || isExcused(earlier) || isExcused(fact.send)) return null;
      return { message: `send ${number} repeats send ${earlier.number}, which had succeeded`, about: deliveryId };
    });
  },
});

const earlierSends = (sends: readonly SendRecord[], send: SendRecord): readonly SendRecord[] =>
  sends.filter(({ number, deliveryId }) => deliveryId === send.deliveryId && number < send.number);

/** Its claim is lost and it cannot know yet. A stop that ran into its deadline is a death. */
const isExcused = ({ life, claim, isClaimGuessed }: SendRecord): boolean =>
  life.hasCrashed || isClaimGuessed || claim?.end === "taken_over";

const ordersAreKept = (): Invariant => ({
  name: "where one goes at a time, it is the one that was accepted or sent again first, and alone",
  see(fact, { ledger }) {
    if (fact.kind !== "claimed") return null;
    const { delivery, claim } = fact;
    const { destinationId, event, id: about } = delivery;
    if (ledger.configs.destination(event.accountId, destinationId)?.oneAtATime !== true) return null;
    return firstFinding(ledger.deliveries.values(), (other) => {
      if (other === delivery || other.destinationId !== destinationId || other.state !== "pending") return null;
      const isHeld = other.claim !== null && other.claim.untilMs > claim.nodeNowMs;
      if (isHeld) return { message: `${about} was claimed beside ${other.id}`, about };
      return joinedAtMs(other) < joinedAtMs(delivery)
        ? { message: `${about} was claimed before ${other.id}`, about }
        : null;
    });
  },
});

const joinedAtMs = ({ reopenedAtMs, createdAtMs }: DeliveryRecord): number => reopenedAtMs ?? createdAtMs;

const restsAreKept = (): Invariant => ({
  name: "a destination that is held back is left alone, but for one trial at a time",
  see(fact, { ledger }) {
    if (fact.kind !== "claimed") return null;
    const { delivery, claim } = fact;
    const earlyMs = ledger.holds.heldUntilMs(delivery.destinationId) - claim.nodeNowMs;
    if (earlyMs <= 0) return null;
    const message = `${delivery.id} was claimed ${earlyMs} ms before ${delivery.destinationId} is let go`;
    return { message, about: delivery.id };
  },
});

const claimsOutlastAttempts = (): Invariant => ({
  name: "a claim outlasts the attempt that starts under it",
  see(fact, { swarm }) {
    // Between the node's last look at its clock and the request there may be a pause; nothing can be promised then.
    if (fact.kind !== "send_started" || swarm.isOn("clock_jump", "pause", "slow_store")) return null;
    const { claim, nodeStartedMs, deliveryId } = fact.send;
    if (claim === null || claim.untilMs - nodeStartedMs >= LIMITS.attemptDeadlineMs) return null;
    const leftMs = claim.untilMs - nodeStartedMs;
    return { message: `${deliveryId} is sent under a claim that holds for ${leftMs} ms`, about: deliveryId };
  },
});

export const CLAIMING: readonly NewInvariant[] = [
  claimsRunOut,
  claimsRunOutInTroubleOnly,
  nothingBeforeItsTime,
  oneRequestAClaim,
  requestsDoNotOverlap,
  repeatsHaveACause,
  restsAreKept,
  ordersAreKept,
  claimsOutlastAttempts,
];
