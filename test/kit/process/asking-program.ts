/**
 * A program that asks a service for messages until it is killed, or until its standard input ends and nothing more
 * waits. It writes down each message before it acknowledges it, and each acknowledgement that was confirmed, so that a
 * test can judge afterwards: `got <claim> <id> <source id>` and `acked <claim>`.
 */
import { appendFileSync } from "node:fs";

interface Job {
  readonly url: string;
  readonly token: string;
  readonly file: string;
  readonly limit: number;
  readonly holdSeconds: number;
}

const job = JSON.parse(process.env["ASKING_JOB"] ?? "{}") as Job;
let isEnding = false;
process.stdin.on("end", () => (isEnding = true));
process.stdin.resume();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Answer {
  readonly claim: string | null;
  readonly messages: readonly { readonly id: string; readonly body: string }[];
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

let held: string | null = null;
for (;;) {
  const query = `limit=${job.limit}&hold=${job.holdSeconds}&wait=${isEnding ? 0 : 1}`;
  const asked = await ask(held === null ? query : `${query}&ack=${held}`);
  // 429: two that share a token have asked too soon.
  if (asked === null || asked.status === 503 || asked.status === 429) {
    await pause(50);
    continue;
  }
  if (asked.status === 409) appendFileSync(job.file, `lost ${held}\n`);
  else if (asked.status !== 200) throw new Error(`the service answered ${asked.status}`);
  else if (held !== null) appendFileSync(job.file, `acked ${held}\n`);
  held = null;
  if (asked.status === 409) continue;
  const { claim, messages } = asked.answer;
  if (messages.length === 0 && isEnding) break;
  const lines = messages.map(({ id, body }) => `got ${claim} ${id} ${(JSON.parse(body) as { id: string }).id}\n`);
  appendFileSync(job.file, lines.join(""));
  held = claim;
}
process.exit(0);
