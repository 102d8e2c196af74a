/** The fields of what is kept as it was given: a line each, or a tick. */
import { Checkbox } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import type { FieldErrors } from "../field-errors.ts";
import { KEPT, type KeptDraft } from "./kept-draft.ts";

interface Props {
  readonly keys: readonly (keyof KeptDraft)[];
  readonly draft: KeptDraft;
  readonly errors: FieldErrors;
  readonly onChange: (draft: KeptDraft, key: string) => void;
  readonly onLeave: (key: string) => void;
}

export function KeptFields({ keys, draft, errors, onChange, onLeave }: Props) {
  return keys.map((key) => (
    <KeptField
      key={key}
      field={KEPT[key]}
      text={draft[key]}
      error={errors[key]}
      onChange={(text) => onChange({ ...draft, [key]: text }, key)}
      onLeave={() => onLeave(key)}
    />
  ));
}

interface FieldProps {
  readonly field: Pick<(typeof KEPT)[keyof typeof KEPT], "label" | "input" | "unit">;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onLeave: () => void;
}

function KeptField({ field: { label, input, unit }, text, error, onChange, onLeave }: FieldProps) {
  if (input === "tick") {
    return (
      <Checkbox
        label={label}
        help={unit}
        checked={text !== ""}
        onChange={({ target: { checked } }) => onChange(checked ? "on" : "")}
      />
    );
  }
  return (
    <Field isOptional label={label} error={error}>
      {(control) => (
        <span className="flex flex-wrap items-center gap-2">
          <Input
            {...control}
            {...input}
            value={text}
            onChange={({ target: { value } }) => onChange(value)}
            onBlur={onLeave}
          />
          <span className="text-ink-soft">{unit}</span>
        </span>
      )}
    </Field>
  );
}
