/** Webhooks of other accounts than the measured one: each has a question open all the time, and gets nothing. */
import { putAccount } from "../../src/accounts/put-account.ts";
import { openApp, type SetUp } from "../../test/kit/process/account.ts";
import { makeAccount } from "../../test/kit/make.ts";
import { createPulled } from "../../test/kit/world/alerts.ts";
import type { ToAsking } from "../asking.ts";
import { type Part, startPart } from "../part.ts";

const ACCOUNTS = 10;

/** Returns a token of each, as many as `count`. */
export async function setUpPulls(where: Pick<SetUp, "dataDir" | "database">, count: number): Promise<string[]> {
  await using app = await openApp(where);
  const accounts = Array.from({ length: ACCOUNTS }, (_, number) => `asked-${number}`);
  for (const id of accounts) await putAccount(app.accounts, makeAccount({ id }));
  const tokens: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const accountId = accounts[number % ACCOUNTS] ?? "";
    tokens.push((await createPulled(app.accounts, { accountId, name: `Program ${number}` })).token);
  }
  return tokens;
}

/** Resolves when each has asked; they ask until it is disposed. */
export async function startAsking(url: string, tokens: readonly string[]): Promise<Disposable> {
  const asking: Part<ToAsking, "open"> = startPart("asking.ts");
  await asking.ask({ url, tokens });
  return asking;
}
