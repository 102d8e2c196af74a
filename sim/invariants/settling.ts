/** The promises of settling: only a claim's holder settles, each verdict follows from its attempt, edges are legal. */
import { ENGINE_EDGES, PERSON_EDGES } from "../../src/domain/delivery.ts";
import { RETRY_SCHEDULE, attemptsMax } from "../../src/domain/retry-schedule.ts";
import type { Settlement } from "../../src/store/contract/path.ts";
import { type DeliveryRecord, isTaken, isUnsent } from "../records.ts";
import { type Invariant, type NewInvariant, firstFinding } from "./invariant.ts";

const edgesAreLegal = (): Invariant => ({
  name: "a delivery takes only legal edges, and an ended one stays ended until a person acts",
  see(fact) {
    if (fact.kind === "claimed" && fact.delivery.state !== "pending") {
      return { message: `${fact.delivery.id} is ${fact.delivery.state} and was claimed`, about: fact.delivery.id };
    }
    if (fact.kind === "reopened" && !PERSON_EDGES[fact.stateBefore].includes("pending")) {
      return { message: `${fact.delivery.id} was ${fact.stateBefore} and was sent again`, about: fact.delivery.id };
    }
    if (fact.kind !== "settled" || !fact.isWritten) return null;
    const { delivery, stateBefore, settlement } = fact;
    if (ENGINE_EDGES[stateBefore].includes(settlement.next.state)) return null;
    return { message: `${delivery.id} went from ${stateBefore} to ${settlement.next.state}`, about: delivery.id };
  },
});

const fencedOutChangesNothing = (): Invariant => ({
  name: "a node whose claim was lost changes nothing",
  see(fact) {
    if (fact.kind === "released") {
      const { claims, released, life } = fact;
      if (claims.length === released) return null;
      return { message: `${released} claims were released, ${claims.length} of them were held`, about: life.name };
    }
    if (fact.kind !== "settled") return null;
    const { delivery, held, settlement, isWritten } = fact;
    const isHolder = held?.token === settlement.claimToken;
    if (isWritten === isHolder) return null;
    const what = isHolder ? "was refused the settlement" : "settled";
    const holder = held === null ? "nobody" : `${held.life.name} (${held.token})`;
    return { message: `${fact.life.name} ${what} of ${delivery.id}, which ${holder} held`, about: delivery.id };
  },
});

const verdictsFollow = (): Invariant => ({
  name: "delivered means 2xx, failed means that every attempt is used up, anything else is tried again",
  see(fact) {
    if (fact.kind !== "settled" || !fact.isWritten) return null;
    const wanted = wantedState(fact.settlement, fact.delivery);
    const got = fact.settlement.next.state;
    if (wanted === got) return null;
    const attempt = `attempt ${fact.settlement.attempt.number}`;
    return { message: `${fact.delivery.id} is ${got} after ${attempt}, not ${wanted}`, about: fact.delivery.id };
  },
});

function wantedState({ attempt }: Settlement, { attemptsBefore }: DeliveryRecord): string {
  if (isTaken(attempt.result)) return "delivered";
  return attempt.number - attemptsBefore < attemptsMax(RETRY_SCHEDULE) ? "pending" : "failed";
}

const onlyUnsentIsFree = (): Invariant => ({
  name: "an attempt that never left its machine spends nothing, and every other one counts",
  see(fact) {
    if (fact.kind !== "settled" || !fact.isWritten) return null;
    const { settlement, delivery } = fact;
    const { isFree, attempt } = settlement;
    if (isFree === isUnsent(attempt.result)) return null;
    const what = isFree ? "is free" : "counts";
    return { message: `attempt ${attempt.number} of ${delivery.id} ${what}`, about: delivery.id };
  },
});

const attemptsAreNumbered = (): Invariant => ({
  name: "attempts are numbered from 1 without a gap",
  see(fact) {
    if (fact.kind !== "settled" || !fact.isWritten) return null;
    const { delivery, settlement } = fact;
    const wanted = delivery.settlements.length;
    const got = settlement.attempt.number;
    return wanted === got
      ? null
      : { message: `attempt ${wanted} of ${delivery.id} is called ${got}`, about: delivery.id };
  },
});

const everySendIsSettled = (): Invariant => ({
  name: "every request that ended is settled, unless its node died",
  rest: ({ ledger }) =>
    firstFinding(ledger.sends, ({ number, endedAtMs, life, settleCalls, deliveryId }) => {
      if (endedAtMs === null || life.hasCrashed || settleCalls > 0) return null;
      return { message: `${life.name} never settled its send ${number}`, about: deliveryId };
    }),
});

const goneTurnsOff = (): Invariant => ({
  name: "410 turns the destination off until a person turns it on",
  rest: ({ ledger }) =>
    firstFinding(ledger.deliveries.values(), ({ id, event, destinationId, settlements }) => {
      const isSince = (atMs: number) => atMs > ledger.holds.turnedOnAtMs(destinationId);
      const wasGone = settlements.some(({ settlement, atMs }) => isSince(atMs) && findStatus(settlement) === 410);
      const state = ledger.configs.destination(event.accountId, destinationId)?.state;
      return wasGone && state === "on" ? { message: `${destinationId} answered 410 and is on`, about: id } : null;
    }),
});

function findStatus({ attempt }: Settlement): number | null {
  const { outcome } = attempt.result;
  return outcome.kind === "response" ? outcome.response.status : null;
}

const rowsAgree = (): Invariant => ({
  name: "the rows say what happened",
  rest: ({ ledger, rows, waiting }) => {
    const pending = [...ledger.deliveries.values()].filter(({ state }) => state === "pending").length;
    if (pending !== waiting)
      return { message: `${pending} deliveries are pending, the store counts ${waiting}`, about: "" };
    return firstFinding(ledger.deliveries.values(), ({ id, state, settlements, event }) => {
      const row = rows.get(id);
      const says = `${row?.state} with ${row?.attempts.length} attempts of ${row?.eventId}`;
      const was = `${state} with ${settlements.length} attempts of ${event.id}`;
      return says === was ? null : { message: `${id} is ${was}, its row says ${says}`, about: id };
    });
  },
});

const countedOnce = (): Invariant => ({
  name: "each settled attempt is counted once",
  rest: ({ ledger, counted }) => {
    const settled = [...ledger.deliveries.values()].reduce((sum, { settlements }) => sum + settlements.length, 0);
    return settled === counted
      ? null
      : { message: `${settled} attempts were settled, the figures have ${counted}`, about: "" };
  },
});

export const SETTLING: readonly NewInvariant[] = [
  edgesAreLegal,
  fencedOutChangesNothing,
  verdictsFollow,
  onlyUnsentIsFree,
  attemptsAreNumbered,
  everySendIsSettled,
  goneTurnsOff,
  rowsAgree,
  countedOnce,
];
