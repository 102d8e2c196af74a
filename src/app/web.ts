/** The HTTP server: health and metrics, the page, the dashboard's calls and the intake, on one port. */
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { AccountsContext } from "../accounts/context.ts";
import { publicUrlAt } from "../config/config.ts";
import { type LiveHub, createLiveHub } from "../dashboard/live/hub.ts";
import { createStaticPages } from "../dashboard/pages/static.ts";
import type { DashboardContext } from "../dashboard/call/context.ts";
import { registerDashboard } from "../dashboard/register.ts";
import { createTestSlots } from "../dashboard/tests/slots.ts";
import { createCheckLimit } from "../dashboard/verification/verification.ts";
import { showAddress } from "../egress/parse-networks.ts";
import { logRequests } from "../http/access-log.ts";
import { createClientAddress, trustProxies } from "../http/client-address.ts";
import { readBasePath } from "../http/base-path.ts";
import { registerHealth } from "../http/health.ts";
import { followOpening } from "../http/opening.ts";
import { SERVER_TIMES } from "../http/connection-limits.ts";
import { createHttpServer } from "../http/server.ts";
import { createAuthenticator } from "../intake/authenticate.ts";
import type { IntakeContext, IntakeRoute, RouteGroup } from "../intake/context.ts";
import { registerIntake } from "../intake/routes.ts";
import { createKeyring } from "../programs/keyring.ts";
import { listKeyRoutes } from "../programs/key-routes.ts";
import { mcpRoute } from "../programs/mcp.ts";
import { listManageRoutes } from "../programs/manage/register.ts";
import { createReadLimits, type ReadLimits } from "../programs/read-limits.ts";
import { listReadRoutes } from "../programs/read-routes.ts";
import { createShortCut } from "../intake/short-cut.ts";
import { sleep } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { createIntakeReport } from "../observe/intake-reports.ts";
import type { MessagesPart } from "./messages.ts";
import type { Observation } from "./observation.ts";
import type { AppOptions } from "./options.ts";
import type { Path } from "./path.ts";
import type { Storage } from "./storage.ts";
import type { AccountCache } from "../accounts/account-cache.ts";
import type { Config } from "../config/options.ts";
import { createLiveFollow } from "../dashboard/live/follow.ts";
import type { DeliveryReport } from "../delivery/report.ts";
import { registerGone } from "../pull/gone.ts";
import { PULL_ROUTE } from "../pull/openapi.ts";
import { registerPull } from "../pull/routes.ts";
import type { Waits } from "../pull/waits.ts";
import type { AddressInfo } from "node:net";

const WEB_FOLDER = join(import.meta.dirname, "..", "..", "web", "dist");

/**
 * How long a stopping node still answers, so that load balancers go elsewhere: they ask every one to five seconds. Only
 * an installation on PostgreSQL has another node that answers meanwhile. Together with the shutdown's deadline it stays
 * within the 30 s after which Kubernetes kills.
 */
const DRAIN_MS = secondsMs(5);

export interface WebParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly observation: Observation;
  readonly path: Path;
  readonly accounts: AccountsContext;
  readonly live: LiveHub;
  readonly messages: MessagesPart;
  readonly waits: Waits;
}

export interface Web {
  readonly server: FastifyInstance;
  /** Starts listening. */
  start(): Promise<void>;
  /** Before a stop: still answers everything, but tells load balancers and kept connections to go elsewhere. */
  drain(): Promise<void>;
  /** Requests under way are answered first: a caller that got a 202 before the stop keeps it. */
  stop(): Promise<void>;
}

export async function createWeb(params: WebParams): Promise<Web> {
  const { config } = params.options;
  let isLeaving = false;
  const server = await createServer(params, () => isLeaving);
  return {
    server,
    async start() {
      await server.listen({ host: config.host, port: config.port });
    },
    async drain() {
      isLeaving = true;
      if (config.database.kind === "postgres") await sleep(params.storage.clock, DRAIN_MS);
    },
    async stop() {
      isLeaving = true;
      await server.close();
    },
  };
}

async function createServer(params: WebParams, isStopping: () => boolean): Promise<FastifyInstance> {
  const { config, webFolder: folder = WEB_FOLDER } = params.options;
  const { report } = params.path.delivery;
  const basePath = readBasePath(publicUrlAt(config, 0));
  const { hasPlayground, embedOrigins, brandName: name, brandLogo: logo, brandColors: colors } = config;
  const brand = { name, logo, colors };
  const pages = createStaticPages({ folder, basePath, hasPlayground, embedOrigins, brand });
  const intake = toIntakeContext(params);
  const trustProxy = trustProxies(config.trustedProxies.map(({ cidr }) => cidr));
  const server = createHttpServer({
    onError: (what, error) => report.failed({ what, error }),
    onCutOff: (accountId) =>
      params.options.log.warn({ account_id: accountId }, "an answer was cut off: unread ones had taken their maximum"),
    times: { ...SERVER_TIMES, leaveMs: Math.min(SERVER_TIMES.leaveMs, config.shutdownDeadlineMs / 4) },
    isStopping,
    basePath,
    notFoundPage: pages.notFound,
    shortCut: createShortCut(intake, basePath),
    trustProxy,
  });
  if (config.hasAccessLog) {
    logRequests(server.server, {
      clock: params.storage.clock,
      clientAddress: createClientAddress(trustProxy),
      write: (fields) => params.options.log.info(fields, "request"),
    });
  }
  serveHealth(server, params, isStopping);
  await pages.register(server);
  const dashboard = toDashboardContext(params);
  await registerDashboard(server, dashboard, params.live);
  registerGone(server, params.accounts.publicUrl);
  const { store, clock, hold } = params.storage;
  const pulling = followOpening(() => store.hasPulled({ nowMs: clock.nowMs() }), clock);
  await registerPull(server, { ...params.path.delivery, waits: params.waits, hold }, pulling);
  const programs = toProgramRoutes(intake, dashboard, createReadLimits(clock));
  const asking = { routes: [PULL_ROUTE], areOpen: pulling.isOpen };
  await registerIntake(server, intake, { routes: programs.routes, groups: [programs, asking] });
  return server;
}

function toProgramRoutes(
  intake: IntakeContext,
  dashboard: DashboardContext,
  limits: ReadLimits,
): RouteGroup & { readonly routes: readonly IntakeRoute[] } {
  const { accounts, delivery, hasManagement } = dashboard;
  const { store, clock } = accounts;
  const onFailure = (error: unknown): void => delivery.report.failed({ what: "read-key.used", error });
  const keyring = createKeyring({ store, clock, intake: createAuthenticator(intake.keys, clock), onFailure });
  const reading = { accounts, delivery };
  return {
    routes: [
      ...listReadRoutes(reading, keyring, limits),
      ...(hasManagement ? listManageRoutes(dashboard, keyring, limits) : []),
      mcpRoute(reading, { keyring, limits, managing: hasManagement ? dashboard : null }),
      ...listKeyRoutes(intake, { keyring, hasManagement }),
    ],
    areOpen: keyring.isOpen,
  };
}

function serveHealth(
  server: FastifyInstance,
  { storage: { store, clock, shards, hold }, observation }: WebParams,
  isStopping: () => boolean,
): void {
  const { registry } = observation.metrics;
  const metrics = async () => ({ text: await registry.metrics(), contentType: registry.contentType });
  const listShards = () => shards?.list() ?? [];
  registerHealth(server, { store, listShards, clock, isStopping, hold, metrics });
}

function toDashboardContext(params: WebParams): DashboardContext {
  const { accounts, path, live, messages, options, storage, waits } = params;
  /** A person has made something due: for this node to send, or for a program that asks it. */
  const nudge = (): void => {
    path.nudge();
    waits.nudge();
  };
  const { hasPlayground, hasManagement, httpsOnly, sourceAddresses, upgradeUrl, embedOrigins } = options.config;
  return {
    accounts,
    delivery: path.delivery,
    engine: { nudge },
    accept: (accountId: string, records: Parameters<Path["accept"]>[1]) => path.accept(accountId, records),
    live,
    tests: createTestSlots(accounts.clock),
    isCheckedTooOften: createCheckLimit(accounts.clock),
    hasPlayground,
    hasManagement,
    httpsOnly,
    hasMail: messages.mail !== null,
    sourceAddresses: sourceAddresses.map(showAddress),
    upgradeUrl,
    mayBeFramed: embedOrigins.length > 0,
    isHeld: () => storage.hold.problem !== null,
    nudgeMail: () => messages.mail?.nudge(),
    channels: messages.channels,
  };
}

function toIntakeContext({ accounts, path, live, observation, options, storage }: WebParams): IntakeContext {
  return {
    accounts: { ...accounts, accounts: tellingCache(accounts.accounts, live) },
    accept: path.accept,
    onSessionsEnded: (accountId, sessionIds) => live.sessionsEnded(accountId, sessionIds),
    keys: options.keys,
    clock: accounts.clock,
    hold: storage.hold,
    report: createIntakeReport(observation.metrics, observation.traces),
  };
}

/* The hub that tells open pages what happens. */

/** An SQLite database has one node, which tells everything itself; the others follow what their neighbours do. */
export function createLive({ database }: Config, { store, clock, random }: Storage, report: DeliveryReport): LiveHub {
  if (database.kind === "sqlite") return createLiveHub({ clock, random });
  const onFailure = (error: unknown): void => report.failed({ what: "live.follow", error });
  return createLiveHub({ clock, random, follow: createLiveFollow({ clock, store, onFailure }) });
}

/** Intake forgets an account when it has changed it: open pages show its name and plan. */
export function tellingCache(cache: AccountCache, live: LiveHub): AccountCache {
  return {
    ...cache,
    forget(accountId) {
      cache.forget(accountId);
      live.configurationChanged(accountId);
    },
  };
}

/* Where people reach this service: as configured, or at the port that the server has got. */

export interface Address {
  port(): number;
  publicUrl(): string;
  /** The port may be 0 in the settings: then the server knows it, once it listens. */
  knowServer(server: FastifyInstance): void;
}

export function createAddress(config: Config): Address {
  let server: FastifyInstance | null = null;
  const port = (): number => (server?.server.address() as AddressInfo | null)?.port ?? config.port;
  return {
    port,
    publicUrl: () => publicUrlAt(config, port()),
    knowServer(known) {
      server = known;
    },
  };
}
