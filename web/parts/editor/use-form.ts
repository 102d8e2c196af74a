/** The form machine (step.ts) in React: holds its state for the page, and tells it what the page hears. */
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import { type FormCalls, type FormSubject, createFormCalls } from "./form-calls.ts";
import { type FormState, startForm } from "./form-state.ts";
import { type FormEvent, step } from "./step.ts";

interface FormOptions<Saved, Draft> {
  /** As the page has it from the service now. */
  readonly detail: Saved | null;
  /** The stored value has taken the place of what was typed. */
  readonly onLoad: (before: Draft, after: Draft) => void;
  /** A refusal is on the page. */
  readonly onRefused: () => void;
}

export interface Form<Saved, Draft> extends FormState<Saved, Draft>, FormCalls {
  readonly tell: (event: FormEvent<Saved, Draft>) => void;
}

export function useForm<Saved extends SavedAnswer, Draft>(
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
