/**
 * What a chat message says of an event: words and paths into its body, so that it can be kept as JSON and filled years
 * later with the same result. Each event type has one.
 */
export interface Recipe {
  /** The type's title: a message begins with it. */
  readonly title: string;
  /** "Open the …". */
  readonly noun: string;
  /** Alternatives, each a list of paths whose texts are joined by a blank: the first that is not empty counts. */
  readonly who: readonly (readonly string[])[];
  /** The same; an alternative that `who` has taken is passed over. */
  readonly what: readonly (readonly string[])[];
  readonly facts: readonly (readonly [name: string, path: string])[];
  /** The path of an address that the product made. */
  readonly link: string | null;
  /** The path of the time at which it happened. */
  readonly occurredAt: string | null;
}

export const RECIPE_FACTS_MAX = 6;
