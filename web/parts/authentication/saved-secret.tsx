/** A secret that the service has, with the way to replace it; and the field for one that is typed. */
import { useId } from "react";
import { Button } from "../../ui/button.tsx";
import { Field, FieldError } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { PasteHint } from "../paste-hint.tsx";

interface SavedProps {
  readonly label: string;
  /** The service has it no more: another person has removed it. */
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  readonly onReplace: () => void;
}

export function SavedSecret({ label, error, isReadOnly, onReplace }: SavedProps) {
  const id = useId();
  return (
    <div>
      <p id={id} className="mb-1 font-medium">
        {label}
      </p>
      <div className="flex gap-2">
        <p
          role="img"
          aria-label={`${label}: a saved secret`}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-sunken px-2.5
            text-sm text-ink-soft"
        >
          <span aria-hidden="true" className="truncate font-mono tracking-wider">
            ••••••••
          </span>
          saved
        </p>
        {!isReadOnly && (
          <Button className="min-h-9" size="sm" aria-describedby={id} onClick={onReplace}>
            Replace
          </Button>
        )}
      </div>
      <FieldError id={`${id}-error`} message={error} />
    </div>
  );
}

interface TypedProps {
  readonly label: string;
  readonly error: string | undefined;
  readonly help: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly onLeave: () => void;
  /** `null` where none is saved that could be kept. */
  readonly onKeep: (() => void) | null;
}

export function TypedSecret({ label, error, help, value, onValue, onLeave, onKeep }: TypedProps) {
  return (
    <Field label={label} error={error} help={help}>
      {(control) => (
        <>
          <span className="flex gap-2">
            <Input
              {...control}
              isCode
              value={value}
              onChange={(event) => onValue(event.target.value)}
              onBlur={() => value !== "" && onLeave()}
            />
            {onKeep !== null && (
              <Button className="min-h-9" tone="quiet" size="sm" onClick={onKeep}>
                Keep saved
              </Button>
            )}
          </span>
          <PasteHint kind="words" isSecret value={value} control={control.id} error={error} onUse={onValue} />
        </>
      )}
    </Field>
  );
}
