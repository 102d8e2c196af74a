/** A chaos scenario: a trouble of the outside world, made on purpose, and what must hold all the same. */

export interface Scenario {
  /** One word, for `--only`. */
  readonly name: string;
  /** It counts as violated when it takes longer. */
  readonly forMsMax: number;
  /** Rejects when a promise was broken; the message says which. */
  readonly run: (options: ScenarioOptions) => Promise<Outcome>;
}

export interface ScenarioOptions {
  /** A sanity run: the same steps, fewer and shorter. */
  readonly isQuick: boolean;
  /** Kills, stops, restarts or moves, where the scenario is made of them; its own number unless given. */
  readonly times?: number;
  /** What is left to chance is repeated by it, where a scenario takes one. */
  readonly seed?: number;
  /** An empty folder of its own, which is removed afterwards. */
  readonly folder: string;
}

export type Outcome =
  /** A line with what was done and counted. */
  | { readonly kind: "kept"; readonly found: string }
  /** This machine does not allow it. */
  | { readonly kind: "skipped"; readonly why: string };

export const kept = (found: string): Outcome => ({ kind: "kept", found });
export const skipped = (why: string): Outcome => ({ kind: "skipped", why });
