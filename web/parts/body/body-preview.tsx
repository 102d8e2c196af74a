/** What the latest events would have sent: one of them whole beside its event, and what is missing in how many. */
import { ChevronLeft, ChevronRight, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { BodyPreview, MissingValue, ShownBody } from "../../../src/dashboard/contract/body-preview.ts";
import type { BodyKind } from "../../../src/dashboard/contract/destinations.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { count, number, shortened } from "../../words.ts";
import { eventLabel, titleOf } from "../event-words.ts";
import { Payload } from "../json/json-tree.tsx";
import { BODIES } from "./body-kinds.ts";
import { MessageCard } from "./message-card.tsx";
import type { PreviewState } from "./use-preview.ts";

interface Props {
  readonly kind: BodyKind;
  readonly preview: PreviewState;
  /** Makes the message a template; left out where nothing can be changed. */
  readonly onStart: ((template: string) => void) | undefined;
}

export function BodyPreviewArea({ kind, preview, onStart }: Props) {
  const { data, fault, templateError, isOld, show } = preview;
  const isFirst = data === undefined && fault === null && templateError === undefined;
  return (
    <section
      aria-label="Preview"
      aria-busy={isOld}
      className="@container min-w-0 space-y-3 rounded-lg border border-line bg-sunken/60 p-3 text-sm"
    >
      {fault !== null && <p role="status">No preview: {fault}</p>}
      {templateError !== undefined && <p className="text-ink-soft">The preview comes once the template can be read.</p>}
      {isFirst && <Skeleton className="h-40" />}
      {data !== undefined && data.shown === null && <p role="status">There is no event yet to show this on.</p>}
      {data !== undefined && data.shown !== null && (
        <Shown data={data} shown={data.shown} kind={kind} onShow={show} onStart={onStart} />
      )}
    </section>
  );
}

interface ShownProps {
  readonly data: BodyPreview;
  readonly shown: ShownBody;
  readonly kind: BodyKind;
  readonly onShow: (eventId: string) => void;
  readonly onStart: Props["onStart"];
}

function Shown({ data, shown, kind, onShow, onStart }: ShownProps) {
  const { sent, event, message, fault, template } = shown;
  return (
    <>
      <Which data={data} shown={shown} onShow={onShow} />
      <Findings data={data} onShow={onShow} />
      {message !== null && <MessageCard tool={BODIES[kind].label} message={message} />}
      <div className="grid gap-3 @lg:grid-cols-2">
        {sent === null ? <Note>{fault}</Note> : <Payload label="What is sent" body={sent} />}
        <Payload label="The event" body={event} />
      </div>
      {onStart !== undefined && template !== "" && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button size="sm" onClick={() => onStart(template)}>
            Start from this message
          </Button>
          <p className="min-w-0 text-ink-soft">
            Makes it a template that you can change. Values go into it as they are: what a visitor has typed may be
            markup, or mention people.
          </p>
        </div>
      )}
    </>
  );
}

/** Which event is shown, and the way to its neighbours. */
function Which({
  data: { events, isExample },
  shown: { place },
  onShow,
}: Pick<ShownProps, "data" | "shown" | "onShow">) {
  const here = events[place];
  const [newer, older] = [events[place - 1], events[place + 1]];
  if (here === undefined) return null;
  const { type, about, acceptedAtMs, bytes } = here;
  return (
    <div className="flex items-start gap-1">
      <div role="status" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p>
          {isExample ? (
            <>The example of {eventLabel(type)}: there is no event yet.</>
          ) : (
            <>
              <span className="font-medium">
                Event {place + 1} of {events.length === 1 ? "1" : `the last ${number(events.length)}`}
              </span>{" "}
              · {titleOf(here)}
              {about.what !== null && ` · ${shortened(about.what, WHAT_CHARS_MAX)}`} ·{" "}
              <RelativeTime atMs={acceptedAtMs} />
            </>
          )}
        </p>
        <p className="text-ink-soft">{sizeWords(bytes, events)}</p>
      </div>
      {!isExample && (
        <>
          <IconButton
            label="Newer event"
            icon={<ChevronLeft />}
            disabled={newer === undefined}
            onClick={() => newer !== undefined && onShow(newer.eventId)}
          />
          <IconButton
            label="Older event"
            icon={<ChevronRight />}
            disabled={older === undefined}
            onClick={() => older !== undefined && onShow(older.eventId)}
          />
        </>
      )}
    </div>
  );
}

/** A summary may be long; its beginning tells it from the others. */
const WHAT_CHARS_MAX = 60;

function sizeWords(bytes: number | null, events: BodyPreview["events"]): string {
  const sizes = events.flatMap((each) => each.bytes ?? []);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const own = bytes === null ? "" : count(bytes, "byte");
  if (sizes.length < 2 || least === most) return own;
  return `${own === "" ? "" : `${own}; `}all of them: ${number(least)} to ${number(most)} bytes`;
}

/* What is wrong with how many, each with the way to one of them. */

function Findings({ data, onShow }: Pick<ShownProps, "data" | "onShow">) {
  const { events, missing, warnings } = data;
  const unmade = events.flatMap(({ bytes }, place) => (bytes === null ? [place] : []));
  const found = [
    ...(unmade.length === 0
      ? []
      : [{ key: "unmade", words: <>Cannot be made of {outOf(unmade, events)}.</>, places: unmade }]),
    ...missing.slice(0, MISSING_SHOWN).map(({ path, places }: MissingValue) => ({
      key: path,
      words: (
        <>
          <code className="[overflow-wrap:anywhere]">{path}</code> is missing in {outOf(places, events)}.
        </>
      ),
      places,
    })),
  ];
  const more = missing.length - MISSING_SHOWN;
  if (found.length === 0 && warnings.length === 0) return null;
  return (
    <ul aria-label="What is missing" className="space-y-1">
      {warnings.map((warning) => (
        <li key={warning}>
          <Note>The template {warning}.</Note>
        </li>
      ))}
      {found.map(({ key, words, places }) => (
        <li key={key} className="flex flex-wrap items-baseline gap-x-2">
          <span className="min-w-0">{words}</span>
          {places.length < events.length && (
            <Button tone="quiet" size="sm" onClick={() => onShow(events[places[0] ?? 0]?.eventId ?? "")}>
              Show one<span className="sr-only"> of them: {key}</span>
            </Button>
          )}
        </li>
      ))}
      {more > 0 && <li className="text-ink-soft">{count(more, "more placeholder")} lack a value somewhere.</li>}
    </ul>
  );
}

/** Guess: more are looked through one after another anyway. */
const MISSING_SHOWN = 8;

/** "7 of 50", "all 50". */
function outOf(places: readonly number[], events: BodyPreview["events"]): string {
  if (events.length === 1) return "this event";
  return places.length === events.length
    ? `all ${number(events.length)}`
    : `${number(places.length)} of ${number(events.length)}`;
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-warn">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  );
}
