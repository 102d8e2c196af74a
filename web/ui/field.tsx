/**
 * A control with its label, its help and its error, tied together for readers of the screen:
 *
 *     <Field label="Webhook URL" help="…" error={errors.url?.message}>
 *       {(control) => <Input {...control} {...register("url")} />}
 *     </Field>
 */
import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";

/** The attributes that tie a control to its field. */
export interface FieldControl {
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
