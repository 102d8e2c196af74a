/** The event's path: accepting, delivering, and the housekeeping behind both. */
import { type AccountCache, createAccountCache } from "../accounts/account-cache.ts";
import { type RequestTrace, accept } from "../delivery/accept.ts";
import { createAuthorizedSend } from "../delivery/authorized-send.ts";
import type { DeliveryContext } from "../delivery/context.ts";
import { type Engine, createEngine } from "../delivery/engine.ts";
import { createHousekeeping } from "../delivery/housekeeping.ts";
import { createLoopWork } from "../delivery/loop-work.ts";
import { createIndexing } from "../delivery/search-indexing.ts";
import { MadeBodies } from "../delivery/made-bodies.ts";
import type { DeliveryReport } from "../delivery/report.ts";
import { createSender } from "../delivery/send/send.ts";
import { RETRY_SCHEDULE } from "../domain/retry-schedule.ts";
import { createGuard } from "../egress/create-guard.ts";
import { createLoopBusy } from "../lib/loop-busy.ts";
import { refuse } from "../lib/result.ts";
import { VERSION } from "../lib/version.ts";
import type { AppOptions } from "./options.ts";
import type { Part } from "../lib/rounds.ts";
import type { Storage } from "./storage.ts";
import { type Inbox, createInbox } from "../intake/inbox.ts";
import { createInboxReport } from "../observe/intake-reports.ts";
import type { Observation } from "./observation.ts";

export interface Path extends Part {
  readonly delivery: DeliveryContext;
  readonly engine: Engine;
  /** Runs also while nothing is sent: what is there can be searched. */
  readonly indexing: Part;
  /** A person has made something due: a delivery, a step of a replay, a test to be found. */
  nudge(): void;
  readonly cache: AccountCache;
  readonly checkUrl: ReturnType<typeof createGuard>["checkUrl"];
  /** The one acceptance, for intake, the inbox and the playground. */
  readonly accept: (
    accountId: string,
    records: Parameters<typeof accept>[2],
    trace?: RequestTrace | null,
  ) => ReturnType<typeof accept>;
}

export function createPath(options: AppOptions, storage: Storage, report: DeliveryReport): Path {
  const { config, schedule = RETRY_SCHEDULE } = options;
  const { store, clock, random, sealer } = storage;
  const cache = createAccountCache({ store, sealer, clock, isShared: config.database.kind === "postgres" });
  const guard = createGuard(config, clock, () => storage.hold.problem !== null);
  const sender = createSender({ guard, clock });
  const names = { signatureHeader: config.signatureHeader, userAgent: `Bellwire/${VERSION}` };
  const send = createAuthorizedSend(sender.sendIf, clock);
  const bodies = new MadeBodies(storage);
  const delivery = { clock, random, store, accounts: cache, send, bodies, report, names, schedule };
  const loopWork = createLoopWork(clock, createLoopBusy());
  const engine = createEngine(delivery, {
    deliveriesMax: config.inFlightMax,
    loopWork,
    isHinted: config.databasePooler === "none",
  });
  const housekeeping = createHousekeeping(delivery, engine, {
    payloadMs: config.payloadRetentionMs,
    attemptBodyMs: config.attemptBodyRetentionMs,
    rowMs: config.rowRetentionMs,
  });
  const indexing = createIndexing({ ...delivery, loopWork });
  const parts = [engine, housekeeping];
  return {
    delivery,
    engine,
    nudge() {
      engine.nudge();
      housekeeping.nudge();
      indexing.noteComing(1);
    },
    indexing,
    cache,
    checkUrl: guard.checkUrl,
    accept(accountId, records, trace = null) {
      const held = storage.hold.problem;
      if (held !== null) return Promise.resolve(refuse(held));
      indexing.noteComing(records.length);
      return accept({ ctx: delivery, engine, trace }, accountId, records);
    },
    start() {
      for (const part of parts) part.start();
    },
    async stop() {
      await Promise.all([...parts, indexing].map((part) => part.stop()));
      await sender.close();
    },
  };
}

/* The product's inbox table in PostgreSQL, whose rows are accepted like records of the intake. */

export interface InboxParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly path: Pick<Path, "accept">;
  readonly observation: Observation;
}

export function createInboxPart(params: InboxParams): Part {
  const inbox = createOwnInbox(params);
  return {
    start: () => inbox?.start(),
    async stop() {
      await inbox?.stop();
    },
  };
}

/** `null` with SQLite: the product cannot write to that database, so there is no table to look at. */
function createOwnInbox({ options, storage, path, observation }: InboxParams): Inbox | null {
  if (options.config.database.kind !== "postgres") return null;
  const { store, types, clock, random } = storage;
  const report = createInboxReport(observation);
  return createInbox({
    store,
    types,
    clock,
    random,
    accept: (accountId, records) => path.accept(accountId, records),
    report,
  });
}
