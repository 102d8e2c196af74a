/**
 * The editor of a template: its lines are numbered, an error marks its line, and two braces offer the fields of the
 * events. The list is the textarea's own, so that arrows, Enter and Escape work while somebody types.
 */
import clsx from "clsx";
import { Braces } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../ui/button.tsx";
import { Cut } from "../../ui/cut.tsx";
import { Field } from "../../ui/field.tsx";
import { count } from "../../words.ts";
import {
  beginPlaceholder,
  completePlaceholder,
  type Edited,
  findOpenPlaceholder,
  lineOf,
  offerFields,
} from "./placeholders.ts";
import type { OfferedField } from "./wanted-events.ts";

interface Props {
  readonly value: string;
  readonly error: string | undefined;
  readonly fields: readonly OfferedField[];
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
  readonly isReadOnly: boolean;
}

export function TemplateEditor({ value, error, fields, onChange, onLeave, isReadOnly }: Props) {
  const listId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const offers = useOffers({ value, fields, area });
  const { shown, at } = offers;
  const put = ({ text, caret }: Edited): void => {
    flushSync(() => onChange(text));
    area.current?.focus();
    area.current?.setSelectionRange(caret, caret);
    offers.look(text, caret);
  };
  const choose = ({ path }: OfferedField): void => {
    put(completePlaceholder(value, area.current?.selectionStart ?? value.length, path));
    offers.close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = shown[at];
    if (chosen === undefined || event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") offers.move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter") choose(chosen);
    else if (event.key === "Escape") offers.close();
    else return;
    event.preventDefault();
  };
  return (
    <Field
      label="Template"
      error={error}
      help={
        <>
          A JSON object. <code>{"{{lead.email}}"}</code> stands for a value of the event and{" "}
          <code>{"{{lead.email|unknown}}"}</code> says what to send without one. Type <code>{"{{"}</code> to see the
          fields.
        </>
      }
    >
      {(control) => (
        <div>
          <div className="relative">
            <Numbered area={area} lines={value.split("\n").length} wrong={lineOf(error)}>
              <textarea
                {...control}
                ref={area}
                rows={12}
                wrap="off"
                spellCheck={false}
                autoComplete="off"
                autoCapitalize="off"
                readOnly={isReadOnly}
                placeholder={EXAMPLE}
                aria-autocomplete="list"
                aria-controls={shown.length > 0 ? listId : undefined}
                aria-activedescendant={shown.length > 0 ? `${listId}-${at}` : undefined}
                className={AREA}
                value={value}
                onChange={({ target }: ChangeEvent<HTMLTextAreaElement>) => {
                  onChange(target.value);
                  offers.look(target.value, target.selectionStart);
                }}
                onSelect={({ currentTarget }) => offers.follow(currentTarget)}
                onKeyDown={onKeyDown}
                onBlur={() => {
                  offers.close();
                  if (value !== "") onLeave();
                }}
              />
            </Numbered>
            {shown.length > 0 && <Offers id={listId} shown={shown} at={at} top={offers.top} onChoose={choose} />}
          </div>
          <span role="status" className="sr-only">
            {shown.length > 0 && `${count(shown.length, "field")}: arrow keys and Enter choose one.`}
          </span>
          {!isReadOnly && (
            <Button
              className="mt-2"
              size="sm"
              icon={<Braces />}
              onClick={() => put(beginPlaceholder(value, area.current?.selectionStart ?? value.length))}
            >
              Insert field
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

const EXAMPLE = '{\n  "email": "{{lead.email}}",\n  "source": "demo"\n}';

/** Lines of one height, so that a number stands beside its line and the list below it. */
const LINE_PX = 20;
const PADDING_PX = 8;
const AREA = clsx(
  "control block min-h-40 w-full resize-y rounded-l-none! border-l-0! py-2! font-mono text-sm leading-5! [tab-size:2]",
);

interface NumberedProps {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly lines: number;
  /** The number of the line with the error. */
  readonly wrong: number | null;
  readonly children: React.ReactNode;
}

/** The numbers scroll with the text and say nothing to readers of the screen: an error names its line in words. */
function Numbered({ area, lines, wrong, children }: NumberedProps) {
  const gutter = useRef<HTMLDivElement>(null);
  return (
    <div className="flex" onScrollCapture={() => gutter.current?.scrollTo({ top: area.current?.scrollTop ?? 0 })}>
      <div
        ref={gutter}
        aria-hidden="true"
        className="relative w-10 shrink-0 overflow-hidden rounded-l-md border border-line-strong bg-sunken"
      >
        <ol className="absolute inset-x-0 top-0 py-2 text-right font-mono text-sm leading-5 text-ink-faint">
          {Array.from({ length: lines }, (_, at) => (
            <li key={at} className={clsx("pr-2", at + 1 === wrong && "bg-bad-soft font-semibold text-bad")}>
              {at + 1}
            </li>
          ))}
        </ol>
      </div>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/* The fields that fit what is typed of a placeholder. */

interface OffersProps {
  readonly id: string;
  readonly shown: readonly OfferedField[];
  readonly at: number;
  readonly top: number;
  readonly onChoose: (field: OfferedField) => void;
}

function Offers({ id, shown, at, top, onChoose }: OffersProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Fields"
      style={{ top }}
      className="absolute right-2 left-10 z-20 max-h-56 max-w-lg overflow-y-auto overscroll-contain rounded-md border
        border-line bg-surface py-1 shadow-popup"
    >
      {shown.map((field, place) => (
        // The textarea keeps the focus and takes the keys.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={field.path}
          ref={place === at ? (item) => item?.scrollIntoView({ block: "nearest" }) : undefined}
          id={`${id}-${place}`}
          role="option"
          aria-selected={place === at}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(field)}
          className={clsx("min-h-6 px-3 py-1", place === at ? "bg-accent-soft" : "hover:bg-hover")}
        >
          <code className="text-sm [overflow-wrap:anywhere]">{field.path}</code>
          {field.about !== "" && <Cut className="text-xs text-ink-soft">{field.about}</Cut>}
        </div>
      ))}
    </div>
  );
}

interface OffersOptions {
  readonly value: string;
  readonly fields: readonly OfferedField[];
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

/** `null` as a caret: the list is closed until somebody types on. */
function useOffers({ value, fields, area }: OffersOptions) {
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(0);
  const open = caret === null ? null : findOpenPlaceholder(value, caret);
  const shown = open === null ? [] : offerFields(fields, open.typed);
  const line = value.slice(0, caret ?? 0).split("\n").length;
  return {
    shown,
    at: Math.min(chosen, shown.length - 1),
    /** Below the caret's line. */
    top: PADDING_PX + line * LINE_PX - (area.current?.scrollTop ?? 0) + 2,
    look(text: string, at: number): void {
      setChosen(0);
      setCaret(findOpenPlaceholder(text, at) === null ? null : at);
    },
    /** The caret has moved without a change: the list stays where it is open, and closes where it fits no more. */
    follow({ value: text, selectionStart }: HTMLTextAreaElement): void {
      setCaret((before) =>
        before === null || findOpenPlaceholder(text, selectionStart) === null ? null : selectionStart,
      );
    },
    move: (by: number): void => setChosen((before) => (before + by + shown.length) % Math.max(1, shown.length)),
    close: (): void => setCaret(null),
  };
}
