/**
 * A form with a webhook in it from end to end: what is typed, what is wrong with it, its tests, saving it, and
 * conflicts with somebody else's save. Alerts and assistants differ in their `Subject` alone.
 */
import type { RefObject } from "react";
import { flushSync } from "react-dom";
import type { SavedAnswer, TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ApiProblem } from "../../api-problem.ts";
import { type Tests, useTests } from "../test-result/use-tests.ts";
import { type WebhookDraft, toForm } from "../webhook/draft.ts";
import type { FieldErrors } from "../field-errors.ts";
import { errorsByField } from "../webhook/refusals.ts";
import { savedWords } from "./saved-words.ts";
import { type ShownErrors, useFieldErrors } from "./use-field-errors.ts";
import { type SavedForm, type SavedSubject, useSavedForm } from "./use-saved-form.ts";
import { type Saving, useSaving } from "./use-saving.ts";

/** What is edited, and the calls that read, save and test it. */
export interface Subject<Saved, State> extends SavedSubject<Saved, State> {
  readonly getWebhook: (state: State) => WebhookDraft;
  readonly withWebhook: (state: State, webhook: WebhookDraft) => State;
  /** As a text: what Test would send. */
  readonly testSends: (state: State) => string;
  /** What keeps it from being saved, and from being tested. */
  readonly findErrors: (state: State) => { readonly save: FieldErrors; readonly test: FieldErrors };
  readonly test: (state: State, saved: Saved | null) => Promise<TestAnswer>;
}

export interface Editor<Saved, State> extends Omit<SavedForm<Saved, State>, "edit" | "write"> {
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
}

interface Fields {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly url: RefObject<HTMLInputElement | null>;
}

export function useEditor<Saved extends SavedAnswer, State>(
  subject: Subject<Saved, State>,
  detail: Saved | null,
  fields: Fields,
): Editor<Saved, State> {
  const tests = useTests();
  const saving = useSaving();
  const onLoad = (before: State, after: State): void =>
    tests.renew(subject.testSends(before), subject.testSends(after));
  const { edit, write, ...form } = useSavedForm(subject, { detail, onLoad, isBusy: saving.isBusy });
  const { state, saved, written } = form;
  const wrong = subject.findErrors(state);
  const shown = useFieldErrors({ ...wrong.test, ...wrong.save }, fields.form);
  const sends = subject.testSends(state);

  const onRefused = (problem: ApiProblem): void =>
    shown.refuse(errorsByField(problem.errors, toForm(subject.getWebhook(state)).rows));
  const saveOver = async (revision: number | null): Promise<string> => {
    const last = tests.kept[0];
    const also = await write(revision);
    return savedWords(last !== undefined && last.sent === sends ? last.answer.outcome : null) + also;
  };

  return {
    ...form,
    shown,
    tests,
    saving,
    sends,
    change(next, ...keys) {
      shown.forgive(keys);
      saving.forget();
      edit(next);
    },
    async test() {
      if (shown.isStoppedBy(wrong.test)) return;
      await tests.run({ sent: sends, send: () => subject.test(state, saved), onRefused });
    },
    useUrl(url) {
      flushSync(() => edit(subject.withWebhook(state, { ...subject.getWebhook(state), url })));
      fields.url.current?.focus();
    },
    async save() {
      if (shown.isStoppedBy(wrong.save)) return;
      await saving.run(() => saveOver(written?.revision ?? null), onRefused);
    },
    async loadTheirs() {
      if (written !== null) form.load(await subject.read(written.id));
    },
    async keepMine() {
      if (written === null) return;
      const { revision } = await subject.read(written.id);
      saving.settleConflict();
      await saving.run(() => saveOver(revision), onRefused);
    },
  };
}
