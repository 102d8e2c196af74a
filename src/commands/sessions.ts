/**
 * `bellwire sessions`: lists the people who are signed in to an account's dashboard, and signs them out, as the product
 * would.
 */
import { createSessions } from "../client/sessions.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, type AccountCalls, openAccount } from "./service-access.ts";
import { readSettings } from "./start-up.ts";
import { toTable } from "./table.ts";

const HELP = `Usage: bellwire sessions [--account id] [--person name] [--end [--everybody]] [--json]

Lists who is signed in to an account's dashboard, or signs people out.

  --account id      the account (default: main, which the service's first start makes)
  --person name     only this person, written as in the sign-in link, such as ana@example.com
  --end             signs out: ends the sessions, and the sign-in links that were made and not used
  --everybody       with --end and without --person: everybody of the account
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = {
  account: { type: "string", default: "main" },
  person: { type: "string" },
  end: { type: "boolean", default: false },
  everybody: { type: "boolean", default: false },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

export const sessions: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { person, end, json } = given.values;
  const wrong = findMisuse(given.values);
  if (wrong !== null) return misuse(io, HELP, wrong);
  const config = readSettings(io);
  await using account = config && openAccount(io, config, given.values);
  if (account === null) return 1;
  return await (end ? endSessions : listSessions)({ io, account, person, json });
};

/** Signing everybody out needs its own flag, so that a forgotten name does not do it. */
function findMisuse(given: { person?: string | undefined; end: boolean; everybody: boolean }) {
  const { person, end, everybody } = given;
  if (person === "") return "--person is empty";
  if (everybody && !end) return "--everybody is for --end";
  if (everybody && person !== undefined) return "--everybody and --person exclude each other";
  if (end && !everybody && person === undefined) return "--end needs --person, or --everybody";
  return null;
}

interface Asked {
  readonly io: CommandIo;
  readonly account: AccountCalls;
  readonly person: string | undefined;
  readonly json: boolean;
}

async function endSessions({ io, account, person, json }: Asked): Promise<number> {
  const who = person === undefined ? "everybody" : { person };
  const ended = await account.use((call, id) => createSessions(call).endSessions(id, who));
  if (ended === null) return 1;
  const whose = person === undefined ? "" : ` of ${terminalText(person, NAME_CHARS_MAX)}`;
  const { sessionsEnded, linksEnded } = ended;
  const words = `Ended ${counted(sessionsEnded, "session")} and ${counted(linksEnded, "unused sign-in link")}${whose}.`;
  show(io, json, { value: { sessions_ended: sessionsEnded, links_ended: linksEnded }, lines: () => [words] });
  return 0;
}

/** Prints the list on standard output, one line each with tabs between, so that a script can read it. */
async function listSessions({ io, account, person, json }: Asked): Promise<number> {
  const given = person === undefined ? {} : { person };
  const found = await account.use((call, id) => createSessions(call).listSessions(id, given));
  if (found === null) return 1;
  if (found.length === 0) io.err("No one is signed in.");
  const rows = found.map(({ person: who, role, since, lastSeen, expiresAt }) => ({
    person: who,
    role,
    since,
    last_seen: lastSeen,
    expires_at: expiresAt,
  }));
  show(io, json, { value: rows, lines: () => toTable(rows) });
  return 0;
}

/** Above the longest name that a link takes. */
const NAME_CHARS_MAX = 400;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
