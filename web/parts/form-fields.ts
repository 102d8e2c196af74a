/**
 * The fields of a form, and the edits of two people brought together: what only one of them changed is taken from that
 * one, and what both changed is a clash for the second to decide. Pure.
 */

/** One field: a text of what it would send, where the same text is the same content, and how a person sees it. */
export interface FormField<Draft> {
  readonly key: string;
  readonly label: string;
  readonly sends: (draft: Draft) => string;
  readonly show: (draft: Draft) => string;
  /** `into` with this field as `from` has it. */
  readonly take: (into: Draft, from: Draft) => Draft;
  /** What they changed elsewhere makes this a clash too, though they left the field itself alone. */
  readonly isTied?: (drafts: Drafts<Draft>) => boolean;
}

/** A list depends on the drafts where people add fields, such as headers. */
export type ListFields<Draft> = (drafts: readonly Draft[]) => readonly FormField<Draft>[];

export interface Drafts<Draft> {
  /** What both began with; `null` when that is not known, and then all that differs is a clash. */
  readonly base: Draft | null;
  readonly mine: Draft;
  readonly theirs: Draft;
}

export interface Clash {
  readonly key: string;
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
}

/** By the key of a clash. */
export type Choices = Readonly<Record<string, "mine" | "theirs">>;

export interface Merged<Draft> {
  /** Theirs, with my changes in it. */
  readonly draft: Draft;
  /** Those without a choice. */
  readonly clashes: readonly Clash[];
  /** The labels of what they changed and is kept. */
  readonly fromThem: readonly string[];
}

export function mergeDrafts<Draft>(
  listFields: ListFields<Draft>,
  drafts: Drafts<Draft>,
  choices: Choices,
): Merged<Draft> {
  const { base, mine, theirs } = drafts;
  const fields = listFields(base === null ? [theirs, mine] : [theirs, mine, base]);
  let draft = theirs;
  const clashes: Clash[] = [];
  const fromThem: string[] = [];
  for (const field of fields) {
    const { key, label } = field;
    const winner = findWinner(field, drafts) ?? choices[key];
    if (winner === undefined) clashes.push({ key, label, mine: field.show(mine), theirs: field.show(theirs) });
    if (winner === "mine") draft = field.take(draft, mine);
    if (winner === "theirs") fromThem.push(label);
  }
  return { draft, clashes, fromThem };
}

/** `undefined` when both changed it. */
function findWinner<Draft>(field: FormField<Draft>, drafts: Drafts<Draft>): "mine" | "theirs" | "both" | undefined {
  const { base, mine, theirs } = drafts;
  const [first, second] = [field.sends(mine), field.sends(theirs)];
  if (first === second) return "both";
  const before = base === null ? null : field.sends(base);
  if (first === before) return "theirs";
  return second === before && field.isTied?.(drafts) !== true ? "mine" : undefined;
}

interface PropertyTexts<Value> {
  readonly show: (value: Value) => string;
  readonly sends?: (value: Value) => string;
}

/** A field that is one property of the draft. */
export const propertyField = <Draft, Key extends keyof Draft & string>(
  key: Key,
  label: string,
  { show, sends = (value) => JSON.stringify(value) }: PropertyTexts<Draft[Key]>,
): FormField<Draft> => ({
  key,
  label,
  show: (draft) => show(draft[key]),
  sends: (draft) => sends(draft[key]),
  take: (into, from) => ({ ...into, [key]: from[key] }),
});

/** Of a line of text: white space around it is not sent. */
export const LINE: PropertyTexts<string> = {
  show: (text) => (text.trim() === "" ? "Nothing" : text.trim()),
  sends: (text) => text.trim(),
};
