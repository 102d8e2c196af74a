/** `bellwire erase`: erases a person from an account's events through a running service, as the product would. */
import { ERASED_WORDS } from "../accounts/erase-person.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, openAccount } from "./service-access.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire erase --email address [--account id] [--json]

Erases a person from an account's events: bodies, answers of receivers, search, the outbox. Counts stay.

  --email address   the person's e-mail address, in any letter case
  --account id      the account (default: main, which the service's first start makes)
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = {
  account: { type: "string", default: "main" },
  email: { type: "string" },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

export const erase: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { email, json } = given.values;
  if (email === undefined || email === "") return misuse(io, HELP, "--email is missing");
  const config = readSettings(io);
  await using account = config && openAccount(io, config, given.values);
  if (account === null) return 1;
  const total = new Map<string, number>();
  for (let after: string | null = ""; after !== null;) {
    const query = new URLSearchParams(after === "" ? { email } : { email, after });
    const part: Part | null = await account.ask({ method: "DELETE", path: `people?${query.toString()}` }, isPart);
    if (part === null) return 1;
    for (const [name, value] of Object.entries(part)) {
      if (typeof value === "number") total.set(name, (total.get(name) ?? 0) + value);
    }
    after = part.next;
  }
  const lines = () => ERASED_WORDS.map(([name, text]) => `${total.get(name) ?? 0}\t${text}`);
  show(io, json, { value: Object.fromEntries(total), lines });
  const inFlight = total.get("in_flight") ?? 0;
  if (inFlight === 0) return 0;
  io.err(`Being sent just now: ${inFlight}. Run this again in a minute.`);
  return 1;
};

type Part = Readonly<Record<string, unknown>> & { readonly next: string | null };

const isPart = (part: unknown): part is Part =>
  typeof part === "object" &&
  part !== null &&
  "events" in part &&
  "next" in part &&
  (part.next === null || typeof part.next === "string");
