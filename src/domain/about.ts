/** The two things that a list says of an event first: who it is about, and what happened. */
export interface About {
  /** The lead's name, else an e-mail address, else the company; `null` when nothing of them is known. */
  readonly who: string | null;
  /** The demo's name, or the beginning of the conversation's summary. */
  readonly what: string | null;
}

export const NO_ABOUT: About = { who: null, what: null };
