/** The promises of accepting: an answer is about something on disk, one event a record, sent to whom it concerns. */
import { type Plan, hasPlan } from "../../src/domain/account.ts";
import type { WantedEvents } from "../../src/domain/webhook.ts";
import { isBig } from "../event-types.ts";
import type { EventRecord } from "../records.ts";
import { type Finding, type Invariant, type NewInvariant, firstFinding } from "./invariant.ts";

const answersAreOnDisk = (): Invariant => ({
  name: "an answer names an event that is on disk",
  see(fact, { ledger }) {
    if (fact.kind !== "answered") return null;
    const { eventId, deliveries } = fact.acceptance;
    const stored = ledger.events.get(eventId);
    if (stored === undefined) return { message: `${eventId} was answered and is not on disk`, about: eventId };
    if (stored.deliveries.length === deliveries) return null;
    const message = `${eventId} has ${stored.deliveries.length} deliveries, the answer says ${deliveries}`;
    return { message, about: eventId };
  },
});

const oneEventEach = (): Invariant => {
  const answered = new Map<number, string>();
  const committed = new Map<string, string>();
  const unique = <Key>(known: Map<Key, string>, key: Key, eventId: string): Finding | null => {
    const first = known.get(key) ?? eventId;
    known.set(key, first);
    return first === eventId ? null : { message: `${first} and ${eventId} are one record's`, about: eventId };
  };
  return {
    name: "one record becomes one event, and every answer names it",
    see(fact) {
      if (fact.kind === "answered") return unique(answered, fact.record.number, fact.acceptance.eventId);
      if (fact.kind !== "committed") return null;
      const { id, accountId, type, sourceId } = fact.record.event;
      return unique(committed, `${accountId} ${type} ${sourceId}`, id);
    },
  };
};

const goesWhereConfigured = (): Invariant => ({
  name: "an event goes where the configuration says that it is committed under",
  see(fact, { findAssistant }) {
    if (fact.kind !== "committed") return null;
    const { event, deliveries } = fact.record;
    const assistantId = findAssistant(event.sourceId);
    // This was never posted: another invariant's business.
    if (assistantId === undefined) return null;
    const wanted = wantedDestinations(fact.record, assistantId).toSorted();
    const got = deliveries.map(({ destinationId }) => destinationId).toSorted();
    if (wanted.join() === got.join()) return null;
    return { message: `${event.id} goes to [${got.join()}] and is for [${wanted.join()}]`, about: event.id };
  },
});

/** Every alert of a run fires for everyone, so this is short; alerts' conditions have tests of their own. */
function wantedDestinations(committed: EventRecord, assistantId: string | null): string[] {
  const { event, account } = committed;
  const isInPlan = hasPlan(account.plan, PLANS[event.type] ?? null);
  const alerts = isInPlan && event.type === "demo_viewed" ? account.alerts : [];
  const assistants = account.assistants.filter(({ id }) => id === assistantId);
  const webhooks = isInPlan ? account.webhooks.filter(({ events }) => wants(events, committed)) : [];
  const owners = [...alerts.filter(({ webhooksOn }) => webhooksOn), ...assistants, ...webhooks];
  return owners.flatMap(({ destination }) => destination?.id ?? []);
}

/** The least plan under which anybody gets the type; any for those that are not here. */
const PLANS: Readonly<Record<string, Plan>> = { demo_viewed: "starter", order_paid: "growth" };

/** The types by their names, and the one condition that there is by what the body says. */
function wants(events: WantedEvents, { event: { type, body } }: EventRecord): boolean {
  if (events === "all") return true;
  const wanted = events.find((each) => each.type === type);
  return wanted !== undefined && (wanted.conditions === null || isBig(body));
}

const everythingEnds = (): Invariant => ({
  name: "what was accepted is delivered, failed or cancelled, or waits at a destination that is not on",
  rest: ({ ledger }) =>
    firstFinding(ledger.deliveries.values(), ({ id, event, state, destinationId }) => {
      if (state !== "pending") return null;
      const destination = ledger.configs.destination(event.accountId, destinationId);
      if (destination !== null && destination.state !== "on") return null;
      return { message: `${id} is still pending, long after every fault has ended`, about: id };
    }),
});

const everyRecordIsAnswered = (): Invariant => ({
  name: "every record is answered in the end",
  rest: ({ openRecords }) =>
    openRecords === 0 ? null : { message: `${openRecords} records have no answer although all is well`, about: "" },
});

export const ACCEPTING: readonly NewInvariant[] = [
  answersAreOnDisk,
  oneEventEach,
  goesWhereConfigured,
  everythingEnds,
  everyRecordIsAnswered,
];
