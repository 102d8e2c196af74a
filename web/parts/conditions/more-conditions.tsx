/**
 * Conditions on any field of the payload, as rows, with what they would have let through below them. Add moves the
 * focus to the new field; remove moves it to the row before, the row behind, or Add.
 */
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleCheck, CircleMinus, Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { flushSync } from "react-dom";
import type {
  ConditionFieldView,
  ConditionsPreview,
  PreviewExample,
} from "../../../src/dashboard/contract/conditions.ts";
import { call } from "../../api.ts";
import { useSession } from "../../query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Select, Textarea } from "../../ui/controls.tsx";
import { FieldError, Input } from "../../ui/field.tsx";
import { TextLink } from "../../ui/links.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useSettled } from "../../ui/use-settled.ts";
import { shortened } from "../../words.ts";
import { useFields } from "../body/wanted-events.ts";
import { sourceHref, sourceWord, titleOf } from "../event-words.ts";
import type { FieldErrors } from "../field-errors.ts";
import { PasteHint } from "../paste-hint.tsx";
import {
  addCondition,
  changeCondition,
  checkConditions,
  comparesList,
  comparesValue,
  type ConditionRow,
  type ConditionsProps,
  errorKey,
  listErrorKeys,
  OPERATORS,
  removeCondition,
  toConditionsForm,
} from "./draft.ts";

export function MoreConditions(props: ConditionsProps) {
  const { legend, help = "", draft, errors, onChange, onLeave, isReadOnly, tries } = props;
  const id = useId();
  const { conditionsMax } = useSession().limits;
  const [news, setNews] = useState("");
  const { rows, nextId, join } = draft;
  const fields = useFields(rows.length > 0 ? toEvents(tries) : null);
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
          On any field of the payload. {help} Text is compared without regard to case. Only the first 2,000 values and
          65,536 characters of a field are looked at.
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

function toEvents(tries: ConditionsProps["tries"]): Parameters<typeof useFields>[0] {
  if ("assistantId" in tries) return { owner: "assistant", id: tries.assistantId };
  return "type" in tries ? { owner: "type", type: tries.type } : { owner: "alert" };
}

/* One condition: field, operator, value, remove. Suggestions are the browser's own list, for every keyboard. */

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

function ConditionRowFields({ ids, row, index, fields, errors, onChange, onRemove, onLeave }: Props) {
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
        className="sm:w-44"
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
            {comparesList(row) ? (
              <Textarea
                {...tie(valueKey, "value")}
                aria-label={`Values of condition ${number}, one on each line`}
                placeholder="One on each line"
                rows={3}
                value={row.value}
                onChange={(event) => onChange({ value: event.target.value })}
              />
            ) : (
              <Input
                {...tie(valueKey, "value")}
                aria-label={`Value of condition ${number}`}
                placeholder={known?.seen[0] ?? "Value"}
                list={`${ids}-values-${row.id}`}
                value={row.value}
                onChange={(event) => onChange({ value: event.target.value })}
              />
            )}
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

/*
 * "Would have been sent for 14 of the last 50", while somebody edits: asked for when they stop typing, and not for
 * conditions that are not filled in yet. The last answer stays until the next one is there.
 */

function Preview({ tries, draft }: Pick<ConditionsProps, "tries" | "draft">) {
  const isComplete = Object.keys(checkConditions(draft)).length === 0;
  const wanted = JSON.stringify({ ...tries, conditions: toConditionsForm(draft) });
  const asked = useSettled(wanted);
  const { data, error } = useQuery({
    queryKey: ["preview of conditions", asked],
    queryFn: () => ask(tries, asked),
    enabled: isComplete && asked === wanted,
    retry: false,
    placeholderData: (previous) => previous,
  });
  const tried = toTriedEvents(tries);
  const isFirst = isComplete && error === null && data === undefined;
  return (
    <section
      aria-label="Preview"
      aria-busy={isFirst}
      // As high as it mostly becomes.
      className={clsx("rounded-lg border border-line bg-sunken/60 p-3 text-sm", isFirst && "min-h-27")}
    >
      <p role="status">{toSentence({ data, error, isComplete, ...tried })}</p>
      {isComplete && error === null && data !== undefined && (
        <ul className="mt-2 space-y-1.5">
          {data.examples.map((example) => (
            <Example key={example.sourceId} example={example} tried={tried} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** How the events are called that conditions are tried on, and where each has its page. */
interface TriedEvents {
  readonly noun: string;
  /** Of a webhook that gets the event. */
  readonly verb: string;
  readonly toHref: (sourceId: string) => string;
}

function toTriedEvents(tries: ConditionsProps["tries"]): TriedEvents {
  if ("type" in tries) {
    const noun = sourceWord(tries.type);
    return { noun, verb: "been sent", toHref: (id) => sourceHref(tries.type, id, undefined) };
  }
  if ("assistantId" in tries) {
    const page = `/assistants/${encodeURIComponent(tries.assistantId)}/conversations`;
    return { ...CHAT, toHref: (id) => `${page}/${id}` };
  }
  return { ...DEMO, toHref: (id) => `/audience/sessions/${id}` };
}

const CHAT = { noun: "conversation", verb: "been sent" };
const DEMO = { noun: "session", verb: "fired" };

interface Said extends TriedEvents {
  readonly data: ConditionsPreview | undefined;
  readonly error: Error | null;
  readonly isComplete: boolean;
}

function toSentence({ data, error, isComplete, noun, verb }: Said): string {
  if (!isComplete) return "Fill in the conditions to see what they would have let through.";
  if (error !== null) return `No preview: ${error.message}`;
  if (data === undefined) return "Trying them on what came last…";
  if (data.events === 0) return `There are no ${noun}s yet to try this on.`;
  return `Would have ${verb} for ${data.fired} of the last ${data.events} ${noun}s.`;
}

interface ExampleProps {
  readonly example: PreviewExample;
  readonly tried: TriedEvents;
}

function Example({ example, tried: { toHref } }: ExampleProps) {
  const { sourceId, acceptedAtMs, about, fires, why } = example;
  const Icon = fires ? CircleCheck : CircleMinus;
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden="true" className={fires ? "mt-0.5 size-4 shrink-0 text-ok" : MINUS} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="sr-only">{fires ? "Sent: " : "Not sent: "}</span>
        <TextLink href={toHref(sourceId)}>{titleOf(example)}</TextLink>
        {about.what !== null && ` · ${shortened(about.what, WHAT_CHARS_MAX)}`} · <RelativeTime atMs={acceptedAtMs} />
        {why !== "" && <span className="block text-ink-soft">{why}</span>}
      </span>
    </li>
  );
}

/** A summary may be long; its beginning tells it from the others. */
const WHAT_CHARS_MAX = 80;

const MINUS = "mt-0.5 size-4 shrink-0 text-ink-soft";

function ask(tries: ConditionsProps["tries"], asked: string): Promise<ConditionsPreview> {
  const { conditions } = JSON.parse(asked) as { conditions: ReturnType<typeof toConditionsForm> };
  if ("type" in tries) {
    return call("POST /event-types/:type/preview", { params: { type: tries.type }, body: { conditions } });
  }
  if ("assistantId" in tries) {
    return call("POST /assistants/:id/preview", { params: { id: tries.assistantId }, body: { conditions } });
  }
  const { audience, demos, intentLevels } = tries;
  return call("POST /alerts/preview", { body: { audience, demos, intentLevels, conditions } });
}
