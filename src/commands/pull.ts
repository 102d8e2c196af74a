/**
 * `bellwire pull`: asks for what waits for a webhook, posts each message to an address, and acknowledges what got a
 * 2xx. Of a backlog it asks for many at once; a claim is acknowledged as a whole, so after a refusal it asks for one.
 */
import type { Result } from "../domain/problem.ts";
import { createInHand } from "../client/in-hand.ts";
import { isPullToken } from "../domain/pull.ts";
import { sleep, systemClock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { localUrl } from "../lib/local-url.ts";
import { ok, refuse } from "../lib/result.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { postHere } from "./post-here.ts";
import { readFile } from "./read-file.ts";
import { describeProblem, isProblem, parseServiceUrl } from "./service-access.ts";
import { createServiceClient, parseJson, type ServiceAnswer, type ServiceClient } from "./service-client.ts";
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
  await using client = createServiceClient({ url: service.value, key: token.value });
  io.err(`Asking ${service.value} and posting to ${target.value.href}; Ctrl-C ends it.`);
  return await new Pulling(io, { client, target: target.value }).untilEnd();
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

const WAIT_SECONDS = 20;
const HOLD_SECONDS = 60;
/** After a call of the service that failed, or that came too soon after others. */
const AGAIN_MS = { again: secondsMs(3), too_soon: secondsMs(1) } as const;
type Again = keyof typeof AGAIN_MS;
/** After a message that was not taken; twice as long after each further one. */
const PAUSE_MIN_MS = secondsMs(5);
/** Guesses: somebody mends the receiver, or starts it. */
const PAUSE_MAX_MS = { refused: secondsMs(30), unreachable: minutesMs(10) } as const;

interface Route {
  readonly client: ServiceClient;
  readonly target: URL;
}

interface Answer {
  readonly claim: string | null;
  readonly messages: readonly Message[];
}

interface Message {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

class Pulling {
  readonly #io: CommandIo;
  readonly #route: Route;
  #isStopping = false;
  #isAway = false;
  /** What the next question ends: `&ack=…`, `&nack=…` or nothing. */
  #ended = "";
  #failuresInARow = 0;
  readonly #inHand = createInHand<Message>({ holdMs: secondsMs(HOLD_SECONDS), nowMs: () => systemClock.monotonicMs() });

  constructor(io: CommandIo, route: Route) {
    this.#io = io;
    this.#route = route;
  }

  async untilEnd(): Promise<number> {
    const stopped = this.#io.stopAsked.then(() => {
      this.#isStopping = true;
      return "again" as const;
    });
    while (!this.#isStopping) {
      const asked = await Promise.race([this.#ask(`limit=${this.#inHand.limit()}&wait=${WAIT_SECONDS}`), stopped]);
      if (asked === "ended") return 1;
      const pauseMs = typeof asked === "object" ? await this.#postAll(asked) : AGAIN_MS[asked];
      if (pauseMs > 0) await Promise.race([sleep(systemClock, pauseMs), stopped]);
    }
    // Nothing waits for the last one: it is acknowledged, and what comes with the answer is held no longer than this.
    if (this.#ended !== "") await this.#ask("limit=1&hold=1");
    return 0;
  }

  async #ask(how: string): Promise<Answer | Again | "ended"> {
    const { client } = this.#route;
    const hold = how.includes("hold") ? "" : `&hold=${HOLD_SECONDS}`;
    const answer = await client.call({ method: "GET", path: `/pull?${how}${hold}${this.#ended}` });
    const said = answer.kind === "answered" ? parseJson(answer.text) : undefined;
    if (answer.kind === "answered" && answer.status === 200 && isAnswer(said)) {
      if (this.#isAway) this.#io.err("The service answers again.");
      this.#isAway = false;
      this.#ended = "";
      return said;
    }
    return this.#explain(answer, said);
  }

  #explain(answer: ServiceAnswer, said: unknown): Again | "ended" {
    const lines = isProblem(said) ? describeProblem(said).map((line) => terminalText(line, 1_000)) : [];
    if (answer.kind === "answered" && answer.status === 409) {
      // Its time was over, or the answer to its end was lost.
      this.#ended = "";
      return "again";
    }
    if (answer.kind === "answered" && answer.status === 429) return "too_soon";
    if (answer.kind === "answered" && answer.status < 500) {
      for (const line of lines.length > 0 ? lines : [`The service answered ${answer.status}. Is --url right?`]) {
        this.#io.err(line);
      }
      return "ended";
    }
    const why = answer.kind === "unreachable" ? answer.code : `it answered ${answer.status}`;
    if (!this.#isAway) this.#io.err(`The service cannot be asked (${why}); trying again.`);
    this.#isAway = true;
    return "again";
  }

  /** How long to pause before the next question. */
  async #postAll({ claim, messages }: Answer): Promise<number> {
    if (claim === null) return 0;
    let maxMs: number = PAUSE_MAX_MS.refused;
    const isTaken = await this.#inHand.handleAll(messages, async (message) => {
      const end = await this.#post(message);
      if (end === "unreachable") maxMs = PAUSE_MAX_MS.unreachable;
      return end === "taken";
    });
    this.#ended = isTaken ? `&ack=${claim}` : `&nack=${claim}`;
    this.#failuresInARow = isTaken ? 0 : this.#failuresInARow + 1;
    return isTaken ? 0 : Math.min(PAUSE_MIN_MS * 2 ** (this.#failuresInARow - 1), maxMs);
  }

  async #post({ id, headers, body }: Message): Promise<"taken" | keyof typeof PAUSE_MAX_MS> {
    const startedMs = systemClock.monotonicMs();
    const answer = await postHere({ url: this.#route.target, headers, body });
    const isTaken = answer.ok && answer.value.status >= 200 && answer.value.status < 300;
    const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
    const end = answer.ok ? `${answer.value.status} in ${tookMs} ms` : `no answer (${answer.error})`;
    const time = `${new Date(systemClock.nowMs()).toISOString().slice(11, 19)}Z`;
    this.#io.out(`${time}  ${terminalText(id, 200)} → ${end}${isTaken ? "" : "; given back"}`);
    if (isTaken) return "taken";
    return answer.ok ? "refused" : "unreachable";
  }
}

const isAnswer = (said: unknown): said is Answer =>
  typeof said === "object" && said !== null && "messages" in said && Array.isArray(said.messages);
