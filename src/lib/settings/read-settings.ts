/**
 * Settings: from the environment's strings to the values of a table, or to every mistake at once, by variable. The
 * strings are passed in, so a test needs no process; only secret files are read from here. An unknown variable of ours
 * is a mistake too, because a mistyped setting that is ignored would be found out in production.
 */
import { nearestName } from "../nearest-name.ts";
import { pasteFault } from "../pasted.ts";
import { type Result, ok, refuse } from "../result.ts";
import type { Env, Option } from "./option.ts";
import type { Parsed } from "./option-text.ts";
import { listPlatformVariables } from "./platform-variables.ts";
import { type ReadSecretFile, fileVariable } from "./secret-files.ts";

export type Options<Field extends string> = Readonly<Record<Field, Option<unknown>>>;

export interface Mistake {
  /** The variable. */
  readonly path: string;
  readonly message: string;
}

export interface Given {
  /** The variable that was set, for messages. */
  readonly variable: string;
  /** The value's text, empty when it is not set; or the reason why it cannot be read. */
  readonly text: Result<string, string>;
}

export type GivenTexts<Field extends string> = Readonly<Record<Field, Given>>;

/** The rows' names, in the table's order. */
export const fieldsOf = <Field extends string>(options: Options<Field>): Field[] => Object.keys(options) as Field[];

/** Every variable that may be set, including those that name files. */
export function listVariables(options: Options<string>): string[] {
  return Object.values(options).flatMap(({ variable, isSecret = false }) =>
    isSecret ? [variable, fileVariable(variable)] : [variable],
  );
}

/** Without the variables that the platform set and nobody meant for us. */
export function withoutPlatform(env: Env): Env {
  const platform = new Set(listPlatformVariables(env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !platform.has(name)));
}

/** An empty variable counts as not set. Each file is read once. */
export function givenTexts<Field extends string>(
  options: Options<Field>,
  env: Env,
  readFile: ReadSecretFile,
): GivenTexts<Field> {
  const entries = fieldsOf(options).map((field) => [field, givenText(options[field], env, readFile)] as const);
  // Made from all fields, which the compiler cannot see in a list of pairs.
  return Object.fromEntries(entries) as unknown as GivenTexts<Field>;
}

function givenText(option: Option<unknown>, env: Env, readFile: ReadSecretFile): Given {
  const { variable, isSecret = false, isLong = false } = option;
  const text = env[variable]?.trim() ?? "";
  const path = isSecret ? (env[fileVariable(variable)]?.trim() ?? "") : "";
  if (path === "") return { variable, text: ok(text) };
  const named = { variable: fileVariable(variable) };
  if (text !== "")
    return { ...named, text: refuse(`must not be set together with ${variable}; leave one of them out`) };
  return { ...named, text: readFile(path, isLong) };
}

/** `given` is what the operator wrote; `text` is that, or what stands for a setting that is not set. */
export function parseText<Value>(option: Option<Value>, given: string, text = given): Parsed<Value> {
  const { parse, variable, isLong = false } = option;
  const pasted = isLong ? null : pasteFault(given, { kind: "words", name: variable, isSecret: true });
  return pasted === null ? parse(text) : refuse([pasted]);
}

/** The values by field; or the mistakes of all fields, with `more` of the caller's behind them. */
export function toValues<Values extends object>(
  given: GivenTexts<Extract<keyof Values, string>>,
  read: readonly (readonly [field: Extract<keyof Values, string>, parsed: Parsed<unknown>])[],
  more: readonly Mistake[],
): Result<Values, readonly Mistake[]> {
  const errors = read.flatMap(([field, parsed]) =>
    parsed.ok ? [] : parsed.error.map((message) => ({ path: given[field].variable, message })),
  );
  if (errors.length + more.length > 0) return refuse([...errors, ...more]);
  const values = Object.fromEntries(read.map(([field, parsed]) => [field, parsed.ok ? parsed.value : undefined]));
  // Each field came from its own row; the table's declaration ties the row's type to the values'.
  return ok(values as unknown as Values);
}

/** `isOurs`: the names that must be settings. `page` lists those there are. */
export function unknownVariables(
  env: Env,
  known: readonly string[],
  { isOurs, page }: { readonly isOurs: (name: string) => boolean; readonly page: string },
): Mistake[] {
  return Object.keys(env)
    .filter((name) => isOurs(name) && !known.includes(name))
    .map((path) => {
      const nearest = nearestName(path, known);
      const advice = nearest === undefined ? `; see ${page} for those there are` : `; did you mean ${nearest}?`;
      return { path, message: `is not a setting${advice}` };
    });
}

/** A setting's row on the page that lists them. */
export function documentOption(option: Option<unknown>): string {
  const { variable, kind, unit, sentence, isSecret = false } = option;
  const preset = option.defaultShown ?? (option.default === "" ? "none" : `\`${option.default}\``);
  const names = isSecret ? [variable, fileVariable(variable)] : [variable];
  const cells = [
    names.map((name) => `\`${name}\``).join(" or "),
    kind,
    unit === undefined ? preset : `${preset} ${unit}`,
    sentence,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The head of that page's table. */
export const OPTIONS_HEAD = "| Variable | Value | Default | What it does |\n|---|---|---|---|";
