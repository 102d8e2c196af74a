/**
 * A message for people, as every chat tool can show it: an event, or news of failures. Its texts come from people, and
 * nothing in them is markup: each tool's writer makes them harmless by that tool's rules. Links are ours or the
 * product's own.
 */
export interface ChatMessage {
  /** One line, never empty. */
  readonly headline: string;
  readonly paragraphs: readonly ChatParagraph[];
  readonly facts: readonly ChatFact[];
  readonly link: ChatLink | null;
  /** Said in small letters at the end: one line, never empty. */
  readonly footer: { readonly text: string; readonly link: ChatLink | null } | null;
}

export interface ChatParagraph {
  /** Ours, one line: stands in strong letters above the text. */
  readonly title: string | null;
  /** Lines, each of which may be from people; empty for none, where there is no link either. */
  readonly text: string;
  readonly link: ChatLink | null;
}

/** Two lines, neither of them empty. */
export interface ChatFact {
  readonly name: string;
  readonly value: string;
}

export interface ChatLink {
  /** Ours. */
  readonly words: string;
  /** Whole, of the form that `readLink` gives back. */
  readonly url: string;
}
