/**
 * A form with a webhook in it from end to end: what is typed, what is wrong with it, its tests, and saving it. Alerts
 * and assistants differ in their `EditorSubject` alone.
 */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { SavedAnswer, TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { ApiProblem } from "../../api.ts";
import type { FieldErrors } from "../field-errors.ts";
import { type Tests, useTests } from "../test-result/test-area.tsx";
import { toForm, type WebhookDraft } from "../webhook/draft.ts";
import { errorsByField } from "../webhook/refusals.ts";
import { createFormCalls, type FormCalls, type FormSubject } from "./form-calls.ts";
import { findStored, type FormState, isDirty, type Phase, startForm } from "./form-state.ts";
import { type FormEvent, step } from "./step.ts";

/** The thing that is edited, and the calls that read, save and test it. */
export interface EditorSubject<Saved, Draft> extends Omit<FormSubject<Saved, Draft>, "findFieldErrors"> {
  readonly getWebhook: (draft: Draft) => WebhookDraft;
  readonly withWebhook: (draft: Draft, webhook: WebhookDraft) => Draft;
  /** As a text: what Test would send. */
  readonly testSends: (draft: Draft) => string;
  /** The errors that keep it from being saved, and from being tested. */
  readonly findErrors: (draft: Draft) => { readonly save: FieldErrors; readonly test: FieldErrors };
  readonly test: (draft: Draft, saved: Saved | null) => Promise<TestAnswer>;
}

export interface Editor<Saved, Draft> {
  readonly state: Draft;
  /** The stored value, as far as it was read. */
  readonly saved: Saved | null;
  /** The id and revision of what is stored; `null` when nothing is. */
  readonly stored: SavedAnswer | null;
  readonly isDirty: boolean;
  readonly phase: Phase;
  readonly shown: ShownErrors;
  readonly tests: Tests;
  /** The text of a test that is sent now. */
  readonly sends: string;
  /** `keys` are the fields that have changed. */
  readonly change: (state: Draft, ...keys: readonly string[]) => void;
  readonly test: () => Promise<void>;
  readonly useUrl: (url: string) => void;
  readonly save: () => Promise<void>;
  /** Another change of this page is stored, and takes the form's place. */
  readonly replace: (saved: Saved) => void;
  readonly conflict: ConflictChoice;
}

export interface ConflictChoice {
  readonly close: () => void;
  readonly loadTheirs: () => Promise<void>;
  readonly keepMine: () => Promise<void>;
}

interface Fields {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly url: RefObject<HTMLInputElement | null>;
}

export function useEditor<Saved extends SavedAnswer, Draft>(
  subject: EditorSubject<Saved, Draft>,
  detail: Saved | null,
  fields: Fields,
): Editor<Saved, Draft> {
  const tests = useTests();
  const findFieldErrors = (problem: ApiProblem, sent: Draft): FieldErrors =>
    errorsByField(problem.errors, toForm(subject.getWebhook(sent)).rows);
  const form = useForm(
    { ...subject, findFieldErrors },
    {
      detail,
      onLoad: (before, after) => tests.renew(subject.testSends(before), subject.testSends(after)),
      onRefused: () => shown.focusFirst(),
    },
  );
  const { typed, saved, tell } = form;
  const wrong = subject.findErrors(typed);
  const shown = useFieldErrors({ found: { ...wrong.test, ...wrong.save }, refused: form.refused }, fields.form);
  const sends = subject.testSends(typed);

  const change = (next: Draft, ...keys: readonly string[]): void => tell({ type: "typed", typed: next, keys });
  const findLastTest = (): ExplainedOutcome | null => {
    const last = tests.kept[0];
    return last !== undefined && last.sent === sends ? last.answer.outcome : null;
  };
  const onTestRefused = (problem: ApiProblem): void =>
    tell({ type: "test_refused", errors: findFieldErrors(problem, typed) });

  return {
    state: typed,
    saved,
    stored: findStored(form),
    isDirty: isDirty(subject, form),
    phase: form.phase,
    shown,
    tests,
    sends,
    change,
    async test() {
      if (shown.isStoppedBy(wrong.test)) return;
      await tests.run({ sent: sends, send: () => subject.test(typed, saved), onRefused: onTestRefused });
    },
    useUrl(url) {
      flushSync(() => change(subject.withWebhook(typed, { ...subject.getWebhook(typed), url }), "url"));
      fields.url.current?.focus();
    },
    async save() {
      if (!shown.isStoppedBy(wrong.save)) await form.save(findLastTest());
    },
    replace: (next) => tell({ type: "replaced", saved: next }),
    conflict: {
      close: () => tell({ type: "close" }),
      loadTheirs: form.loadTheirs,
      keepMine: () => form.keepMine(findLastTest()),
    },
  };
}

/* The form machine (step.ts) in React: holds its state for the page, and tells it what the page hears. */

interface FormOptions<Saved, Draft> {
  /** As the page has it from the service now. */
  readonly detail: Saved | null;
  /** The stored value has taken the place of what was typed. */
  readonly onLoad: (before: Draft, after: Draft) => void;
  /** A refusal is on the page. */
  readonly onRefused: () => void;
}

interface Form<Saved, Draft> extends FormState<Saved, Draft>, FormCalls {
  readonly tell: (event: FormEvent<Saved, Draft>) => void;
}

function useForm<Saved extends SavedAnswer, Draft>(
  subject: FormSubject<Saved, Draft>,
  { detail, onLoad, onRefused }: FormOptions<Saved, Draft>,
): Form<Saved, Draft> {
  const [state, setState] = useState(() => startForm(subject, detail));
  /** Two events can come before the first is drawn, and a call reports into the state of that moment. */
  const latest = useRef(state);

  const tell = (event: FormEvent<Saved, Draft>): FormState<Saved, Draft> => {
    const before = latest.current;
    const next = step(subject, before, event);
    latest.current = next;
    const shown = event.type === "typed" ? event.typed : before.typed;
    if (next.typed !== shown) onLoad(shown, next.typed);
    if (next === before || (event.type !== "refused" && event.type !== "test_refused")) setState(next);
    else {
      // The focus goes to the first bad field, which has to be drawn as one first.
      flushSync(() => setState(next));
      onRefused();
    }
    return next;
  };
  const hearNews = useEffectEvent((news: Saved) => tell({ type: "news", saved: news }));
  useEffect(() => {
    if (detail !== null) hearNews(detail);
  }, [detail]);

  const calls = (): FormCalls => createFormCalls(subject, { getState: () => latest.current, tell });
  return {
    ...state,
    tell,
    save: (lastTest) => calls().save(lastTest),
    loadTheirs: () => calls().loadTheirs(),
    keepMine: (lastTest) => calls().keepMine(lastTest),
  };
}

/*
 * Which errors of a form are shown: a field's own once somebody has left it or tried to send, and what the service
 * refused until that field is changed. Errors move the focus to the first bad field.
 */

interface ShownErrors {
  readonly errors: FieldErrors;
  /** Somebody has left the field. */
  readonly leave: (key: string) => void;
  /** Shows these errors and goes to the first; `false` when there are none. */
  readonly isStoppedBy: (found: FieldErrors) => boolean;
  readonly focusFirst: () => void;
}

/** `found` is what is wrong now, shown or not; `refused` is what the service said. */
function useFieldErrors(
  { found, refused }: { readonly found: FieldErrors; readonly refused: FieldErrors },
  form: RefObject<HTMLFormElement | null>,
): ShownErrors {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const shown = Object.entries(found).filter(([key]) => left.has(key));
  const reveal = (...keys: readonly string[]): void => setLeft((before) => new Set([...before, ...keys]));
  const focusFirst = (): void => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  return {
    errors: { ...Object.fromEntries(shown), ...refused },
    leave: (key) => afterPress(() => reveal(key)),
    isStoppedBy(wrong) {
      if (Object.keys(wrong).length === 0) return false;
      flushSync(() => reveal(...Object.keys(wrong)));
      focusFirst();
      return true;
    },
    focusFirst,
  };
}

/**
 * Waits for the end of a press. Leaving a field may show an error, which moves the button that is being pressed. The
 * browser then sees no click: somebody presses Save and nothing happens.
 */
let isDown = false;
let waiting: (() => void)[] = [];

document.addEventListener("pointerdown", () => (isDown = true), { capture: true });
for (const end of ["pointerup", "pointercancel"] as const) {
  document.addEventListener(end, finish, { capture: true });
}

function afterPress(work: () => void): void {
  if (isDown) waiting.push(work);
  else work();
}

function finish(): void {
  isDown = false;
  const due = waiting;
  waiting = [];
  // The click comes after this event, in the same turn.
  if (due.length > 0) setTimeout(() => due.forEach((work) => work()));
}
