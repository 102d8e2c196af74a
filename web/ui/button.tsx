/**
 * Buttons, and the looks that links share with them. A button that may not be used says why: `disabledReason` keeps it
 * reachable by keyboard and shows the reason on hover and focus; `disabled` alone is for what explains itself.
 */
import clsx from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";

export interface ButtonLook {
  /** `primary` once per page or dialog, `plain` beside it, `quiet` inside rows and cards, `danger` to destroy. */
  readonly tone?: "primary" | "plain" | "quiet" | "danger" | "danger-plain" | undefined;
  readonly size?: "md" | "sm" | undefined;
}

interface Props extends ButtonLook, Omit<ComponentProps<"button">, "disabled"> {
  readonly icon?: ReactNode;
  /** Its work is going on: it stays where it is, keeps the focus and does nothing more. */
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly disabledReason?: string | undefined;
}

export function Button({ disabledReason, ...rest }: Props) {
  const isOff = disabledReason !== undefined;
  return (
    // Around every button: one that got its reason while it has the focus would be another element, without the focus.
    <Tooltip content={disabledReason}>
      {(id) => <BareButton {...rest} aria-describedby={id ?? rest["aria-describedby"]} isOff={isOff} />}
    </Tooltip>
  );
}

interface BareProps extends Omit<Props, "disabledReason"> {
  readonly isOff?: boolean;
}

function BareButton({ tone, size, icon, isBusy = false, isOff = false, children, ...rest }: BareProps) {
  const isInert = isBusy || isOff;
  // Not `disabled`: a button that loses the focus in mid-work sends keyboard users back to the top of the page.
  const onClick = isInert ? (event: MouseEvent) => event.preventDefault() : rest.onClick;
  const mark = isBusy ? <LoaderCircle className="animate-spin" /> : icon;
  return (
    <button
      type="button"
      {...rest}
      onClick={onClick}
      aria-disabled={isInert || undefined}
      aria-busy={isBusy || undefined}
      className={clsx(toButtonClasses({ tone, size }), rest.className)}
    >
      {mark !== undefined && <Mark>{mark}</Mark>}
      {children}
    </button>
  );
}

/** An icon beside a word says nothing more than the word. */
export function Mark({ children }: { readonly children: ReactNode }) {
  return (
    <span aria-hidden="true" className="flex shrink-0 [&_svg]:size-4">
      {children}
    </span>
  );
}

const TONES: Readonly<Record<NonNullable<ButtonLook["tone"]>, string>> = {
  primary: "border-transparent bg-accent-solid text-on-solid shadow-card hover:bg-accent-solid-hover",
  plain: "border-line bg-surface text-ink shadow-card hover:border-line-strong hover:bg-hover",
  quiet: "border-transparent text-ink-soft hover:bg-hover hover:text-ink",
  danger: "border-transparent bg-bad-solid text-on-solid shadow-card hover:bg-bad-solid-hover",
  "danger-plain": "border-line bg-surface text-bad shadow-card hover:border-bad-mark hover:bg-bad-soft",
};

/** Contrast holds for what cannot be used too: WCAG asks for less, readers do not. */
const OFF =
  "disabled:border-line disabled:bg-sunken disabled:text-ink-faint disabled:shadow-none " +
  "aria-disabled:not-aria-busy:border-line aria-disabled:not-aria-busy:bg-sunken " +
  "aria-disabled:not-aria-busy:text-ink-faint aria-disabled:not-aria-busy:shadow-none";

export function toButtonClasses({ tone = "plain", size = "md" }: ButtonLook): string {
  return clsx(
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap",
    "transition-colors duration-100 select-none",
    size === "md" ? "min-h-9 px-3.5" : "min-h-7 px-2.5 text-sm",
    TONES[tone],
    OFF,
  );
}
