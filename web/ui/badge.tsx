/** A word about a thing: "Test", "Secret", "Used by 2 alerts". For states there are the chips of status-chip.tsx. */
import clsx from "clsx";
import type { ReactNode } from "react";

export type Tone = "neutral" | "accent" | "info" | "ok" | "warn" | "bad";

/** Ground and text of each tone; chips use them too. */
export const TONE_LOOKS: Readonly<Record<Tone, string>> = {
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
