/** The definition of a setting: how it is written, read, shown and explained, and the kinds that several have. */
import { ok } from "../result.ts";
import { parseOneOf, parseSwitch, parseWholeNumber, type Parsed } from "./option-text.ts";

/** The environment's variables, by name. */
export type Env = Readonly<Record<string, string | undefined>>;

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
}

/** A table of settings. Its fields have the types that their rows parse. */
export const defineOptions = <Values extends object>(options: {
  readonly [Field in keyof Values]: Option<Values[Field]>;
}) => options;

/** The values of a table. */
export type ValuesOf<Table> = {
  readonly [Field in keyof Table]: Table[Field] extends Option<infer Value> ? Value : never;
};

/** Off unless the operator switches it on. */
export const SWITCH = {
  kind: "`0` or `1`",
  default: "0",
  parse: parseSwitch,
  show: (isOn: boolean): string => (isOn ? "1" : "0"),
};

export const oneOf = <Choice extends string>(choices: readonly Choice[], between = ", ") => ({
  kind: choices.map((choice) => `\`${choice}\``).join(between),
  parse: parseOneOf(choices),
  show: String,
});

/** With `scale`, the value is so many times what is written: milliseconds of a setting in seconds. */
export const wholeNumber = (min: number, max: number, scale = 1) => ({
  kind: `whole number, ${min} to ${max}`,
  parse: (text: string): Parsed<number> => {
    const parsed = parseWholeNumber(min, max)(text);
    return parsed.ok ? ok(parsed.value * scale) : parsed;
  },
  show: (value: number) => String(value / scale),
});

/** The row of every process that logs. */
export const LOG_LEVEL = {
  ...oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  variable: "BELLWIRE_LOG_LEVEL",
  default: "info",
  sentence: "The least level that is logged.",
};
