/**
 * A place in a distributed trace, as the headers `traceparent` and `tracestate` carry it (W3C Trace Context, level 1).
 * An event keeps the place of its accept, so that its attempts belong to the caller's trace, hours later and on any
 * node. An unreadable header counts as absent: a caller's tracing must never cost it an event.
 */
export interface TraceContext {
  /** 32 hex digits in lower case, not all of them 0. */
  readonly traceId: string;
  /** 16 hex digits in lower case, not all of them 0. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Text that tracing systems pass to each other; empty for none. Passed on, never read. */
  readonly traceState: string;
}

/** The specification demands that this much is passed on; a longer text is dropped as a whole. */
const TRACE_STATE_CHARS_MAX = 512;
const TRACE_STATE_MEMBERS_MAX = 32;

const MEMBER = /^(?:[a-z0-9][a-z0-9_\-*/]{0,240}@)?[a-z][a-z0-9_\-*/]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** `null` when the header is absent or cannot be read. */
export function readTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext | null {
  const { traceparent, tracestate } = headers;
  const found = typeof traceparent === "string" ? TRACE_PARENT.exec(traceparent.trim()) : null;
  if (found === null) return null;
  const [, version = "", traceId = "", spanId = "", flags = "", more] = found;
  // Later versions may add text behind the flags; the first version has none, and ff is not a version.
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, traceState: readTraceState(tracestate) };
}

function readTraceState(header: unknown): string {
  if (typeof header !== "string") return "";
  const members = header
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const joined = members.join(",");
  const isGood = members.length <= TRACE_STATE_MEMBERS_MAX && members.every((member) => MEMBER.test(member));
  return isGood && joined.length <= TRACE_STATE_CHARS_MAX ? joined : "";
}

/** One line of text, as it is stored with an event: `traceparent`, and `tracestate` after a space. */
export function formatTraceContext({ traceId, spanId, isSampled, traceState }: TraceContext): string {
  const parent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return traceState === "" ? parent : `${parent} ${traceState}`;
}

/** Reads what `formatTraceContext` wrote. */
export function parseTraceContext(text: string): TraceContext | null {
  const space = text.indexOf(" ");
  if (space === -1) return readTraceContext({ traceparent: text });
  return readTraceContext({ traceparent: text.slice(0, space), tracestate: text.slice(space + 1) });
}
