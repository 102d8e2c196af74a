/**
 * Accepting routes each record, then commits the event and its deliveries in ONE transaction. Intake may answer 202
 * only after that commit.
 *
 * The fast path: when a destination's lane has capacity, its delivery is committed under this node's claim, and goes to
 * the lane right after the commit. Otherwise it is committed as due, and a later claim brings it.
 */
import { type AccountView, isSentTo, startsAtOnce } from "../accounts/account-view.ts";
import { accountMissing, accountSuspended } from "../accounts/context.ts";
import { newIdAt } from "../domain/id.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { ParsedRecord } from "../events/event-type.ts";
import { assert } from "../lib/assert.ts";
import { mapInSlices } from "../lib/rounds.ts";
import type { AcceptedEvent, NewDelivery, NewEvent, Claim, ClaimedDelivery } from "../store/contract/path.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import type { DeliveryContext } from "./context.ts";
import type { Engine } from "./engine.ts";
import { type Routing, route } from "./route.ts";
import type { Lanes } from "./lanes/lanes.ts";

/** Guess. Each round means that a caller changed the account in the few milliseconds since the last round. */
const ROUNDS_MAX = 20;

/**
 * A record to accept. `inboxSeq` names the row of the inbox that the record came from; the accept's commit removes it.
 */
export interface GivenRecord extends ParsedRecord {
  readonly inboxSeq?: number;
}

export interface Acceptance {
  readonly eventId: string;
  /** The number of the event's deliveries; for a duplicate, those of the first accept. */
  readonly deliveries: number;
  readonly duplicate: boolean;
  /** A duplicate whose body is another one than the first one's: it is not sent. */
  readonly differs: boolean;
}

/** The trace of the request that brings the records. */
export interface RequestTrace {
  /**
   * Creates the span of one event and returns its context as it is stored. The event's attempts become its children.
   */
  newEventContext(): string;
  /** Reports that these events were committed, and how long that took since they were routed. */
  committed(events: readonly NewEvent[], durationMs: number): void;
}

export interface AcceptPath {
  readonly ctx: DeliveryContext;
  readonly engine: Pick<Engine, "newClaim" | "newPlace" | "lanes">;
  /** Left out when the request is not traced. */
  readonly trace?: RequestTrace | null;
}

/** One answer for each record, in order. Rejects with `StoreUnavailable`: none is confirmed, and repeating is safe. */
export async function accept(
  path: AcceptPath,
  accountId: string,
  records: readonly GivenRecord[],
): Promise<Result<readonly Acceptance[]>> {
  const acceptances: Acceptance[] = [];
  let unanswered: readonly Unanswered[] = records.map((record, position) => ({ record, position }));
  let versionMin = 0;
  for (let round = 0; unanswered.length > 0; round += 1) {
    if (round === ROUNDS_MAX) throw new StoreUnavailable(`account ${accountId} is being changed all the time`);
    const loading = loadForRouting(path.ctx, { accountId, versionMin, records });
    const view = loading instanceof Promise ? await loading : loading;
    if (view === null) return refuse(accountMissing(accountId));
    if (view.isSuspended) return refuse(accountSuspended);
    // All bodies are built before the first slot is reserved: a record that throws must not cost the others their
    // slots.
    const routing = routeAll(path.ctx, view, unanswered);
    const routed = routing instanceof Promise ? await routing : routing;
    const admitted = round === 0 ? waitForCapacity(path, routed) : null;
    if (admitted !== null) await admitted;
    const answers = await commit(path, view, routed);
    const asked = unanswered;
    unanswered = asked.filter((_, index) => answers[index] === null);
    answers.forEach((answer, index) => {
      const item = asked[index];
      if (item !== undefined && answer !== null) acceptances[item.position] = answer;
    });
    versionMin = view.configVersion + 1;
  }
  reportAccepted(path.ctx, records, acceptances);
  return ok(acceptances);
}

/** A record without an answer, and its position among those that were given. */
interface Unanswered {
  readonly record: GivenRecord;
  readonly position: number;
}

/** In slices: conditions may cost some 10 ms for each record of a batch. */
function routeAll(
  { clock }: DeliveryContext,
  view: AccountView,
  unanswered: readonly Unanswered[],
): readonly Routed[] | Promise<readonly Routed[]> {
  const toRouted = ({ record }: Unanswered): Routed => ({
    record,
    routing: route(view, record.facts),
    body: record.buildBody(view.account),
  });
  return unanswered.length === 1 ? unanswered.map(toRouted) : mapInSlices(clock, unanswered, toRouted);
}

/** Waits for capacity in full, healthy lanes while the node is busy; `null` when there is nothing to wait for. */
function waitForCapacity({ engine }: AcceptPath, routed: readonly Routed[]): Promise<void> | null {
  const { admission } = engine.lanes;
  if (!admission.isFull()) return null;
  const ids = new Set<string>();
  for (const { routing } of routed) {
    for (const destination of routing.destinations) if (startsAtOnce(destination)) ids.add(destination.id);
  }
  return admission.enter([...ids]);
}

/** A record, its destinations in one view of its account, and its webhooks' body. */
interface Routed {
  readonly record: GivenRecord;
  readonly routing: Routing;
  readonly body: string;
}

interface WantedView {
  readonly accountId: string;
  readonly versionMin: number;
  readonly records: readonly GivenRecord[];
}

/** Returns at once when the view is cached and has the records' chat assistants, as it nearly always does. */
function loadForRouting(ctx: DeliveryContext, wanted: WantedView): AccountView | Promise<AccountView | null> {
  const view = ctx.accounts.load(wanted.accountId, wanted.versionMin);
  if (view instanceof Promise) return view.then((read) => (read === null ? null : withAssistants(ctx, read, wanted)));
  return withAssistants(ctx, view, wanted);
}

/** A conversation of an unknown chat assistant creates that assistant first. */
function withAssistants(
  ctx: DeliveryContext,
  view: AccountView,
  { records }: WantedView,
): AccountView | Promise<AccountView | null> {
  const isUnknown = (id: string | null): id is string => id !== null && !view.assistants.has(id);
  if (!records.some((record) => isUnknown(findAssistant(record)))) return view;
  return createAssistants(ctx, view, new Set(records.map(findAssistant).filter(isUnknown)));
}

const findAssistant = ({ facts }: GivenRecord): string | null => facts.assistantId;

async function createAssistants(
  { accounts, store, clock, report }: DeliveryContext,
  { account, configVersion }: AccountView,
  ids: ReadonlySet<string>,
): Promise<AccountView | null> {
  const nowMs = clock.nowMs();
  const create = (id: string): Promise<unknown> =>
    store.putChatAssistant({ accountId: account.id, assistant: { id, name: id }, rename: false, nowMs });
  // Together, so that they share a commit. Each creates a new version of the account, which other calls must follow.
  await Promise.all(Array.from(ids, create));
  report.assistantsCreated({ accountId: account.id });
  return await accounts.load(account.id, configVersion + 1);
}

/** Commits once under one version of the account. `null` marks records that must be routed again with a newer one. */
async function commit(
  { ctx, engine, trace = null }: AcceptPath,
  view: AccountView,
  routed: readonly Routed[],
): Promise<(Acceptance | null)[]> {
  const claim = engine.newClaim();
  const startedMs = ctx.clock.monotonicMs();
  const drafting = { ctx, engine, view, trace };
  const events = routed.map((each) => draftEvent(drafting, each));
  const nowMs = ctx.clock.nowMs();
  let accepted: readonly AcceptedEvent[] = [];
  try {
    accepted = await ctx.store.acceptEvents({ nowMs, claim, events });
    confirmView(ctx, view, { accepted, askedMs: startedMs });
  } finally {
    // Also when the commit failed: a reserved slot that is neither taken nor released stays lost.
    handOver(engine.lanes, { events, accepted, claim, view, nowMs });
  }
  reportQueued(ctx, events, accepted);
  if (trace !== null) {
    const committed = events.filter((_, index) => accepted[index]?.kind === "accepted");
    trace.committed(committed, ctx.clock.monotonicMs() - startedMs);
  }
  return accepted.map((answer, index) => toAcceptance(answer, events[index]));
}

/**
 * The commit compared the version, which confirms the view. So most requests start without a statement of their own.
 */
function confirmView(
  { accounts }: DeliveryContext,
  { account, configVersion }: AccountView,
  { accepted, askedMs }: { readonly accepted: readonly AcceptedEvent[]; readonly askedMs: number },
): void {
  if (accepted.some(({ kind }) => kind === "accepted")) accounts.confirm(account.id, { configVersion, askedMs });
}

/** The parts that all events of one commit share. */
interface Drafting {
  readonly ctx: DeliveryContext;
  readonly engine: AcceptPath["engine"];
  readonly view: AccountView;
  readonly trace: RequestTrace | null;
}

/** The store finds an event's deliveries by the instant that their ids share (`store/postgres/days.ts`). */
function draftEvent({ ctx, engine, view, trace }: Drafting, { record, routing, body }: Routed): NewEvent {
  const place = engine.newPlace();
  const { destinations, notSentText } = routing;
  const deliveries = destinations.map((destination): NewDelivery => {
    const key = { accountId: view.account.id, destinationId: destination.id };
    return {
      id: newIdAt("dlv", place, ctx.random),
      destinationId: destination.id,
      claimed: startsAtOnce(destination) && engine.lanes.reserve(key, body.length),
    };
  });
  return {
    id: newIdAt("evt", place, ctx.random),
    accountId: view.account.id,
    configVersion: view.configVersion,
    type: record.facts.type,
    sourceId: record.sourceId,
    assistantId: findAssistant(record),
    body,
    deliveries,
    notSent: notSentText,
    traceContext: trace?.newEventContext() ?? null,
    inboxSeq: record.inboxSeq ?? null,
  };
}

function toAcceptance(answer: AcceptedEvent, event: NewEvent | undefined): Acceptance | null {
  assert(event !== undefined, "the store answered for more events than it was given");
  switch (answer.kind) {
    case "accepted":
      return { eventId: event.id, deliveries: event.deliveries.length, duplicate: false, differs: false };
    case "duplicate":
      return { eventId: answer.eventId, deliveries: answer.deliveries, duplicate: true, differs: answer.differs };
    case "config_changed":
      return null;
  }
}

/**
 * Runs before any attempt of these deliveries is reported: a lane starts attempts in a later tick of the event loop.
 */
function reportQueued(ctx: DeliveryContext, events: readonly NewEvent[], accepted: readonly AcceptedEvent[]): void {
  const accountId = events[0]?.accountId;
  const deliveries = events.flatMap((event, index) => (accepted[index]?.kind === "accepted" ? event.deliveries : []));
  if (accountId !== undefined && deliveries.length > 0) ctx.report.queued({ accountId, deliveries });
}

function reportAccepted(
  ctx: DeliveryContext,
  records: readonly GivenRecord[],
  acceptances: readonly Acceptance[],
): void {
  const type = records[0]?.facts.type;
  if (type === undefined) return;
  const duplicates = acceptances.filter(({ duplicate }) => duplicate).length;
  const differing = acceptances.filter(({ differs }) => differs).length;
  ctx.report.accepted({ type, accepted: acceptances.length - duplicates, duplicates, differing });
}

interface HandOverParams {
  readonly events: readonly NewEvent[];
  /** The store's answer to each; empty when the commit failed. */
  readonly accepted: readonly AcceptedEvent[];
  readonly claim: Claim;
  readonly view: AccountView;
  /** The instant just before the commit. */
  readonly nowMs: number;
}

/**
 * Hands deliveries from the commit to the lanes. A delivery that was committed under the claim takes its reserved slot;
 * every other slot is released. A lane without capacity notes whether the store holds a delivery more for it.
 */
function handOver(lanes: Lanes, committed: HandOverParams): void {
  for (const [index, event] of committed.events.entries()) {
    const answer = committed.accepted[index];
    const isAccepted = answer?.kind === "accepted";
    for (const delivery of event.deliveries) {
      const { id, destinationId, claimed } = delivery;
      const key = { accountId: event.accountId, destinationId };
      if (!claimed) {
        const destination = committed.view.destinations.get(destinationId);
        if (destination === undefined || !isSentTo(destination)) continue;
        if (startsAtOnce(destination)) lanes.noteBacklog(key, isAccepted);
        else if (isAccepted) lanes.noteOrdered(destinationId);
        // The store throttles it: a claim brings it once the destination's cool-down is over.
      } else if (!isAccepted || answer.unclaimed.includes(id)) lanes.release(key, event.body.length);
      else lanes.putReserved(claimedDelivery(committed, event, delivery));
    }
  }
}

function claimedDelivery(
  { view, claim, nowMs }: HandOverParams,
  event: NewEvent,
  delivery: NewDelivery,
): ClaimedDelivery {
  return {
    id: delivery.id,
    eventId: event.id,
    eventType: event.type,
    accountId: event.accountId,
    destinationId: delivery.destinationId,
    body: event.body,
    attemptsMade: 0,
    attemptsInSchedule: 0,
    pendingSinceMs: nowMs,
    isTrial: false,
    isInOrder: false,
    ratePerSecond: view.destinations.get(delivery.destinationId)?.ratePerSecond ?? null,
    traceContext: event.traceContext ?? null,
    configVersion: event.configVersion,
    claim,
  };
}
