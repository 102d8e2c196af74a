/**
 * A program that asks a service for messages until it is killed, or until its standard input ends and nothing more
 * waits: by requests of its own, or by `bellwire/client/pull`. It writes down each message that it was handed, each
 * that it has handled before it acknowledges it, and each acknowledgement that was confirmed, so that a test can judge
 * afterwards: `got <claim> <id> <source id>`, `handled <claim> <id> <source id>`, `acked <claim>` and `lost <claim>`.
 */
import { appendFileSync } from "node:fs";
import { pull } from "../../../src/client/pull.ts";

export interface AskingJob {
  readonly url: string;
  readonly token: string;
  readonly file: string;
  readonly limit: number;
  readonly holdSeconds: number;
  readonly isByClient: boolean;
}

interface Answer {
  readonly claim: string | null;
  readonly messages: readonly Message[];
}

interface Message {
  readonly id: string;
  readonly body: string;
}

const job = JSON.parse(process.env["ASKING_JOB"] ?? "{}") as AskingJob;
const ending = new AbortController();
process.stdin.on("end", () => ending.abort());
process.stdin.resume();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function write(kind: "got" | "handled", { claim, messages }: Answer): void {
  const lines = messages.map(({ id, body }) => `${kind} ${claim} ${id} ${(JSON.parse(body) as { id: string }).id}\n`);
  appendFileSync(job.file, lines.join(""));
}

function writeEnd(status: number, claim: string | null): void {
  if (claim === null || (status !== 200 && status !== 409)) return;
  appendFileSync(job.file, `${status === 200 ? "acked" : "lost"} ${claim}\n`);
}

/** `null`: the service is away. */
async function ask(query: string): Promise<{ readonly status: number; readonly answer: Answer } | null> {
  try {
    const answer = await fetch(`${job.url}/pull?${query}`, { headers: { authorization: `Bearer ${job.token}` } });
    return { status: answer.status, answer: (await answer.json()) as Answer };
  } catch {
    return null;
  }
}

async function askOnMyOwn(): Promise<void> {
  for (let held: string | null = null; ;) {
    const query = `limit=${job.limit}&hold=${job.holdSeconds}&wait=${ending.signal.aborted ? 0 : 1}`;
    const asked = await ask(held === null ? query : `${query}&ack=${held}`);
    // 429: two that share a token have asked too soon.
    if (asked === null || asked.status === 503 || asked.status === 429) {
      await pause(50);
      continue;
    }
    writeEnd(asked.status, held);
    held = null;
    if (asked.status === 409) continue;
    if (asked.status !== 200) throw new Error(`the service answered ${asked.status}`);
    if (asked.answer.messages.length === 0 && ending.signal.aborted) return;
    write("got", asked.answer);
    write("handled", asked.answer);
    held = asked.answer.claim;
  }
}

async function askByClient(): Promise<void> {
  let claim: string | null = null;
  async function fetchAndWrite(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const text = await response.text();
    writeEnd(response.status, new URL(url).searchParams.get("ack"));
    if (response.status === 200) {
      const answer = JSON.parse(text) as Answer;
      ({ claim } = answer);
      // What comes with the very last answer is not looked at: it comes again.
      if (answer.messages.length > 0) write("got", answer);
    }
    return new Response(text, { status: response.status, headers: response.headers });
  }
  const options = { ...job, signal: ending.signal, outside: { fetch: fetchAndWrite } };
  const ended = await pull(options, (message) => write("handled", { claim, messages: [message] }));
  if (ended.kind !== "stopped") throw new Error(`${ended.code}: ${ended.detail}`);
}

await (job.isByClient ? askByClient() : askOnMyOwn());
process.exit(0);
