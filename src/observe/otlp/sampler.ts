/** Decides whether a trace is kept: OpenTelemetry's samplers by their names. Pure. */
import type { TraceContext } from "../../domain/trace-context.ts";

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
