/** Around every form: its layout, the bar with Save, and the question when somebody else saved meanwhile. */
import clsx from "clsx";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RadioCards } from "../../ui/controls.tsx";
import type { Choices } from "../form-fields.ts";
import { type ConflictPhase, isSaving, type Phase, savedWords } from "./form-state.ts";
import type { ConflictChoice } from "./use-editor.ts";

interface Props {
  /** For readers of the screen: the subject of the form. */
  readonly label: string;
  readonly form: RefObject<HTMLFormElement | null>;
  readonly onSave: () => Promise<void>;
  /** The sections, top to bottom. */
  readonly children: ReactNode;
  /** The test. Nothing, where there is none to send. */
  readonly beside: ReactNode;
  /** The bar with Save. */
  readonly bar: ReactNode;
}

export function FormLayout({ label, form, onSave, children, beside, bar }: Props) {
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
      className="@container"
    >
      <div className="grid gap-5 max-w-3xl @4xl:max-w-none @4xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0 space-y-5">{children}</div>
        {/* Without a height of its own, and a card with a long result scrolls by itself: Save stays where it is. */}
        <div
          className="min-w-0 @4xl:sticky @4xl:top-4 @4xl:h-0 @4xl:*:max-h-(--beside-height)
            @4xl:*:overflow-y-auto @4xl:in-data-embed:h-auto @4xl:in-data-embed:self-start
            @4xl:in-data-embed:*:max-h-none"
        >
          {beside}
        </div>
      </div>
      {bar}
    </form>
  );
}

/*
 * The end of a form: what came of saving, and the buttons. It stays at the window's lower edge while the form is longer
 * than the window, and a field that takes the focus scrolls clear of it.
 */

interface SaveBarProps {
  readonly phase: Phase;
  /** Save would store something else than what is stored. */
  readonly isDirty: boolean;
  readonly disabledReason: string | undefined;
  /** Beside Save, such as Cancel. */
  readonly children?: ReactNode;
}

export function SaveBar({ phase, isDirty, disabledReason, children }: SaveBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  useRoomBelow(bar);
  return (
    <div ref={bar} className={BAR}>
      <div className="min-w-0 flex-1 basis-48">
        <News phase={phase} />
        {disabledReason !== undefined ? (
          <p className="text-sm text-ink-soft">{disabledReason}</p>
        ) : (
          isDirty && phase.kind === "editing" && <p className="text-sm text-ink-soft">Changes are not saved yet.</p>
        )}
      </div>
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
        {children}
        <Button type="submit" tone="primary" isBusy={isSaving(phase)} disabledReason={disabledReason}>
          Save
        </Button>
      </div>
    </div>
  );
}

/** The result of the last Save. */
function News({ phase }: { readonly phase: Phase }) {
  const words = phase.kind === "saved" ? savedWords(phase) : null;
  const isPlain = words === "Saved." || (phase.kind === "saved" && phase.together !== null && phase.isReadBack);
  return (
    <>
      {phase.kind === "refused" && (
        <p role="alert" className={NEWS}>
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          <span className="min-w-0 [overflow-wrap:anywhere]">{phase.why}</span>
        </p>
      )}
      <div role="status">
        {words !== null && (
          <p className={NEWS}>
            {isPlain ? (
              <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
            )}
            <span className="min-w-0">{words}</span>
          </p>
        )}
      </div>
    </>
  );
}

/**
 * Keeps as much room free at the window's lower edge as the bar takes there. The browser scrolls a focused field only
 * as far as it must, so without that room the field would end up behind the bar.
 */
function useRoomBelow(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const root = document.documentElement;
    const watcher = new ResizeObserver(() => {
      const isSticky = getComputedStyle(current).position === "sticky";
      root.style.setProperty("--bar-height", isSticky ? `${current.offsetHeight}px` : "0px");
    });
    watcher.observe(current);
    return () => {
      watcher.disconnect();
      root.style.removeProperty("--bar-height");
    };
  }, [bar]);
}

const NEWS = "flex items-start gap-2 font-medium text-ink";
/** In a window that is hardly higher than the bar, such as one zoomed to 400 %, the bar stays at the form's end. */
const BAR = clsx(
  "bottom-0 z-10 -mx-4 mt-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-surface px-4 py-2.5",
  "sm:-mx-6 sm:px-6 md:mx-0 md:max-w-3xl md:rounded-xl md:border md:px-5 md:shadow-popup",
  // As wide as the fields above it.
  "@4xl:max-w-none @4xl:w-[calc(60%-0.75rem)] [@media(min-height:22rem)]:sticky",
);

/* Both changed the same fields: what each has there, and the choice. What only one of them changed is kept. */

interface ConflictDialogProps {
  readonly phase: Phase;
  readonly choice: ConflictChoice;
}

export function ConflictDialog({ phase, choice }: ConflictDialogProps) {
  return phase.kind === "conflict" ? <Choice conflict={phase} choice={choice} /> : null;
}

interface ChoiceProps {
  readonly conflict: ConflictPhase;
  readonly choice: ConflictChoice;
}

function Choice({ conflict: { who, clashes }, choice: { close, settle } }: ChoiceProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState<Choices>({});
  const isDecided = clashes.every(({ key }) => chosen[key] !== undefined);
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      title="Both of you changed this"
      onClose={close}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} tone="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            tone="primary"
            disabledReason={isDecided ? undefined : "Choose for each field."}
            onClick={() => void settle(chosen)}
          >
            Save
          </Button>
        </>
      }
    >
      <p className="mb-3 [overflow-wrap:anywhere]">
        {who} saved while you were typing. Choose what to keep; all other changes of both of you stay.
      </p>
      <div className="space-y-5">
        {clashes.map(({ key, label, mine, theirs }) => (
          <div key={key} className="[overflow-wrap:anywhere]">
            <RadioCards
              isRow
              legend={label}
              options={[
                { value: "mine", label: "Yours", help: mine },
                { value: "theirs", label: "Theirs", help: theirs },
              ]}
              value={chosen[key] ?? null}
              onChange={(value) => setChosen({ ...chosen, [key]: value })}
            />
          </div>
        ))}
      </div>
    </Dialog>
  );
}
