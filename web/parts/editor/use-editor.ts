/**
 * A form with a webhook in it from end to end: what is typed, what is wrong with it, its tests, and saving it. Alerts
 * and assistants differ in their `EditorSubject` alone.
 */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { SavedAnswer, TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { ApiProblem } from "../../api.ts";
import { useSession } from "../../query.ts";
import type { FieldErrors } from "../field-errors.ts";
import { type Mending, type Tests, useTests } from "../test-result/test-area.tsx";
import { addAuthorization } from "../headers/rows.ts";
import { chooseBody } from "../body/body-draft.ts";
import { completeUrl, type HasWebhook, toForm, type WebhookDraft, withoutSecrets, withUrl } from "../webhook/draft.ts";
import { errorsByField } from "../webhook/refusals.ts";
import { createFormCalls, type FormCalls, type FormSubject } from "./form-calls.ts";
import {
  findStored,
  type FormState,
  isDirty,
  type Phase,
  resumeForm,
  startForm,
  type StoredForm,
} from "./form-state.ts";
import { findTyped, keepTyped } from "./kept-typed.ts";
import { type FormEvent, step } from "./step.ts";

/** The thing that is edited, and the calls that read, save and test it. */
export interface EditorSubject<Saved, Draft> extends Omit<
  FormSubject<Saved, Draft>,
  "findFieldErrors" | "findMistakes"
> {
  /** A new one's name follows its Webhook URL, until somebody gives it another. */
  readonly withWebhook: (draft: Draft, webhook: WebhookDraft) => Draft;
  /** As a text: what Test would send. */
  readonly testSends: (draft: Draft) => string;
  /** The errors that keep it from being saved, and from being tested. */
  readonly findErrors: (draft: Draft) => { readonly save: FieldErrors; readonly test: FieldErrors };
  readonly test: (draft: Draft, saved: Saved | null) => Promise<TestAnswer>;
}

export interface Editor<Saved, Draft> extends WebhookEdits {
  readonly state: Draft;
  /** The stored value, as far as it was read. */
  readonly saved: Saved | null;
  /** The id and revision of what is stored; `null` when nothing is. */
  readonly stored: SavedAnswer | null;
  readonly isDirty: boolean;
  /** It began with what was typed before the frame got a new link. */
  readonly isResumed: boolean;
  readonly phase: Phase;
  readonly shown: Pick<ShownErrors, "errors"> & {
    /** Somebody has left the field. */
    readonly leave: (key: string) => void;
  };
  readonly tests: Tests;
  /** The text of a test that is sent now. */
  readonly sends: string;
  /** `keys` are the fields that have changed. */
  readonly change: (state: Draft, ...keys: readonly string[]) => void;
  readonly test: () => Promise<void>;
  readonly save: () => Promise<void>;
  /** Another change of this page is stored, and takes the form's place. */
  readonly replace: (saved: Saved) => void;
  readonly conflict: ConflictChoice;
}

export interface ConflictChoice {
  readonly close: () => void;
  readonly settle: FormCalls["settle"];
}

interface Fields<Draft> {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly url: RefObject<HTMLInputElement | null>;
  /** What a new form begins with. */
  readonly start?: Draft | undefined;
}

export function useEditor<Saved extends StoredForm, Draft extends HasWebhook>(
  subject: EditorSubject<Saved, Draft>,
  detail: Saved | null,
  fields: Fields<Draft>,
): Editor<Saved, Draft> {
  const tests = useTests();
  const findFieldErrors = (problem: ApiProblem, sent: Draft): FieldErrors =>
    errorsByField(problem.errors, toForm(sent.webhook).rows);
  const form = useForm(
    { ...subject, findFieldErrors, findMistakes: (draft) => subject.findErrors(draft).save },
    {
      detail,
      start: fields.start,
      toKept: (draft) => ({ ...draft, webhook: withoutSecrets(draft.webhook) }),
      onLoad: (before, after) => tests.renew(subject.testSends(before), subject.testSends(after)),
      onRefused: () => shown.focusFirst(),
    },
  );
  const { typed, saved, tell } = form;
  const wrong = subject.findErrors(typed);
  const shown = useFieldErrors({ found: { ...wrong.test, ...wrong.save }, refused: form.refused }, fields.form);
  const sends = subject.testSends(typed);
  const { complete, ...edits } = createWebhookEdits(subject, form, fields);

  const change = (next: Draft, ...keys: readonly string[]): void => tell({ type: "typed", typed: next, keys });
  const findLastTest = (draft: Draft): ExplainedOutcome | null => lastTestOf(tests, subject.testSends(draft));
  const leave = (key: string): void =>
    afterPress(() => {
      if (key === "url") complete();
      shown.reveal(key);
    });

  return {
    state: typed,
    saved,
    stored: findStored(form),
    isDirty: isDirty(subject, form),
    isResumed: form.isResumed,
    phase: form.phase,
    shown: { errors: shown.errors, leave },
    tests,
    sends,
    change,
    ...edits,
    async test() {
      const sent = complete();
      if (shown.isStoppedBy(subject.findErrors(sent).test)) return;
      await tests.run({
        sent: subject.testSends(sent),
        send: () => subject.test(sent, saved),
        onRefused: (problem) => tell({ type: "test_refused", errors: findFieldErrors(problem, sent) }),
      });
    },
    async save() {
      const sent = complete();
      if (!shown.isStoppedBy(subject.findErrors(sent).save)) await form.save(findLastTest(sent));
    },
    replace: (next) => tell({ type: "replaced", saved: next }),
    conflict: {
      close: () => tell({ type: "close" }),
      settle: form.settle,
    },
  };
}

/** The last test's outcome, if it was a test of this. */
function lastTestOf({ kept: [last] }: Tests, sent: string): ExplainedOutcome | null {
  return last !== undefined && last.sent === sent ? last.answer.outcome : null;
}

/* Changes of the webhook in a form: those that somebody types, and those that the page makes for them. */

interface WebhookEdits extends Mending {
  readonly changeWebhook: (webhook: WebhookDraft, ...keys: readonly string[]) => void;
}

interface WithComplete<Draft> extends WebhookEdits {
  /** Puts in what is left out of the Webhook URL and can be known. */
  readonly complete: () => Draft;
}

function createWebhookEdits<Saved, Draft extends HasWebhook>(
  subject: EditorSubject<Saved, Draft>,
  { typed, getTyped, tell }: Form<Saved, Draft>,
  fields: Omit<Fields<Draft>, "start">,
): WithComplete<Draft> {
  const put = (webhook: WebhookDraft, ...keys: readonly string[]): void =>
    tell({ type: "typed", typed: subject.withWebhook(getTyped(), webhook), keys });
  return {
    webhook: typed.webhook,
    changeWebhook: put,
    takeUrl(url) {
      flushSync(() => put(withUrl(getTyped().webhook, url), "url", "template"));
      fields.url.current?.focus();
    },
    addAuthorization(scheme) {
      const added = addAuthorization(getTyped().webhook, scheme);
      flushSync(() => put(added, "headers"));
      const value = fields.form.current?.elements.namedItem(`value:${added.rows.at(-1)?.id}`);
      if (!(value instanceof HTMLInputElement)) return;
      value.focus();
      value.setSelectionRange(value.value.length, value.value.length);
    },
    takeBody(kind) {
      const { webhook } = getTyped();
      put({ ...webhook, body: chooseBody(webhook.body, kind) }, "template");
    },
    complete() {
      const now = getTyped();
      const webhook = now.webhook;
      const next = subject.withWebhook(now, { ...webhook, url: completeUrl(webhook.url) });
      if (subject.sends(next) === subject.sends(now)) return now;
      tell({ type: "typed", typed: next, keys: ["url", "name"] });
      return next;
    },
  };
}

/* The form machine (step.ts) in React: holds its state for the page, and tells it what the page hears. */

interface FormOptions<Saved, Draft> {
  /** As the page has it from the service now. */
  readonly detail: Saved | null;
  readonly start: Draft | undefined;
  /** The draft without its secrets. */
  readonly toKept: (draft: Draft) => Draft;
  /** The stored value has taken the place of what was typed. */
  readonly onLoad: (before: Draft, after: Draft) => void;
  /** A refusal is on the page. */
  readonly onRefused: () => void;
}

interface Form<Saved, Draft> extends FormState<Saved, Draft>, FormCalls {
  readonly isResumed: boolean;
  readonly tell: (event: FormEvent<Saved, Draft>) => void;
  /** As it is now, drawn or not. */
  readonly getTyped: () => Draft;
}

function useForm<Saved extends StoredForm, Draft>(
  subject: FormSubject<Saved, Draft>,
  { detail, start, toKept, onLoad, onRefused }: FormOptions<Saved, Draft>,
): Form<Saved, Draft> {
  const session = useSession();
  const [kept] = useState(() => findTyped<Draft>(session));
  const [state, setState] = useState(() =>
    kept === null ? startForm(subject, detail, start) : resumeForm(subject, detail, kept),
  );
  /** Two events can come before the first is drawn, and a call reports into the state of that moment. */
  const latest = useRef(state);

  const tell = (event: FormEvent<Saved, Draft>): FormState<Saved, Draft> => {
    const before = latest.current;
    const next = step(subject, before, event);
    latest.current = next;
    const revision = findStored(next)?.revision ?? null;
    keepTyped(session, isDirty(subject, next) ? { typed: toKept(next.typed), revision } : null);
    const shown = event.type === "typed" ? event.typed : before.typed;
    if (next.typed !== shown) onLoad(shown, next.typed);
    const isRefused = event.type === "test_refused" || next.phase.kind === "refused";
    if (next === before || !isRefused || next.refused === before.refused) setState(next);
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
  const giveUp = useEffectEvent(() => keepTyped(session, null));
  useEffect(() => () => giveUp(), []);

  const calls = (): FormCalls => createFormCalls(subject, { getState: () => latest.current, tell });
  return {
    ...state,
    isResumed: kept !== null,
    tell,
    getTyped: () => latest.current.typed,
    save: (lastTest) => calls().save(lastTest),
    settle: (choices) => calls().settle(choices),
  };
}

/*
 * Which errors of a form are shown: a field's own once somebody has left it or tried to send, and what the service
 * refused until that field is changed. Errors move the focus to the first bad field.
 */

interface ShownErrors {
  readonly errors: FieldErrors;
  readonly reveal: (...keys: readonly string[]) => void;
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
    reveal,
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
