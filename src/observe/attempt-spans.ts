/**
 * The three spans of one attempt. It is reported when it is settled, so their times are computed back from there.
 *
 * Their parent is the event's creation context, which is also linked. The messaging conventions ask for the link and
 * allow the parent where a span handles one message, as an attempt always does. The parent keeps a retry, days later
 * and on another node, in the trace of the caller. Pure.
 */
import type { AttemptFact } from "../delivery/report.ts";
import type { AttemptTimings, Outcome } from "../domain/attempt.ts";
import type { TraceContext } from "../domain/trace-context.ts";
import type { Attributes, Span } from "./otlp/span.ts";

export interface AttemptPlace {
  /** The event's creation context; sampled. */
  readonly creation: TraceContext;
  /** The instant of the settlement. */
  readonly endMs: number;
  readonly newSpanId: () => string;
}

export function attemptSpans(fact: AttemptFact, { creation, endMs, newSpanId }: AttemptPlace): readonly Span[] {
  const { traceId, traceState } = creation;
  const answeredMs = endMs - fact.settleMs;
  const startMs = answeredMs - fact.result.timings.totalMs;
  const deliverId = newSpanId();
  const below = { traceId, traceState, parent: { spanId: deliverId, isRemote: false } };
  const error = findError(fact.result.outcome);
  return [
    {
      traceId,
      traceState,
      spanId: deliverId,
      parent: { spanId: creation.spanId, isRemote: true },
      linkTo: creation.spanId,
      name: `deliver ${fact.eventType}`,
      kind: "consumer",
      startMs,
      endMs,
      attributes: { ...messagingAttributes(fact, "deliver", "process"), ...deliveryAttributes(fact), ...error },
      isError: error !== null,
    },
    {
      ...below,
      spanId: newSpanId(),
      name: "POST",
      kind: "client",
      startMs,
      endMs: answeredMs,
      attributes: { ...httpAttributes(fact), ...error },
      events: phaseEvents(fact.result.timings, startMs),
      isError: error !== null,
    },
    {
      ...below,
      spanId: newSpanId(),
      name: `settle ${fact.eventType}`,
      kind: "client",
      startMs: answeredMs,
      endMs,
      attributes: messagingAttributes(fact, "settle", "settle"),
      isError: false,
    },
  ];
}

function messagingAttributes({ eventType, eventId }: AttemptFact, name: string, type: string): Attributes {
  return {
    "messaging.system": "bellwire",
    "messaging.operation.name": name,
    "messaging.operation.type": type,
    "messaging.destination.name": eventType,
    "messaging.message.id": eventId,
  };
}

function deliveryAttributes({ verdict, ...fact }: AttemptFact): Attributes {
  return {
    "bellwire.account.id": fact.accountId,
    "bellwire.destination.id": fact.destinationId,
    "bellwire.delivery.id": fact.deliveryId,
    "bellwire.attempt": fact.attemptNumber,
    "bellwire.verdict": verdict.kind,
    ...(verdict.kind === "retry" ? { "bellwire.next_attempt_at": new Date(verdict.dueAtMs).toISOString() } : {}),
  };
}

/**
 * No `url.full`, although the conventions ask for it: paths and queries of Webhook URLs carry their owners' secrets.
 */
function httpAttributes({ origin, attemptNumber, result: { outcome, address } }: AttemptFact): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    "http.request.method": "POST",
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
    "url.scheme": protocol.slice(0, -1),
    ...(address === null ? {} : { "network.peer.address": address }),
    ...(outcome.kind === "response" ? { "http.response.status_code": outcome.response.status } : {}),
    ...(attemptNumber > 1 ? { "http.request.resend_count": attemptNumber - 1 } : {}),
  };
}

/** A status or a kind: messages of a receiver or a library may hold anything. `null` for a success. */
function findError(outcome: Outcome): { readonly "error.type": string } | null {
  if (outcome.kind !== "response") return { "error.type": outcome.kind };
  const { status } = outcome.response;
  return status >= 200 && status < 300 ? null : { "error.type": String(status) };
}

/** The end of each phase. On a reused connection there is only the first byte. */
function phaseEvents({ dnsMs, connectMs, tlsMs, firstByteMs }: AttemptTimings, startMs: number) {
  let atMs = startMs;
  const events: { name: string; atMs: number }[] = [];
  const phases = [
    ["bellwire.resolved", dnsMs],
    ["bellwire.connected", connectMs],
    ["bellwire.secured", tlsMs],
  ] as const;
  for (const [name, tookMs] of phases) {
    if (tookMs === null) continue;
    atMs += tookMs;
    events.push({ name, atMs });
  }
  // Counted from the start of the attempt, unlike the others.
  if (firstByteMs !== null) events.push({ name: "bellwire.first_byte", atMs: startMs + firstByteMs });
  return events;
}
