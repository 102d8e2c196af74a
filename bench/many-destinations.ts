/**
 * A data folder with many owners, one destination each, and a backlog of any length at one of them: made through the
 * store's own verbs, in batches, because a million accepts over HTTP would take longer than the benchmark.
 */
import { putAccount } from "../src/accounts/put-account.ts";
import type { App } from "../src/app.ts";
import { newId } from "../src/domain/id.ts";
import type { NewEvent } from "../src/store/contract/path.ts";
import { makeAccount, makeDestinationSetup, makeNewDelivery, makeNewEvent } from "../test/kit/make.ts";
import { openApp } from "../test/kit/process/account.ts";
import { bodyText } from "./record.ts";

export const ASSISTANT = "main";
export const findAccount = (destination: number): string => `acct-${destination}`;

const BATCH = 1_000;
/** Batches at once: one is written while the next is made. */
const BATCHES_AT_ONCE = 4;

/** Every URL becomes a destination with its own account; by number in this order. */
const BENCH = { person: "bench", role: "owner" } as const;

export async function setUpDestinations(dataDir: string, urls: readonly string[], database?: string): Promise<void> {
  await using app = await openApp({ dataDir, ...(database === undefined ? {} : { database }) });
  await Promise.all(urls.map((url, destination) => setUpDestination(app, findAccount(destination), url)));
}

export interface Hooks {
  readonly accountId: string;
  readonly urls: readonly string[];
  readonly oneAtATime?: boolean;
  readonly database?: string | undefined;
}

/** One account whose webhooks each get every type. */
export async function setUpHooks(
  dataDir: string,
  { accountId, urls, oneAtATime = false, database }: Hooks,
): Promise<void> {
  await using app = await openApp({ dataDir, ...(database === undefined ? {} : { database }) });
  const nowMs = Date.now();
  await putAccount(app.accounts, makeAccount({ id: accountId, plan: "growth" }));
  await app.store.putChatAssistant({ accountId, assistant: { id: ASSISTANT, name: "Main" }, rename: true, nowMs });
  const events = ["chat_conversation_completed", "demo_viewed"].map((type) => ({ type, conditions: null }));
  for (const [number, url] of urls.entries()) {
    const webhook = { id: newId("whk", nowMs, app.accounts.random), name: `Hook ${number}`, events };
    const destination = makeDestinationSetup({ id: newId("dst", nowMs, app.accounts.random), url, oneAtATime });
    const change = { accountId, expectedRevision: null, by: BENCH, webhooksMax: urls.length, nowMs };
    await app.store.saveWebhook({ ...change, webhook, destination });
  }
}

async function setUpDestination(app: App, accountId: string, url: string): Promise<void> {
  const nowMs = Date.now();
  await putAccount(app.accounts, makeAccount({ id: accountId, plan: "free" }));
  await app.store.putChatAssistant({ accountId, assistant: { id: ASSISTANT, name: "Main" }, rename: true, nowMs });
  const id = newId("dst", nowMs, app.accounts.random);
  const destination = makeDestinationSetup({ id, url });
  const change = { accountId, assistantId: ASSISTANT, expectedRevision: 1, by: BENCH, nowMs };
  await app.store.saveAssistantDestination({ ...change, destination });
}

export interface Backlog {
  /** The destination that it waits for, by number. */
  readonly destination: number;
  readonly deliveries: number;
  /** A person has paused the destination. */
  readonly isPaused: boolean;
  /** PostgreSQL's; SQLite in the data folder unless given. */
  readonly database?: string | undefined;
}

/** Events with one delivery each, due now, with bodies of the usual size. */
export async function acceptBacklog(dataDir: string, backlog: Backlog): Promise<void> {
  const { database } = backlog;
  await using app = await openApp({ dataDir, ...(database === undefined ? {} : { database }) });
  const accountId = findAccount(backlog.destination);
  const view = await app.accounts.accounts.load(accountId);
  const destinationId = view?.assistants.get(ASSISTANT)?.destination?.id;
  if (view === null || destinationId === undefined) throw new Error(`${accountId} has no destination`);
  const to = { accountId, destinationId, configVersion: view.configVersion, body: bodyText(0) };
  for (let made = 0; made < backlog.deliveries; made += BATCH * BATCHES_AT_ONCE) {
    await Promise.all(
      Array.from({ length: BATCHES_AT_ONCE }, (_, batch) =>
        acceptBatch(app, to, { first: made + batch * BATCH, end: backlog.deliveries }),
      ),
    );
  }
  if (!backlog.isPaused) return;
  const why = { by: BENCH, reason: "a backlog is to stay" };
  await app.store.setDestinationState({ accountId, destinationId, state: "paused", ...why, nowMs: Date.now() });
}

interface Addressee {
  readonly accountId: string;
  readonly destinationId: string;
  readonly configVersion: number;
  readonly body: string;
}

async function acceptBatch(app: App, to: Addressee, { first, end }: { first: number; end: number }): Promise<void> {
  const nowMs = Date.now();
  const length = Math.max(0, Math.min(BATCH, end - first));
  const events = Array.from({ length }, (_, place): NewEvent => {
    const { accountId, destinationId, configVersion, body } = to;
    // A range of its own, apart from what the traffic posts.
    const sourceId = `00000000-0000-4000-9000-${String(first + place).padStart(12, "0")}`;
    const delivery = makeNewDelivery({ id: newId("dlv", nowMs, app.accounts.random), destinationId });
    const id = newId("evt", nowMs, app.accounts.random);
    return makeNewEvent({ id, accountId, configVersion, sourceId, body, deliveries: [delivery] });
  });
  if (length > 0) await app.store.acceptEvents({ nowMs, claim: { token: "none", untilMs: nowMs }, events });
}
