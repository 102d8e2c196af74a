/** Short words in a shape of their own: a badge, a status with its colour and icon, a level of intent. */
import clsx from "clsx";
import {
  Ban,
  Check,
  CircleDashed,
  CirclePause,
  CirclePower,
  Clock,
  HeartPulse,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import type { DeliveryStatus } from "../../src/dashboard/contract/deliveries.ts";
import type { HealthWord } from "../../src/dashboard/contract/destinations.ts";

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}

export const DELIVERY_LOOKS: Readonly<Record<DeliveryStatus, Look>> = {
  waiting: { word: "Waiting", tone: "info", icon: Clock },
  retrying: { word: "Retrying", tone: "warn", icon: RotateCw },
  delivered: { word: "Delivered", tone: "ok", icon: Check },
  failed: { word: "Failed", tone: "bad", icon: X },
  cancelled: { word: "Cancelled", tone: "neutral", icon: Ban },
};

export const HEALTH_LOOKS: Readonly<Record<HealthWord, Look>> = {
  no_deliveries: { word: "No deliveries yet", tone: "neutral", icon: CircleDashed },
  healthy: { word: "Healthy", tone: "ok", icon: Check },
  unsteady: { word: "Unsteady", tone: "warn", icon: HeartPulse },
  failing: { word: "Failing", tone: "bad", icon: TriangleAlert },
  paused: { word: "Paused", tone: "neutral", icon: CirclePause },
  off: { word: "Off", tone: "bad", icon: CirclePower },
};

export const toStatusWord = (status: DeliveryStatus): string => DELIVERY_LOOKS[status].word;

export function DeliveryStatusChip({ status }: { readonly status: DeliveryStatus }) {
  return <StatusChip {...DELIVERY_LOOKS[status]} />;
}

export function StatusChip({ word, tone, icon: Icon }: Look) {
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1 rounded-full py-0.5 pr-2 pl-1.5 text-xs font-medium whitespace-nowrap",
        TONE_LOOKS[tone],
      )}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={2.25} />
      {word}
    </span>
  );
}

/* A word about a thing: "Test", "Secret", "Used by 2 alerts". For states there are the chips of status-chip.tsx. */

type Tone = "neutral" | "accent" | "info" | "ok" | "warn" | "bad";

/** Ground and text of each tone; chips use them too. */
const TONE_LOOKS: Readonly<Record<Tone, string>> = {
  neutral: "bg-hover text-ink-soft",
  accent: "bg-accent-soft text-accent",
  info: "bg-info-soft text-info",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
};

interface Props {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

export function Badge({ tone = "neutral", children }: Props) {
  return (
    <span
      className={clsx(
        "inline-flex items-center rounded px-1.5 py-px text-xs font-medium whitespace-nowrap",
        TONE_LOOKS[tone],
      )}
    >
      {children}
    </span>
  );
}

/* Buying intent as a word with bars beside it, so that it is told at a glance and not by colour alone. */

const LEVELS: Readonly<Record<string, { readonly bars: number; readonly look: string }>> = {
  high: { bars: 3, look: "text-ok" },
  medium: { bars: 2, look: "text-warn" },
  low: { bars: 1, look: "text-ink-soft" },
};
const HEIGHTS = ["h-1.5", "h-2.5", "h-3.5"];

export function IntentMark({ level }: { readonly level: string }) {
  const known = LEVELS[level.toLowerCase()];
  // A product may have levels of its own: they are shown as they came.
  if (known === undefined) return <span className="[overflow-wrap:anywhere]">{level}</span>;
  return (
    <span className={clsx("inline-flex items-center gap-1.5 capitalize", known.look)}>
      <span aria-hidden="true" className="flex items-end gap-0.5">
        {HEIGHTS.map((height, at) => (
          <span key={height} className={clsx("w-1 rounded-xs bg-current", height, at >= known.bars && "opacity-20")} />
        ))}
      </span>
      {level}
    </span>
  );
}
