/**
 * The only file that knows every part. Puts the program together from its configuration and takes it apart again in the
 * right order: first nothing new comes in, then what is under way ends, then the store closes.
 */
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type AccountCache, createAccountCache } from "./accounts/account-cache.ts";
import type { AccountsContext } from "./accounts/context.ts";
import { publicUrlAt } from "./config/config.ts";
import type { Keys } from "./config/keys.ts";
import type { Config } from "./config/options.ts";
import { checkEncryptionKey } from "./accounts/encryption-check.ts";
import { createCheckLimit } from "./dashboard/verification/check-limit.ts";
import { createLiveFollow } from "./dashboard/live/follow.ts";
import { type LiveHub, createLiveHub } from "./dashboard/live/hub.ts";
import { createLiveReport } from "./dashboard/live/report.ts";
import { registerDashboard } from "./dashboard/register.ts";
import { createStaticPages } from "./dashboard/pages/static.ts";
import { createTestSlots } from "./dashboard/tests/slots.ts";
import { accept } from "./delivery/accept.ts";
import type { DeliveryContext } from "./delivery/context.ts";
import { type Engine, createEngine } from "./delivery/engine.ts";
import { type Housekeeping, createHousekeeping } from "./delivery/housekeeping.ts";
import { joinReports } from "./delivery/join-reports.ts";
import { type Sender, createSender } from "./delivery/send.ts";
import { RETRY_SCHEDULE, type RetrySchedule } from "./domain/retry-schedule.ts";
import { createGuard } from "./egress/create-guard.ts";
import { readBasePath } from "./http/base-path.ts";
import { registerHealth } from "./http/health.ts";
import { createHttpServer } from "./http/server.ts";
import { type Inbox, createInbox } from "./intake/inbox.ts";
import { registerIntake } from "./intake/routes.ts";
import { type Clock, sleep, systemClock } from "./lib/clock.ts";
import { type Random, systemRandom } from "./lib/random.ts";
import { type Sealer, createSealer } from "./lib/seal.ts";
import { VERSION } from "./lib/version.ts";
import { createMailer } from "./notify/mailer.ts";
import { type Notices, createNotices } from "./notify/notices.ts";
import { type OperatorNotices, createOperatorNotices } from "./notify/operator-notices.ts";
import { createOperatorWebhook } from "./notify/operator-webhook.ts";
import { createInboxReport } from "./observe/inbox-report.ts";
import type { Logger } from "./observe/log.ts";
import { registerGauges } from "./observe/gauges.ts";
import { createIntakeReport } from "./observe/intake-report.ts";
import { type Metrics, createMetrics } from "./observe/metrics.ts";
import { createReport } from "./observe/report.ts";
import { createStoreCounts } from "./observe/store-counts.ts";
import { type Telemetry, createTelemetry } from "./observe/telemetry.ts";
import type { CommitInfo } from "./store/group-commit.ts";
import { assertNotMoving } from "./store/move/marks.ts";
import { openPostgresStore } from "./store/postgres/open.ts";
import { openSqliteStore } from "./store/sqlite/open.ts";
import type { Store } from "./store/contract/store.ts";

const WEB_FOLDER = join(import.meta.dirname, "..", "web", "dist");

export interface AppOptions {
  readonly config: Config;
  readonly keys: Keys;
  readonly log: Logger;
  /** Lines of the log that could not be written; 0 unless given. */
  readonly logLinesDropped?: () => number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly schedule?: RetrySchedule;
  /** The built page; `web/dist` unless a test brings its own. */
  readonly webFolder?: string;
}

export interface App extends AsyncDisposable {
  /** The HTTP server, for requests that need no socket. */
  readonly server: FastifyInstance;
  readonly accounts: AccountsContext;
  readonly delivery: DeliveryContext;
  readonly engine: Engine;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Resolves with the reason when the store has ended by itself: only a new process helps. */
  readonly died: Promise<Error>;
  /** Starts delivering and listening. */
  start(): Promise<{ readonly port: number; readonly publicUrl: string }>;
  /** Before a stop: still answers everything, but tells load balancers and kept connections to go elsewhere. */
  drain(): Promise<void>;
  /** Stops in order; what is not done by the deadline is left to the next start. Twice is fine. */
  stop(): Promise<void>;
}

/** Opens the store and wires everything; nothing runs until `start`. Rejects with `StoreUnusable`. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, log, random = systemRandom } = options;
  const metrics = createMetrics();
  let engine: Engine | null = null;
  const { promise: died, resolve: onDeath } = Promise.withResolvers<Error>();
  const onHint = (): void => engine?.nudge();
  const opened = await openStore(config, options.clock ?? systemClock, { metrics, onHint, onDeath });
  const { store, clock } = opened;
  const sealer = createSealer(options.keys.encryptionKey, random);
  await assertMayStart(store, sealer);
  const cache = createAccountCache({ store, sealer, clock, isShared: config.database.kind === "postgres" });
  const guard = createGuard(config, clock);
  const sender = createSender({ guard, clock });
  const telemetry = createTelemetry({ settings: config, clock, random, metrics, log });
  const report = createReport(log, metrics, telemetry.traces);
  const live = createLive(config, { clock, random, store, report });
  const delivery: DeliveryContext = {
    clock,
    random,
    store,
    accounts: cache,
    send: sender.sendIf,
    report: joinReports(report, createLiveReport(live)),
    names: { signatureHeader: config.signatureHeader, userAgent: `Bellwire/${VERSION}` },
    schedule: options.schedule ?? RETRY_SCHEDULE,
  };
  engine = createEngine(delivery, { heldMax: config.inFlightMax });
  const housekeeping = createHousekeeping(delivery, engine, {
    payloadMs: config.payloadRetentionMs,
    attemptBodyMs: config.attemptBodyRetentionMs,
    rowMs: config.rowRetentionMs,
  });
  const accounts = {
    store,
    accounts: cache,
    sealer,
    clock,
    random,
    checkUrl: (url: URL) => guard.checkUrl(url),
    signatureHeader: config.signatureHeader,
  };
  return await assemble({
    options,
    clock,
    store,
    sender,
    delivery,
    engine,
    housekeeping,
    accounts,
    metrics,
    live,
    telemetry,
    died,
  });
}

/** An SQLite database has one node, which tells everything itself. */
function createLive(
  { database }: Config,
  { clock, random, store, report }: Pick<DeliveryContext, "clock" | "random" | "store" | "report">,
): LiveHub {
  if (database.kind === "sqlite") return createLiveHub({ clock, random });
  const onFailure = (error: unknown): void => report.failed({ what: "live.follow", error });
  return createLiveHub({ clock, random, follow: createLiveFollow({ clock, store, onFailure }) });
}

/** Rejects with `StoreUnusable`, and lets go of the store then. */
async function assertMayStart(store: Store, sealer: Sealer): Promise<void> {
  try {
    // First: the check of the key writes one where none is, which a half-moved database must not get.
    await assertNotMoving(store);
    await checkEncryptionKey(store, sealer);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

interface Parts {
  readonly options: AppOptions;
  readonly clock: Clock;
  readonly store: Store;
  readonly sender: Sender;
  readonly delivery: DeliveryContext;
  readonly engine: Engine;
  readonly housekeeping: Housekeeping;
  readonly accounts: Omit<AccountsContext, "publicUrl">;
  readonly metrics: Metrics;
  readonly live: LiveHub;
  readonly telemetry: Telemetry;
  readonly died: Promise<Error>;
}

async function assemble(parts: Parts): Promise<App> {
  const { config } = parts.options;
  const { store, engine, delivery, metrics } = parts;
  let isDraining = false;
  let stopping: Promise<void> | null = null;
  const portOf = () => (server.server.address() as AddressInfo | null)?.port ?? config.port;
  const accounts = { ...parts.accounts, publicUrl: () => publicUrlAt(config, portOf()) };
  const mail = createMailNotices(parts, accounts.publicUrl);
  const server = await createServer({ ...parts, mail }, accounts, () => isDraining || stopping !== null);
  const notices = [mail, createNoticesToOperator(parts)];
  const inbox = createOwnInbox(parts);
  const stop = (): Promise<void> => (stopping ??= stopInOrder({ ...parts, notices, inbox }, server));
  return {
    server,
    accounts,
    delivery,
    engine,
    store,
    metrics,
    died: parts.died,
    async start() {
      await server.listen({ host: config.host, port: config.port });
      engine.start();
      parts.housekeeping.start();
      for (const each of notices) each?.start();
      inbox?.start();
      parts.telemetry.start();
      return { port: portOf(), publicUrl: accounts.publicUrl() };
    },
    async drain() {
      isDraining = true;
      if (config.drainMs > 0) await sleep(parts.clock, config.drainMs);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Whoever tells somebody something; `null` is one that has nobody to tell. */
type Tellers = readonly (Notices | OperatorNotices | null)[];

/** `null` when the operator has not set up e-mail. */
function createMailNotices(
  { options, clock, store, delivery, accounts }: Parts,
  publicUrl: () => string,
): Notices | null {
  const { smtpUrl, smtpPlaintext: plaintext, mailFrom } = options.config;
  if (smtpUrl === null) return null;
  return createNotices({
    store,
    clock,
    random: delivery.random,
    sealer: accounts.sealer,
    mailer: createMailer({ smtpUrl, from: mailFrom, plaintext }),
    publicUrl,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
    onNoMailbox: (accountId) => options.log.warn({ account_id: accountId }, "notice.no_mailbox"),
  });
}

/** `null` when the operator wants to know nothing. */
function createNoticesToOperator({ options, clock, store, delivery }: Parts): OperatorNotices | null {
  const { operatorWebhookUrl: url, operatorWebhookSecret: secret, operatorBacklogMs: backlogMs } = options.config;
  if (url === null || secret === null) return null;
  return createOperatorNotices({
    store,
    clock,
    random: delivery.random,
    webhook: createOperatorWebhook({ url, secret, names: delivery.names, clock }),
    node: `${hostname()}:${process.pid}`,
    backlogMs,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
  });
}

/** `null` where the product cannot write to the database, so that nobody looks for what cannot be there. */
function createOwnInbox({ options, clock, store, delivery, engine, metrics }: Parts): Inbox | null {
  if (options.config.database.kind !== "postgres") return null;
  return createInbox({
    store,
    clock,
    random: delivery.random,
    accept: (accountId, records) => accept({ ctx: delivery, engine }, accountId, records),
    report: createInboxReport(options.log, metrics),
  });
}

interface StoreListeners {
  readonly metrics: Metrics;
  readonly onHint: () => void;
  readonly onDeath: (reason: Error) => void;
}

/** The clock is what the whole program goes by: of a database that many nodes share, the database's. */
async function openStore(
  { database, databasePooler: pooler }: Config,
  clock: Clock,
  { metrics, onHint, onDeath }: StoreListeners,
): Promise<{ readonly store: Store; readonly clock: Clock }> {
  const onCommit = ({ commands, durationMs, waitedMs }: CommitInfo): void => {
    metrics.commitSeconds.observe(durationMs / 1000);
    metrics.commitWaitSeconds.observe(waitedMs / 1000);
    metrics.commitCommands.inc(commands);
  };
  if (database.kind === "postgres") {
    return await openPostgresStore({ url: database.url, pooler, clock, onCommit, onHint });
  }
  return { store: await openSqliteStore({ path: database.path, clock, onCommit, onDeath }), clock };
}

async function createServer(
  parts: Parts & { readonly mail: Notices | null },
  accounts: AccountsContext,
  isStopping: () => boolean,
): Promise<FastifyInstance> {
  const { options, clock, store, delivery, engine, metrics } = parts;
  const basePath = readBasePath(publicUrlAt(options.config, 0));
  const pages = createStaticPages({
    folder: options.webFolder ?? WEB_FOLDER,
    basePath,
    hasPlayground: options.config.hasPlayground,
  });
  const server = createHttpServer({
    onError: (what, error) => delivery.report.failed({ what, error }),
    isStopping,
    basePath,
    notFoundPage: pages.notFound,
  });
  registerGauges(metrics, {
    lanes: () => engine.lanes.load.counts(),
    ...createStoreCounts(store, clock),
    heldMax: options.config.inFlightMax,
    logLinesDropped: options.logLinesDropped ?? (() => 0),
    build: { version: VERSION, node: process.versions.node, store: options.config.database.kind },
  });
  registerHealth(server, {
    store,
    clock,
    isStopping,
    metrics: async () => ({ text: await metrics.registry.metrics(), contentType: metrics.registry.contentType }),
  });
  await pages.register(server);
  await serveDashboard(server, parts, accounts);
  await registerIntake(server, {
    accounts: { ...accounts, accounts: tellingCache(accounts.accounts, parts.live) },
    accept: (accountId, records, trace) => accept({ ctx: delivery, engine, trace }, accountId, records),
    onSessionsEnded: (accountId, sessionIds) => parts.live.sessionsEnded(accountId, sessionIds),
    apiKeys: options.keys.apiKeys,
    clock,
    report: createIntakeReport(metrics, parts.telemetry.traces),
  });
  return server;
}

async function serveDashboard(
  server: FastifyInstance,
  { options: { config }, delivery, engine, live, mail }: Parts & { readonly mail: Notices | null },
  accounts: AccountsContext,
): Promise<void> {
  const ctx = {
    accounts,
    delivery,
    engine,
    accept: (accountId: string, records: Parameters<typeof accept>[2]) =>
      accept({ ctx: delivery, engine }, accountId, records),
    live,
    tests: createTestSlots(accounts.clock),
    isCheckedTooOften: createCheckLimit(accounts.clock),
    hasPlayground: config.hasPlayground,
    httpsOnly: config.httpsOnly,
    hasMail: mail !== null,
    nudgeMail: () => mail?.nudge(),
  };
  await registerDashboard(server, ctx, live);
}

/** Intake forgets an account when it has changed it: open pages show its name and plan. */
function tellingCache(cache: AccountCache, live: LiveHub): AccountCache {
  return {
    ...cache,
    forget(accountId) {
      cache.forget(accountId);
      live.configurationChanged(accountId);
    },
  };
}

type Running = Parts & { readonly notices: Tellers; readonly inbox: Inbox | null };

/** Requests under way are answered first: whoever got a 202 before the stop keeps it. */
async function stopInOrder(
  { options, clock, store, sender, engine, housekeeping, telemetry, notices, inbox }: Running,
  server: FastifyInstance,
): Promise<void> {
  const { promise: deadline, resolve: giveUp } = Promise.withResolvers<void>();
  const cancel = clock.after(options.config.shutdownDeadlineMs, giveUp);
  const ended = Promise.all([server.close(), inbox?.stop()])
    .then(() => Promise.all([engine.stop(), housekeeping.stop(), ...notices.map((each) => each?.stop())]))
    .then(() => sender.close());
  await Promise.race([deadline, ended]);
  cancel();
  // Behind everything that it tells of, and before the store that some metrics are read from.
  await telemetry.stop();
  await store[Symbol.asyncDispose]();
}
