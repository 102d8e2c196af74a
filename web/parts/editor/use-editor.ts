/**
 * A form with a webhook in it from end to end: what is typed, what is wrong with it, its tests, and saving it. Alerts
 * and assistants differ in their `EditorSubject` alone.
 */
import type { RefObject } from "react";
import { flushSync } from "react-dom";
import type { SavedAnswer, TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { ApiProblem } from "../../api-problem.ts";
import type { FieldErrors } from "../field-errors.ts";
import { type Tests, useTests } from "../test-result/use-tests.ts";
import { type WebhookDraft, toForm } from "../webhook/draft.ts";
import { errorsByField } from "../webhook/refusals.ts";
import type { FormSubject } from "./form-calls.ts";
import { type Phase, findStored, isDirty } from "./form-state.ts";
import { type ShownErrors, useFieldErrors } from "./use-field-errors.ts";
import { useForm } from "./use-form.ts";

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
