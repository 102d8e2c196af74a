/**
 * Custom headers as rows. Add moves the focus to the new name; remove moves it to the row before, the row behind, or
 * Add. Pasting `Name: value` lines into a row fills rows. A row shows its own errors.
 */
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { flushSync } from "react-dom";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FieldError } from "../../ui/field.tsx";
import { count } from "../../words.ts";
import type { FieldErrors } from "../field-errors.ts";
import { HeaderRowFields } from "./header-row-fields.tsx";
import { type HeaderList, type HeaderRow, addRow, changeRow, nameRow, pasteIntoRow, removeRow } from "./rows.ts";

interface Props {
  readonly list: HeaderList;
  /** Whether the service's saved secret stays this row's value. */
  readonly keepsSaved: (row: HeaderRow) => boolean;
  readonly errors: FieldErrors;
  /** `keys` are the fields that have changed. */
  readonly onChange: (list: HeaderList, ...keys: readonly string[]) => void;
  readonly onLeave: (key: string) => void;
  readonly isReadOnly: boolean;
}

export function HeaderRows({ list, keepsSaved, errors, onChange, onLeave, isReadOnly }: Props) {
  const id = useId();
  const { customHeadersMax } = useSession().limits;
  const [news, setNews] = useState("");
  const { rows, nextId } = list;
  const focus = (part: string): void => document.getElementById(`${id}-${part}`)?.focus();

  const add = (): void => {
    flushSync(() => onChange(addRow(list)));
    focus(`name-${nextId}`);
  };
  const remove = (row: HeaderRow): void => {
    const place = rows.indexOf(row);
    const neighbour = rows[place - 1] ?? rows[place + 1];
    flushSync(() => onChange(removeRow(list, row.id), `name:${row.id}`, `value:${row.id}`));
    focus(neighbour === undefined ? "add" : `name-${neighbour.id}`);
    setNews(`Removed ${row.name === "" ? "the header" : row.name}.`);
  };
  const replace = (row: HeaderRow, isReplaced: boolean): void => {
    const changed = changeRow(list, row.id, (each) => ({ ...each, ...restored(row), isReplaced }));
    flushSync(() => onChange(changed, `value:${row.id}`));
    focus(`${isReplaced ? "value" : "replace"}-${row.id}`);
  };
  const paste = (row: HeaderRow, text: string): boolean => {
    const filled = pasteIntoRow(list, row.id, text);
    if (filled === null) return false;
    onChange(filled, `name:${row.id}`, `value:${row.id}`);
    const added = filled.rows.length - rows.length + (row.name === "" && row.value === "" ? 1 : 0);
    setNews(`Pasted ${count(added, "header")}.`);
    return true;
  };

  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-help`}>
      <legend className="mb-1 font-medium">
        Custom headers<span className="font-normal text-ink-faint"> (optional)</span>
      </legend>
      <p id={`${id}-help`} className="mb-2 text-sm text-ink-soft">
        Sent with every webhook, such as a token that your server expects. Paste “Name: value” lines to fill several
        rows. A secret value is not shown again once it is saved.
      </p>
      <ol className="space-y-2">
        {rows.map((row, index) => (
          <HeaderRowFields
            key={row.id}
            ids={id}
            row={row}
            number={index + 1}
            isKept={keepsSaved(row)}
            nameError={errors[`name:${row.id}`]}
            valueError={errors[`value:${row.id}`]}
            isReadOnly={isReadOnly}
            onName={(name) => onChange(nameRow(list, row.id, name), `name:${row.id}`)}
            onValue={(value) =>
              onChange(
                changeRow(list, row.id, (each) => ({ ...each, value })),
                `value:${row.id}`,
              )
            }
            onSecret={(isSecret) =>
              onChange(changeRow(list, row.id, (each) => ({ ...each, isSecret, isTickChosen: true })))
            }
            onReplace={(isReplaced) => replace(row, isReplaced)}
            onPaste={(text) => paste(row, text)}
            onRemove={() => remove(row)}
            onLeave={onLeave}
          />
        ))}
      </ol>
      <FieldError id={`${id}-error`} message={errors["headers"]} />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          id={`${id}-add`}
          size="sm"
          icon={<Plus />}
          onClick={add}
          disabledReason={rows.length >= customHeadersMax ? `At most ${customHeadersMax} headers are sent.` : undefined}
        >
          Add header
        </Button>
        {rows.length > 0 && (
          <span className="text-sm text-ink-faint tabular-nums">
            {rows.length} of {customHeadersMax}
          </span>
        )}
      </div>
      <span role="status" className="sr-only">
        {news}
      </span>
    </fieldset>
  );
}

/** Both ways the value starts empty, under the name that the service knows. */
const restored = (row: HeaderRow) => ({ value: "", name: row.savedAs ?? row.name, isSecret: true });
