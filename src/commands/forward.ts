/**
 * `bellwire forward`: copies of an account's webhooks, as they come, for a receiver on this machine. The service signs
 * each copy as it would sign an attempt now, and goes on delivering to the saved URL as if this command were not there.
 */
import { TYPE_NAME } from "../domain/event.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { ForwardOpened } from "../dashboard/contract/forward.ts";
import { keepAwake } from "../lib/clock.ts";
import { faultWords } from "../lib/fault-words.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { forwardUntilEnd } from "./forward-copies.ts";
import { parseTargetHere } from "./post-here.ts";
import { localUrl } from "../lib/local-url.ts";
import { describeProblem, isProblem, parseServiceUrl, unreachableAdvice } from "./service-access.ts";
import { createServiceClient, parseJson } from "./service-client.ts";
import { readSettings } from "./start-up.ts";

const helpFor = ({
  call,
  defaultUrl,
}: ForwardEdition): string => `Usage: ${call} --to http://localhost:3000/hook --code code --url address

Brings copies of an account's webhooks to a receiver on this machine, as they come, until Ctrl-C. The saved Webhook URL
gets them too: copies are no attempts, and are not tried again.

  --to address      the receiver, on this machine
  --code code       from the dashboard: Settings → Verification → Forward to your machine; works once, for 5 minutes
  --url address     the service${defaultUrl}
  --event name      only events of this type
  --header "n: v"   a header to send along, such as one with a secret value, which copies leave out; may be repeated`;

const FLAGS = {
  to: { type: "string" },
  code: { type: "string" },
  url: { type: "string" },
  event: { type: "string" },
  header: { type: "string", multiple: true },
} as const;

/** The command has two editions: this program's, and the file that the service serves (forward-alone.ts). */
interface ForwardEdition {
  /** How it is called, for its help. */
  readonly call: string;
  /** What its help says behind `--url`. */
  readonly defaultUrl: string;
  /** Where the service is without `--url`; `null` when the reason why that is not known was printed. */
  readonly findUrl: (io: CommandIo) => string | null;
}

export const forward: Command = async (io) =>
  await forwardAs(io, {
    call: "bellwire forward",
    defaultUrl: " (default: the one on this machine, at BELLWIRE_PORT)",
    findUrl() {
      const config = readSettings(io);
      return config === null ? null : localUrl(config);
    },
  });

export async function forwardAs(io: CommandIo, edition: ForwardEdition): Promise<number> {
  const help = helpFor(edition);
  const given = readArguments(io, help, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { to, code, event, header = [] } = given.values;
  if (to === undefined) return misuse(io, help, "--to is missing: the address of your receiver on this machine");
  if (code === undefined) return misuse(io, help, "--code is missing: the dashboard makes one");
  const target = parseTargetHere(to);
  if (!target.ok) return misuse(io, help, target.error);
  const only = event ?? null;
  if (only !== null && !TYPE_NAME.test(only)) return misuse(io, help, "--event must be the name of an event type");
  const extra = parseHeaders(header);
  if (!extra.ok) return misuse(io, help, extra.error);
  const asked = given.values.url ?? edition.findUrl(io);
  if (asked === null) return 1;
  const url = parseServiceUrl(asked);
  if (!url.ok) return misuse(io, help, url.error);
  using _ = keepAwake();
  const opened = await open(io, url.value, code);
  if (opened === null) return 1;
  io.err(`Forwarding the webhooks of ${terminalText(opened.account, 100)} to ${target.value.href}; Ctrl-C ends it.`);
  await using client = createServiceClient({ url: url.value, key: opened.token });
  return await forwardUntilEnd(io, { client, opened, target: target.value, only, extra: extra.value });
}

/** Changes the code for a token; `null` when the mistake was printed. */
async function open(io: CommandIo, url: string, code: string): Promise<ForwardOpened | null> {
  await using client = createServiceClient({ url, key: null });
  const body = { type: "application/json", content: JSON.stringify({ code }) } as const;
  const answer = await client.call({ method: "POST", path: "/dashboard/forward", body });
  if (answer.kind === "unreachable") {
    io.err(`No Bellwire answers at ${url}: ${faultWords(answer.code)}. ${unreachableAdvice(url, answer.code)}`);
    return null;
  }
  const said = parseJson(answer.text);
  if (answer.status === 200) return said as ForwardOpened;
  const lines = isProblem(said) ? describeProblem(said) : [`${url} answered ${answer.status}. Is --url right?`];
  for (const line of lines) io.err(terminalText(line, 1_000));
  return null;
}

function parseHeaders(given: readonly string[]): Result<Readonly<Record<string, string>>, string> {
  const headers: Record<string, string> = {};
  for (const line of given) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return refuse(`--header must be written "name: value"`);
    headers[name.toLowerCase()] = value;
  }
  return ok(headers);
}
