/** Text with the places marked that a search has found. It comes from a payload, so it is only ever shown as text. */
import type { Match } from "../../../src/dashboard/contract/deliveries.ts";

export function Marked({ text, ranges }: Pick<Match, "text" | "ranges">) {
  return (
    <>
      {ranges.map(([from, to], place) => (
        <span key={from}>
          {text.slice(ranges[place - 1]?.[1] ?? 0, from)}
          <mark className="rounded-xs bg-warn-soft text-inherit underline decoration-warn-mark decoration-2">
            {text.slice(from, to)}
          </mark>
        </span>
      ))}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  );
}
