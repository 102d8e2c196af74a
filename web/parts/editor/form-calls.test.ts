/** Properties of the form machine with its calls: any events, any answers, in any order. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isDirty, isSaving, resumeForm } from "./form-state.ts";
import { type Ending, FormWorld, SHAPE, type Stored, type Transition } from "./form-world.ts";

const TEXTS = ["a", "b", " a ", "ab"];
const OLD: Stored = { id: "one", revision: 1, text: "old", by: "me", changed: null };

type Action = (world: FormWorld) => Promise<void> | void;

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("old", ...TEXTS).map((text) => type(text)) },
  { weight: 3, arbitrary: fc.constant<Action>((world) => world.press("save")) },
  { weight: 1, arbitrary: fc.constant<Action>((world) => world.press("theirs")) },
  { weight: 1, arbitrary: fc.constant<Action>((world) => world.press("mine")) },
  { weight: 1, arbitrary: fc.constant<Action>((world) => void world.tell({ type: "close" })) },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS).map((text) => (world: FormWorld) => world.saveAsOther(text)) },
  { weight: 2, arbitrary: fc.constant<Action>((world) => world.hearNews()) },
  { weight: 1, arbitrary: fc.constant<Action>((world) => world.remove()) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(3), fc.constantFrom<Ending>("well", "well", "well", "refused", "lost", "answer lost"))
      .map(
        ([place, ending]) =>
          (world: FormWorld) =>
            world.settle(place, ending),
      ),
  },
);

function type(text: string): Action {
  return (world) => void world.tell({ type: "typed", typed: { text, note: `note of ${text}` }, keys: ["text"] });
}

/** Runs any actions in a world, and then the check. */
async function inAnyWorld(check: (world: FormWorld) => Promise<void> | void): Promise<void> {
  const starts = fc.constantFrom<Stored | null>(null, OLD, OLD);
  await fc.assert(
    fc.asyncProperty(starts, fc.array(actions, { maxLength: 25 }), async (start, run) => {
      const world = new FormWorld(start);
      for (const action of run) await action(world);
      await check(world);
    }),
    { numRuns: 2_000 },
  );
}

/** The person has typed something that no answered or running save has sent. */
const hasUnsent = ({ before }: Transition): boolean =>
  isDirty(SHAPE, before) && !(isSaving(before.phase) && "sent" in before.phase && isSent(before));

const isSent = ({ phase, typed }: Transition["before"]): boolean =>
  "sent" in phase && phase.sent === SHAPE.sends(typed);

describe("whatever happens, and in whatever order answers come", () => {
  test("typed text is lost only where theirs is chosen and by Remove", async () => {
    await inAnyWorld((world) => {
      for (const transition of world.transitions) {
        const { before, event, after } = transition;
        const isChosen = before.phase.kind === "merging" && before.phase.choices["text"] === "theirs";
        if (
          event.type === "typed" ||
          event.type === "replaced" ||
          !hasUnsent(transition) ||
          (event.type === "read" && isChosen)
        )
          continue;
        assert.equal(SHAPE.sends(after.typed), SHAPE.sends(before.typed), `${event.type} took what was typed`);
      }
    });
  });

  test("typing is taken as it is, and what belongs to no stored value outlives every load", async () => {
    await inAnyWorld((world) => {
      for (const { before, event, after } of world.transitions) {
        if (event.type !== "typed") assert.equal(after.typed.note, before.typed.note);
        else if (after.typed !== event.typed) {
          assert.equal(after.saved, before.news, "only news shows itself when the form has become clean");
          assert.equal(SHAPE.sends(event.typed), before.unread?.sends ?? before.saved?.text ?? "");
        }
      }
    });
  });

  test("the answer to a call that the machine waits for no more changes nothing", async () => {
    await inAnyWorld((world) => {
      for (const { before, event, after } of world.transitions) {
        if ("turn" in event && event.turn !== before.turn) assert.equal(after, before);
      }
    });
  });

  test("one save is under way at a time, and each is sent once", async () => {
    await inAnyWorld((world) => {
      const turns = world.begun.map(({ turn }) => turn);
      assert.equal(new Set(turns).size, turns.length);
      const saves = world.transitions.filter(({ after, before }) => isSaving(after.phase) && !isSaving(before.phase));
      const ends = world.transitions.filter(({ after, before }) => !isSaving(after.phase) && isSaving(before.phase));
      assert.ok(saves.length - ends.length <= 1);
      for (const { before, event, after } of world.transitions) {
        if (event.type === "save" && isSaving(before.phase)) assert.equal(after, before);
      }
    });
  });

  test("a form that was answered once is never created again", async () => {
    await inAnyWorld((world) => {
      for (const { over, begun } of world.writes) {
        if (over === null) assert.deepEqual([begun.saved, begun.unread], [null, null]);
      }
    });
  });

  test("a save over something is composed from what is stored", async () => {
    await inAnyWorld((world) => {
      const outdated = world.begun.filter(({ over, base }) => over !== null && base === null);
      assert.deepEqual(outdated, []);
    });
  });

  test("somebody else's save is replaced only when the person has seen it or chose mine", async () => {
    await inAnyWorld((world) => {
      for (const { over, overBy, begun } of world.writes) {
        if (over === null || overBy !== "other" || begun.saved?.revision === over) continue;
        assert.fail(`revision ${over} was replaced unseen`);
      }
    });
  });

  test("a conflict stays until the person decides, and Save with theirs shows what is stored", async () => {
    await inAnyWorld(async (world) => {
      for (const { before, event, after } of world.transitions) {
        if (before.phase.kind !== "conflict" || after.phase.kind === "conflict") continue;
        assert.ok(["close", "replaced", "settle"].includes(event.type), event.type);
      }
      if (world.state.phase.kind !== "conflict") return;
      const { typed } = world.state;
      world.press("theirs");
      await endCalls(world);
      assert.deepEqual([world.state.phase.kind, world.state.typed.text], ["saved", world.stored?.text]);
      assert.equal(world.state.typed.note, typed.note);
    });
  });

  test("somebody else's text is chosen away, never lost: a save over it follows the dialog", async () => {
    await inAnyWorld((world) => {
      for (const { before, event, after } of world.transitions) {
        if (before.phase.kind !== "merging" || event.type !== "read" || after.phase.kind !== "saving") continue;
        if (event.saved.text === before.saved?.text || event.saved.text === before.typed.text.trim()) continue;
        assert.equal(before.phase.choices["text"], "mine");
      }
    });
  });

  test("“Saved.” alone is said only when what is shown is what is stored", async () => {
    await inAnyWorld((world) => {
      for (const { after } of world.transitions) {
        const { phase, saved, typed } = after;
        if (phase.kind !== "saved" || phase.hasTypedOn || !phase.isReadBack) continue;
        assert.ok(saved !== null && !isDirty(SHAPE, after));
        assert.equal(typed.text, saved.text);
      }
    });
  });

  test("a save that was answered says so, whether or not it could be read back", async () => {
    await inAnyWorld(async (world) => {
      if (!isSaving(world.state.phase)) return;
      const isAnswered = world.state.phase.kind === "reading";
      // Which of them the save waits for is the machine's own: a call of a save before Remove may have begun later.
      while (world.callsUnderWay > 0) await world.settle(0, "lost");
      if (isAnswered) assert.equal(world.state.phase.kind, "saved");
      else assert.equal(world.state.phase.kind, "refused");
    });
  });

  test("once calls are answered, Save with mine stores what is typed", async () => {
    await inAnyWorld(async (world) => {
      await endCalls(world);
      if (world.state.phase.kind === "conflict") world.tell({ type: "close" });
      const wanted = world.state.typed.text.trim();
      const isMine = isDirty(SHAPE, world.state);
      world.press("save");
      await endCalls(world);
      if (world.state.phase.kind === "conflict") world.press("mine");
      await endCalls(world);
      assert.equal(world.state.phase.kind, "saved");
      if (isMine) assert.equal(world.stored?.text.trim(), wanted);
      assert.deepEqual([world.state.typed.text, isDirty(SHAPE, world.state)], [world.stored?.text, false]);
    });
  });
});

test("a decision that cannot read what is stored sends nothing, and says why", async () => {
  const world = new FormWorld(OLD);
  await type("a")(world);
  world.press("save");
  world.saveAsOther("b");
  await endCalls(world);
  world.press("mine");
  await world.settle(0, "lost");
  assert.deepEqual([world.begun.length, world.state.phase.kind], [1, "refused"]);
});

test("a decision that meets one more save asks again", async () => {
  const world = new FormWorld(OLD);
  await type("a")(world);
  world.press("save");
  world.saveAsOther("b");
  await endCalls(world);
  world.press("mine");
  await world.settle(0, "well");
  world.saveAsOther("c");
  await endCalls(world);
  const { phase } = world.state;
  assert.ok(phase.kind === "conflict");
  assert.deepEqual(phase.clashes, [{ key: "text", label: "Text", mine: "a", theirs: "c" }]);
});

test("the answer to a save before Remove is not taken for the answer to the one behind it", async () => {
  const world = new FormWorld(OLD);
  await type("a")(world);
  world.press("save");
  world.remove();
  await type("b")(world);
  world.press("save");
  await world.settle(0, "refused");
  assert.equal(world.state.phase.kind, "saving");
});

describe("a form that goes on with what was typed before the frame got a new link", () => {
  const resume = (world: FormWorld, revision: number | null): void => {
    world.state = resumeForm(SHAPE, world.stored, { typed: { text: "mine, half", note: "" }, revision });
  };

  test("saves it over the revision that it knew", async () => {
    const world = new FormWorld(OLD);
    resume(world, OLD.revision);
    assert.equal(isDirty(SHAPE, world.state), true);
    world.press("save");
    await endCalls(world);
    assert.deepEqual([world.state.phase.kind, world.stored?.text], ["saved", "mine, half"]);
  });

  test("asks before it replaces what somebody else has saved meanwhile", async () => {
    const world = new FormWorld(OLD);
    world.saveAsOther("theirs");
    resume(world, OLD.revision);
    world.hearNews();
    assert.equal(world.state.typed.text, "mine, half");
    world.press("save");
    await endCalls(world);
    const { phase } = world.state;
    assert.ok(phase.kind === "conflict", phase.kind);
    assert.deepEqual(phase.clashes, [{ key: "text", label: "Text", mine: "mine, half", theirs: "theirs" }]);
    world.press("mine");
    await endCalls(world);
    assert.equal(world.stored?.text, "mine, half");
  });

  test("creates what was never saved", async () => {
    const world = new FormWorld(null);
    resume(world, null);
    world.press("save");
    await endCalls(world);
    assert.deepEqual([world.begun[0]?.over, world.stored?.text], [null, "mine, half"]);
  });
});

/** A call may begin the next one. */
async function endCalls(world: FormWorld): Promise<void> {
  while (world.callsUnderWay > 0) await world.settle(0, "well");
}
