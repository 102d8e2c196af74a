/**
 * Conditions on any field of the payload, as rows, with what they would have let through below them. Add moves the
 * focus to the new field; remove moves it to the row before, the row behind, or Add.
 */
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { flushSync } from "react-dom";
import { useAnswerWhen } from "../../query.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FieldError } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { ConditionRowFields } from "./condition-row.tsx";
import type { ConditionsProps } from "./conditions-props.ts";
import { addCondition, changeCondition, listErrorKeys, removeCondition } from "./draft.ts";
import { Preview } from "./preview.tsx";

export function MoreConditions(props: ConditionsProps) {
  const { legend, help = "", draft, errors, onChange, onLeave, isReadOnly, tries } = props;
  const id = useId();
  const { conditionsMax } = useSession().limits;
  const [news, setNews] = useState("");
  const { rows, nextId, join } = draft;
  const fields = useFields(tries, rows.length > 0);
  const focus = (part: string): void => document.getElementById(`${id}-${part}`)?.focus();
  const change = (next: typeof draft): void => onChange(next, ...listErrorKeys(draft));
  const add = (): void => {
    flushSync(() => change(addCondition(draft)));
    focus(`field-${nextId}`);
  };
  const remove = (rowId: number): void => {
    const place = rows.findIndex((row) => row.id === rowId);
    const neighbour = rows[place - 1] ?? rows[place + 1];
    flushSync(() => change(removeCondition(draft, rowId)));
    focus(neighbour === undefined ? "add" : `field-${neighbour.id}`);
    setNews(`Removed condition ${place + 1}.`);
  };
  return (
    <>
      <fieldset disabled={isReadOnly} className="min-w-0" aria-describedby={`${id}-help`}>
        <legend className="mb-1 font-medium">
          {legend}
          <span className="font-normal text-ink-faint"> (optional)</span>
        </legend>
        <p id={`${id}-help`} className="mb-2 text-sm text-ink-soft">
          On any field of the payload. {help} Text is compared without regard to case.
        </p>
        {rows.length > 1 && (
          <div className="mb-2 flex flex-wrap items-center gap-2">
            <label htmlFor={`${id}-join`}>Send when</label>
            <Select
              id={`${id}-join`}
              className="w-24"
              options={JOINS}
              value={join}
              onChange={({ target: { value } }) => change({ ...draft, join: value === "any" ? "any" : "all" })}
            />
            of these conditions are met
          </div>
        )}
        <datalist id={`${id}-fields`}>
          {fields.map(({ path, about }) => (
            <option key={path} value={path}>
              {about === "" ? path : about}
            </option>
          ))}
        </datalist>
        <ol className="space-y-2">
          {rows.map((row, index) => (
            <ConditionRowFields
              key={row.id}
              ids={id}
              row={row}
              index={index}
              fields={fields}
              errors={errors}
              onChange={(changed) => change(changeCondition(draft, row.id, changed))}
              onRemove={() => remove(row.id)}
              onLeave={onLeave}
            />
          ))}
        </ol>
        <FieldError id={`${id}-error`} message={errors["conditions"]} />
        <Button
          id={`${id}-add`}
          className="mt-2"
          size="sm"
          icon={<Plus />}
          onClick={add}
          disabledReason={rows.length >= conditionsMax ? `At most ${conditionsMax} conditions.` : undefined}
        >
          Add condition
        </Button>
        <span role="status" className="sr-only">
          {news}
        </span>
      </fieldset>
      <Preview tries={tries} draft={draft} />
    </>
  );
}

const JOINS = [
  { value: "all", label: "all" },
  { value: "any", label: "any" },
];

function useFields(tries: ConditionsProps["tries"], isWanted: boolean) {
  const isChat = "assistantId" in tries;
  const params = { id: isChat ? tries.assistantId : "" };
  const chat = useAnswerWhen("GET /assistants/:id/fields", isWanted && isChat ? { params } : null);
  const demo = useAnswerWhen("GET /alerts/fields", isWanted && !isChat ? {} : null);
  return (isChat ? chat : demo).data?.fields ?? [];
}
