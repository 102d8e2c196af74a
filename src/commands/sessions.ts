/**
 * `bellwire sessions`: lists the people who are signed in to an account's dashboard, and signs them out, as the product
 * would.
 */
import { terminalText } from "../receiver/terminal-text.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, type AccountCalls, openAccount } from "./service-access.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire sessions [--account id] [--person name] [--end [--everybody]]

Lists who is signed in to an account's dashboard, or signs people out.

  --account id      the account (default: main, which the service's first start makes)
  --person name     only this person, written as in the sign-in link, such as ana@example.com
  --end             signs out: ends the sessions, and the sign-in links that were made and not used
  --everybody       with --end and without --person: everybody of the account
${ACCESS_HELP}`;

const FLAGS = {
  account: { type: "string", default: "main" },
  person: { type: "string" },
  end: { type: "boolean", default: false },
  everybody: { type: "boolean", default: false },
  ...ACCESS_FLAGS,
} as const;

export const sessions: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { person, end, everybody } = given.values;
  const wrong = findMisuse({ person, end, everybody });
  if (wrong !== null) return misuse(io, HELP, wrong);
  const config = readSettings(io);
  await using account = config && openAccount(io, config, given.values);
  if (account === null) return 1;
  return await (end ? endSessions : listSessions)({ io, account, person });
};

/** Signing everybody out needs its own flag, so that a forgotten name does not do it. */
function findMisuse(given: { person: string | undefined; end: boolean; everybody: boolean }): string | null {
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
}

async function endSessions(asked: Asked): Promise<number> {
  const ended = await asked.account.ask({ method: "DELETE", path: buildPath(asked) }, isEnded);
  if (ended === null) return 1;
  const whose = asked.person === undefined ? "" : ` of ${terminalText(asked.person, NAME_CHARS_MAX)}`;
  const links = counted(ended.links_ended, "unused sign-in link");
  asked.io.out(`Ended ${counted(ended.sessions_ended, "session")} and ${links}${whose}.`);
  return 0;
}

/** Prints the list on standard output, one line each with tabs between, so that a script can read it. */
async function listSessions(asked: Asked): Promise<number> {
  let total = 0;
  for (let before: string | null = null; ;) {
    const page: Page | null = await asked.account.ask({ method: "GET", path: buildPath(asked, before) }, isPage);
    if (page === null) return 1;
    if (total === 0 && page.sessions.length > 0) asked.io.out(COLUMNS.join("\t"));
    for (const session of page.sessions) asked.io.out(toLine(session));
    total += page.sessions.length;
    before = page.sessions.at(-1)?.id ?? null;
    if (!page.has_more || before === null || total >= SESSIONS_SHOWN_MAX) break;
  }
  if (total === 0) asked.io.err("No one is signed in.");
  return 0;
}

/** Above the service's own maximum. */
const SESSIONS_SHOWN_MAX = 1_000;
/** Above the longest name that a link takes. */
const NAME_CHARS_MAX = 400;
const COLUMNS = ["person", "role", "since", "last_seen", "expires_at"] as const;

const toLine = (session: ListedSession): string =>
  COLUMNS.map((column) => terminalText(session[column], NAME_CHARS_MAX)).join("\t");

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function buildPath({ person }: Asked, before: string | null = null): string {
  const query = new URLSearchParams();
  if (person !== undefined) query.set("person", person);
  if (before !== null) query.set("before", before);
  return query.size === 0 ? "sessions" : `sessions?${query.toString()}`;
}

type ListedSession = Readonly<Record<"id" | (typeof COLUMNS)[number], string>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isSession = (value: unknown): value is ListedSession =>
  isObject(value) && ["id", ...COLUMNS].every((name) => typeof value[name] === "string");

interface Page {
  readonly sessions: readonly ListedSession[];
  readonly has_more: boolean;
}

function isPage(value: unknown): value is Page {
  return isObject(value) && Array.isArray(value.sessions) && value.sessions.every(isSession);
}

function isEnded(value: unknown): value is { readonly sessions_ended: number; readonly links_ended: number } {
  return isObject(value) && typeof value.sessions_ended === "number" && typeof value.links_ended === "number";
}
