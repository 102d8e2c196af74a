/**
 * Which Bellwire made a database, by the names of the steps that its tables were made with; the same on both stores.
 * Before the first release the tables were laid anew more than once. No step leads from those to today's.
 */
export interface AppliedStep {
  readonly version: number;
  readonly name: string;
}

/** True where a step of this number had another name. Steps that are not known here say nothing: they are newer. */
export function isFromBeforeRelease(applied: readonly AppliedStep[], known: readonly AppliedStep[]): boolean {
  const names = new Map(known.map(({ version, name }) => [version, name]));
  return applied.some(({ version, name }) => (names.get(version) ?? name) !== name);
}

/** `advice`: what to start with instead. */
export const describeEarlier = (place: string, advice: string): string =>
  `${place} was made by a Bellwire from before the first release, whose tables cannot be carried over: ` +
  `start with ${advice}, or keep the old Bellwire for this one`;
