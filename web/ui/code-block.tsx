/** Text where each character counts, with a button that copies exactly it. Long lines scroll, or wrap if asked to. */
import clsx from "clsx";
import { WrapText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { IconButton } from "./button.tsx";

interface Props {
  /** Its name: "Response body". */
  readonly label: string;
  readonly code: string;
  /** How it is drawn, when more than plain text: the same characters in coloured spans. */
  readonly children?: ReactNode;
  readonly isWrapped?: boolean;
  readonly canCopy?: boolean;
  /** Beside the copy button. */
  readonly actions?: ReactNode;
}

export function CodeBlock(props: Props) {
  const { label, code, children, isWrapped: startsWrapped = false, canCopy = true, actions } = props;
  const [isWrapped, setWrapped] = useState(startsWrapped);
  return (
    <figure className="@container/code min-w-0 overflow-clip rounded-lg border border-line bg-sunken">
      <figcaption className={CAPTION}>
        {/* Where the buttons have no room beside it, all of them stand below it, and not the last one alone. */}
        <span className={clsx("mr-auto py-1", actions !== undefined && "@max-[22rem]/code:basis-full")}>{label}</span>
        {actions}
        <IconButton
          label="Wrap lines"
          icon={<WrapText />}
          aria-pressed={isWrapped}
          onClick={() => setWrapped(!isWrapped)}
          className="size-7! aria-pressed:bg-hover aria-pressed:text-ink"
        />
        {canCopy && <CopyButton text={code} wordClassName="@max-[16rem]/code:sr-only" />}
      </figcaption>
      <pre
        role="region"
        aria-label={label}
        // A block that scrolls must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={clsx(
          "max-h-96 contain-inline-size overflow-auto p-3 text-sm leading-relaxed [tab-size:2]",
          "focus-visible:-outline-offset-2",
          isWrapped && "whitespace-pre-wrap [overflow-wrap:anywhere]",
        )}
      >
        <code>{children ?? code}</code>
      </pre>
    </figure>
  );
}

const CAPTION = "flex flex-wrap items-center gap-x-1 border-b border-line py-1 pr-1.5 pl-3 text-sm text-ink-soft";
