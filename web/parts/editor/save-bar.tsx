/**
 * The end of a form: what came of saving, and the buttons. It stays at the window's lower edge while the form is longer
 * than the window, and a field that takes the focus scrolls clear of it.
 */
import clsx from "clsx";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { type Phase, isSaving } from "./form-state.ts";
import { savedWords } from "./saved-words.ts";

interface Props {
  readonly phase: Phase;
  /** Save would store something else than what is stored. */
  readonly isDirty: boolean;
  readonly disabledReason: string | undefined;
  /** Beside Save, such as Cancel. */
  readonly children?: ReactNode;
}

export function SaveBar({ phase, isDirty, disabledReason, children }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useRoomBelow(bar);
  return (
    <div ref={bar} className={BAR}>
      <div className="min-w-0 flex-1 basis-48">
        <News phase={phase} />
        {disabledReason !== undefined ? (
          <p className="text-sm text-ink-soft">{disabledReason}</p>
        ) : (
          isDirty && phase.kind === "editing" && <p className="text-sm text-ink-soft">Changes are not saved yet.</p>
        )}
      </div>
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
        {children}
        <Button type="submit" tone="primary" isBusy={isSaving(phase)} disabledReason={disabledReason}>
          Save
        </Button>
      </div>
    </div>
  );
}

/** The result of the last Save. */
function News({ phase }: { readonly phase: Phase }) {
  const words = phase.kind === "saved" ? savedWords(phase) : null;
  const isPlain = words === "Saved.";
  return (
    <>
      {phase.kind === "refused" && (
        <p role="alert" className={NEWS}>
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          <span className="min-w-0 [overflow-wrap:anywhere]">{phase.why}</span>
        </p>
      )}
      <div role="status">
        {words !== null && (
          <p className={NEWS}>
            {isPlain ? (
              <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
            )}
            <span className="min-w-0">{words}</span>
          </p>
        )}
      </div>
    </>
  );
}

/**
 * Keeps as much room free at the window's lower edge as the bar takes there. The browser scrolls a field that takes the
 * focus only as far as it must, which would end behind the bar.
 */
function useRoomBelow(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const root = document.documentElement;
    const watcher = new ResizeObserver(() => {
      const isSticky = getComputedStyle(current).position === "sticky";
      root.style.setProperty("--bar-height", isSticky ? `${current.offsetHeight}px` : "0px");
    });
    watcher.observe(current);
    return () => {
      watcher.disconnect();
      root.style.removeProperty("--bar-height");
    };
  }, [bar]);
}

const NEWS = "flex items-start gap-2 font-medium text-ink";
/** In a window that is hardly higher than the bar, such as one zoomed to 400 %, the bar stays at the form's end. */
const BAR = clsx(
  "bottom-0 z-10 -mx-4 mt-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-surface px-4 py-2.5",
  "sm:-mx-6 sm:px-6 md:mx-0 md:rounded-xl md:border md:px-5 md:shadow-popup [@media(min-height:22rem)]:sticky",
);
