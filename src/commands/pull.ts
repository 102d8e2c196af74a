/**
 * `bellwire pull`: asks for what waits for a webhook, as programs do with `bellwire/client/pull`, posts each message to
 * an address, and acknowledges what got a 2xx.
 */
import type { Refused } from "../client/answers.ts";
import { describeError } from "../client/call.ts";
import { type Outside, systemOutside } from "../client/outside.ts";
import { pull as pullMessages } from "../client/pull.ts";
import type { PulledMessage } from "../client/shown.ts";
import type { Result } from "../domain/problem.ts";
import { isPullToken } from "../domain/pull.ts";
import { systemClock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { localUrl } from "../lib/local-url.ts";
import { ok, refuse } from "../lib/result.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { postHere } from "./post-here.ts";
import { readFile } from "./read-file.ts";
import { parseServiceUrl } from "./service-access.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire pull --to http://localhost:3000/hook --token-file path

Asks for what waits for a webhook whose target is “my program asks”, posts each message to an address with its headers,
and acknowledges what is answered with 2xx. What is not is given back, and comes again up to ten times. Until Ctrl-C.

  --to address        where to post
  --token-file path   file that holds the webhook's token, as its page in the dashboard shows it
  --token bwp_…       the token itself; others on this machine can see it in the list of processes
  --url address       the service (default: the one on this machine, at BELLWIRE_PORT)`;

const FLAGS = {
  to: { type: "string" },
  token: { type: "string" },
  "token-file": { type: "string" },
  url: { type: "string" },
} as const;

export const pull: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { to, token: word, "token-file": file, url } = given.values;
  const target = parseTarget(to);
  const token = readToken(word, file);
  if (!target.ok) return misuse(io, HELP, target.error);
  if (!token.ok) return misuse(io, HELP, token.error);
  const config = url === undefined ? readSettings(io) : null;
  if (url === undefined && config === null) return 1;
  const service = parseServiceUrl(url ?? (config === null ? "" : localUrl(config)));
  if (!service.ok) return misuse(io, HELP, service.error);
  io.err(`Asking ${service.value} and posting to ${target.value.href}; Ctrl-C ends it.`);
  const stop = new AbortController();
  void io.stopAsked.then(() => stop.abort());
  const asking = { url: service.value, token: token.value, retryForMs: RETRY_FOR_MS, signal: stop.signal };
  const options = { ...asking, pauseMs, outside: { fetch: fetchAndSay(io, stop.signal) } };
  const ended = await pullMessages(options, (message) => post(io, target.value, message));
  if (ended.kind === "stopped") return 0;
  io.err(explain(ended, service.value));
  return 1;
};

function parseTarget(text: string | undefined): Result<URL, string> {
  if (text === undefined) return refuse("--to is missing: the address to post to, such as http://localhost:3000/hook");
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol)
    ? ok(url)
    : refuse(`--to "${text}" must be an http or https address, such as http://localhost:3000/hook`);
}

function readToken(word: string | undefined, file: string | undefined): Result<string, string> {
  if ((word === undefined) === (file === undefined)) return refuse("give the token with --token-file, or with --token");
  const text = file === undefined ? ok(Buffer.from(word ?? "")) : readFile(file);
  if (!text.ok) return refuse(`--token-file ${file} cannot be read (${text.error})`);
  const token = text.value.toString().trim();
  const where = file === undefined ? "--token" : `--token-file ${file}`;
  return isPullToken(token) ? ok(token) : refuse(`${where} has no webhook's token: it begins with bwp_`);
}

/** Guess: how long somebody who has pressed Ctrl-C waits for the last acknowledgement. */
const RETRY_FOR_MS = secondsMs(3);
/** After a message that was not taken; twice as long after each further one. */
const PAUSE_MS = secondsMs(5);
/** Guesses: somebody mends the receiver, or starts it. */
const PAUSE_MS_MAX = secondsMs(30);
const UNREACHABLE_PAUSE_MS_MAX = minutesMs(10);

class Unreachable extends Error {}

const pauseMs = (failures: number, error: unknown): number =>
  Math.min(PAUSE_MS * 2 ** (failures - 1), error instanceof Unreachable ? UNREACHABLE_PAUSE_MS_MAX : PAUSE_MS_MAX);

/** Says once that the service is away, and once that it is there again. */
function fetchAndSay(io: CommandIo, stopped: AbortSignal): Outside["fetch"] {
  let isAway = false;
  function note(why: string | null): void {
    if (why !== null && !isAway) io.err(`The service cannot be asked (${why}); trying again.`);
    if (why === null && isAway) io.err("The service answers again.");
    isAway = why !== null;
  }
  return async (url, init) => {
    try {
      const answer = await systemOutside.fetch(url, init);
      note(answer.status >= 500 ? `it answered ${answer.status}` : null);
      return answer;
    } catch (error) {
      if (!stopped.aborted) note(describeError(error));
      throw error;
    }
  };
}

function explain({ status, code, detail }: Refused, url: string): string {
  if (code === "unexpected_answer") return `${url} answered ${status}, but not as Bellwire does. Is --url right?`;
  return terminalText(detail, 1_000);
}

/** Throws where it is not taken. */
async function post(io: CommandIo, target: URL, { id, headers, body }: PulledMessage): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  const answer = await postHere({ url: target, headers, body });
  const isTaken = answer.ok && answer.value.status >= 200 && answer.value.status < 300;
  const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
  const end = answer.ok ? `${answer.value.status} in ${tookMs} ms` : `no answer (${answer.error})`;
  const time = `${new Date(systemClock.nowMs()).toISOString().slice(11, 19)}Z`;
  io.out(`${time}  ${terminalText(id, 200)} → ${end}${isTaken ? "" : "; given back"}`);
  if (!answer.ok) throw new Unreachable(answer.error);
  if (!isTaken) throw new Error(`the receiver answered ${answer.value.status}`);
}
