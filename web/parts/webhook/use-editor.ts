/**
 * A form with a webhook in it from end to end: what is typed, what is wrong with it, its tests, saving it, and
 * conflicts with somebody else's save. Alerts and assistants differ in their `Subject` alone.
 */
import { type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ApiProblem } from "../../api-problem.ts";
import { type Tests, useTests } from "../test-result/use-tests.ts";
import { type WebhookDraft, formOf } from "./draft.ts";
import { type FieldErrors, errorsByField } from "./refusals.ts";
import { savedWords } from "./saved-words.ts";
import { type ShownErrors, useFieldErrors } from "./use-field-errors.ts";
import { type Saving, useSaving } from "./use-saving.ts";

/** What is edited, and the calls that read, save and test it. */
export interface Subject<Saved, State> {
  /** `before` is what was typed until now: what belongs to no saved value, such as an edited sample, stays. */
  readonly stateOf: (saved: Saved | null, before: State | null) => State;
  readonly webhookOf: (state: State) => WebhookDraft;
  readonly withWebhook: (state: State, webhook: WebhookDraft) => State;
  /** As texts: what Save and what Test would send. */
  readonly sends: (state: State) => string;
  readonly testSends: (state: State) => string;
  /** What keeps it from being saved, and from being tested. */
  readonly errorsOf: (state: State) => { readonly save: FieldErrors; readonly test: FieldErrors };
  /** Saves over this revision, and reads what is saved then. `null` for what was never saved. */
  readonly write: (state: State, saved: Saved | null, revision: number | null) => Promise<Saved>;
  readonly read: (saved: Saved) => Promise<Saved>;
  readonly test: (state: State, saved: Saved | null) => Promise<TestAnswer>;
}

export interface Editor<Saved, State> {
  readonly state: State;
  /** `null` when it never was. */
  readonly saved: Saved | null;
  readonly isDirty: boolean;
  readonly shown: ShownErrors;
  readonly tests: Tests;
  readonly saving: Saving;
  /** What a test would send now. */
  readonly sends: string;
  /** `keys` are the fields that have changed. */
  readonly change: (state: State, ...keys: readonly string[]) => void;
  readonly test: () => Promise<void>;
  readonly useUrl: (url: string) => void;
  readonly save: () => Promise<void>;
  readonly loadTheirs: () => Promise<void>;
  readonly keepMine: () => Promise<void>;
  /** It was saved in another way than by Save. */
  readonly load: (saved: Saved) => void;
}

interface Fields {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly url: RefObject<HTMLInputElement | null>;
}

export function useEditor<Saved extends { readonly revision: number }, State>(
  subject: Subject<Saved, State>,
  detail: Saved | null,
  fields: Fields,
): Editor<Saved, State> {
  const [saved, setSaved] = useState(detail);
  const [state, setState] = useState(() => subject.stateOf(detail, null));
  const tests = useTests();
  const saving = useSaving();
  const wrong = subject.errorsOf(state);
  const shown = useFieldErrors({ ...wrong.test, ...wrong.save }, fields.form);
  const isDirty = subject.sends(state) !== subject.sends(subject.stateOf(saved, state));
  const sends = subject.testSends(state);

  const load = (theirs: Saved): void => {
    const next = subject.stateOf(theirs, state);
    tests.renew(sends, subject.testSends(next));
    setSaved(theirs);
    setState(next);
  };
  // Somebody else saved, and there is nothing here that it could take away.
  if (detail !== null && detail.revision > (saved?.revision ?? 0) && !isDirty) load(detail);

  const onRefused = (problem: ApiProblem): void =>
    shown.refuse(errorsByField(problem.errors, formOf(subject.webhookOf(state)).rows));
  const write = async (revision: number | null): Promise<string> => {
    const last = tests.kept[0];
    load(await subject.write(state, saved, revision));
    return savedWords(last !== undefined && last.sent === sends ? last.answer.outcome : null);
  };

  return {
    state,
    saved,
    isDirty,
    shown,
    tests,
    saving,
    sends,
    load,
    change(next, ...keys) {
      shown.forgive(keys);
      saving.forget();
      setState(next);
    },
    async test() {
      if (shown.isStoppedBy(wrong.test)) return;
      await tests.run({ sent: sends, send: () => subject.test(state, saved), onRefused });
    },
    useUrl(url) {
      flushSync(() => setState(subject.withWebhook(state, { ...subject.webhookOf(state), url })));
      fields.url.current?.focus();
    },
    async save() {
      if (!shown.isStoppedBy(wrong.save)) await saving.run(() => write(saved?.revision ?? null), onRefused);
    },
    async loadTheirs() {
      if (saved !== null) load(await subject.read(saved));
    },
    async keepMine() {
      if (saved === null) return;
      const { revision } = await subject.read(saved);
      saving.settleConflict();
      await saving.run(() => write(revision), onRefused);
    },
  };
}
