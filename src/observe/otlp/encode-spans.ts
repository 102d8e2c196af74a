/**
 * Spans in the JSON form of OTLP/HTTP (opentelemetry-proto, `ExportTraceServiceRequest`): ids as lower-case hex, 64-bit
 * numbers as text, enumerations as numbers, names in camel case. Pure.
 */
import { VERSION } from "../../lib/version.ts";
import { type Attributes, SPAN_KIND, type Span } from "./span.ts";

/** `Status.StatusCode.STATUS_CODE_ERROR`; a success has no status. */
const ERROR = 2;

/** Bits of `Span.flags`: the trace is sampled; the next bit is known; the parent is in another process. */
const SAMPLED = 0x1;
const KNOWS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

export const SCOPE = { name: "bellwire", version: VERSION };

export function encodeSpans(spans: readonly Span[], resource: Attributes): string {
  const scopeSpans = [{ scope: SCOPE, spans: spans.map(encodeSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: encodeAttributes(resource) }, scopeSpans }] });
}

function encodeSpan({ traceId, spanId, parent, traceState, name, kind, ...span }: Span) {
  return {
    traceId,
    spanId,
    ...(traceState === "" ? {} : { traceState }),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    flags: SAMPLED | KNOWS_REMOTE | (parent?.isRemote === true ? IS_REMOTE : 0),
    name,
    kind: SPAN_KIND[kind],
    startTimeUnixNano: nanos(span.startMs),
    // A clock that was set back must not make a span end before it begins: collectors refuse such spans.
    endTimeUnixNano: nanos(Math.max(span.startMs, span.endMs)),
    attributes: encodeAttributes(span.attributes),
    ...(span.events === undefined
      ? {}
      : { events: span.events.map((event) => ({ timeUnixNano: nanos(event.atMs), name: event.name })) }),
    ...(span.linkTo === undefined ? {} : { links: [{ traceId, spanId: span.linkTo }] }),
    ...(span.isError ? { status: { code: ERROR } } : {}),
  };
}

export function encodeAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** To the microsecond: nanoseconds since 1970 are more than a number of JavaScript holds. */
export const nanos = (ms: number): string => `${Math.round(ms * 1_000)}000`;
