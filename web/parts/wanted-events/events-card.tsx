/**
 * A card of a webhook's form: its name, and the events that it wants. Add moves the focus to the next type that
 * can be added; remove moves it to the row behind, the row before, or the search.
 */
import clsx from "clsx";
import { Plus, X } from "lucide-react";
import { Fragment, type KeyboardEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { isGroup, isInGroup } from "../../../src/domain/event.ts";
import type { EventTypeWords } from "../../../src/dashboard/contract/session.ts";
import { useSession } from "../../query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { RadioCards } from "../../ui/controls.tsx";
import { Field, FieldError, Input } from "../../ui/field.tsx";
import { Fold } from "../../ui/fold.tsx";
import { count } from "../../words.ts";
import { ConditionsSection } from "../conditions/conditions-section.tsx";
import { eventLabel } from "../event-words.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { WebhookEditor } from "./use-webhook-subject.ts";
import { GroupHead } from "../group-head.tsx";
import { groupTypes, type TypeGroup } from "../group-types.ts";
import { errorsInWanted, findTypes, inWanted, type WantedDraft, wantType } from "./webhook-state.ts";

interface Props {
  readonly editor: WebhookEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function EventsCard({ editor, ownersOnly }: Props) {
  const { state, shown, change } = editor;
  const { limits } = useSession();
  return (
    <Card>
      <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-5">
        <legend className="sr-only">Name and events</legend>
        <Field label="Name" error={shown.errors["name"]}>
          {(control) => (
            <Input
              {...control}
              placeholder="Leads to the CRM"
              maxLength={limits.webhookNameCharsMax}
              value={state.name}
              onChange={(event) => change({ ...state, name: event.target.value }, "name")}
            />
          )}
        </Field>
        <RadioCards
          legend="Events"
          options={SCOPES}
          value={state.wantsAll ? "all" : "some"}
          onChange={(scope) => change({ ...state, wantsAll: scope === "all" }, ...errorKeys(shown.errors))}
        />
        {!state.wantsAll && <Wanted editor={editor} isReadOnly={ownersOnly !== undefined} />}
      </fieldset>
    </Card>
  );
}

const SCOPES = [
  { value: "some", label: "Only these events", help: "The types that you choose, each with conditions if you want." },
  { value: "all", label: "All events", help: "Every type, also those that are declared later." },
] as const;

/** A change of the list can move every error in it. */
const errorKeys = (errors: FieldErrors): readonly string[] =>
  Object.keys(errors).filter((key) => key.startsWith("events"));

interface WantedProps {
  readonly editor: WebhookEditor;
  readonly isReadOnly: boolean;
}

function Wanted({ editor, isReadOnly }: WantedProps) {
  const { state, shown, change } = editor;
  const { wanted } = state;
  const id = useId();
  const { eventTypes } = useSession();
  const [news, setNews] = useState("");
  const [isAdding, setAdding] = useState(wanted.length === 0);
  const focus = (part: string): void => document.getElementById(`${id}-${part}`)?.focus();
  const put = (next: readonly WantedDraft[], ...keys: readonly string[]): void =>
    change({ ...state, wanted: next }, ...keys);
  const remove = (place: number): void => {
    const neighbour = wanted[place + 1] ?? wanted[place - 1];
    flushSync(() => put(wanted.toSpliced(place, 1), ...errorKeys(shown.errors)));
    if (neighbour === undefined) flushSync(() => setAdding(true));
    focus(neighbour === undefined ? "search" : `remove-${neighbour.type}`);
    setNews(`Removed ${eventLabel(wanted[place]?.type ?? "")}.`);
  };
  const add = (...types: readonly string[]): void => {
    put([...wanted, ...types.map((type) => wantType(type))], "events");
    setNews(types.length === 1 ? `Added ${eventLabel(types[0] ?? "")}.` : `Added ${types.length} event types.`);
  };
  return (
    <div className="space-y-3">
      {wanted.length > 0 && (
        <ul aria-label="Chosen events" className="space-y-2">
          {wanted.map((each, place) => (
            <WantedRow
              key={each.type}
              wanted={each}
              removeId={`${id}-remove-${each.type}`}
              errors={errorsInWanted(shown.errors, place)}
              onChange={(next, ...keys) => put(wanted.with(place, next), ...keys.map((key) => inWanted(place, key)))}
              onLeave={(key) => shown.leave(inWanted(place, key))}
              onRemove={() => remove(place)}
              isReadOnly={isReadOnly}
            />
          ))}
        </ul>
      )}
      {!isReadOnly && wanted.length > 0 && (
        <Button size="sm" icon={<Plus />} aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          Add event types
        </Button>
      )}
      {!isReadOnly && (isAdding || wanted.length === 0) && (
        <Picker
          ids={id}
          types={eventTypes.filter(({ type }) => !wanted.some((each) => each.type === type))}
          groups={groupTypes(eventTypes).filter(
            ({ group }) => group !== null && !wanted.some((each) => each.type === group),
          )}
          error={shown.errors["events"]}
          onAdd={add}
        />
      )}
      <span role="status" className="sr-only">
        {news}
      </span>
    </div>
  );
}

/* A chosen type with its conditions, folded until somebody wants them or something in them is wrong. */

interface RowProps {
  readonly wanted: WantedDraft;
  readonly removeId: string;
  readonly errors: FieldErrors;
  readonly onChange: (wanted: WantedDraft, ...keys: readonly string[]) => void;
  readonly onLeave: (key: string) => void;
  readonly onRemove: () => void;
  readonly isReadOnly: boolean;
}

function WantedRow({ wanted, removeId, errors, onChange, onLeave, onRemove, isReadOnly }: RowProps) {
  const { type, conditions } = wanted;
  const { eventTypes } = useSession();
  const declared = eventTypes.find((each) => each.type === type);
  const members = eventTypes.filter((each) => isInGroup(each.type, type));
  const note = isGroup(type) ? groupNote(members.length) : declared === undefined ? UNDECLARED : declared.planGate;
  return (
    <li className="rounded-md border border-line">
      <div className="flex items-start gap-2 py-1 pr-1 pl-3">
        <div className="min-w-0 flex-1 py-1">
          <TypeName type={type} title={isGroup(type) ? `All of ${type.slice(0, -2)}` : (declared?.title ?? type)} />
          {note !== null && <p className="text-sm text-ink-soft">{note}</p>}
          <FieldError id={`${removeId}-error`} message={errors["type"]} />
        </div>
        {!isReadOnly && (
          <IconButton id={removeId} label={`Remove ${eventLabel(type)}`} icon={<X />} onClick={onRemove} />
        )}
      </div>
      {declared !== undefined && (
        <div className="border-t border-line">
          <Fold
            summary={conditions.rows.length === 0 ? "Conditions" : count(conditions.rows.length, "condition")}
            isForced={Object.keys(errors).length > 0}
          >
            <ConditionsSection
              legend={`Conditions on ${declared.title}`}
              draft={conditions}
              errors={errors}
              onChange={(next, ...keys) => onChange({ type, conditions: next }, ...keys)}
              onLeave={onLeave}
              isReadOnly={isReadOnly}
              tries={{ type }}
            />
          </Fold>
        </div>
      )}
    </li>
  );
}

const groupNote = (members: number): string =>
  `${count(members, "type")} now, and those that are declared later. A type that is listed too has its own conditions.`;

const UNDECLARED = "Not declared any more: nothing is sent for it.";

function TypeName({ type, title }: { readonly type: string; readonly title: string }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 [overflow-wrap:anywhere]">
      <span className="font-medium">{title}</span>
      <code className="text-sm text-ink-soft">{type}</code>
    </span>
  );
}

/* The types that are not chosen yet, narrowed down by what is typed; a scrolling list, because there may be 200. */

interface PickerProps {
  /** Ids of the controls start with it. */
  readonly ids: string;
  readonly types: readonly EventTypeWords[];
  /** Those that are not chosen whole. */
  readonly groups: readonly TypeGroup<EventTypeWords>[];
  readonly error: string | undefined;
  readonly onAdd: (...types: readonly string[]) => void;
}

function Picker({ ids, types, groups, error, onAdd }: PickerProps) {
  const [typed, setTyped] = useState("");
  const found = findTypes(types, typed);
  const offered = groups.filter(({ types: members }) => members.some((each) => found.includes(each)));
  const free = found.filter(({ planGate }) => planGate === null);
  const add = (type: string): void => {
    const at = free.findIndex((each) => each.type === type);
    const next = free[at + 1] ?? free[at - 1];
    flushSync(() => onAdd(type));
    document.getElementById(next === undefined ? `${ids}-search` : `${ids}-add-${next.type}`)?.focus();
  };
  /** The button goes away with them. */
  const addMany = (names: readonly string[]): void => {
    flushSync(() => onAdd(...names));
    document.getElementById(`${ids}-search`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Else it would save the form.
    if (event.key !== "Enter") return;
    event.preventDefault();
    const [first] = free;
    if (first !== undefined && typed.trim() !== "") onAdd(first.type);
  };
  return (
    <div>
      <label htmlFor={`${ids}-search`} className="sr-only">
        Find an event type
      </label>
      <Input
        id={`${ids}-search`}
        type="search"
        placeholder="Find an event type"
        aria-invalid={error !== undefined}
        aria-describedby={`${ids}-error ${ids}-found`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <FieldError id={`${ids}-error`} message={error} />
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <p id={`${ids}-found`} role="status" className="text-sm text-ink-soft">
          {found.length === 0 ? "No event type is left." : `${count(found.length, "event type")} to add`}
        </p>
        {typed.trim() !== "" && free.length > 1 && (
          <Button size="sm" icon={<Plus />} onClick={() => addMany(free.map(({ type }) => type))}>
            Add all {free.length} found
          </Button>
        )}
      </div>
      {offered.length > 0 && (
        <div
          role="group"
          aria-label="Whole groups"
          className="mt-1.5 flex max-h-56 flex-wrap gap-2 overflow-y-auto p-1"
        >
          {offered.map(({ group, types: members }) => (
            <Button key={group} size="sm" icon={<Plus />} onClick={() => addMany([group ?? ""])}>
              All {members.length} of <code>{group}</code>
            </Button>
          ))}
        </div>
      )}
      {found.length > 0 && (
        <ul aria-label="Event types to add" className={LIST}>
          {groupTypes(found).map(({ group, types: members }) => (
            <Fragment key={group}>
              {group !== null && <GroupHead group={group} count={members.length} />}
              {members.map((each) => (
                <TypeToAdd key={each.type} id={`${ids}-add-${each.type}`} event={each} onAdd={() => add(each.type)} />
              ))}
            </Fragment>
          ))}
        </ul>
      )}
    </div>
  );
}

const LIST = "mt-1.5 max-h-80 divide-y divide-line overflow-y-auto overscroll-contain rounded-md border border-line";

interface AddProps {
  readonly id: string;
  readonly event: EventTypeWords;
  readonly onAdd: () => void;
}

/** The button covers its row: all of it can be pressed. */
function TypeToAdd({ id, event: { type, title, hint, planGate }, onAdd }: AddProps) {
  const isOff = planGate !== null;
  return (
    <li className={clsx("relative flex items-start gap-2 px-3 py-2", isOff ? "bg-sunken" : "hover:bg-hover")}>
      <button
        type="button"
        id={id}
        aria-label={`Add ${title}`}
        aria-describedby={`${id}-about`}
        aria-disabled={isOff || undefined}
        onClick={isOff ? undefined : onAdd}
        className={clsx(
          "outline-none after:absolute after:inset-0",
          "focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent",
        )}
      >
        <Plus aria-hidden="true" className={clsx("mt-0.5 size-4", isOff ? "text-ink-faint" : "text-accent")} />
      </button>
      <div className="min-w-0">
        <TypeName type={type} title={title} />
        <p id={`${id}-about`} className="text-sm text-ink-soft [overflow-wrap:anywhere]">
          {planGate ?? hint}
        </p>
      </div>
    </li>
  );
}
