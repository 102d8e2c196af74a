/** One custom header: name, value, Secret, remove. A saved secret shows that it is there, and can be replaced. */
import clsx from "clsx";
import { Trash2 } from "lucide-react";
import type { ClipboardEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FieldError } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { PasteHint } from "../paste-hint.tsx";
import type { HeaderRow } from "./rows.ts";

interface Props {
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

export function HeaderRowFields(props: Props) {
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

function TypedValue(props: Props & { readonly onPasted: (event: ClipboardEvent) => void }) {
  const { ids, row, number, valueError, isReadOnly, onValue, onReplace, onLeave, onPasted } = props;
  const canKeep = row.isReplaced && !isReadOnly;
  return (
    <div className="flex gap-2">
      <Input
        isCode
        id={`${ids}-value-${row.id}`}
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

function SavedValue({ ids, row, number, isReadOnly, onReplace }: Props) {
  return (
    <div className="flex gap-2">
      <p
        aria-label={`Value of header ${number}: a saved secret`}
        role="img"
        className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-sunken px-2.5 text-sm
          text-ink-soft"
      >
        <span aria-hidden="true" className="truncate font-mono tracking-wider">
          ••••••••
        </span>
        saved
      </p>
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
    </div>
  );
}

const ROW = clsx(
  "flex flex-col gap-2 max-sm:rounded-lg max-sm:border max-sm:border-line max-sm:bg-sunken/60 max-sm:p-2.5",
  "sm:flex-row sm:items-start",
);
