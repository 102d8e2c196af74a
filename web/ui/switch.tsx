/** On or off, at once or with the form. A checkbox of the browser with the role of a switch, so `register` works. */
import clsx from "clsx";
import { type ComponentProps, type ReactNode, useId } from "react";

interface Props extends Omit<ComponentProps<"input">, "type" | "role" | "children"> {
  readonly label: string;
  readonly help?: ReactNode;
}

export function Switch({ label, help, className, ...rest }: Props) {
  const id = useId();
  return (
    <div className={clsx("flex items-start gap-3", className)}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        // A checkbox says by itself whether it is checked.
        // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
        role="switch"
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        className={clsx(
          "relative h-5.5 w-9.5 shrink-0 appearance-none rounded-full bg-line-strong transition-colors duration-150",
          "checked:bg-accent-solid disabled:opacity-60",
          "before:absolute before:top-0.75 before:left-0.75 before:size-4 before:rounded-full before:bg-on-solid",
          "before:shadow-card before:transition-transform before:duration-150 checked:before:translate-x-4",
          // Colours are gone in Windows' contrast themes; borders stay.
          "forced-colors:border",
        )}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block font-medium">
          {label}
        </label>
        {help !== undefined && (
          <p id={`${id}-help`} className="mt-0.5 text-sm text-ink-soft">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
