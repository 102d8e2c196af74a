/** A tick with its label. The browser's own box in our colour. */
import { type ComponentProps, type ReactNode, useId } from "react";

interface Props extends Omit<ComponentProps<"input">, "type" | "children"> {
  readonly label: ReactNode;
  readonly help?: ReactNode;
}

export function Checkbox({ label, help, className, ...rest }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="inline-flex min-h-6 items-center gap-2">
        <input
          {...rest}
          id={id}
          type="checkbox"
          aria-describedby={help === undefined ? rest["aria-describedby"] : `${id}-help`}
          className="size-4 shrink-0 accent-accent-solid"
        />
        <span className="min-w-0">{label}</span>
      </label>
      {help !== undefined && (
        <p id={`${id}-help`} className="ml-6 text-sm text-ink-soft">
          {help}
        </p>
      )}
    </div>
  );
}
