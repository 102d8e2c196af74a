/** `bellwire accounts`: lists the accounts of a running service with their webhooks and what waits, or shows one. */
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, openService, type ServiceCalls } from "./service-access.ts";
import { readSettings } from "./start-up.ts";
import { toTable } from "./table.ts";

const HELP = `Usage: bellwire accounts [--json]
       bellwire accounts show id [--json]

Lists the accounts with plan, webhooks and waiting deliveries, or shows one.

${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = { ...JSON_FLAG, ...ACCESS_FLAGS } as const;

export const accounts: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const [verb, id, ...more] = given.words;
  if (verb !== undefined && verb !== "show")
    return misuse(io, HELP, `accounts takes "show" or nothing; it is "${verb}"`);
  if (verb === "show" && (id === undefined || more.length > 0)) {
    return misuse(io, HELP, "accounts show needs the id of one account");
  }
  const config = readSettings(io);
  await using calls = config && openService(io, config, given.values);
  if (calls === null) return 1;
  const found = id === undefined ? await listAll(calls) : await calls.ask(ofAccount(id), isAccount);
  if (found === null) return 1;
  print(io, found, given.values.json);
  return 0;
};

interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly app_url: string;
  readonly created_at: string;
  readonly webhooks: number;
  readonly waiting: { readonly count: number; readonly is_capped: boolean };
}

interface Page {
  readonly accounts: readonly Account[];
  readonly next: string | null;
}

const ofAccount = (id: string) => ({ method: "GET", path: `accounts/${encodeURIComponent(id)}` }) as const;

const isAccount = (value: unknown): value is Account =>
  typeof value === "object" && value !== null && "id" in value && "waiting" in value;

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "accounts" in value && Array.isArray(value.accounts);

/** Page by page: the next one's address may be another than this command reaches, its cursor is the same. */
async function listAll(calls: ServiceCalls): Promise<readonly Account[] | null> {
  const all: Account[] = [];
  for (let path = "accounts"; path !== "";) {
    const page: Page | null = await calls.ask({ method: "GET", path }, isPage);
    if (page === null) return null;
    all.push(...page.accounts);
    const cursor = page.next === null ? null : URL.parse(page.next)?.searchParams.get("cursor");
    path = typeof cursor === "string" ? `accounts?${new URLSearchParams({ cursor }).toString()}` : "";
  }
  return all;
}

function print(io: CommandIo, found: Account | readonly Account[], isJson: boolean): void {
  const rows = [found].flat().map(({ waiting: { count, is_capped: isCapped }, ...account }) => ({
    id: account.id,
    plan: account.plan,
    webhooks: String(account.webhooks),
    waiting: `${count}${isCapped ? "+" : ""}`,
    created_at: account.created_at,
    name: account.name,
  }));
  if (rows.length === 0) io.err("There is no account.");
  show(io, isJson, { value: found, lines: () => toTable(rows) });
}
