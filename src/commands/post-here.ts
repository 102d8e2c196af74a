/** Posting a webhook to a receiver on this machine, as the commands do that help to build one. */
import type { OutgoingHttpHeaders } from "node:http";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { secondsMs } from "../lib/duration.ts";
import { callHttp } from "../lib/http-call.ts";
import { faultCode } from "../lib/file-fault.ts";

/** The same time that the service waits for a receiver. */
const ANSWER_MS_MAX = secondsMs(15);
/** Guess: far more of an answer than a command prints. */
const ANSWER_BYTES_MAX = 1024 * 1024;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Post {
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

/** Bodies hold personal data, and what we post looks genuine, so a slip must not send it off this machine. */
export function parseTargetHere(text: string): Result<URL, string> {
  const url = URL.parse(text);
  const isHere = url !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (isHere && /^https?:$/.test(url.protocol)) return ok(url);
  return refuse(`--to "${text}" must be an address of this machine, such as http://localhost:3000/webhooks`);
}

/** Refuses with the system's code, or Node's, when no answer came. */
export async function postHere(post: Post): Promise<Result<Answer, string>> {
  try {
    return ok(
      await callHttp({
        ...post,
        method: "POST",
        answerBytesMax: ANSWER_BYTES_MAX,
        connectMsMax: ANSWER_MS_MAX,
        idleMsMax: ANSWER_MS_MAX,
        agent: false,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      }),
    );
  } catch (error) {
    return refuse(faultCode(error));
  }
}
