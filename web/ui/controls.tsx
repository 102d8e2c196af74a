/** What stands in a form besides one line of text (field.tsx): more lines, choices, ticks, switches, a saved secret. */
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { FieldError } from "./field.tsx";

/* In the place of an input: a value that is saved and never shown, and beside it the way to replace it. */

interface SavedSecretProps {
  readonly label: string;
  readonly children: ReactNode;
}

export function SavedSecret({ label, children }: SavedSecretProps) {
  return (
    <div className="flex gap-2">
      <p
        role="img"
        aria-label={`${label}: a saved secret`}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-sunken px-2.5 text-sm
          text-ink-soft"
      >
        <span aria-hidden="true" className="truncate font-mono tracking-wider">
          ••••••••
        </span>
        saved
      </p>
      {children}
    </div>
  );
}

/* Several lines of text. Grows with what is typed where the browser can do that, up to `rows` times two. */

interface TextareaProps extends ComponentProps<"textarea"> {
  readonly isCode?: boolean;
}

export function Textarea({ isCode = false, className, rows = 6, ...rest }: TextareaProps) {
  return (
    <textarea
      rows={rows}
      spellCheck={!isCode}
      {...rest}
      className={clsx("control block resize-y", isCode && "font-mono text-sm [tab-size:2]", className)}
    />
  );
}

/* A choice from a list. The browser's own: right on phones, in dialogs, for every keyboard, and free. */

interface SelectProps extends ComponentProps<"select"> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function Select({ options, className, ...rest }: SelectProps) {
  return (
    <span className={clsx("relative block min-w-0", className)}>
      <select {...rest} className="control min-h-9 appearance-none truncate pr-8">
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  );
}

/* A tick with its label. The browser's own box in our colour. */

interface CheckboxProps extends Omit<ComponentProps<"input">, "type" | "children"> {
  readonly label: ReactNode;
  readonly help?: ReactNode;
}

export function Checkbox({ label, help, className, ...rest }: CheckboxProps) {
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

/* On or off, at once or with the form. A checkbox of the browser with the role of a switch, so `register` works. */

interface SwitchProps extends Omit<ComponentProps<"input">, "type" | "role" | "children"> {
  readonly label: string;
  readonly help?: ReactNode;
}

export function Switch({ label, help, className, ...rest }: SwitchProps) {
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

/* One of a few choices, each with a sentence: radio buttons in cards, inside a fieldset that asks the question. */

interface RadioCardsProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly help?: string }[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  /** Side by side where there is room, for short choices. */
  readonly isRow?: boolean;
  /** As many beside each other as have room, for more choices. */
  readonly isGrid?: boolean;
}

export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { legend, options, value, onChange, help, error, disabled = false, isRow = false, isGrid = false } = props;
  const id = useId();
  return (
    <fieldset
      disabled={disabled}
      aria-describedby={
        `${error === undefined ? "" : `${id}-error `}${help === undefined ? "" : `${id}-help`}` || undefined
      }
      className="min-w-0"
    >
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {help !== undefined && (
        <p id={`${id}-help`} className="-mt-1 mb-2 text-sm text-ink-soft">
          {help}
        </p>
      )}
      <div
        className={clsx(
          "grid gap-2",
          isRow && "sm:auto-cols-fr sm:grid-flow-col",
          isGrid && "grid-cols-[repeat(auto-fill,minmax(min(100%,11.5rem),1fr))]",
        )}
      >
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
