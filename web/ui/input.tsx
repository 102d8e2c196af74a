/** One line of text. `isCode` for addresses, header names and ids, where each character counts. */
import clsx from "clsx";
import type { ComponentProps } from "react";

interface Props extends ComponentProps<"input"> {
  readonly isCode?: boolean;
}

export function Input({ isCode = false, className, ...rest }: Props) {
  // Nothing that is typed here is prose: no browser should correct a Webhook URL.
  const plain = isCode ? ({ spellCheck: false, autoCapitalize: "off", autoCorrect: "off" } as const) : {};
  return (
    <input
      type="text"
      autoComplete="off"
      {...plain}
      {...rest}
      className={clsx("control min-h-9", isCode && "font-mono text-sm", className)}
    />
  );
}
