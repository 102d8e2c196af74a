/** The program's entry point: argv, signals, standard output and the exit. Everything else is in `commands/`. */
import { isatty } from "node:tty";
import { COMMANDS, helpText } from "./commands/catalog.ts";
import type { CommandIo, LongCommand } from "./commands/command.ts";
import { readEnv, readVariable } from "./config/env.ts";
import { keepAwake } from "./lib/clock.ts";
import { FOR_PEOPLE, type LineStyle } from "./observe/line-output.ts";
import { openStandardOutput } from "./observe/standard-output.ts";

/** A shell's exit code for a program that lost its reader (128 + SIGPIPE). */
const READER_GONE = 141;
/** The longest wait for a service's last lines; after that it ends without them. */
const LAST_LINES_MS_MAX = 1_000;

// Node prints a library's warnings, which are for who works on this program: with --trace-warnings they are shown.
if (!process.execArgv.includes("--trace-warnings")) process.removeAllListeners("warning");

const [name = "help", ...args] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) {
  const isHelp = ["help", "--help", "-h"].includes(name);
  endWithReader();
  (isHelp ? console.log : console.error)(isHelp ? helpText() : `There is no command "${name}".\n\n${helpText()}`);
  process.exit(isHelp ? 0 : 2);
}

// A command ends by its exit code. Node would end one that only waits, without a word.
keepAwake();
let end = (exitCode: number): never => process.exit(exitCode);
const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    askToStop();
    // A person who asks twice does not want to wait: deliveries in flight become due again at the next start.
    process.once(signal, () => end(130));
  });
}

const io = { args, env: readEnv(), variable: readVariable, stopAsked };
if (command.output !== undefined) await runService(command, io);
else {
  endWithReader();
  const exitCode = await command.run({ ...io, out: (line) => console.log(line), err: (line) => console.error(line) });
  await Promise.all([process.stdout, process.stderr].map(writeOut));
  process.exit(exitCode);
}

/** A pipe takes 64 KiB at once, and the exit would lose what waits. */
async function writeOut(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write("", () => resolve()));
}

/** As in `bellwire doctor | head -3`: the reader has gone, so the command ends. */
function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(READER_GONE);
    });
  }
}

/** A lost reader or a full disk must neither end a service nor keep it from ending. */
async function runService(
  { run, output }: { readonly run: LongCommand; readonly output: LineStyle },
  base: Omit<CommandIo, "out" | "err">,
): Promise<never> {
  const logOutput = openStandardOutput(1, output);
  const people = openStandardOutput(2, FOR_PEOPLE);
  const outputs = [logOutput, people];
  end = (exitCode) => {
    // Node would wait for a thread that writes to a disk that hangs, for as long as the disk does.
    if (outputs.some((each) => each.isHanging())) process.kill(process.pid, "SIGKILL");
    return process.exit(exitCode);
  };
  const exitCode = await run({
    ...base,
    logOutput,
    isTerminal: isatty(2),
    out: (line) => logOutput.write(`${line}\n`),
    err: (line) => people.write(`${line}\n`),
  });
  await Promise.all(outputs.map((each) => each.flush(LAST_LINES_MS_MAX)));
  return end(exitCode);
}
