/**
 * The texts that webhooks' bodies are made of (`src/bodies`), kept so that the log can show what an attempt has sent
 * after its template, or the words of a preset, have changed. An attempt names its text by an id.
 */
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface BodiesVerbs {
  /**
   * Before an attempt that names the text is settled. It stays for as long as an attempt may be there that was settled
   * within a day of the last call: call again on each day on which the text is used. Repeats are harmless.
   */
  keepBodyText(params: KeepBodyText): Promise<void>;
  /** Those that are there, in any order. */
  loadBodyTexts(params: LoadBodyTexts): Promise<readonly KeptBodyText[]>;
}

export const BODIES_VERBS = {
  keepBodyText: { kind: "path", route: OF_ACCOUNT },
  loadBodyTexts: { kind: "side", reads: true, route: OF_ACCOUNT },
} satisfies VerbTable<BodiesVerbs>;

export interface KeptBodyText {
  /** Of the text alone. */
  readonly id: string;
  readonly text: string;
}

export interface KeepBodyText extends KeptBodyText {
  readonly accountId: string;
  readonly nowMs: number;
}

export interface LoadBodyTexts {
  readonly accountId: string;
  readonly ids: readonly string[];
}
