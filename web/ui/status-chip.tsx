/** States as icon and word, never by colour alone. The words for deliveries and for health are defined here, once. */
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
import type { DeliveryStatus } from "../../src/dashboard/contract/deliveries.ts";
import type { HealthWord } from "../../src/dashboard/contract/destinations.ts";
import { TONE_LOOKS, type Tone } from "./badge.tsx";

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
