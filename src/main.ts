/** The program's entrance: argv and signals only. Everything else is in `commands/`. */
import { COMMANDS, helpText } from "./commands/catalog.ts";
import { readEnv } from "./config/env.ts";

/** What a shell says of a program whose reader went away (128 + SIGPIPE). */
const READER_GONE = 141;

// As in `bellwire doctor | head -3`: nobody reads any more, so there is nothing left to say.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(READER_GONE);
  });
}

const [name = "help", ...args] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) {
  const isHelp = ["help", "--help", "-h"].includes(name);
  (isHelp ? console.log : console.error)(isHelp ? helpText() : `There is no command "${name}".\n\n${helpText()}`);
  process.exit(isHelp ? 0 : 2);
}

const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    askToStop();
    // Somebody who asks twice does not want to wait: what is under way comes back at the next start.
    process.once(signal, () => process.exit(130));
  });
}

const exitCode = await command.run({
  args,
  env: readEnv(),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  stopAsked,
});
process.exit(exitCode);
