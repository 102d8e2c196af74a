/** `bellwire demo`: the whole service with no set-up. */
import { runDemo } from "../demo/demo.ts";
import { secondsMs } from "../lib/duration.ts";
import { misuse, readArguments, wholeNumberFlag } from "./arguments.ts";
import type { LongCommand } from "./command.ts";
import { readTypes } from "./start-up.ts";

const HELP = `Usage: bellwire demo [--for seconds] [--rate n] [--keep folder] [--events folder]

Runs the service, a receiver that verifies every signature, and a stand-in product that sends sessions and
conversations, and prints each verified delivery. Needs no set-up, uses no BELLWIRE_* settings, and removes its files
when it ends.

  --for seconds   ends by itself, with a summary; exit code 0 only if everything accepted was delivered and verified
  --rate n        records a second (default 2, at most 200)
  --keep folder   keeps database, log and received webhooks in this folder, which must be new or empty
  --events folder declares the event types in this folder, and sends records of them too, such as examples/events`;

const FLAGS = {
  for: { type: "string" },
  rate: { type: "string", default: "2" },
  keep: { type: "string" },
  events: { type: "string" },
} as const;

/** A run that would end by itself after more than a day is a typing mistake. */
const DAY_SECONDS = 86_400;

export const demo: LongCommand = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const rate = wholeNumberFlag("--rate", given.values.rate, [1, 200]);
  if (!rate.ok) return misuse(io, HELP, rate.error);
  const { for: forText, keep = null, events = null } = given.values;
  const seconds = forText === undefined ? null : wholeNumberFlag("--for", forText, [1, DAY_SECONDS]);
  if (seconds?.ok === false) return misuse(io, HELP, seconds.error);
  const types = readTypes(io, { events });
  if (types === null) return 1;
  const forMs = seconds === null ? null : secondsMs(seconds.value);
  return await runDemo(io, { forMs, ratePerSecond: rate.value, keep, types });
};
