/**
 * Makes spans from the facts that the event's path reports. They follow OpenTelemetry's conventions for HTTP and for
 * messaging, of which this service is the intermediary:
 *
 *     POST /v1/accounts/:account_id/…         server     the call that brought the records
 *     └── accept demo_viewed                  producer   one for each event, up to its commit: its "creation context"
 *         └── deliver demo_viewed             consumer   one for each attempt, on whichever node and whenever
 *             ├── POST                        client     the HTTP request; DNS, connection and TLS are events of it
 *             └── settle demo_viewed          client     its result is stored
 *
 * Invariant: no span has a payload, a header, or more of a Webhook URL than its host and port.
 */
import type { NewEvent } from "../store/contract/path.ts";
import type { AttemptFact } from "../delivery/report.ts";
import { type TraceContext, formatTraceContext, parseTraceContext, readTraceContext } from "../domain/trace-context.ts";
import type { AnsweredFact, IntakeTrace } from "../intake/report.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { attemptSpans } from "./attempt-spans.ts";
import { type Sampler, createSpanTime, type Span } from "./otlp/span.ts";

export interface TracesContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly sampler: Sampler;
  readonly record: (span: Span) => void;
}

export interface Traces {
  begin(headers: Readonly<Record<string, unknown>>): IntakeTrace | null;
  /** An attempt was made, whether its claim still held when it was settled or not. */
  attempted(fact: AttemptFact): void;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export function createTraces(ctx: TracesContext): Traces {
  const now = createSpanTime(ctx.clock);
  const newSpanId = () => hex(ctx.random.bytes(SPAN_ID_BYTES));

  return {
    begin(headers) {
      const caller = readTraceContext(headers);
      const traceId = caller?.traceId ?? hex(ctx.random.bytes(TRACE_ID_BYTES));
      if (!ctx.sampler(traceId, caller)) return null;
      const server = { traceId, spanId: newSpanId(), isSampled: true, traceState: caller?.traceState ?? "" };
      return beginRequest(ctx, { caller, server, now, newSpanId });
    },
    attempted(fact) {
      // Without a context the event was accepted untraced, and an attempt begins no trace of its own.
      const creation = fact.traceContext === null ? null : parseTraceContext(fact.traceContext);
      if (creation === null) return;
      for (const span of attemptSpans(fact, { creation, endMs: now(), newSpanId })) ctx.record(span);
    },
  };
}

interface Request {
  readonly caller: TraceContext | null;
  readonly server: TraceContext;
  readonly now: () => number;
  readonly newSpanId: () => string;
}

function beginRequest({ record }: TracesContext, { caller, server, now, newSpanId }: Request): IntakeTrace {
  const startMs = now();
  return {
    newEventContext: () => formatTraceContext({ ...server, spanId: newSpanId() }),
    committed(events, durationMs) {
      const endMs = now();
      for (const event of events) {
        const span = acceptSpan(event, server, { startMs: Math.max(startMs, endMs - durationMs), endMs });
        if (span !== null) record(span);
      }
    },
    answered: (fact) => record(serverSpan(fact, { caller, server, startMs, endMs: now() })),
  };
}

/** The span's id was drawn before the commit, because it is stored with the event. */
function acceptSpan(event: NewEvent, server: TraceContext, time: Pick<Span, "startMs" | "endMs">): Span | null {
  const creation = parseTraceContext(event.traceContext ?? "");
  if (creation === null) return null;
  return {
    ...time,
    traceId: creation.traceId,
    spanId: creation.spanId,
    parent: { spanId: server.spanId, isRemote: false },
    traceState: creation.traceState,
    name: `accept ${event.type}`,
    kind: "producer",
    attributes: {
      "messaging.system": "bellwire",
      "messaging.operation.name": "accept",
      "messaging.operation.type": "send",
      "messaging.destination.name": event.type,
      "messaging.message.id": event.id,
      "messaging.message.body.size": Buffer.byteLength(event.body),
      "bellwire.account.id": event.accountId,
      "bellwire.deliveries": event.deliveries.length,
    },
    isError: false,
  };
}

interface Served extends Pick<Span, "startMs" | "endMs"> {
  readonly caller: TraceContext | null;
  readonly server: TraceContext;
}

/** `url.path`, which the conventions ask for, is the route: the path itself may hold the caller's data. */
function serverSpan({ method, route, status }: AnsweredFact, { caller, server, startMs, endMs }: Served): Span {
  const isError = status >= 500;
  return {
    startMs,
    endMs,
    traceId: server.traceId,
    spanId: server.spanId,
    parent: caller === null ? null : { spanId: caller.spanId, isRemote: true },
    traceState: server.traceState,
    name: `${method} ${route}`,
    kind: "server",
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "url.path": route,
      "url.scheme": "http",
      "http.response.status_code": status,
      ...(isError ? { "error.type": String(status) } : {}),
    },
    isError,
  };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
