/** Buying intent as a word with bars beside it, so that it is told at a glance and not by colour alone. */
import clsx from "clsx";

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
