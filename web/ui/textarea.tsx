/** Several lines of text. Grows with what is typed where the browser can do that, up to `rows` times two. */
import clsx from "clsx";
import type { ComponentProps } from "react";

interface Props extends ComponentProps<"textarea"> {
  readonly isCode?: boolean;
}

export function Textarea({ isCode = false, className, rows = 6, ...rest }: Props) {
  return (
    <textarea
      rows={rows}
      spellCheck={!isCode}
      {...rest}
      className={clsx("control block resize-y", isCode && "font-mono text-sm [tab-size:2]", className)}
    />
  );
}
