/**
 * Where a form stands between what is typed and what is stored: the state that step.ts moves, and what a reader of it
 * may ask. Pure.
 */
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { KeptTyped } from "./kept-typed.ts";
import type { Choices, Clash, ListFields } from "../form-fields.ts";

/** What every form stores. */
export interface StoredForm extends SavedAnswer {
  /** By whom it was changed last. */
  readonly changed: { readonly by: string } | null;
}

/** How the machine looks into what is stored and what is typed, which differ from form to form. */
export interface FormShape<Saved, Draft> {
  /** `before` is what was typed until now: the part of it that belongs to no stored value, such as a sample, stays. */
  readonly toState: (saved: Saved | null, before: Draft | null) => Draft;
  /** The content of a Save, as a text: two drafts with the same text are the same. */
  readonly sends: (draft: Draft) => string;
  readonly listFields: ListFields<Draft>;
  /** The errors that keep it from being saved. */
  readonly findMistakes: (draft: Draft) => FieldErrors;
}

/** A save that was answered and not read back yet; `sends` is what was sent. */
interface UnreadSave extends SavedAnswer {
  readonly sends: string;
}

interface SavedPhase {
  readonly kind: "saved";
  /** What somebody else changed and was saved with it, in words; `null` for nothing. */
  readonly together: string | null;
  /** The last test of exactly what was saved; `null` when that was not tested. */
  readonly lastTest: ExplainedOutcome | null;
  readonly isReadBack: boolean;
  readonly hasTypedOn: boolean;
}

export type Phase =
  /** Nothing is under way and nothing is said. `isDirty` tells a form that was typed in from one that was loaded. */
  | { readonly kind: "editing" }
  /** `over` is the revision that is replaced; `null` for a form that was never saved. */
  | {
      readonly kind: "saving";
      readonly sent: string;
      readonly over: number | null;
      readonly lastTest: ExplainedOutcome | null;
      readonly together: string | null;
    }
  /** Somebody else saved meanwhile, and what is stored now is being read, to bring both together. */
  | { readonly kind: "merging"; readonly choices: Choices; readonly lastTest: ExplainedOutcome | null }
  /** The save was answered, and what is stored now is being read. */
  | {
      readonly kind: "reading";
      readonly sent: string;
      readonly lastTest: ExplainedOutcome | null;
      readonly together: string | null;
    }
  | SavedPhase
  | { readonly kind: "refused"; readonly why: string }
  | ConflictPhase;

/** Both changed the same fields, and a person has to choose. */
export interface ConflictPhase {
  readonly kind: "conflict";
  /** Who changed it last. */
  readonly who: string;
  readonly clashes: readonly Clash[];
  readonly lastTest: ExplainedOutcome | null;
}

export interface FormState<Saved, Draft> {
  readonly typed: Draft;
  /** The stored value, as far as it was read; `null` when it never was. */
  readonly saved: Saved | null;
  readonly unread: UnreadSave | null;
  /** A stored value that the live stream brought, until it is shown or outdated. */
  readonly news: Saved | null;
  /** The service's errors by field, each until its field is changed. */
  readonly refused: FieldErrors;
  readonly phase: Phase;
  /** Numbers the calls: an answer that carries an older number is not taken. */
  readonly turn: number;
}

export const EDITING: Phase = { kind: "editing" };

/** `typed`: what a form that was never saved begins with, such as a copy. */
export function startForm<Saved, Draft>(
  shape: FormShape<Saved, Draft>,
  saved: Saved | null,
  typed: Draft = shape.toState(saved, null),
): FormState<Saved, Draft> {
  return { typed, saved, unread: null, news: null, refused: {}, phase: EDITING, turn: 0 };
}

/** Begins with what was typed into an earlier form, over the revision that it knew. */
export function resumeForm<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  saved: Saved | null,
  { typed, revision }: KeptTyped<Draft>,
): FormState<Saved, Draft> {
  const state = startForm(shape, saved, typed);
  if (saved === null || revision === null || revision === saved.revision) return state;
  // What that revision had is not known: saving meets what was stored since, as behind a save that was not read back.
  return { ...state, unread: { id: saved.id, revision, sends: "" } };
}

/** Whether Save would store something else than what is stored. */
export function isDirty<Saved, Draft>(
  shape: Pick<FormShape<Saved, Draft>, "toState" | "sends">,
  { typed, saved, unread }: FormState<Saved, Draft>,
): boolean {
  return shape.sends(typed) !== (unread?.sends ?? shape.sends(shape.toState(saved, typed)));
}

/** A save is under way; a second one waits for its end. */
export const isSaving = ({ kind }: Phase): boolean => kind === "saving" || kind === "merging" || kind === "reading";

/** The id and revision of what is stored; `null` when nothing is. */
export function findStored<Saved extends SavedAnswer, Draft>({
  saved,
  unread,
}: FormState<Saved, Draft>): SavedAnswer | null {
  return unread ?? saved;
}

/* The words once a form is saved. A failed test does not hold up saving, and the words remind of it. */

export function savedWords({ lastTest, together, isReadBack, hasTypedOn }: Omit<SavedPhase, "kind">): string {
  const saved = together === null ? testedWords(lastTest) : `Saved, together with ${together}.`;
  return `${saved}${isReadBack ? "" : NOT_READ_BACK}${hasTypedOn ? NOT_SAVED_YET : ""}`;
}

const NOT_READ_BACK = " The saved version couldn’t be loaded again.";
const NOT_SAVED_YET = " Your changes since then are not saved yet.";

function testedWords(lastTest: ExplainedOutcome | null): string {
  if (lastTest === null || lastTest.class === "success") return "Saved.";
  const how =
    lastTest.response === null ? `failed (${lowered(lastTest.status)})` : `failed with ${lastTest.response.status}`;
  return `Saved. The last test ${how}, so deliveries may fail.`;
}

/** "Timed out" inside a sentence; "TLS failed" keeps its letters. */
const lowered = (status: string): string =>
  /^[A-Z][a-z]/.test(status) ? `${status.charAt(0).toLowerCase()}${status.slice(1)}` : status;
