/**
 * Writes `docs/config.md` from the table of settings, by `npm run docs`. `test/tidy.test.ts` fails while the file
 * differs from the table.
 */
import { FIELDS } from "./config.ts";
import { OPTIONS } from "./options.ts";
import { OPTIONS_HEAD, documentOption } from "../lib/settings/read-settings.ts";

/** The whole page as Markdown. */
export function documentConfig(): string {
  return `${INTRODUCTION}\n${FIELDS.map((field) => documentOption(OPTIONS[field])).join("\n")}\n`;
}

const INTRODUCTION = `# Settings

<!-- Written by \`npm run docs\` from src/config/options.ts: change it there. -->

Settings are environment variables. All mistakes in them are reported together when Bellwire starts, each with what
would be right, and so is a \`BELLWIRE_\` variable that does not exist. An empty variable counts as not set. Those that
begin with \`OTEL_\` are OpenTelemetry's: [Monitoring](monitoring.md#traces-and-metrics-over-otlp) says what they
switch on, and Bellwire ignores mistakes in them until they switch it on.

A secret may stand in a file instead, as Docker and Kubernetes mount secrets: set the variable with \`_FILE\` behind
its name to the path of that file. The line break at its end is left out. Setting both is a mistake, and so is a file
that is empty, missing or unreadable, or has more than 64 KiB or more than one line. No message shows its content. A
file that changes while Bellwire runs is read again: [Operations](operations.md#secrets-that-change) says which, and how
soon. A bridge from a broker has [settings of its own](../bridge/settings.md).

${OPTIONS_HEAD}`;
