/** One condition: field, operator, value, remove. Suggestions are the browser's own list, for every keyboard. */
import clsx from "clsx";
import { Trash2 } from "lucide-react";
import type { ConditionFieldView } from "../../../src/dashboard/contract/conditions.ts";
import { FieldError } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import type { FieldErrors } from "../field-errors.ts";
import { PasteHint } from "../paste-hint.tsx";
import { type ConditionRow, comparesValue, errorKey } from "./draft.ts";
import { OPERATORS } from "./operators.ts";

interface Props {
  /** Ids of the controls start with it. */
  readonly ids: string;
  readonly row: ConditionRow;
  /** Among the rows, from 0. */
  readonly index: number;
  readonly fields: readonly ConditionFieldView[];
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<ConditionRow>) => void;
  readonly onRemove: () => void;
  readonly onLeave: (key: string) => void;
}

export function ConditionRowFields({ ids, row, index, fields, errors, onChange, onRemove, onLeave }: Props) {
  const number = index + 1;
  const known = fields.find(({ path }) => path === row.field.trim());
  const [fieldKey, valueKey] = [errorKey(index, "field"), errorKey(index, "value")];
  const tie = (key: string, part: string) => ({
    id: `${ids}-${part}-${row.id}`,
    "aria-invalid": errors[key] !== undefined,
    "aria-describedby": errors[key] === undefined ? undefined : `${ids}-${part}-error-${row.id}`,
    onBlur: () => onLeave(key),
  });
  return (
    <li className={ROW}>
      <div className="min-w-0 sm:flex-3">
        <Input
          isCode
          {...tie(fieldKey, "field")}
          aria-label={`Field of condition ${number}`}
          placeholder="utm_params.utm_source"
          list={`${ids}-fields`}
          value={row.field}
          onChange={(event) => onChange({ field: event.target.value })}
        />
        <FieldError id={`${ids}-field-error-${row.id}`} message={errors[fieldKey]} />
      </div>
      <Select
        className="sm:w-38"
        aria-label={`Comparison of condition ${number}`}
        options={OPERATORS}
        value={row.operator}
        onChange={({ target: { value } }) => {
          const operator = OPERATORS.find((each) => each.value === value)?.value;
          if (operator !== undefined) onChange({ operator });
        }}
      />
      <div className="min-w-0 sm:flex-2">
        {comparesValue(row) && (
          <>
            <Input
              {...tie(valueKey, "value")}
              aria-label={`Value of condition ${number}`}
              placeholder={known?.seen[0] ?? "Value"}
              list={`${ids}-values-${row.id}`}
              value={row.value}
              onChange={(event) => onChange({ value: event.target.value })}
            />
            <datalist id={`${ids}-values-${row.id}`}>
              {(known?.seen ?? []).map((value) => (
                <option key={value} value={value}>
                  {value}
                </option>
              ))}
            </datalist>
            <FieldError id={`${ids}-value-error-${row.id}`} message={errors[valueKey]} />
            <PasteHint
              kind="words"
              value={row.value}
              control={`${ids}-value-${row.id}`}
              onUse={(value) => onChange({ value })}
            />
          </>
        )}
      </div>
      <IconButton
        className="max-sm:self-end"
        label={`Remove condition ${number}`}
        icon={<Trash2 />}
        onClick={onRemove}
      />
      {known !== undefined && known.about !== "" && (
        <p className="-mt-1 text-sm text-ink-soft sm:basis-full">{known.about}</p>
      )}
    </li>
  );
}

const ROW = clsx(
  "flex flex-col gap-2 max-sm:rounded-lg max-sm:border max-sm:border-line max-sm:bg-sunken/60 max-sm:p-2.5",
  "sm:flex-row sm:flex-wrap sm:items-start",
);
