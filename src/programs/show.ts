/**
 * What the dashboard shows, in the names of the read routes (`answers.ts`): the words, classes and decisions are the
 * page's own. Pure.
 */
import type { Static } from "typebox";
import type {
  AttemptView,
  DeliveryDetail,
  DeliveryList,
  DeliveryRow,
  EventDetail,
  EventList,
  EventRow,
} from "../dashboard/contract/deliveries.ts";
import type { DestinationOwner, DestinationView, OrderView } from "../dashboard/contract/destinations.ts";
import type { ResponseView } from "../dashboard/contract/outcomes.ts";
import type { ListedAccount } from "../store/contract/accounts.ts";
import type { WaitingOfAccount } from "../store/contract/destinations.ts";
import type * as answers from "./answers.ts";

const toInstant = (atMs: number): string => new Date(atMs).toISOString();
const toInstantOrNull = (atMs: number | null | undefined): string | null =>
  atMs === null || atMs === undefined ? null : toInstant(atMs);

const toOwner = ({ kind, id, name, isDeleted }: DestinationOwner) => ({ kind, id, name, is_deleted: isDeleted });

export function showDelivery(row: DeliveryRow) {
  const { id, status, isTest, eventType, about, destination, last } = row;
  return {
    id,
    status,
    is_test: isTest,
    event: eventType,
    about: { ...about },
    webhook:
      destination === null ? null : { id: destination.id, url: destination.url, owner: toOwner(destination.owner) },
    last: last === null ? null : { code: last.code, class: last.class, total_ms: last.totalMs },
    attempts_made: row.attemptsMade,
    attempts_in_schedule: row.attemptsInSchedule,
    attempts_max: row.attemptsMax,
    next_attempt_at: toInstantOrNull(row.nextAttemptAtMs),
    created_at: toInstant(row.createdAtMs),
  };
}

/** `toLink` makes the next page's address. */
export function showDeliveries(
  { deliveries, ...page }: DeliveryList,
  toLink: (cursor: string) => string,
): Static<typeof answers.deliveryListAnswer> {
  return { deliveries: deliveries.map(showDelivery), ...showPage(page, toLink) };
}

const showPage = (
  { nextCursor, search }: Pick<DeliveryList, "nextCursor" | "search">,
  toLink: (cursor: string) => string,
) => ({
  next: nextCursor === null ? null : toLink(nextCursor),
  searched_back_to: toInstantOrNull(search?.searchedBackToMs),
  missing_from: toInstantOrNull(search?.missingFromMs),
});

export function showDeliveryDetail(detail: DeliveryDetail): Static<typeof answers.deliveryAnswer> {
  const { resent } = detail;
  return {
    ...showDelivery(detail),
    event_id: detail.eventId,
    webhook_id: detail.webhookId,
    source_id: detail.sourceId,
    sentence: detail.attempts.at(-1)?.outcome.sentence ?? null,
    body: detail.body,
    attempts: detail.attempts.map((attempt) => showAttempt(attempt, detail.sentBodies)),
    last_attempt_at: toInstantOrNull(detail.lastAttemptAtMs),
    settled_at: toInstantOrNull(detail.settledAtMs),
    resent: resent === null ? null : { by: resent.by, at: toInstant(resent.atMs) },
    not_resendable: detail.notResendable,
  };
}

function showAttempt(
  { number, startedAtMs, url, requestHeaders, outcome, sent }: AttemptView,
  bodies: DeliveryDetail["sentBodies"],
) {
  const made = sent === null ? undefined : bodies[sent];
  return {
    number,
    started_at: toInstant(startedAtMs),
    request: { url, headers: { ...requestHeaders } },
    sent: made === undefined ? null : { ...made },
    ...showOutcome(outcome),
  };
}

export function showOutcome(outcome: AttemptView["outcome"]) {
  const { timings, response, status, sentence, advice, technical, phase, address } = outcome;
  return {
    answer: response === null ? null : showAnswer(response),
    class: outcome.class,
    status,
    sentence,
    advice,
    technical,
    phase,
    address,
    timings: {
      dns_ms: timings.dnsMs,
      connect_ms: timings.connectMs,
      tls_ms: timings.tlsMs,
      first_byte_ms: timings.firstByteMs,
      total_ms: timings.totalMs,
    },
  };
}

function showAnswer({ status, headers, body, isCut, isPurged }: ResponseView) {
  const content =
    body.kind === "text"
      ? { body: body.text, encoding: "utf-8" as const }
      : { body: body.base64, encoding: "base64" as const };
  return { status, headers: { ...headers }, ...content, is_cut: isCut, is_purged: isPurged };
}

const showEventRow = ({ eventId, type, sourceId, about, acceptedAtMs }: EventRow) => ({
  id: eventId,
  type,
  source_id: sourceId,
  about: { ...about },
  accepted_at: toInstant(acceptedAtMs),
});

export const showEvents = (
  { events, ...page }: EventList,
  toLink: (cursor: string) => string,
): Static<typeof answers.eventListAnswer> => ({
  events: events.map((event) => ({ ...showEventRow(event), deliveries: { ...event.deliveries } })),
  ...showPage(page, toLink),
});

export function showEvent(event: EventDetail): Static<typeof answers.eventAnswer> {
  const { assistant, body, rows, notSent } = event;
  return {
    ...showEventRow(event),
    assistant: assistant === null ? null : { ...assistant },
    body,
    deliveries: rows.map(showDelivery),
    not_sent: notSent.webhooks.map(({ destination, why }) => ({
      webhook: destination === null ? null : { id: destination.id, owner: toOwner(destination.owner) },
      why,
    })),
    not_sent_more: notSent.more,
  };
}

export function showWebhook({ id, owner, url, tags, state, health, certificateEndsAtMs, order }: DestinationView) {
  const { lastFailure, changed } = health;
  return {
    id,
    owner: toOwner(owner),
    url,
    tags: [...tags],
    state,
    health: {
      word: health.word,
      failing_since: toInstantOrNull(health.failingSinceMs),
      last_failure: lastFailure === null ? null : { at: toInstant(lastFailure.atMs), code: lastFailure.code },
      waiting: showWaiting(health.waiting),
      next_attempt_at: toInstantOrNull(health.nextAttemptAtMs),
      held_until: toInstantOrNull(health.heldUntilMs),
      turns_off_at: toInstantOrNull(health.turnsOffAtMs),
      off_reason: health.offReason,
      changed: changed === null ? null : { by: changed.by, at: toInstant(changed.atMs), reason: changed.reason },
      success_rate: health.successRate,
    },
    certificate_ends_at: toInstantOrNull(certificateEndsAtMs),
    one_at_a_time: order !== undefined,
    head: showHead(order?.head ?? null),
  };
}

const showHead = (head: OrderView["head"]) =>
  head === null
    ? null
    : {
        delivery_id: head.deliveryId,
        attempts_made: head.attemptsMade,
        held_since: toInstantOrNull(head.heldSinceMs),
        next_attempt_at: toInstantOrNull(head.nextAttemptAtMs),
      };

const showWaiting = ({ count, isCapped }: WaitingOfAccount["waiting"]) => ({ count, is_capped: isCapped });

export const showAccount = (
  { id, name, plan, appUrl, isSuspended, createdAtMs }: ListedAccount,
  { destinations, waiting }: WaitingOfAccount,
): Static<typeof answers.accountAnswer> => ({
  id,
  name,
  plan,
  app_url: appUrl,
  state: isSuspended ? "suspended" : "active",
  created_at: toInstant(createdAtMs),
  webhooks: destinations,
  waiting: showWaiting(waiting),
});
