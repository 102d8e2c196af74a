/** `bellwire dashboard-link`: asks the running service for a one-time sign-in link, as the product would. */
import { terminalText } from "../receiver/terminal-text.ts";
import { readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, type ServiceAccess, explainFailure, resolveAccess } from "./service-access.ts";
import { createServiceClient, jsonOf } from "./service-client.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire dashboard-link [--account id]

Prints a link that signs an account's owner in to the dashboard, once, within five minutes.

  --account id      the account (default: main, which the service's first start makes)
${ACCESS_HELP}`;

const FLAGS = { account: { type: "string", default: "main" }, ...ACCESS_FLAGS } as const;

export const dashboardLink: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const config = readSettings(io);
  if (config === null) return 1;
  const access = resolveAccess(given.values, config);
  if (access.ok) return await printLink(io, access.value, given.values.account);
  io.err(access.error);
  return 1;
};

/** What the service answered is checked for its form, because `--url` may point anywhere. */
async function printLink(io: CommandIo, access: ServiceAccess, accountId: string): Promise<number> {
  await using client = createServiceClient(access);
  const path = `/v1/accounts/${encodeURIComponent(accountId)}/dashboard-links`;
  const answer = await client.call({ method: "POST", path });
  const link = answer.kind === "answered" && answer.status === 201 ? jsonOf(answer.text) : undefined;
  if (!isLink(link)) {
    for (const line of explainFailure(answer, access, accountId)) io.err(line);
    return 1;
  }
  // The address alone on standard output, so that a script can open it.
  io.out(terminalText(link.url, 2_048));
  io.err(`It works once, until ${terminalText(link.expires_at, 40)}.`);
  return 0;
}

function isLink(value: unknown): value is { readonly url: string; readonly expires_at: string } {
  if (typeof value !== "object" || value === null || !("url" in value) || !("expires_at" in value)) return false;
  return typeof value.url === "string" && typeof value.expires_at === "string";
}
