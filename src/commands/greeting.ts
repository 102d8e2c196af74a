/**
 * The first start's lines: the place of the keys, an account to look at, and a sign-in link. The service already runs,
 * so a database that goes away at that moment only delays them. A later start has one, where it had to make a key.
 */
import { resolve } from "node:path";
import { UNNAMED_PERSON, createDashboardLink } from "../accounts/dashboard-link.ts";
import type { AccountsContext } from "../accounts/context.ts";
import { putAccount } from "../accounts/put-account.ts";
import type { Keys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import type { LongCommandIo } from "./command.ts";

/** The first start makes it, so that a person can sign in before the product has named its accounts. */
const FIRST_ACCOUNT_ID = "main";
const FIRST_START = "first_start_at";

/** Guess. A person who waits for the link does not notice a second. */
const ASK_AGAIN_MS = secondsMs(1);

export interface Greeting {
  readonly store: Pick<Store, "loadSetting" | "saveSettingUnlessThere">;
  readonly accounts: AccountsContext;
  readonly config: Config;
  readonly keys: Keys;
  readonly publicUrl: string;
}

type GreetingIo = Pick<LongCommandIo, "err" | "stopAsked" | "isTerminal">;

/** Resolves when every line is printed, or when the service is asked to stop first. */
export async function greetOnFirstStart(io: GreetingIo, greeting: Greeting): Promise<void> {
  const { accounts } = greeting;
  const isFirst = await whenStoreAnswers(accounts.clock, io, () => noteFirstStart(greeting));
  if (isFirst === false) warnOfNewKey(io, greeting);
  if (isFirst !== true) return;
  const owner = { accountId: FIRST_ACCOUNT_ID, person: UNNAMED_PERSON, role: "owner" } as const;
  const link = await whenStoreAnswers(accounts.clock, io, () => createDashboardLink(accounts, owner));
  if (link !== null) sayHello(io, greeting, link.ok ? link.value.url : null);
}

/** When several nodes start first together, one of them greets. */
async function noteFirstStart({ store, accounts, publicUrl }: Greeting): Promise<boolean> {
  if ((await store.loadSetting({ name: FIRST_START })) !== null) return false;
  await putAccount(accounts, { id: FIRST_ACCOUNT_ID, name: "Main account", plan: "enterprise", appUrl: publicUrl });
  const value = new Date(accounts.clock.nowMs()).toISOString();
  return (await store.saveSettingUnlessThere({ name: FIRST_START, value })).isNew;
}

/** Lines for people go to standard error: standard output is the log's, one JSON object a line. */
function sayHello(io: GreetingIo, { config, keys }: Greeting, linkUrl: string | null): void {
  io.err("");
  io.err(`This is its first start. ${describeKeys(config)}`);
  const keyFile = resolve(config.dataDir, "intake-key");
  if (config.apiKeys.length === 0) io.err(`  Intake key     ${io.isTerminal ? keys.apiKeys[0] : `in ${keyFile}`}`);
  if (linkUrl !== null) io.err(`  Sign-in link   ${linkUrl}  (works once, for 5 minutes)`);
  io.err(`  First account  ${FIRST_ACCOUNT_ID}`);
  io.err("");
}

/** As where a lost disk's database was restored without it. No encryption key gets here that is not the database's. */
function warnOfNewKey(io: GreetingIo, { config, keys }: Greeting): void {
  const file = resolve(config.dataDir, "intake-key");
  if (!keys.madeFiles.some((made) => resolve(made) === file)) return;
  io.err(
    `This start made a new intake key, ${file}, for an installation that is not new: calls with the key before get ` +
      "401. Put the old file back, or give your product the new key.",
  );
}

/**
 * By the settings, not by the files that this start made: a start before it may have made them and then found its port
 * taken.
 */
function describeKeys({ dataDir, encryptionKey, apiKeys }: Config): string {
  const copyIt = "keep a copy of encryption-key, without it stored secrets cannot be read.";
  const isIntakeInFile = apiKeys.length === 0;
  if (encryptionKey === null && isIntakeInFile) return `Its keys are in ${dataDir}: ${copyIt}`;
  if (encryptionKey === null) return `Its encryption key is in ${dataDir}: ${copyIt} Intake keys are in the settings.`;
  if (isIntakeInFile) return `Its encryption key comes from the settings, and its intake key is in ${dataDir}.`;
  return "Its keys come from the settings.";
}

/** Asks until the store answers; `null` when the service is to stop before that. */
async function whenStoreAnswers<Value>(
  clock: Clock,
  { stopAsked }: Pick<GreetingIo, "stopAsked">,
  ask: () => Promise<Value>,
): Promise<Value | null> {
  // Not raced with each round's sleep: a promise that lasts keeps what every race left on it.
  let isStopping = false;
  let wake = (): void => {};
  void stopAsked.then(() => {
    isStopping = true;
    wake();
  });
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
    await new Promise<void>((goOn) => {
      wake = goOn;
      if (isStopping) goOn();
      else clock.after(ASK_AGAIN_MS, goOn);
    });
    if (isStopping) return null;
  }
}
