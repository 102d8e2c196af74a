/**
 * A line of text that is cut at its end where it has no room. The end of a name in Arabic or Hebrew is at the left: a
 * line that keeps the page's direction would cut off such a name's beginning.
 */
import clsx from "clsx";
import type { ReactNode } from "react";

interface Props {
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
}

export function Cut({ children, className, title }: Props) {
  return (
    <span dir="auto" title={title} className={clsx("block min-w-0 truncate text-left", className)}>
      {children}
    </span>
  );
}

/** Text with its %-escapes kept whole: neither a cut nor the end of a line is inside of one letter’s. */
export function WithEscapes({ text, className }: { readonly text: string; readonly className: string }) {
  return (
    <span className={className}>
      {text.split(ESCAPE).map((part, place) =>
        // The parts of one text never move; each second one is an escape.
        place % 2 === 0 ? (
          part
        ) : (
          <span key={place} className="inline-block">
            {part}
          </span>
        ),
      )}
    </span>
  );
}

/** Of a letter: one outside ASCII takes several. */
const ESCAPE = /(%[c-f][\da-f](?:%[89ab][\da-f])+|%[\da-f]{2})/i;
