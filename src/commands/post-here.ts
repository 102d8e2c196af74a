/** Posting a webhook to a receiver on this machine, as the commands do that help to build one. */
import { request } from "undici";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { systemCode } from "./read-file.ts";

/** The same time that the service waits for a receiver. */
const ANSWER_MS_MAX = 15_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Post {
  readonly url: URL;
  /** By name, or name and value in turns. */
  readonly headers: Record<string, string> | string[];
  readonly body: string | Buffer;
}

/** Bodies hold personal data, and what we post looks genuine, so a slip must not send it off this machine. */
export function parseTargetHere(text: string): Result<URL, string> {
  const url = URL.parse(text);
  const isHere = url !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (isHere && /^https?:$/.test(url.protocol)) return ok(url);
  return refuse(`--to "${text}" must be an address of this machine, such as http://localhost:3000/webhooks`);
}

/** Refuses with the system's code, or undici's, when no answer came. */
export async function postHere({ url, headers, body }: Post): Promise<Result<Answer, string>> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const answer = await request(url, { method: "POST", headers, body, signal });
    return ok({ status: answer.statusCode, text: await answer.body.text() });
  } catch (error) {
    return refuse(systemCode(error));
  }
}
