/** A program that asks a service for what waits for a webhook, as an owner's does. */
import type { PullAnswer } from "../../../src/pull/pull.ts";

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: PullAnswer;
  readonly problem: { readonly code: string; readonly detail: string; readonly errors?: readonly { path: string }[] };
}

/** `query` as `limit=1&wait=2`. Without a token none is sent. */
export async function ask(url: string, token: string | null, query = ""): Promise<Asked> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/pull?${query}`, { headers });
  const body = (await answer.json()) as PullAnswer & Asked["problem"];
  return { status: answer.status, headers: answer.headers, answer: body, problem: body };
}

export const idsOf = ({ answer }: Asked): string[] => answer.messages.map(({ id }) => id);
