/** Programs that ask a service for what never comes, each with one question open, in a process of its own. */
import { setTimeout as sleep } from "node:timers/promises";

export interface ToAsking {
  readonly url: string;
  readonly tokens: readonly string[];
}

/** The longest that the service takes. */
const WAIT_SECONDS = 25;
/** The first questions are spread over their wait, as those of programs that were started by hand are. */
const SPREAD_MS = WAIT_SECONDS * 1_000;

process.on("message", ({ url, tokens }: ToAsking) => {
  for (const [place, token] of tokens.entries()) {
    void askOn(url, token, Math.floor((SPREAD_MS * place) / tokens.length));
  }
  setTimeout(() => process.send?.("open"), SPREAD_MS + 1_000);
});
process.on("disconnect", () => process.exit(0));

async function askOn(url: string, token: string, firstMs: number): Promise<never> {
  await sleep(firstMs);
  for (;;) {
    const answer = await fetch(`${url}/pull?wait=${WAIT_SECONDS}`, { headers: { authorization: `Bearer ${token}` } });
    const { messages } = (await answer.json()) as { readonly messages?: readonly unknown[] };
    if (answer.status !== 200 || messages?.length !== 0) throw new Error(`a question was answered ${answer.status}`);
  }
}
