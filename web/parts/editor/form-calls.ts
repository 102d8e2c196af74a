/**
 * The calls behind the form machine: each begins with an event that the machine takes, and reports what it met. The
 * machine decides; an event that it does not take begins no call.
 */
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { ApiProblem } from "../../api.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Choices } from "../form-fields.ts";
import { findStored, type FormShape, type FormState, type StoredForm } from "./form-state.ts";
import type { FormEvent, Report } from "./step.ts";

/** The thing that is edited, and the calls that read and save it. */
export interface FormSubject<Saved, Draft> extends FormShape<Saved, Draft> {
  /** Saves over this revision; `null` for what was never saved. */
  readonly write: (draft: Draft, saved: Saved | null, revision: number | null) => Promise<SavedAnswer>;
  readonly read: (id: string) => Promise<Saved>;
  /** The errors of a refusal by field, for the draft that was sent. */
  readonly findFieldErrors: (problem: ApiProblem, sent: Draft) => FieldErrors;
}

interface Machine<Saved, Draft> {
  readonly getState: () => FormState<Saved, Draft>;
  /** Returns the state behind the event. */
  readonly tell: (event: FormEvent<Saved, Draft>) => FormState<Saved, Draft>;
}

export interface FormCalls {
  readonly save: (lastTest: ExplainedOutcome | null) => Promise<void>;
  /** Saves with what was chosen of the fields that both changed. */
  readonly settle: (choices: Choices) => Promise<void>;
}

export function createFormCalls<Saved extends StoredForm, Draft>(
  subject: FormSubject<Saved, Draft>,
  { getState, tell }: Machine<Saved, Draft>,
): FormCalls {
  type State = FormState<Saved, Draft>;

  /** The state when the event began a call; `null` when the machine did not take it. */
  const begin = (event: FormEvent<Saved, Draft>): State | null => {
    const { turn } = getState();
    const begun = tell(event);
    return begun.turn === turn ? null : begun;
  };
  /** The state behind the report; `null` when the machine no longer waits for this call. */
  const readStored = async (id: string, turn: number): Promise<State | null> => {
    const report = await subject.read(id).then(
      (saved): Report<Saved> => ({ type: "read", saved }),
      (error: unknown): Report<Saved> => ({ type: "unreadable", why: toMessage(error) }),
    );
    return getState().turn === turn ? tell({ ...report, turn }) : null;
  };
  const send = async ({ unread, saved, typed }: State, over: number | null): Promise<Report<Saved>> => {
    try {
      const base = unread === null ? saved : await subject.read(unread.id);
      return { type: "answered", answer: await subject.write(typed, base, over) };
    } catch (error) {
      const problem = error instanceof ApiProblem ? error : null;
      if (problem?.code === "edited_meanwhile") return { type: "conflict" };
      const errors = problem === null ? {} : subject.findFieldErrors(problem, typed);
      return { type: "refused", why: toMessage(error), errors };
    }
  };
  const write = async (begun: State | null): Promise<void> => {
    if (begun?.phase.kind !== "saving") return;
    const { turn, phase } = begun;
    const report = await send(begun, phase.over);
    if (getState().turn !== turn) return;
    const heard = tell({ ...report, turn });
    if (report.type === "conflict") await merge(heard);
    if (report.type === "answered") await readStored(report.answer.id, turn);
  };
  const merge = async (begun: State | null): Promise<void> => {
    const stored = begun === null ? null : findStored(begun);
    if (begun !== null && stored !== null) await write(await readStored(stored.id, begun.turn));
  };

  return {
    save: (lastTest) => write(begin({ type: "save", lastTest })),
    settle: (choices) => merge(begin({ type: "settle", choices })),
  };
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
