/** A part of a form that most people leave alone, behind one line. Drawn only while it is open. */
import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";

interface Props {
  readonly summary: ReactNode;
  /** Something inside is in use: it opens when this becomes true, and a person may close it. */
  readonly isUsed?: boolean;
  /** Something inside has to be seen. */
  readonly isForced: boolean;
  readonly children: ReactNode;
}

export function Fold({ summary, isUsed = false, isForced, children }: Props) {
  const [isOpen, setOpen] = useState(isUsed);
  const [wasUsed, setWasUsed] = useState(isUsed);
  if (isUsed !== wasUsed) {
    setWasUsed(isUsed);
    if (isUsed) setOpen(true);
  }
  const isShown = isOpen || isForced;
  return (
    <>
      <button
        type="button"
        aria-expanded={isShown}
        onClick={() => setOpen(!isShown)}
        className="flex min-h-8 w-full items-center gap-1.5 rounded-md px-3 text-left text-sm text-ink-soft
          hover:text-ink"
      >
        <ChevronRight aria-hidden="true" className={clsx("size-4 shrink-0", isShown && "rotate-90")} />
        {summary}
      </button>
      {isShown && <div className="space-y-4 px-3 pt-1 pb-3">{children}</div>}
    </>
  );
}

/** The line of a `<details className="group">`, whose content is there while it is folded, too. */
export function Summary({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    <summary
      className={clsx("flex min-h-9 items-center gap-1.5 rounded-lg text-sm text-ink-soft hover:text-ink", className)}
    >
      <ChevronRight aria-hidden="true" className="size-4 shrink-0 transition-transform group-open:rotate-90" />
      {children}
    </summary>
  );
}
