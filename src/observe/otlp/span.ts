/**
 * A span that has ended, and the shapes it shares with metrics. Times are milliseconds since the epoch, with fractions.
 */
import type { Clock } from "../../lib/clock.ts";
import type { TraceContext } from "../../domain/trace-context.ts";

/** Whole numbers become integers on the wire, others doubles. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** OTLP's numbers (`Span.SpanKind`). */
export const SPAN_KIND = { server: 2, client: 3, producer: 4, consumer: 5 } as const;

export type SpanKind = keyof typeof SPAN_KIND;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** `null` for the first span of its trace. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | null;
  readonly traceState: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events?: readonly { readonly name: string; readonly atMs: number }[];
  /** A span of the same trace to which this one is linked. */
  readonly linkTo?: string;
  readonly isError: boolean;
}

/*
 * Instants finer than a millisecond, for spans: a commit on good storage is shorter than that. The wall clock gives the
 * start, the monotonic clock the time since. When the two no longer agree, the wall clock was set, and is read again.
 */

/** Guess. Clocks that NTP slews drift by less between two spans; clocks that are set jump by more. */
const JUMP_MS = 50;

/** Milliseconds since the epoch, with fractions. Never goes back, unless the clock was set. */
export function createSpanTime(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const monotonicMs = clock.monotonicMs();
    const wallMs = clock.nowMs();
    if (Math.abs(wallMs - monotonicMs - offsetMs) > JUMP_MS) offsetMs = wallMs - monotonicMs;
    return monotonicMs + offsetMs;
  };
}

/* Decides whether a trace is kept: OpenTelemetry's samplers by their names. Pure. */

export interface SamplerChoice {
  readonly sampler: string;
  /** For the kinds with `traceidratio`. */
  readonly ratio: number;
}

/** `parent` is the caller's context; `null` when the trace begins here. */
export type Sampler = (traceId: string, parent: TraceContext | null) => boolean;

/**
 * The end of a trace id is random by W3C Trace Context, level 2: every sampler decides alike about one trace. A number
 * holds this many digits exactly; with more, the highest ids would be rounded up to 1 and never kept.
 */
const RANDOM_DIGITS = 13;

export function createSampler({ sampler, ratio }: SamplerChoice): Sampler {
  const [, isParentBased, kind] = /^(parentbased_)?(\w+)$/.exec(sampler) ?? [];
  const root = (traceId: string): boolean => {
    if (kind !== "traceidratio") return kind === "always_on";
    return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS < ratio;
  };
  return (traceId, parent) => (parent === null || isParentBased === undefined ? root(traceId) : parent.isSampled);
}
