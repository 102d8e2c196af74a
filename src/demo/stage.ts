/**
 * The demo's stage: a real service on a file with full sync, and a receiver that verifies. The service's settings go
 * the usual way, through `readConfig`, and its egress guard opens the receiver's one address and port.
 *
 * The verbs behind the dashboard set up alerts and the assistant's webhook: intake cannot manage webhooks.
 */
import { closeSync, openSync } from "node:fs";
import { createDashboardLink } from "../accounts/dashboard-link.ts";
import { type AlertDraft, saveAlert } from "../accounts/save-alert.ts";
import { saveAssistantWebhook } from "../accounts/save-assistant-webhook.ts";
import { saveWebhook } from "../accounts/save-webhook.ts";
import { type App, createApp } from "../app.ts";
import { probePort } from "../commands/probe-port.ts";
import { type ServiceClient, createServiceClient } from "../commands/service-client.ts";
import { readConfig } from "../config/config.ts";
import { loadKeys } from "../config/keys.ts";
import type { FieldError, Result } from "../domain/problem.ts";
import { UNTOUCHED } from "../domain/webhook-form.ts";
import type { EventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
import { systemClock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { systemRandom } from "../lib/random.ts";
import { FOR_LOG, createLog } from "../observe/log.ts";
import type { LineOutput } from "../observe/line-output.ts";
import { openFileOutput } from "../observe/standard-output.ts";
import { type ReceivedWebhook, type Receiver, startReceiver } from "../receiver/receiver.ts";
import { type DownReceiver, startDownReceiver } from "./down-receiver.ts";
import { ACCOUNT_ID, nameAccount } from "./product.ts";
import { ASSISTANT_ID } from "./records.ts";
import type { WorkFolder } from "./work-folder.ts";

export interface Stage extends AsyncDisposable {
  readonly app: App;
  readonly receiver: Receiver;
  /** Answers 503 to every request; one alert goes there. */
  readonly down: DownReceiver;
  /** The destination of the alert that goes to `down`. It stays the same when a person corrects its URL. */
  readonly downDestinationId: string;
  /** Signs in to intake as the product's back end. */
  readonly client: ServiceClient;
  readonly publicUrl: string;
  /** Signs in to the dashboard at `publicUrl`, once. */
  readonly signInLink: string;
  readonly intakeKey: string;
  readonly secret: string;
}

/** The person that the printed link signs in. */
const DEMO_OWNER = { accountId: ACCOUNT_ID, person: "you", role: "owner" } as const;

/** The ports that the documentation names, when they are free. */
const SERVICE_PORT = 7070;
const RECEIVER_PORT = 7071;
const HOST = "127.0.0.1";

/** Requests in flight at the end take milliseconds: their receiver is in this process. */
const SHUTDOWN_SECONDS = 2;
const LOG_FLUSH_MS_MAX = secondsMs(1);

/**
 * Opens each part before the parts that need it: the receiver first, since the guard must know its port. Disposing
 * closes them in reverse order. A failed step leaves nothing open.
 */
export async function openStage(
  folder: WorkFolder,
  types: EventTypes,
  onWebhook: (webhook: ReceivedWebhook) => void,
): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const secrets: string[] = [];
  const receiver = undo.use(await openReceiver(secrets, onWebhook));
  const down = undo.use(await startDownReceiver(HOST));
  const config = demanded(readConfig(await demoEnv(folder, [receiver.port, down.port])));
  const keys = demanded(loadKeys(config, systemRandom));
  const [intakeKey = ""] = keys.apiKeys;
  const logOutput = undo.use(openLogFile(folder));
  const log = createLog(config.logLevel, logOutput);
  const app = undo.use(await createApp({ config, keys, types, log, logLinesDropped: () => logOutput.linesDropped() }));
  const { port, publicUrl } = await app.start();
  const client = undo.use(createServiceClient({ url: `http://${HOST}:${port}`, key: intakeKey }));
  const declared = types.of("webhook").filter(({ builtIn }) => builtIn === null);
  // A declared type may need any of them.
  await nameAccount(client, publicUrl, declared.length === 0 ? "starter" : "enterprise");
  const downAlertId = await setUpWebhooks(app, { receiver, down });
  if (declared.length > 0) await setUpDeclared(app, declared, receiver);
  const downDestinationId = await findDestination(app, downAlertId);
  const secret = await revealSecret(app);
  secrets.push(secret);
  const signInLink = demanded(await createDashboardLink(app.accounts, DEMO_OWNER)).url;
  const held = undo.move();
  const stop = (): Promise<void> => held.disposeAsync();
  const addresses = { publicUrl, signInLink, intakeKey, secret };
  return { app, receiver, down, downDestinationId, client, ...addresses, [Symbol.asyncDispose]: stop };
}

async function openReceiver(
  secrets: readonly string[],
  onWebhook: (webhook: ReceivedWebhook) => void,
): Promise<Receiver> {
  return await startReceiver({
    host: HOST,
    port: await freePort(RECEIVER_PORT),
    secrets: () => secrets,
    signatureHeader: "x-service-signature",
    nowMs: () => systemClock.nowMs(),
    onWebhook,
  });
}

/** Ignores the shell's own settings: the demo must never open a real database. */
async function demoEnv(folder: WorkFolder, ports: readonly number[]): Promise<Record<string, string>> {
  return {
    BELLWIRE_DATA_DIR: folder.data,
    BELLWIRE_HOST: HOST,
    BELLWIRE_PORT: String(await freePort(SERVICE_PORT)),
    BELLWIRE_PLAYGROUND: "1",
    BELLWIRE_EGRESS_ALLOW: ports.map((port) => `${HOST}/32:${port}`).join(","),
    BELLWIRE_SHUTDOWN_DEADLINE_SECONDS: String(SHUTDOWN_SECONDS),
  };
}

/** Another demo, or a real service, may have the port: then any port is good. */
async function freePort(wanted: number): Promise<number> {
  return (await probePort({ host: HOST, port: wanted })) === null ? wanted : 0;
}

/** Standard output belongs to the demo's own lines. */
function openLogFile({ logFile }: WorkFolder): LineOutput & AsyncDisposable {
  const fd = openSync(logFile, "a");
  const output = openFileOutput(fd, FOR_LOG);
  return {
    write: (line) => output.write(line),
    linesDropped: () => output.linesDropped(),
    isHanging: () => output.isHanging(),
    flush: (withinMs) => output.flush(withinMs),
    writeLast: () => output.writeLast(),
    async [Symbol.asyncDispose]() {
      // A write that is still under way needs the file; the end of the process closes it.
      if (await output.flush(LOG_FLUSH_MS_MAX)) closeSync(fd);
    },
  };
}

const PLAIN = { ...UNTOUCHED, headers: [] };

/** Returns the id of the alert that goes to the receiver that is down. */
async function setUpWebhooks(app: App, { receiver, down }: Pick<Stage, "receiver" | "down">): Promise<string> {
  const headers = [{ name: "x-demo-route", value: "alerts", secret: false }];
  const by = { person: DEMO_OWNER.person, role: DEMO_OWNER.role };
  const demand = async (settings: AlertDraft["settings"], webhook: AlertDraft["webhook"]) =>
    demanded(await saveAlert(app.accounts, { accountId: ACCOUNT_ID, existing: null, settings, webhook, by }));
  const everything = { audience: "all", demos: [], intentLevels: [], webhooksOn: true } as const;
  await demand(
    { ...everything, name: "Every demo session" },
    { ...PLAIN, url: `${receiver.url}/demo-alerts`, headers },
  );
  const known = {
    ...everything,
    audience: "known_lead",
    name: "Known leads to the warehouse (down on purpose)",
  } as const;
  const { id } = await demand(known, { ...PLAIN, url: `${down.url}/warehouse` });
  const assistantWebhook = { ...PLAIN, url: `${receiver.url}/chat-conversations` };
  demanded(
    await saveAssistantWebhook(app.accounts, {
      accountId: ACCOUNT_ID,
      assistantId: ASSISTANT_ID,
      revision: null,
      webhook: assistantWebhook,
      by,
    }),
  );
  return id;
}

/** One webhook for all of them. */
async function setUpDeclared(app: App, declared: readonly EventType[], { url }: Receiver): Promise<void> {
  const settings = { name: "Declared events", events: declared.map(({ type }) => ({ type, conditions: null })) };
  const webhook = { ...PLAIN, url: `${url}/events` };
  const by = { person: DEMO_OWNER.person, role: DEMO_OWNER.role };
  demanded(await saveWebhook(app.accounts, { accountId: ACCOUNT_ID, existing: null, settings, webhook, by }));
}

async function findDestination(app: App, alertId: string): Promise<string> {
  const view = await app.accounts.accounts.load(ACCOUNT_ID);
  const destination = view?.alerts.find(({ alert }) => alert.id === alertId)?.destination ?? null;
  if (destination === null) throw new Error("the demo's alert that is down has no destination");
  return destination.id;
}

async function revealSecret(app: App): Promise<string> {
  const secret = (await app.accounts.accounts.load(ACCOUNT_ID))?.secrets.current.secret;
  if (secret === undefined) throw new Error("the demo's account has no verification secret");
  return secret;
}

/** The demo's own set-up is never refused. If it is, the demo cannot continue, and the reason must be visible. */
function demanded<Value>(result: Result<Value, readonly FieldError[] | object>): Value {
  if (result.ok) return result.value;
  throw new Error(`the demo could not be set up: ${JSON.stringify(result.error)}`);
}
