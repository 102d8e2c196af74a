/** Every event in every phase of the form machine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EDITING, type Phase, startForm } from "./form-state.ts";
import { type Event, SHAPE, type State, type Stored } from "./form-world.ts";
import { step } from "./step.ts";

const OLD: Stored = { id: "one", revision: 1, text: "old", by: "me", changed: { by: "me" } };
const THEIRS: Stored = { id: "one", revision: 2, text: "theirs", by: "other", changed: { by: "other" } };
const MINE: Stored = { id: "one", revision: 2, text: "mine", by: "me", changed: { by: "me" } };

const PHASES = {
  editing: EDITING,
  saving: { kind: "saving", sent: "mine", over: 1, lastTest: null, together: null },
  reading: { kind: "reading", sent: "mine", lastTest: null, together: null },
  saved: { kind: "saved", lastTest: null, together: null, isReadBack: true, hasTypedOn: false },
  refused: { kind: "refused", why: "Not like this." },
  merging: { kind: "merging", choices: {}, lastTest: null },
  conflict: { kind: "conflict", who: "other", clashes: [], lastTest: null },
} as const satisfies Record<string, Phase>;

/** Typed on a form that stores `old`, in this phase. */
const stateIn = (phase: Phase, changes: Partial<State> = {}): State => ({
  ...startForm(SHAPE, OLD),
  typed: { text: "mine", note: "" },
  phase,
  turn: 7,
  ...changes,
});

const EVENTS = {
  typed: { type: "typed", typed: { text: "typed on", note: "" }, keys: ["text"] },
  save: { type: "save", lastTest: null },
  settle: { type: "settle", choices: { text: "mine" } },
  close: { type: "close" },
  replaced: { type: "replaced", saved: THEIRS },
  news: { type: "news", saved: THEIRS },
  "test refused": { type: "test_refused", errors: { url: "No." } },
  answered: { type: "answered", answer: { id: "one", revision: 2 }, turn: 7 },
  refused: { type: "refused", why: "No.", errors: { url: "No." }, turn: 7 },
  conflict: { type: "conflict", turn: 7 },
  read: { type: "read", saved: MINE, turn: 7 },
  unreadable: { type: "unreadable", why: "Gone.", turn: 7 },
} as const satisfies Record<string, Event>;

type PhaseName = keyof typeof PHASES;

/** Where an event leads; where it is left out, the phase stays. */
const LEADS: Readonly<Record<keyof typeof EVENTS, Partial<Record<PhaseName, Phase["kind"]>>>> = {
  typed: { saved: "editing", refused: "editing" },
  save: { editing: "saving", saved: "saving", refused: "saving" },
  settle: { conflict: "merging" },
  close: { conflict: "editing" },
  replaced: Object.fromEntries(Object.keys(PHASES).map((name) => [name, "editing"])),
  news: {},
  "test refused": {},
  answered: { saving: "reading" },
  refused: { saving: "refused" },
  conflict: { saving: "merging" },
  read: { reading: "saved", merging: "saved" },
  unreadable: { reading: "saved", merging: "refused" },
};

describe("every event in every phase", () => {
  for (const [eventName, event] of Object.entries(EVENTS)) {
    test(`${eventName} leads where the drawing says`, () => {
      for (const [phaseName, phase] of Object.entries(PHASES)) {
        const after = step(SHAPE, stateIn(phase), event);
        const expected = LEADS[eventName as keyof typeof EVENTS][phaseName as PhaseName] ?? phase.kind;
        assert.equal(after.phase.kind, expected, phaseName);
      }
    });
  }
});

test("the report of an earlier call changes nothing, in any phase", () => {
  for (const phase of Object.values(PHASES)) {
    for (const event of Object.values(EVENTS)) {
      const state = stateIn(phase);
      if ("turn" in event) assert.equal(step(SHAPE, state, { ...event, turn: 6 }), state);
    }
  }
});

describe("what somebody else saved under a save", () => {
  const read = { ...EVENTS.read, saved: THEIRS } as const;

  test("is asked about where both changed the same field", () => {
    const { phase, typed } = step(SHAPE, stateIn(PHASES.merging), read);
    const clashes = [{ key: "text", label: "Text", mine: "mine", theirs: "theirs" }];
    assert.deepEqual(phase, { kind: "conflict", who: "other", clashes, lastTest: null });
    assert.equal(typed.text, "mine");
  });

  test("is saved over once mine is chosen, and shown once theirs is", () => {
    const mine = step(SHAPE, stateIn({ ...PHASES.merging, choices: { text: "mine" } }), read);
    assert.deepEqual(mine.phase, { ...PHASES.saving, over: 2 });
    assert.deepEqual([mine.turn, mine.typed.text], [8, "mine"]);
    const theirs = step(SHAPE, stateIn({ ...PHASES.merging, choices: { text: "theirs" } }), read);
    assert.deepEqual(theirs.phase, { ...PHASES.saved, together: "what other changed: Text" });
    assert.equal(theirs.typed.text, "theirs");
  });

  test("is asked about whatever it is, while our own last save is not read yet", () => {
    const unread = { id: "one", revision: 1, sends: "old" };
    assert.equal(step(SHAPE, stateIn(PHASES.merging, { unread }), read).phase.kind, "conflict");
  });

  test("stays in the form where something has to be entered first, and nothing is sent", () => {
    const shape = { ...SHAPE, findMistakes: () => ({ url: "Again." }) };
    const after = step(shape, stateIn({ ...PHASES.merging, choices: { text: "mine" } }), read);
    assert.deepEqual([after.phase.kind, after.refused, after.saved], ["refused", { url: "Again." }, THEIRS]);
  });
});

describe("what somebody else saved", () => {
  const clean: Partial<State> = { typed: { text: "old", note: "kept" } };

  test("shows itself on a clean form, and waits while something is typed", () => {
    assert.deepEqual(step(SHAPE, stateIn(EDITING, clean), EVENTS.news).typed, { text: "theirs", note: "kept" });
    const waiting = step(SHAPE, stateIn(EDITING), EVENTS.news);
    assert.equal(waiting.typed.text, "mine");
    const takenBack = step(SHAPE, waiting, { type: "typed", typed: { text: "old", note: "" }, keys: [] });
    assert.equal(takenBack.typed.text, "theirs");
  });

  test("waits while a call or a decision is under way, also on a clean form", () => {
    for (const phase of [PHASES.saving, PHASES.merging, PHASES.reading, PHASES.conflict]) {
      const after = step(SHAPE, stateIn(phase, clean), EVENTS.news);
      assert.deepEqual([after.typed.text, after.news], ["old", THEIRS]);
    }
  });

  test("is no news when our own save came later, though that is not read yet", () => {
    const unread = { id: "one", revision: 3, sends: "mine" };
    const after = step(SHAPE, stateIn(EDITING, { unread }), EVENTS.news);
    assert.deepEqual([after.typed.text, after.news], ["mine", null]);
  });

  test("is no news when it is as old as what is shown", () => {
    const after = step(SHAPE, stateIn(EDITING, clean), { type: "news", saved: { ...OLD, text: "older" } });
    assert.deepEqual([after.typed.text, after.news], ["old", null]);
  });

  test("is not hidden by a save that was typed on: the next one goes over our own revision", () => {
    const reading = stateIn(PHASES.reading, {
      typed: { text: "typed on", note: "" },
      unread: { id: "one", revision: 2, sends: "mine" },
    });
    const after = step(SHAPE, reading, { ...EVENTS.read, saved: { ...THEIRS, revision: 3 } });
    const next = step(SHAPE, after, EVENTS.save);
    assert.ok(next.phase.kind === "saving");
    assert.equal(next.phase.over, 2);
  });
});

test("typing during a save stays, beside what the save has stored", () => {
  const unread = { id: "one", revision: 2, sends: "mine" };
  const reading = stateIn(PHASES.reading, { typed: { text: "typed on", note: "" }, unread });
  const after = step(SHAPE, reading, EVENTS.read);
  assert.deepEqual([after.typed.text, after.saved, after.unread], ["typed on", MINE, null]);
  assert.deepEqual(after.phase, { ...PHASES.saved, hasTypedOn: true });
});

test("a save that could not be read back is said to be read once the page hears of it", () => {
  const unread = { id: "one", revision: 2, sends: "mine" };
  const after = step(SHAPE, stateIn({ ...PHASES.saved, isReadBack: false }, { unread }), { type: "news", saved: MINE });
  assert.deepEqual(after.phase, PHASES.saved);
  assert.deepEqual([after.saved, after.unread], [MINE, null]);
});

test("an error of the service stays until its field is changed, is saved or is replaced", () => {
  const refused = { url: "No.", name: "No." };
  const state = stateIn(EDITING, { refused });
  const typed = step(SHAPE, state, { ...EVENTS.typed, keys: ["url"] });
  assert.deepEqual(typed.refused, { name: "No." });
  assert.deepEqual(step(SHAPE, stateIn(PHASES.saving, { refused }), EVENTS.answered).refused, {});
  assert.deepEqual(step(SHAPE, state, EVENTS.replaced).refused, {});
});
