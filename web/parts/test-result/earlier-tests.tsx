/** The tests of this visit before the one that is shown: a click shows one again. */
import clsx from "clsx";
import { duration, timeOfDay } from "../../words.ts";
import type { Tests } from "./use-tests.ts";

export function EarlierTests({ tests: { kept, shown, show } }: { readonly tests: Tests }) {
  if (kept.length < 2) return null;
  return (
    <nav aria-label="Tests of this visit" className="flex flex-wrap items-center gap-1.5 text-sm">
      <span className="text-ink-soft">Tests of this visit:</span>
      {kept.map(({ id, answer }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === shown?.id}
          onClick={() => show(id)}
          className={clsx(
            "min-h-6 rounded-md border px-2 tabular-nums",
            id === shown?.id
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-ink-soft hover:border-line-strong hover:text-ink",
          )}
        >
          {timeOfDay(answer.atMs)} · {answer.outcome.status} · {duration(answer.outcome.timings.totalMs)}
        </button>
      ))}
    </nav>
  );
}
