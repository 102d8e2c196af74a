/**
 * `bellwire read-keys`: makes, lists and takes back the keys by which programs read an account, or all of them, and
 * manage it where that is open, through a running service.
 */
import { misuse, JSON_FLAG, JSON_HELP, readArguments, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import {
  ACCESS_FLAGS,
  ACCESS_HELP,
  isProblem,
  MANAGING_CLOSED,
  openAccount,
  openService,
  type ServiceCalls,
} from "./service-access.ts";
import { parseJson, type ServiceAnswer } from "./service-client.ts";
import { readSettings } from "./start-up.ts";
import { toLine, toTable } from "./table.ts";

const HELP = `Usage: bellwire read-keys [--account id | --all] [--make name [--manage] | --take-back id] [--json]

Lists the keys by which programs read deliveries, events and webhooks over HTTP; makes one, or takes one back. The key
is printed once. docs/read-api.md says what it opens.

  --account id      keys of this account (default: main, which the service's first start makes)
  --all             keys of all accounts, the operator's
  --make name       makes a key; the name says who gets it
  --manage          one that manages webhooks too, where BELLWIRE_MANAGEMENT is 1
  --take-back id    the key of this id opens nothing any more
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = {
  account: { type: "string" },
  all: { type: "boolean", default: false },
  make: { type: "string" },
  manage: { type: "boolean", default: false },
  "take-back": { type: "string" },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

export const readKeys: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { account, all, make, "take-back": id, manage, json } = given.values;
  if (all && account !== undefined) return misuse(io, HELP, "--all and --account exclude each other");
  if (make !== undefined && id !== undefined) return misuse(io, HELP, "--make and --take-back exclude each other");
  if (manage && make === undefined) return misuse(io, HELP, "--manage is for --make");
  const config = readSettings(io);
  if (config === null) return 1;
  const values = { ...given.values, account: account ?? "main" };
  await using calls = all ? openService(io, config, values) : openAccount(io, config, values);
  if (calls === null) return 1;
  if (make !== undefined)
    return await makeKey(io, calls, { body: manage ? { name: make, kind: "manage" } : { name: make }, json });
  return await (id === undefined ? listKeys(io, calls, json) : takeBack(io, calls, { id, json }));
};

interface Key {
  readonly id: string;
  readonly name: string;
  /** Where managing is open. */
  readonly kind?: string;
  readonly made_by: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const isList = (value: unknown): value is { readonly keys: readonly Key[] } =>
  typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys);

async function listKeys(io: CommandIo, calls: ServiceCalls, isJson: boolean): Promise<number> {
  const found = await calls.ask({ method: "GET", path: "read-keys" }, isList);
  if (found === null) return 1;
  const rows = found.keys.map(({ last_used_at: used, ...key }) => ({ ...key, last_used_at: used ?? "never" }));
  if (rows.length === 0) io.err("There is no key.");
  show(io, isJson, { value: found.keys, lines: () => toTable(rows) });
  return 0;
}

interface Made {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

const isMade = (value: unknown): value is Made =>
  typeof value === "object" && value !== null && "key" in value && typeof value.key === "string";

/** Whether the service knows of no kinds of keys. */
function isOfKind(answer: ServiceAnswer): boolean {
  const refused = answer.kind === "answered" ? parseJson(answer.text) : undefined;
  return isProblem(refused) && refused.errors?.some(({ path }) => path === "kind") === true;
}

/** The key alone on standard output, so that it can go into a file. */
async function makeKey(
  io: CommandIo,
  calls: ServiceCalls,
  { body: form, json }: { readonly body: object; readonly json: boolean },
): Promise<number> {
  const body = { type: "application/json", content: JSON.stringify(form) } as const;
  const answer = await calls.call({ method: "POST", path: "read-keys", body });
  const made = answer.kind === "answered" && answer.status === 201 ? parseJson(answer.text) : undefined;
  if (!isMade(made)) {
    if (isOfKind(answer)) io.err(`${MANAGING_CLOSED} Without --manage this makes a key that reads.`);
    else calls.explain(answer);
    return 1;
  }
  show(io, json, { value: made, lines: () => [toLine([made.key])] });
  io.err("The key is not shown again.");
  return 0;
}

async function takeBack(
  io: CommandIo,
  calls: ServiceCalls,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<number> {
  const answer = await calls.call({ method: "DELETE", path: `read-keys/${encodeURIComponent(id)}` });
  if (answer.kind !== "answered" || answer.status !== 204) {
    calls.explain(answer);
    return 1;
  }
  show(io, json, { value: { id, is_taken_back: true }, lines: () => ["The key opens nothing any more."] });
  return 0;
}
