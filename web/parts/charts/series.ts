/** The data of a chart: buckets of time, and for each series one value a bucket. */
import type { Steps, Values } from "./geometry.ts";

export type SeriesTone = "ok" | "warn" | "bad" | "info" | "accent";

export interface Series {
  readonly id: string;
  readonly label: string;
  readonly tone: SeriesTone;
  /** Lines differ by their strokes too, for readers who do not see the colours. */
  readonly dash?: string;
  readonly values: Values;
}

/** `toMs` is `null` while it lasts. */
export interface Band {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface ChartData {
  readonly kind: "stack" | "lines";
  readonly bucketsAtMs: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly Series[];
  readonly steps: Steps;
  readonly format: (value: number) => string;
  /** The present, which lies in the last bucket. */
  readonly nowMs: number;
  /** Times of trouble, as bands behind everything else. */
  readonly incidents: readonly Band[];
  /** A limit to draw as a line, such as the deadline. */
  readonly limit?: { readonly value: number; readonly label: string };
}

export const FILLS: Readonly<Record<SeriesTone, string>> = {
  ok: "fill-ok-mark",
  warn: "fill-warn-mark",
  bad: "fill-bad-mark",
  info: "fill-info-mark",
  accent: "fill-accent",
};

export const STROKES: Readonly<Record<SeriesTone, string>> = {
  ok: "stroke-ok-mark",
  warn: "stroke-warn-mark",
  bad: "stroke-bad-mark",
  info: "stroke-info-mark",
  accent: "stroke-accent",
};

/** Whether one of the bucket's moments is in a time of trouble. */
export function isInIncident({ bucketsAtMs, bucketMs, incidents, nowMs }: ChartData, index: number): boolean {
  const atMs = bucketsAtMs[index] ?? 0;
  return incidents.some(({ fromMs, toMs }) => fromMs < atMs + bucketMs && (toMs ?? nowMs) >= atMs);
}
