/**
 * A span that has ended, and the shapes it shares with metrics. Times are milliseconds since the epoch, with fractions.
 */

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
