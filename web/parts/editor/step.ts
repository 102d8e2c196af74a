/**
 * The one machine behind a form that is typed in and saved. Pure: a state and an event give the next state, and
 * form-calls.ts makes the calls that a state asks for and reports what they met.
 *
 *     editing ──save──► saving ──answered──► reading ──read, or unreadable──► saved
 *                       ▲    │
 *                       │    ├──refused──► refused
 *                       │    └──conflict─► merging ──read, and nothing is left to save──► saved
 *                       │                  │  │  ├──unreadable, or something has to be entered──► refused
 *                       └──read, no clash──┘  └──read, both changed a field──► conflict
 *
 *     conflict ──settle──► merging
 *     conflict ──close──► editing
 *     saved, refused ──typed──► editing
 *     saved, refused ──save──► saving
 *
 * Typing goes on in every phase. The machine replaces what is typed in four cases only: it is stored and nothing was
 * typed since, it is brought together with what somebody else saved, another change of this page took the form's place,
 * or the form is clean and what is stored is newer.
 */
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { FieldErrors } from "../field-errors.ts";
import { type Choices, mergeDrafts } from "../form-fields.ts";
import {
  EDITING,
  findStored,
  type FormShape,
  type FormState,
  isDirty,
  isSaving,
  type Phase,
  type StoredForm,
} from "./form-state.ts";

/** An act of a person, or news that the page hears. */
type Act<Saved, Draft> =
  /** `keys` are the fields that have changed. */
  | { readonly type: "typed"; readonly typed: Draft; readonly keys: readonly string[] }
  | { readonly type: "save"; readonly lastTest: ExplainedOutcome | null }
  | { readonly type: "settle"; readonly choices: Choices }
  | { readonly type: "close" }
  /** A change beside the form, such as Remove, is stored and takes the form's place. */
  | { readonly type: "replaced"; readonly saved: Saved }
  | { readonly type: "news"; readonly saved: Saved }
  /** A test was refused because of these fields. */
  | { readonly type: "test_refused"; readonly errors: FieldErrors };

/** The end of a call; it comes with the state's `turn` from when the call began. */
export type Report<Saved> =
  | { readonly type: "answered"; readonly answer: SavedAnswer }
  | { readonly type: "refused"; readonly why: string; readonly errors: FieldErrors }
  | { readonly type: "conflict" }
  | { readonly type: "read"; readonly saved: Saved }
  | { readonly type: "unreadable"; readonly why: string };

export type FormEvent<Saved, Draft> = Act<Saved, Draft> | (Report<Saved> & { readonly turn: number });

export function step<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  event: FormEvent<Saved, Draft>,
): FormState<Saved, Draft> {
  if ("turn" in event && event.turn !== state.turn) return state;
  return takeNews(shape, "turn" in event ? hear(shape, state, event) : act(shape, state, event));
}

function act<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  event: Act<Saved, Draft>,
): FormState<Saved, Draft> {
  const { phase } = state;
  switch (event.type) {
    case "typed": {
      const isSaid = phase.kind === "saved" || phase.kind === "refused";
      const refused = without(state.refused, event.keys);
      return { ...state, typed: event.typed, refused, phase: isSaid ? EDITING : phase };
    }
    case "save":
      if (isSaving(phase) || phase.kind === "conflict") return state;
      return beginSave(shape, state, {
        over: findStored(state)?.revision ?? null,
        lastTest: event.lastTest,
        together: null,
      });
    case "settle": {
      if (phase.kind !== "conflict") return state;
      const { lastTest } = phase;
      return { ...state, phase: { kind: "merging", choices: event.choices, lastTest }, turn: state.turn + 1 };
    }
    case "close":
      return phase.kind === "conflict" ? { ...state, phase: EDITING } : state;
    case "replaced":
      return { ...load(shape, state, event.saved), phase: EDITING, turn: state.turn + 1 };
    case "news":
      return { ...state, news: event.saved };
    case "test_refused":
      return { ...state, refused: event.errors };
  }
}

function hear<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  report: Report<Saved>,
): FormState<Saved, Draft> {
  const { phase } = state;
  switch (phase.kind) {
    case "saving":
      return hearOfSave(state, phase, report);
    case "reading":
      return hearOfReading(shape, state, { phase, report });
    case "merging":
      return hearOfTheirs(shape, state, { phase, report });
    case "conflict":
    case "editing":
    case "saved":
    case "refused":
      return state;
  }
}

type PhaseNamed<Kind extends Phase["kind"]> = Extract<Phase, { readonly kind: Kind }>;

function hearOfSave<Saved, Draft>(
  state: FormState<Saved, Draft>,
  { sent, lastTest, together }: PhaseNamed<"saving">,
  report: Report<Saved>,
): FormState<Saved, Draft> {
  switch (report.type) {
    case "answered": {
      const unread = { ...report.answer, sends: sent };
      return { ...state, unread, refused: {}, phase: { kind: "reading", sent, lastTest, together } };
    }
    case "refused":
      return { ...state, refused: report.errors, phase: { kind: "refused", why: report.why } };
    case "conflict":
      return { ...state, phase: { kind: "merging", choices: {}, lastTest } };
    case "read":
    case "unreadable":
      return state;
  }
}

function hearOfReading<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  {
    phase: { sent, lastTest, together },
    report,
  }: { readonly phase: PhaseNamed<"reading">; readonly report: Report<Saved> },
): FormState<Saved, Draft> {
  if (report.type !== "read" && report.type !== "unreadable") return state;
  const hasTypedOn = shape.sends(state.typed) !== sent;
  const phase = { kind: "saved", lastTest, together, isReadBack: report.type === "read", hasTypedOn } as const;
  if (report.type === "unreadable") return { ...state, phase };
  if (!hasTypedOn) return { ...load(shape, state, report.saved), phase };
  // Somebody else has saved since: the revision stays ours, so the next save meets their change instead of hiding it.
  if (report.saved.revision !== state.unread?.revision) return { ...state, news: report.saved, phase };
  return { ...state, saved: report.saved, unread: null, phase };
}

/** What somebody else saved was read: saves both together, or asks about what both changed. */
function hearOfTheirs<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  { phase, report }: { readonly phase: PhaseNamed<"merging">; readonly report: Report<Saved> },
): FormState<Saved, Draft> {
  if (report.type === "unreadable") return { ...state, phase: { kind: "refused", why: report.why } };
  if (report.type !== "read") return state;
  const { typed, saved, unread } = state;
  const { lastTest, choices } = phase;
  const theirs = shape.toState(report.saved, typed);
  // What an unread save has stored is not known field by field.
  const base = unread === null ? shape.toState(saved, typed) : null;
  const { draft, clashes, fromThem } = mergeDrafts(shape.listFields, { base, mine: typed, theirs }, choices);
  const who = report.saved.changed?.by ?? "Somebody else";
  if (clashes.length > 0) return { ...state, phase: { kind: "conflict", who, clashes, lastTest } };
  const together = fromThem.length === 0 ? null : `what ${who} changed: ${fromThem.join(", ")}`;
  const merged = { ...load(shape, state, report.saved), typed: draft };
  const refused = shape.findMistakes(draft);
  if (Object.keys(refused).length > 0) return { ...merged, refused, phase: { kind: "refused", why: toMend(who) } };
  if (!isDirty(shape, merged)) {
    return { ...merged, phase: { kind: "saved", lastTest: null, together, isReadBack: true, hasTypedOn: false } };
  }
  return beginSave(shape, merged, { over: report.saved.revision, lastTest, together });
}

const toMend = (who: string): string =>
  `${who} changed this meanwhile, and it is in your form now. Fill in what is marked, and save again.`;

function beginSave<Saved, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  save: Pick<PhaseNamed<"saving">, "over" | "lastTest" | "together">,
): FormState<Saved, Draft> {
  return { ...state, turn: state.turn + 1, phase: { kind: "saving", sent: shape.sends(state.typed), ...save } };
}

/** The stored value takes the place of what was typed. Errors belong to fields that are gone. */
function load<Saved, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
  saved: Saved,
): FormState<Saved, Draft> {
  return { ...state, typed: shape.toState(saved, state.typed), saved, unread: null, refused: {} };
}

/**
 * Shows the news once nothing can be taken away by it: no call or decision is under way, and nothing is dirty. The
 * stored value of a save that could not be read back is news too. The phase stays, because the person may not have
 * read its words yet.
 */
function takeNews<Saved extends StoredForm, Draft>(
  shape: FormShape<Saved, Draft>,
  state: FormState<Saved, Draft>,
): FormState<Saved, Draft> {
  const { news, phase, saved, unread } = state;
  if (news === null) return state;
  if (news.revision < (unread?.revision ?? (saved?.revision ?? 0) + 1)) return { ...state, news: null };
  if (isSaving(phase) || phase.kind === "conflict" || isDirty(shape, state)) return state;
  const said = phase.kind === "saved" ? { ...phase, isReadBack: true, hasTypedOn: false } : phase;
  return { ...load(shape, state, news), news: null, phase: said };
}

function without(errors: FieldErrors, keys: readonly string[]): FieldErrors {
  return Object.fromEntries(Object.entries(errors).filter(([key]) => !keys.includes(key)));
}
