/**
 * Custom headers as rows. Add moves the focus to the new name; remove moves it to the row before, the row behind, or
 * Add. Pasting `Name: value` lines into a row fills rows. A row shows its own errors.
 */
import clsx from "clsx";
import { Plus, Trash2 } from "lucide-react";
import { type ClipboardEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { useSession } from "../../query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox, SavedSecret } from "../../ui/controls.tsx";
import { FieldError, Input } from "../../ui/field.tsx";
import { count } from "../../words.ts";
import type { FieldErrors } from "../field-errors.ts";
import { PasteHint } from "../paste-hint.tsx";
import { addRow, changeRow, type HeaderList, type HeaderRow, nameRow, pasteIntoRow, removeRow } from "./rows.ts";

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
    <fieldset className="min-w-0" aria-describedby={rows.length > 0 ? `${id}-help` : undefined}>
      <legend className="mb-1 font-medium">
        Custom headers<span className="font-normal text-ink-faint"> (optional)</span>
      </legend>
      {rows.length > 0 && !isReadOnly && (
        <p id={`${id}-help`} className="mb-2 text-sm text-ink-soft">
          Paste “Name: value” lines to fill several rows. A secret value is not shown again once it is saved.
        </p>
      )}
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

/* One custom header: name, value, Secret, remove. A saved secret shows that it is there, and can be replaced. */

interface HeaderRowFieldsProps {
  /** Ids of the controls start with it. */
  readonly ids: string;
  readonly row: HeaderRow;
  /** From 1, for readers of the screen. */
  readonly number: number;
  /** The saved secret value is kept. */
  readonly isKept: boolean;
  readonly nameError: string | undefined;
  readonly valueError: string | undefined;
  readonly isReadOnly: boolean;
  readonly onName: (name: string) => void;
  readonly onValue: (value: string) => void;
  readonly onSecret: (isSecret: boolean) => void;
  readonly onReplace: (isReplaced: boolean) => void;
  /** `true` when the text was a list of headers and rows were filled. */
  readonly onPaste: (text: string) => boolean;
  readonly onRemove: () => void;
  readonly onLeave: (key: string) => void;
}

function HeaderRowFields(props: HeaderRowFieldsProps) {
  const { ids, row, number, isKept, nameError, valueError, isReadOnly, onName, onSecret, onRemove, onLeave } = props;
  const paste = (event: ClipboardEvent): void => {
    if (props.onPaste(event.clipboardData.getData("text"))) event.preventDefault();
  };
  return (
    <li className={ROW}>
      <div className="min-w-0 sm:flex-2">
        <Input
          isCode
          id={`${ids}-name-${row.id}`}
          aria-label={`Name of header ${number}`}
          aria-invalid={nameError !== undefined}
          aria-describedby={nameError === undefined ? undefined : `${ids}-name-error-${row.id}`}
          placeholder="Name"
          value={row.name}
          readOnly={isKept}
          onChange={(event) => onName(event.target.value)}
          onBlur={() => onLeave(`name:${row.id}`)}
          onPaste={paste}
        />
        <FieldError id={`${ids}-name-error-${row.id}`} message={nameError} />
        <PasteHint kind="token" value={row.name} control={`${ids}-name-${row.id}`} error={nameError} onUse={onName} />
      </div>
      <div className="min-w-0 sm:flex-3">
        {isKept ? <SavedValue {...props} /> : <TypedValue {...props} onPasted={paste} />}
        <FieldError id={`${ids}-value-error-${row.id}`} message={valueError} />
        <PasteHint
          kind="header"
          name={row.name.trim()}
          isSecret={row.isSecret}
          value={isKept ? "" : row.value}
          control={`${ids}-value-${row.id}`}
          error={valueError}
          onUse={props.onValue}
        />
      </div>
      <div className="flex items-center justify-between gap-2 sm:min-h-9">
        <Checkbox
          label="Secret"
          aria-label={`Secret, header ${number}`}
          checked={row.isSecret}
          disabled={isKept || isReadOnly}
          onChange={(event) => onSecret(event.target.checked)}
        />
        <IconButton
          label={`Remove header ${row.name === "" ? number : row.name}`}
          icon={<Trash2 />}
          onClick={onRemove}
        />
      </div>
    </li>
  );
}

function TypedValue(props: HeaderRowFieldsProps & { readonly onPasted: (event: ClipboardEvent) => void }) {
  const { ids, row, number, valueError, isReadOnly, onValue, onReplace, onLeave, onPasted } = props;
  const canKeep = row.isReplaced && !isReadOnly;
  return (
    <div className="flex gap-2">
      <Input
        isCode
        id={`${ids}-value-${row.id}`}
        name={`value:${row.id}`}
        aria-label={`Value of header ${number}`}
        aria-invalid={valueError !== undefined}
        aria-describedby={valueError === undefined ? undefined : `${ids}-value-error-${row.id}`}
        placeholder={row.savedAs === null ? "Value" : "New value"}
        value={row.value}
        onChange={(event) => onValue(event.target.value)}
        onBlur={() => onLeave(`value:${row.id}`)}
        onPaste={onPasted}
      />
      {canKeep && (
        <Button className="min-h-9" tone="quiet" size="sm" onClick={() => onReplace(false)}>
          Keep saved
        </Button>
      )}
    </div>
  );
}

function SavedValue({ ids, row, number, isReadOnly, onReplace }: HeaderRowFieldsProps) {
  return (
    <SavedSecret label={`Value of header ${number}`}>
      {!isReadOnly && (
        <Button
          id={`${ids}-replace-${row.id}`}
          className="min-h-9"
          size="sm"
          aria-label={`Replace the value of ${row.name}`}
          onClick={() => onReplace(true)}
        >
          Replace
        </Button>
      )}
    </SavedSecret>
  );
}

const ROW = clsx(
  "flex flex-col gap-2 max-sm:rounded-lg max-sm:border max-sm:border-line max-sm:bg-sunken/60 max-sm:p-2.5",
  "sm:flex-row sm:items-start",
);
