/** Buttons in their forms: with words, as an icon alone, as a link, and as one that stays pressed. */
import clsx from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link } from "wouter";
import { Tooltip } from "./tooltip.tsx";
import { isReachable } from "../embed.ts";

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

/* A button with an icon alone. Its name is shown as a tooltip and read out; both are `label`. */

interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} isName>
      {() => (
        <button
          type="button"
          {...rest}
          aria-label={label}
          className={clsx(
            "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft [&_svg]:size-4",
            "transition-colors duration-100 hover:bg-hover hover:text-ink disabled:text-ink-faint",
            className,
          )}
        >
          {icon}
        </button>
      )}
    </Tooltip>
  );
}

/* A link that looks like a button, for what leads to another address. It is not there where nothing leads to that. */

interface LinkButtonProps extends ButtonLook {
  readonly href: string;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function LinkButton({ href, icon, tone, size, children, className }: LinkButtonProps) {
  if (!isReachable(href)) return null;
  return (
    <Link href={href} className={clsx(toButtonClasses({ tone, size }), className)}>
      {icon !== undefined && <Mark>{icon}</Mark>}
      {children}
    </Link>
  );
}

/* A filter that is on or off, beside those that open. */

interface ToggleButtonProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

export function ToggleButton({ label, isOn, onToggle }: ToggleButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={clsx(
        "inline-flex min-h-8 shrink-0 items-center rounded-md border px-2.5 text-sm font-medium whitespace-nowrap",
        isOn
          ? "border-accent/40 bg-accent-soft text-accent"
          : "border-line bg-surface text-ink-soft hover:border-line-strong hover:text-ink",
      )}
    >
      {label}
    </button>
  );
}
