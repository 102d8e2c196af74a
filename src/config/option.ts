/** The definition of a setting: how it is written, read, shown and explained. */
import type { Parsed } from "./option-text.ts";

export interface Option<Value> {
  readonly variable: string;
  /** The accepted values, in a few words. */
  readonly kind: string;
  readonly unit?: string;
  /** Parsed as if it had been set; empty for settings that may be absent. */
  readonly default: string;
  /** Where the documentation should say more than the default's text. */
  readonly defaultShown?: string;
  readonly sentence: string;
  /** The value is not printed. A file may hold it, named by the variable with `_FILE` at its end. */
  readonly isSecret?: true;
  /** A secret of several lines, such as a certificate: its file is taken whole. */
  readonly isLong?: true;
  readonly parse: (text: string) => Parsed<Value>;
  /** How the value is printed. A secret setting prints how many values it has, and never the values. */
  readonly show: (value: Value) => string;
}
