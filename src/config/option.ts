/** What a setting is: how it is written, read, shown and explained. */
import type { Parsed } from "./option-text.ts";

export interface Option<Value> {
  readonly variable: string;
  /** What may be written, in a few words. */
  readonly kind: string;
  readonly unit?: string;
  /** Parsed as if it had been set; empty for settings that may be missing. */
  readonly default: string;
  /** Where the documentation should say more than the default's text. */
  readonly defaultShown?: string;
  readonly sentence: string;
  /** What is not printed whole. A file may hold the value then, named by the variable with `_FILE` behind it. */
  readonly isSecret?: true;
  readonly parse: (text: string) => Parsed<Value>;
  /** How the value is printed. Settings that are secret print how many there are, never what. */
  readonly show: (value: Value) => string;
}
