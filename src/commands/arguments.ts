/**
 * Parses the words behind a command's name: flags, none unknown, `--help` everywhere, and words where a command takes
 * some. A wrong call gets a message, then the usage, and exit code 2.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parseWholeNumber } from "../lib/settings/option-text.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { CommandIo } from "./command.ts";

type Flags = NonNullable<ParseArgsConfig["options"]>;

type Values<Given extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Given; strict: true }>
>["values"];

interface Parsed<Given extends Flags> {
  readonly values: Values<Given>;
  /** The words that are not flags, for commands that take some. */
  readonly words: readonly string[];
}

export type Arguments<Given extends Flags> =
  | ({ readonly kind: "run" } & Parsed<Given>)
  /** The command does not run: the help or the mistake was printed. */
  | { readonly kind: "done"; readonly exitCode: 0 | 2 };

/** Reads the flags of a command. `help` is the whole text of its `--help`. */
export function readArguments<const Given extends Flags>(
  io: Pick<CommandIo, "args" | "out" | "err">,
  help: string,
  flags: Given,
): Arguments<Given> {
  return ranOrDone(io, help, parse(io.args, flags, false));
}

/** The same for a command that takes words beside its flags, such as an address. */
export function readArgumentsWithWords<const Given extends Flags>(
  io: Pick<CommandIo, "args" | "out" | "err">,
  help: string,
  flags: Given,
): Arguments<Given> {
  return ranOrDone(io, help, parse(io.args, flags, true));
}

function ranOrDone<Given extends Flags>(
  io: Pick<CommandIo, "out" | "err">,
  help: string,
  parsed: Result<Parsed<Given>, string>,
): Arguments<Given> {
  if (!parsed.ok) return { kind: "done", exitCode: misuse(io, help, parsed.error) };
  const { values, words } = parsed.value;
  if ("help" in values && values.help === true) {
    io.out(help);
    return { kind: "done", exitCode: 0 };
  }
  return { kind: "run", values, words };
}

/** Prints the mistake, then how it is called: a long help would push the mistake out of sight. */
export function misuse(io: Pick<CommandIo, "err">, help: string, message: string): 2 {
  const [called = "", ...more] = help.split("\n\n");
  const [, name = ""] = /^Usage: (\S+ \S+)/.exec(called) ?? [];
  io.err([message, called, ...(more.length > 0 ? [`${name} --help explains it.`] : [])].join("\n\n"));
  return 2;
}

/** The flag of every command that shows something, and its line in the help. */
export const JSON_FLAG = { json: { type: "boolean", default: false } } as const;
export const JSON_HELP = "  --json            as JSON, for a program";

/** What a command shows: to a program that asked for JSON one value, to everybody else lines. */
interface Shown {
  readonly value: unknown;
  readonly lines: () => readonly string[];
}

export function show(io: Pick<CommandIo, "out">, isJson: boolean, { value, lines }: Shown): void {
  if (isJson) io.out(JSON.stringify(value, null, 2));
  else for (const line of lines()) io.out(line);
}

/** The value of a flag that takes a whole number; the refusal is a sentence that names the flag. */
export function wholeNumberFlag(
  flag: string,
  text: string,
  [min, max]: readonly [number, number],
): Result<number, string> {
  const parsed = parseWholeNumber(min, max)(text);
  return parsed.ok ? parsed : refuse(`${flag} ${parsed.error.join("; ")}`);
}

function parse<const Given extends Flags>(
  args: readonly string[],
  flags: Given,
  allowPositionals: boolean,
): Result<Parsed<Given>, string> {
  const options = { ...flags, help: { type: "boolean", short: "h" } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    // The flag that every command has is read by name; the others are as the caller declared them.
    return ok({ values: values as unknown as Values<Given>, words: positionals });
  } catch (error) {
    return refuse(toSentence(error, Object.keys(options)));
  }
}

/** Node's messages name the flag or the word in quotes, and speak of rules that no command here has. */
function toSentence(error: unknown, flags: readonly string[]): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const [, given = ""] = /'(?:-\w, )?(--?[^' ]+|[^']*)/.exec(message) ?? [];
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const near = nearestName(given.replace(/^-+/, ""), flags);
    return `There is no flag ${given}${near === undefined ? "." : `; did you mean --${near}?`}`;
  }
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return `"${given}" is one word too many: it belongs to no flag.`;
  const takesNone = message.includes("does not take an argument");
  if (takesNone) return `${given} takes no value; write it alone.`;
  return `${given} needs a value behind it; one that begins with - is written ${given}=-…`;
}
