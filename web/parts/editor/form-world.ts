/**
 * What the form machine's property tests run against: a service with one stored text, a person who types and presses,
 * and somebody else who saves too. Calls wait until the test lets one through, so answers come in any order.
 */
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import { ApiProblem, NetworkLoss } from "../../api.ts";
import { createFormCalls } from "./form-calls.ts";
import { LINE, propertyField } from "../form-fields.ts";
import { type FormState, startForm, type StoredForm } from "./form-state.ts";
import { type FormEvent, step } from "./step.ts";

export interface Stored extends StoredForm {
  readonly text: string;
  readonly by: "me" | "other";
}

export interface Typed {
  readonly text: string;
  /** Belongs to no stored value. */
  readonly note: string;
}

export type State = FormState<Stored, Typed>;
export type Event = FormEvent<Stored, Typed>;

/** How a call ends: its answer, a refusal, a loss on the way there, or a loss on the way back. */
export type Ending = "well" | "refused" | "lost" | "answer lost";

export interface Transition {
  readonly before: State;
  readonly event: Event;
  readonly after: State;
}

/** A write that the page has begun. */
export interface BegunWrite {
  readonly turn: number;
  readonly over: number | null;
  /** The stored value that it was composed from. */
  readonly base: Stored | null;
}

/** A write that the service has carried out. */
export interface Write {
  readonly over: number | null;
  /** Who had written the revision that it replaced. */
  readonly overBy: Stored["by"] | null;
  /** The state of the page when the write began. */
  readonly begun: State;
}

export const SHAPE = {
  toState: (saved: Stored | null, before: Typed | null): Typed => ({
    text: saved?.text ?? "",
    note: before?.note ?? "",
  }),
  sends: ({ text }: Typed): string => text.trim(),
  listFields: () => [propertyField<Typed, "text">("text", "Text", LINE)],
  findMistakes: () => ({}),
};

const toChanged = (by: Stored["by"]) => ({ by: by === "me" ? "Me" : "Ana" });

const EDITED = { status: 412, code: "edited_meanwhile", errors: [], message: "Ana changed this at 11:32." } as const;
const REFUSED = { status: 400, code: "invalid_form", errors: [], message: "Not like this." } as const;

export class FormWorld {
  stored: Stored | null;
  state: State;
  readonly transitions: Transition[] = [];
  readonly begun: BegunWrite[] = [];
  readonly writes: Write[] = [];
  readonly #waiting: ((ending: Ending) => void)[] = [];

  constructor(stored: Stored | null) {
    this.stored = stored;
    this.state = startForm(SHAPE, stored);
  }

  get callsUnderWay(): number {
    return this.#waiting.length;
  }

  readonly tell = (event: Event): State => {
    const before = this.state;
    this.state = step(SHAPE, before, event);
    this.transitions.push({ before, event, after: this.state });
    return this.state;
  };

  /** Save, or of a conflict's dialog Save with this one's text. */
  press(button: "save" | "mine" | "theirs"): void {
    const subject = {
      ...SHAPE,
      findFieldErrors: () => ({ name: "Not like this." }),
      read: () => this.#call(() => this.#read()),
      write: ({ text }: Typed, base: Stored | null, over: number | null) => {
        const begun = this.state;
        this.begun.push({ turn: begun.turn, over, base });
        return this.#call(() => this.#write(text, over, begun));
      },
    };
    const calls = createFormCalls(subject, { getState: () => this.state, tell: this.tell });
    void (button === "save" ? calls.save(null) : calls.settle({ text: button }));
  }

  saveAsOther(text: string): void {
    const { id, revision } = this.stored ?? { id: "one", revision: 0 };
    this.stored = { id, revision: revision + 1, text, by: "other", changed: toChanged("other") };
  }

  /** The page's own Remove: stored and answered beside the form. */
  remove(): void {
    if (this.stored === null) return;
    this.stored = { ...this.stored, revision: this.stored.revision + 1, text: "", by: "me", changed: toChanged("me") };
    this.tell({ type: "replaced", saved: this.stored });
  }

  hearNews(): void {
    if (this.stored !== null) this.tell({ type: "news", saved: this.stored });
  }

  /** Ends one of the calls that wait, and all that follows from its end by itself. */
  async settle(place: number, ending: Ending): Promise<void> {
    const [end] = this.#waiting.splice(place % Math.max(1, this.#waiting.length), 1);
    end?.(ending);
    // More turns than the longest chain of promises behind one call.
    for (let turns = 0; turns < 12; turns += 1) await Promise.resolve();
  }

  #call<Answer>(carryOut: () => Answer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push((ending) => {
      if (ending === "refused") return reject(new ApiProblem(REFUSED));
      if (ending === "lost") return reject(new NetworkLoss({}));
      try {
        const answer = carryOut();
        if (ending === "well") resolve(answer);
        else reject(new NetworkLoss({}));
      } catch (error) {
        reject(error);
      }
    });
    return promise;
  }

  #read(): Stored {
    if (this.stored === null) throw new ApiProblem({ ...REFUSED, status: 404 });
    return this.stored;
  }

  #write(text: string, over: number | null, begun: State): SavedAnswer {
    if (over !== null && over !== this.stored?.revision) throw new ApiProblem(EDITED);
    this.writes.push({ over, overBy: this.stored?.by ?? null, begun });
    const revision = (this.stored?.revision ?? 0) + 1;
    this.stored = { id: "one", revision, text: text.trim(), by: "me", changed: toChanged("me") };
    return { id: "one", revision };
  }
}
