/**
 * `bellwire accounts`: lists the accounts of a running service with their webhooks and what waits, shows one, suspends
 * it, lets it go on, or deletes it.
 */
import type { ShownAccount, ShownAccountList } from "../client/shown.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArgumentsWithWords, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, openService, type ServiceCalls } from "./service-access.ts";
import type { ServiceCall } from "./service-client.ts";
import { readSettings } from "./start-up.ts";
import { toLine, toTable } from "./table.ts";

const HELP = `Usage: bellwire accounts [--json]
       bellwire accounts show|suspend|resume id [--json]
       bellwire accounts delete id --confirm id [--json]

Lists the accounts with plan, state, webhooks and waiting deliveries, shows one, or changes its state: a suspended one
takes and sends nothing until it is resumed; a deleted one is gone, and its id stays taken.

  --confirm id      the id once more, for delete
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = { confirm: { type: "string" }, ...JSON_FLAG, ...ACCESS_FLAGS } as const;

export const accounts: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { confirm, json } = given.values;
  const [verb, id] = given.words;
  const fault = findFault(given.words, confirm);
  if (fault !== null) return misuse(io, HELP, fault);
  const config = readSettings(io);
  await using calls = config && openService(io, config, given.values);
  if (calls === null) return 1;
  if (verb !== undefined && verb !== "show")
    return await change(io, calls, { verb: verb as Change, id: id ?? "", json });
  const found = id === undefined ? await listAll(calls) : await calls.ask(ofAccount(id), isAccount);
  if (found === null) return 1;
  print(io, found, json);
  return 0;
};

const CHANGES = {
  suspend: (path) => ({ method: "POST", path: `${path}/suspend` }),
  resume: (path) => ({ method: "POST", path: `${path}/resume` }),
  delete: (path, id) => ({ method: "DELETE", path: `${path}?confirm=${id}` }),
} as const satisfies Readonly<Record<string, (path: string, id: string) => ServiceCall>>;

type Change = keyof typeof CHANGES;

const VERBS = ["show", ...Object.keys(CHANGES)];

function findFault([verb, id, ...more]: readonly string[], confirm: string | undefined): string | null {
  if (verb !== undefined && !VERBS.includes(verb)) {
    return `accounts takes ${VERBS.join(", ")} or nothing; it is "${verb}"`;
  }
  if (verb !== undefined && (id === undefined || more.length > 0))
    return `accounts ${verb} needs the id of one account`;
  if (verb === "delete" && confirm !== id) return "accounts delete needs --confirm with the account's id once more";
  return verb !== "delete" && confirm !== undefined ? "--confirm is for accounts delete" : null;
}

async function change(
  io: CommandIo,
  calls: ServiceCalls,
  { verb, id, json }: { readonly verb: Change; readonly id: string; readonly json: boolean },
): Promise<number> {
  const name = encodeURIComponent(id);
  const now = await calls.ask(CHANGES[verb](`accounts/${name}`, name), isState);
  if (now === null) return 1;
  show(io, json, {
    value: now,
    lines: () => [toLine([now.id, now.state, ...(now.changed ? [] : ["it was already"])])],
  });
  return 0;
}

interface State {
  readonly id: string;
  readonly state: string;
  readonly changed: boolean;
}

const isState = (value: unknown): value is State =>
  typeof value === "object" && value !== null && "state" in value && "changed" in value;

const ofAccount = (id: string) => ({ method: "GET", path: `accounts/${encodeURIComponent(id)}` }) as const;

const isAccount = (value: unknown): value is ShownAccount =>
  typeof value === "object" && value !== null && "id" in value && "waiting" in value;

const isPage = (value: unknown): value is ShownAccountList =>
  typeof value === "object" && value !== null && "accounts" in value && Array.isArray(value.accounts);

/** Page by page: the next one's address may be another than this command reaches, its cursor is the same. */
async function listAll(calls: ServiceCalls): Promise<readonly ShownAccount[] | null> {
  const all: ShownAccount[] = [];
  for (let path = "accounts"; path !== "";) {
    const page: ShownAccountList | null = await calls.ask({ method: "GET", path }, isPage);
    if (page === null) return null;
    all.push(...page.accounts);
    const cursor = page.next === null ? null : URL.parse(page.next)?.searchParams.get("cursor");
    path = typeof cursor === "string" ? `accounts?${new URLSearchParams({ cursor }).toString()}` : "";
  }
  return all;
}

function print(io: CommandIo, found: ShownAccount | readonly ShownAccount[], isJson: boolean): void {
  const rows = [found].flat().map(({ waiting: { count, is_capped: isCapped }, ...account }) => ({
    id: account.id,
    plan: account.plan,
    state: account.state,
    webhooks: String(account.webhooks),
    waiting: `${count}${isCapped ? "+" : ""}`,
    created_at: account.created_at,
    name: account.name,
  }));
  if (rows.length === 0) io.err("There is no account.");
  show(io, isJson, { value: found, lines: () => toTable(rows) });
}
