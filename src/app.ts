/**
 * Puts the program together from its configuration, and takes it apart again in the right order: first nothing new
 * comes in, then what is under way ends, then the store closes. The parts are in `app/`; this file alone knows all.
 */
import type { FastifyInstance } from "fastify";
import type { AccountsContext } from "./accounts/context.ts";
import { createTrialEnds } from "./accounts/trial-webhook.ts";
import { createAddress, createLive, createWeb } from "./app/web.ts";
import { createInboxPart, type Path, createPath } from "./app/path.ts";
import { createMessagesPart } from "./app/messages.ts";
import { createObservation, observeGauges } from "./app/observation.ts";
import type { Hold } from "./app/hold.ts";
import type { AppOptions } from "./app/options.ts";
import { type Storage, openStorage } from "./app/storage.ts";
import { createLiveReport } from "./dashboard/live/report.ts";
import type { DeliveryContext } from "./delivery/context.ts";
import type { Engine } from "./delivery/engine.ts";
import { BUILT_IN_TYPES } from "./events/event-types.ts";
import { joinReports } from "./delivery/report.ts";
import { createPullReport } from "./pull/report.ts";
import { createWaits, type Waits } from "./pull/waits.ts";
import type { Clock } from "./lib/clock.ts";
import { type Metrics, createMetrics } from "./observe/metrics.ts";
import type { Store } from "./store/contract/store.ts";

export interface App extends AsyncDisposable {
  /** The HTTP server, for requests that need no socket. */
  readonly server: FastifyInstance;
  readonly accounts: AccountsContext;
  readonly delivery: DeliveryContext;
  readonly engine: Engine;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Questions of programs that wait here. */
  readonly waits: Pick<Waits, "count">;
  /** Resolves with the reason when the store has ended by itself: only a new process helps. */
  readonly died: Promise<Error>;
  readonly hold: Pick<Hold, "problem">;
  /** Starts delivering and listening. */
  start(): Promise<{ readonly port: number; readonly publicUrl: string }>;
  /** Before a stop: still answers everything, but tells load balancers and kept connections to go elsewhere. */
  drain(): Promise<void>;
  /** Stops in order; what is not done by the deadline is left to the next start. Twice is fine. */
  stop(): Promise<void>;
}

/** Opens the store and wires everything; nothing runs until `start`. Rejects with `StoreUnusable`. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, types = BUILT_IN_TYPES } = options;
  const metrics = createMetrics(types.all.map(({ type }) => type));
  let path: Path | null = null;
  let waits: Waits | null = null;
  const onHint = (): void => {
    path?.engine.nudge();
    waits?.nudge();
  };
  const storage = await openStorage(options, { metrics, onHint });
  const { store, clock, died } = storage;
  const observation = createObservation(options, storage, metrics);
  const live = createLive(config, storage, observation.report);
  waits = createWaits({ store, clock });
  const report = joinReports(observation.report, createLiveReport(live), createPullReport(waits));
  path = createPath(options, storage, report);
  const { delivery, engine } = path;
  observeGauges(metrics, { options, storage, lanes: engine.lanes });
  const address = createAddress(config);
  const accounts = createAccounts(storage, path, { ...config, ...address });
  const messages = createMessagesPart({ options, storage, delivery, publicUrl: address.publicUrl });
  const inbox = createInboxPart({ options, storage, path, observation });
  const trials = createTrialEnds(accounts, (error) => delivery.report.failed({ what: "ending trial webhooks", error }));
  const web = await createWeb({ options, storage, observation, path, accounts, live, messages, waits });
  address.knowServer(web.server);

  const stopInOrder = async (): Promise<void> => {
    storage.hold.stop();
    const ended = Promise.all([web.stop(), inbox.stop(), trials.stop()]).then(() =>
      Promise.all([path.stop(), messages.stop()]),
    );
    await byDeadline(ended, clock, config.shutdownDeadlineMs);
    // Behind everything that it tells of, and before the store that some metrics are read from.
    await observation.stop();
    await storage.stop();
  };
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= stopInOrder());
  return {
    server: web.server,
    accounts,
    delivery,
    engine,
    store,
    metrics,
    waits,
    died,
    hold: storage.hold,
    async start() {
      await web.start();
      storage.hold.start(() => [path, messages, inbox, trials].forEach((part) => part.start()));
      for (const part of [path.indexing, observation]) part.start();
      return { port: address.port(), publicUrl: address.publicUrl() };
    },
    drain: () => web.drain(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface AccountsSettings {
  readonly signatureHeader: string;
  readonly publicUrl: () => string;
}

function createAccounts(
  { store, types, sealer, clock, random }: Storage,
  { cache, checkUrl }: Path,
  { signatureHeader, publicUrl }: AccountsSettings,
): AccountsContext {
  return { store, types, accounts: cache, sealer, clock, random, checkUrl, signatureHeader, publicUrl };
}

/** Resolves when `work` has ended, at the latest after `deadlineMs`: the rest is left to the next start. */
async function byDeadline(work: Promise<unknown>, clock: Clock, deadlineMs: number): Promise<void> {
  const { promise: deadline, resolve: giveUp } = Promise.withResolvers<void>();
  const cancel = clock.after(deadlineMs, giveUp);
  await Promise.race([deadline, work]);
  cancel();
}
