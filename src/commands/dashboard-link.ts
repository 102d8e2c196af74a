/** `bellwire dashboard-link`: asks the running service for a one-time sign-in link, as the product would. */
import type { LinkFor } from "../client/link-for.ts";
import { createSetUp } from "../client/set-up.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { ROLES } from "../domain/account.ts";
import { lookForm, readLook } from "../domain/look.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACCESS_FLAGS, ACCESS_HELP, openAccount } from "./service-access.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire dashboard-link [--account id] [--person name] [--role role]
                                [--embed page [--tab page]... [--theme theme] [--look token=value]...]
                               [--json]

Prints a link that signs a person in to an account's dashboard, once, within five minutes.

  --account id      the account (default: main, which the service's first start makes)
  --person name     whom it signs in, such as ana@example.com; what they do is written down under that name
  --role role       owner (default) may do everything; viewer sees, but changes, tests, resends and reveals nothing
  --embed page      opens one page without navigation, for a frame in your product, such as /settings/alerts
  --tab page        one of the pages that the frame shows as tabs, such as /deliveries; as often as there are tabs
  --theme theme     light or dark, for --embed (default: as the reader's system)
  --look token=value
                    makes the frame look like your product, as often as there are tokens, such as font=serif; they are
                    ${Object.keys(lookForm.properties).join(", ")}
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = {
  account: { type: "string", default: "main" },
  person: { type: "string" },
  role: { type: "string", default: "owner" },
  embed: { type: "string" },
  tab: { type: "string", multiple: true },
  theme: { type: "string" },
  look: { type: "string", multiple: true },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

export const dashboardLink: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { person, role, embed: page, tab: tabs, theme, look: tokens, json } = given.values;
  if (!ROLES.some((each) => each === role)) return misuse(io, HELP, `--role must be one of ${ROLES.join(", ")}`);
  for (const [flag, value] of Object.entries({ tab: tabs, theme, look: tokens })) {
    if (value !== undefined && page === undefined) return misuse(io, HELP, `--${flag} is for --embed`);
  }
  const look = tokens && readLook(tokens.map((token) => splitToken(token)));
  const embed = page === undefined ? undefined : { page, tabs, theme, look };
  const config = readSettings(io);
  await using account = config && openAccount(io, config, given.values);
  if (account === null) return 1;
  // The service says what is wrong with a name, a page or a look.
  const wanted = { person, role, embed } as LinkFor;
  const link = await account.use((call, id) => createSetUp(call).createDashboardLink(id, wanted));
  if (link === null) return 1;
  // The address alone on standard output, so that a script can open it.
  const value = { url: link.url, expires_at: link.expiresAt };
  show(io, json, { value, lines: () => [terminalText(link.url, 2_048)] });
  io.err(`It works once, until ${terminalText(link.expiresAt, 40)}.`);
  return 0;
};

/** `font=serif`; without a value there is none, which the service says. */
function splitToken(token: string): readonly [name: string, text: string] {
  const [name = "", ...value] = token.split("=");
  return [name, value.join("=")];
}
