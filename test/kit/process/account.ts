/**
 * Sets an account up on a database before the service starts on it. There is no HTTP call that creates an alert (the
 * specification has none), so the program's own verbs do it in this process, and it lets go of the store again.
 */
import { putAccount } from "../../../src/accounts/put-account.ts";
import { type App, createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { loadKeys } from "../../../src/config/keys.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../../../src/events/event-types.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { createLog } from "../../../src/observe/log.ts";
import { makeAccount } from "../make.ts";
import {
  type AlertParams,
  createAlert,
  createAssistant,
  createWebhook,
  type OwnWebhookParams,
} from "../world/alerts.ts";
import { toValue } from "../world/world.ts";
import { ACCOUNT } from "./running.ts";

export type AlertSetUp = Omit<AlertParams, "accountId" | "by">;

export interface SetUp {
  /** Where the keys are, and the database unless `database` says otherwise. */
  readonly dataDir: string;
  /** `BELLWIRE_DATABASE`. */
  readonly database?: string;
  /** `ACCOUNT` unless given. */
  readonly accountId?: string;
  readonly alerts?: readonly AlertSetUp[];
  /** Under Settings → Webhooks. */
  readonly webhooks?: readonly Omit<OwnWebhookParams, "accountId" | "by">[];
  /** The built-in ones, unless given. */
  readonly types?: EventTypes;
  /** URLs by the chat assistant's id. */
  readonly assistants?: Readonly<Record<string, string>>;
  /** `BELLWIRE_EGRESS_ALLOW`; loopback unless given. */
  readonly egressAllow?: string;
}

type Place = Pick<SetUp, "dataDir" | "database" | "egressAllow" | "types">;

/** Returns the account's verification secret, which a receiver would be given by its owner. */
export async function setUpAccount(given: SetUp): Promise<string> {
  await using app = await openApp(given);
  return await setUpIn(app, given);
}

/** The same for several accounts that are alike. */
export async function setUpAccounts(given: Omit<SetUp, "accountId">, accountIds: readonly string[]): Promise<void> {
  await using app = await openApp(given);
  for (const accountId of accountIds) await setUpIn(app, { ...given, accountId });
}

async function setUpIn(app: App, given: Omit<SetUp, keyof Place>): Promise<string> {
  const { accountId = ACCOUNT, alerts = [], assistants = {}, webhooks = [] } = given;
  await putAccount(app.accounts, makeAccount({ id: accountId }));
  for (const alert of alerts) await createAlert(app.accounts, { ...alert, accountId });
  for (const webhook of webhooks) await createWebhook(app.accounts, { ...webhook, accountId });
  for (const [assistantId, url] of Object.entries(assistants)) {
    await createAssistant(app.accounts, { accountId, assistantId, url });
  }
  const secret = (await app.accounts.accounts.load(accountId))?.secrets.current.secret;
  if (secret === undefined) throw new Error("the account has no verification secret");
  return secret;
}

/** The program on that database, without anything running: for its verbs. */
export async function openApp({
  dataDir,
  database,
  egressAllow = "127.0.0.0/8",
  types = BUILT_IN_TYPES,
}: Place): Promise<App> {
  const env = {
    BELLWIRE_DATA_DIR: dataDir,
    BELLWIRE_EGRESS_ALLOW: egressAllow,
    BELLWIRE_LOG_LEVEL: "silent",
    ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }),
  };
  const config = toValue(readConfig(env));
  return await createApp({ config, types, keys: toValue(loadKeys(config, systemRandom)), log: createLog("silent") });
}
