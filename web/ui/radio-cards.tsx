/** One of a few choices, each with a sentence: radio buttons in cards, inside a fieldset that asks the question. */
import clsx from "clsx";
import { useId } from "react";
import { FieldError } from "./field.tsx";

interface Props<Value extends string> {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly help?: string }[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly help?: string;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  /** Side by side where there is room, for short choices. */
  readonly isRow?: boolean;
}

export function RadioCards<Value extends string>(props: Props<Value>) {
  const { legend, options, value, onChange, help, error, disabled = false, isRow = false } = props;
  const id = useId();
  return (
    <fieldset
      disabled={disabled}
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      className="min-w-0"
    >
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {help !== undefined && <p className="-mt-1 mb-2 text-sm text-ink-soft">{help}</p>}
      <div className={clsx("grid gap-2", isRow && "sm:auto-cols-fr sm:grid-flow-col")}>
        {options.map((option) => (
          <label key={option.value} className={CARD}>
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-describedby={option.help === undefined ? undefined : `${id}-${option.value}`}
              aria-label={option.label}
              className="mt-0.5 size-4 shrink-0 accent-accent-solid outline-none"
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.label}</span>
              {option.help !== undefined && (
                <span id={`${id}-${option.value}`} className="block text-sm text-ink-soft">
                  {option.help}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
      <FieldError id={`${id}-error`} message={error} />
    </fieldset>
  );
}

/** The whole card takes the click and shows the focus of the button inside it. */
const CARD = clsx(
  "flex min-w-0 items-start gap-2.5 rounded-md border border-line bg-surface px-3 py-2.5",
  "transition-colors duration-100 hover:border-line-strong",
  "has-checked:border-accent has-checked:bg-accent-soft has-disabled:bg-sunken",
  "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
);
