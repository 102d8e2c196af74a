/** A labelled field of a form, and the line of text that most often stands in it; the others are in controls.tsx. */
import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";

/** The attributes that tie a control to its field. */
interface FieldControl {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
  readonly "aria-required": boolean;
}

interface Props {
  readonly label: string;
  readonly children: (control: FieldControl) => ReactNode;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
  /** Said in words, never by a star. Fields are required unless they say so. */
  readonly isOptional?: boolean;
  /** For readers of the screen only, where the place says what it is, as in a filter bar. */
  readonly isLabelHidden?: boolean;
  readonly className?: string;
}

export function Field(props: Props) {
  const { label, children, help, error, isOptional = false, isLabelHidden = false, className } = props;
  const id = useId();
  const helpId = help === undefined ? "" : `${id}-help`;
  const errorId = error === undefined ? "" : `${id}-error`;
  return (
    <div className={className}>
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "mb-1 block font-medium"}>
        {label}
        {isOptional && <span className="font-normal text-ink-faint"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-describedby": `${errorId} ${helpId}`.trim() || undefined,
        "aria-invalid": error !== undefined,
        "aria-required": !isOptional,
      })}
      <FieldError id={errorId} message={error} />
      {help !== undefined && (
        <p id={helpId} className="mt-1.5 text-sm text-ink-soft">
          {help}
        </p>
      )}
    </div>
  );
}

interface ErrorProps {
  readonly id: string;
  readonly message: string | undefined;
}

/** Also for rows and groups that lay out their controls themselves. */
export function FieldError({ id, message }: ErrorProps) {
  if (message === undefined) return null;
  return (
    <p id={id} className="mt-1.5 flex items-start gap-1.5 text-sm text-bad">
      <CircleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{message}</span>
    </p>
  );
}

/* One line of text. `isCode` for addresses, header names and ids, where each character counts. */

interface InputProps extends ComponentProps<"input"> {
  readonly isCode?: boolean;
}

export function Input({ isCode = false, className, ...rest }: InputProps) {
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
